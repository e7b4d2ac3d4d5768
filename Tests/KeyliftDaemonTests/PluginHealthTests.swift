import Testing

@testable import KeyliftDaemon

@Suite("ipc rule 16: a plugin that fails") struct PluginHealthTests {
  @Test("three failures in a row leave it out; an answer between them starts anew")
  func threeInARow() {
    var health = PluginHealth()
    var isLeftOut = [health.fail(), health.fail()]
    health.succeed()
    for _ in 0..<3 { isLeftOut.append(health.fail()) }
    #expect(isLeftOut == [false, false, false, false, true])
  }

  @Test("for 1 s, doubling to 60 s, and for 1 s again once it has answered")
  func rests() {
    var health = PluginHealth()
    let rests = (0..<8).map { _ in health.takeRest() / 1_000_000 }
    #expect(rests == [1, 2, 4, 8, 16, 32, 60, 60])
    #expect(health.failures == 0)
    health.succeed()
    let next = health.takeRest()
    #expect(next == PluginHealth.shortestRest)
  }
}
