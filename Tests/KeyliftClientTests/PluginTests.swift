import EventLoop
import Glibc
import Testing
import Varlink

@testable import KeyliftClient

@Suite struct PluginTests {
  @Test("a plugin says what it decides about, and decides; also where one has died") func deciding() throws {
    let daemon = try FakeDaemon()
    let path = daemon.directory + "/plugin"
    Glibc.close(try Server.bind(path: path, mode: 0o600))  // as after a kill
    var questions: [Plugin.Question] = []
    let plugin = try Plugin("night", [.moveLayout, .showKeyboard], order: 3, path: path, on: daemon.loop) {
      questions.append($0)
      return $0.offset.map { .move(Point(x: 0, y: $0.y - 20)) } ?? .refuse
    }
    let client = try Client(path: path)
    func ask(_ method: String, _ fields: (inout JSONWriter) -> Void = { _ in }) throws -> JSON {
      try client.send("io.keylift.Plugin.\(method)", .none, fields)
      var reply: Reply?
      try daemon.until("answered") {
        reply = try? client.receive().first
        return reply != nil
      }
      return reply?.parameters ?? .null
    }
    let description = try ask("Describe")
    #expect(description["name"].asString == "night")
    #expect(description["transitions"].asArray?.compactMap(\.asString) == ["showKeyboard", "moveLayout"])
    #expect(description["order"].asInteger == 3)
    func question(_ transition: String, y: Double?) -> (inout JSONWriter) -> Void {
      { writer in
        writer.field("transition", transition)
        writer.field("scene", "scene-1")
        writer.field("sceneName", "form")
        writer.field("view", "city")
        writer.field("reason", "client")
        if let y {
          writer.object("offset") { writer in
            writer.field("x", 0)
            writer.field("y", y)
          }
        }
      }
    }
    let refused = try ask("Decide", question("showKeyboard", y: nil))
    #expect(refused["allow"] == .bool(false))
    let moved = try ask("Decide", question("moveLayout", y: -100))
    #expect(moved["allow"] == .bool(true))
    #expect(moved["offset"]["y"].asInteger == -120)
    #expect(questions.map(\.transition) == [.showKeyboard, .moveLayout])
    #expect(questions.map(\.view) == ["city", "city"])
    #expect(questions.map(\.reason) == [.client, .client])
    #expect(throws: BindError.self) {
      try Plugin("other", [], path: path, on: daemon.loop) { _ in .allow }
    }
    let nowhere = #expect(throws: BindError.self) { try Plugin("other", [], on: daemon.loop) { _ in .allow } }
    #expect(nowhere?.description == "there is neither a socket nor a path for one")
    withExtendedLifetime(plugin) {}
  }
}
