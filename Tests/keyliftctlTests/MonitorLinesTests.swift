import Testing
import Varlink

@testable import keyliftctl

@Suite struct MonitorLinesTests {
  private static let device =
    #"{"path":"/dev/input/event3","name":"Panel","touch":true,"keys":false,"screen":"screen","grabbed":false}"#

  @Test func snapshotThenWhatFocusBrings() throws {
    var lines = MonitorLines()
    let before = try state(#""snapshot""#, at: 5_000_000, scenes: "[\(scene("scene-1", "form"))]")
    #expect(
      lines.lines(for: before) == [
        "   0.000  snapshot                 "
          + "keyboard hidden, reason outsideTouch; 1 screen, 1 scene, 0 devices"
      ])
    let after = try state(
      #""focusChanged","keyboardWillShow","layoutChanged""#, at: 6_234_000, keyboard: showingKeyboard,
      scenes: "[\(scene("scene-1", "form", focused: "city", y: -162, overlap: 192))]")
    #expect(
      lines.lines(for: after) == [
        "   1.234  focusChanged             city in form (scene-1)",
        "   1.234  keyboardWillShow         0,288 800x192 in 0.3 s, reason focus",
        "   1.234  layoutChanged            form (scene-1) offset 0,-162, overlap 192",
      ])
    let left = try state(#""focusChanged""#, at: 6_235_000, scenes: "[\(scene("scene-1", "form"))]")
    #expect(
      lines.lines(for: left) == ["   1.235  focusChanged             none, was city in form (scene-1)"])
  }

  @Test(
    "What comes and goes is found by comparing",
    arguments: [
      (#""sceneAttached""#, "[]", "[\(scene("2", "b"))]", "b (2) on screen at 0,0 800x480"),
      (#""sceneGone""#, "[\(scene("2", "b"))]", "[]", "b (2)"),
      (
        #""layoutChanged""#, "[\(scene("1", "a")),\(scene("2", "b"))]",
        "[\(scene("1", "a")),\(scene("2", "b", y: -10))]", "b (2) offset 0,-10, overlap 0"
      ),
      (#""sceneGone""#, "[]", "[]", ""),
    ])
  func scenes(notification: String, before: String, after: String, expected: String) throws {
    var lines = MonitorLines()
    _ = lines.lines(for: try state(#""snapshot""#, scenes: before))
    let name = notification.filter { $0 != "\"" }
    let line = "   0.000  \(padded(name, to: 23))  \(expected)"
    #expect(
      lines.lines(for: try state(notification, scenes: after))
        == [expected.isEmpty ? "   0.000  \(name)" : line])
  }

  @Test func devices() throws {
    var lines = MonitorLines()
    _ = lines.lines(for: try state(#""snapshot""#))
    let with = try state(#""deviceAdded""#, devices: "[\(MonitorLinesTests.device)]")
    #expect(
      lines.lines(for: with) == [
        "   0.000  deviceAdded              /dev/input/event3 Panel: touch on screen"
      ])
    #expect(
      lines.lines(for: try state(#""deviceRemoved""#)) == [
        "   0.000  deviceRemoved            /dev/input/event3 Panel"
      ])
  }
}

@Suite struct AttachLinesTests {
  private func state(_ change: String) throws -> JSON {
    try json(
      """
      {"instance":"i","serial":1,"scene":"scene-1","revision":1,"change":[\(change)],
       "screen":{"name":"screen","size":{"width":800,"height":480},"rotation":90},"focused":"city",
       "keyboard":\(showingKeyboard),
       "layout":{"offset":{"x":0,"y":-162},"scrolls":[{"view":"list","contentOffset":{"x":0,"y":40},"insetBottom":192}],
         "overlap":192,"duration":0.3,"curve":"easeInOut"}}
      """)
  }

  @Test func idOnceThenWhatChanged() throws {
    var lines = AttachLines(start: 1_000_000)
    #expect(
      try lines.lines(for: state(#""focus""#), at: 1_000_000) == [
        "scene scene-1", "   0.000  focus     city",
      ])
    #expect(
      try lines.lines(for: state(#""keyboard","layout","screen""#), at: 2_500_000) == [
        "   1.500  keyboard  willShow at 0,288 800x192 in 0.3 s, reason focus",
        "   1.500  layout    offset 0,-162, overlap 192 in 0.3 s",
        "   1.500  layout    list: content offset 0,40, bottom inset 192",
        "   1.500  screen    screen 800x480, rotated by 90",
      ])
  }

  @Test func touches() throws {
    let touch = try json(
      #"{"id":3,"phase":"began","time":1,"position":{"x":10,"y":20.5},"view":"city","responders":["list","city"]}"#
    )
    #expect(
      AttachLines(start: 0).line(forTouch: touch, at: 1000)
        == "   0.001  touch     3 began at 10,20.5 on city, delivered to list, city")
  }
}

@Suite struct SceneFileTests {
  @Test(
    "What is wrong with the text has a line and a column",
    arguments: [
      ("{\n  \"a\": x\n}", "f:2:8: this is no JSON."), ("", "f:1:1: there is nothing."),
      ("{\"a\": 1", "f:1:8: the JSON ends too early."), ("{\"ä\" 1}", "f:1:6: this is no JSON."),
      ("{\"a\":1,\"a\":2}", "f: a key is twice in one object. Remove one of them."),
      ("[]", "f: this is no JSON object. Give the parameters of io.keylift.Scene.Attach."),
    ])
  func problems(text: String, expected: String) {
    let failure = #expect(throws: Failure.self) { try SceneFile(name: "f").members(of: Array(text.utf8)) }
    #expect(failure?.message == expected)
  }

  @Test func membersAsTheyAre() throws {
    #expect(
      try SceneFile(name: "f").members(of: Array(#"{"name":"n","views":[]}"#.utf8)).map(\.key) == [
        "name", "views",
      ])
  }
}
