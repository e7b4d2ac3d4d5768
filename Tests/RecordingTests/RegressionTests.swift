import TestFiles
import Testing

@testable import Recording

@Suite("Tests/Recordings, made with the daemon")
struct RegressionTests {
  @Test("the core decides now what it decided then", arguments: TestFolder.recordings.names)
  func same(name: String) throws {
    let result = try replay(TestFolder.contents(TestFolder.recordings.path(of: name)))
    #expect(result.differences == [])
    #expect(result.inputs > 10)
  }

  @Test("there are as many as promised") func some() { #expect(TestFolder.recordings.names.count >= 2) }
}
