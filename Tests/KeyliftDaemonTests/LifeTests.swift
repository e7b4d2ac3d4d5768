import Testing

@testable import KeyliftDaemon

@Suite("A daemon in a process that goes on") struct LifeTests {
  @Test("nothing keeps one that nobody has any more")
  func goes() throws {
    weak var gone: Daemon?
    do {
      let daemon = try Daemon(settings: Settings(), log: Log(level: .error))
      try daemon.serve(main: [], control: [])
      gone = daemon
      #expect(gone != nil)
    }
    #expect(gone == nil)
  }
}
