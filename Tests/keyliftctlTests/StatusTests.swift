import Testing
import Varlink

@testable import keyliftctl

@Suite struct StatusTests {
  private func page(_ state: JSON) throws -> StatusPage {
    StatusPage(socket: "/s", info: try json(#"{"product":"keyliftd","version":"1.0"}"#), state: state)
  }

  @Test func shown() throws {
    let state = try state(
      "", keyboard: showingKeyboard,
      scenes: "[\(scene("scene-1", "form", focused: "city", y: -162, overlap: 192))]")
    #expect(
      try page(state).page == """
        Daemon           keyliftd 1.0, instance i
        Socket           /s
        Keyboard         willShow at 0,288 800x192 in 0.3 s, reason focus
        First responder  city in form (scene-1)
        Screen           screen 800x480
        Scenes           1: form (scene-1)
        Devices          0

        """)
    let json = try page(state).json
    #expect(
      json["firstResponder"]
        == (try keyliftctlTests.json(#"{"scene":"scene-1","name":"form","view":"city"}"#)))
    #expect(json["scenes"] == .integer(1))
    #expect(json["version"] == .string("1.0"))
  }

  @Test func nothingThere() throws {
    let page = try page(state(""))
    #expect(page.page.contains("First responder  none\n"))
    #expect(page.page.contains("Keyboard         hidden, reason outsideTouch\n"))
    #expect(page.json["firstResponder"] == .null)
  }

  @Test func manyScenes() throws {
    let scenes = (1...10).map { scene("scene-\($0)", "s") }.joined(separator: ",")
    #expect(try page(state("", scenes: "[\(scenes)]")).page.contains("10: s (scene-1), s (scene-2)"))
    #expect(try page(state("", scenes: "[\(scenes)]")).page.contains("s (scene-8), ...\n"))
  }
}
