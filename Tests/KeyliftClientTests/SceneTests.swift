import EventLoop
import Glibc
import Testing
import Varlink

@testable import KeyliftClient

@Suite struct SceneTests {
  let daemon: FakeDaemon
  let scene: Scene

  init() throws {
    daemon = try FakeDaemon()
    scene = try Scene("form", views: [field("a"), field("b")], socket: daemon.socket)
  }

  private func attach() throws {
    try scene.start(on: daemon.loop)
    try daemon.until("attached") { scene.isConnected }
  }

  private func ids(_ call: (name: String, parameters: JSON)?, _ member: String = "set") -> [String] {
    (call?.parameters[member].asArray ?? []).compactMap { $0["id"].asString ?? $0.asString }
  }

  @Test("ipc rule 6: a state is told with what changed") func states() throws {
    var states: [SceneState] = []
    scene.onState = { states.append($0) }
    try attach()
    #expect(ids(daemon.calls.first, "views") == ["a", "b"])
    daemon.say(KeyliftClientTests.scene(focused: "b", y: -162, change: "focus", more: #","later":{"a":1}"#))
    try daemon.until("the second state") { states.count == 2 }
    #expect(states[0].changed == [.snapshot])
    #expect(states[1].changed == [.focus])
    #expect(states[1].focused == "b")
    #expect(
      states[1].screen == Screen(name: "main", size: Size(width: 800, height: 480), rotation: .clockwise90))
    #expect(states[1].layout.offset.y == -162)
    #expect(
      states[1].layout.scrolls
        == [ScrollAdjustment(view: "v", contentOffset: Point(x: 1, y: 2), insetBottom: 3)])
    #expect(states[1].json["later"]["a"].asInteger == 1)
    #expect(scene.latest == states[1])
  }

  @Test("what changes while the daemon is away or busy goes in one message, and nothing is lost")
  func coalescing() throws {
    try attach()
    var held: [Varlink.Call] = []
    daemon.answer = { call in
      if call.name == "Update", held.isEmpty { held.append(call) }
      return held.first === call
    }
    try scene.set([field("c")])
    try daemon.until("the first Update") { !held.isEmpty }
    for y in 1...100 { try scene.set([field("a", Double(y)), field("d")]) }
    try scene.remove(["b"])
    try scene.setFrame(Rect(x: 0, y: 10, width: 800, height: 470))
    try daemon.settle()
    #expect(daemon.called == ["Attach", "Update"])
    held[0].reply { $0.field("revision", 2) }
    try daemon.until("the second") { daemon.calls.count == 3 }
    #expect(ids(daemon.calls[2]) == ["a", "d"])
    #expect(daemon.calls[2].parameters["set"][0]["frame"]["y"].asInteger == 100)
    #expect(ids(daemon.calls[2], "remove") == ["b"])
    #expect(daemon.calls[2].parameters["frame"]["y"].asInteger == 10)
    try daemon.settle()

    var reasons: [String] = []
    scene.onDisconnect = { reasons.append($0.why) }
    daemon.stop()
    try daemon.until("told why") { reasons.count > 1 }
    #expect(!scene.isConnected)
    #expect(scene.latest == nil)
    for y in 1...100 { try scene.set([field("a", Double(y)), field("e")]) }
    try scene.remove(["c"])
    scene.focus("a")
    scene.focus("e")
    try daemon.start()
    try daemon.until("asked for the focus") { daemon.called.last == "Focus" }
    let again = daemon.calls.suffix(2)
    #expect(again.map(\.name) == ["Attach", "Focus"])
    #expect(again.last?.parameters["view"].asString == "e")
    #expect(daemon.calls[3].name == "Attach")
    #expect(ids(daemon.calls[3], "views") == ["a", "d", "e"])
  }

  @Test("a scene that is refused is told of once, in words, and attached once it is right") func refused()
    throws
  {
    daemon.answer = { call in
      guard call.name == "Attach", call.parameters["views"].asArray?.count == 2 else { return false }
      call.fail("io.keylift.Scene.InvalidScene") { writer in
        writer.field("view", "b")
        writer.field("problem", "it is odd")
      }
      return true
    }
    var errors: [DaemonError] = []
    scene.onError = { errors.append($0) }
    scene.onDisconnect = { Issue.record("\($0)") }
    try scene.start(on: daemon.loop)
    try daemon.until("tried again") { daemon.calls.count >= 3 }
    #expect(errors.map(\.description) == [#"scene form: view "b": it is odd."#])
    #expect(errors.first?.isRefusal == true)
    try scene.set([field("c")])
    try daemon.until("attached") { scene.isConnected }
  }

  @Test("an Update that is refused is sent again with the next change") func setRight() throws {
    try attach()
    var errors: [DaemonError] = []
    scene.onError = { errors.append($0) }
    daemon.answer = { call in
      guard call.name == "Update", call.parameters["set"].asArray?.count == 1 else { return false }
      call.fail("io.keylift.Scene.InvalidScene") { writer in
        writer.field("view", "lost")
        writer.field("problem", "its parent box is not in the scene")
      }
      return true
    }
    try scene.set([View(id: "lost", parent: "box", frame: .zero)])
    try daemon.until("refused") { !errors.isEmpty }
    try daemon.settle()
    #expect(daemon.called == ["Attach", "Update"])
    try scene.set([View(id: "box", frame: .zero)])
    try daemon.until("sent again") { daemon.calls.count == 3 }
    #expect(ids(daemon.calls[2]) == ["lost", "box"])
    try daemon.settle()
    #expect(errors.count == 1)
  }

  @Test("what is no view or no number changes nothing") func invalid() throws {
    for wrong in [field("x", .nan), field(""), View(id: "x", frame: Rect(x: 0, y: 0, width: -1, height: 0))] {
      #expect(throws: SceneError.self) { try scene.set([field("good"), wrong]) }
    }
    #expect(throws: SceneError.noSuchView("nobody")) { try scene.remove(["a", "nobody"]) }
    #expect(throws: SceneError.self) { try scene.setFrame(Rect(x: .infinity, y: 0, width: 1, height: 1)) }
    #expect(throws: SceneError.self) { try scene.set(json: .array([.object([])])) }
    #expect(throws: SceneError.self) {
      try scene.set(
        json: JSON.parse(Array(#"[{"id":"x","a":"\#(String(repeating: "a", count: 16_384))"}]"#.utf8)))
    }
    #expect(throws: SceneError.self, "a 20,001st view") {
      try scene.set((2...20_000).map { field("v\($0)") })
    }
    #expect(throws: SceneError.self) {
      try Scene(String(repeating: "n", count: 17_000), socket: daemon.socket)
    }
    try attach()
    #expect(ids(daemon.calls.first, "views") == ["a", "b"])
  }

  @Test("a scene of JSON goes to the daemon as it is") func json() throws {
    let text =
      #"{"name":"f","level":3,"frame":{"x":0,"y":1,"width":2,"height":3},"views":[{"id":"a","frame":7}]}"#
    let scene = try Scene(json: JSON.parse(Array(text.utf8)), socket: daemon.socket)
    var errors: [DaemonError] = []
    scene.onError = { errors.append($0) }
    try scene.start(on: daemon.loop)
    try daemon.until("refused") { !errors.isEmpty }
    #expect(errors[0].description == "scene f: views[0].frame is missing, unknown or of the wrong type.")
    try scene.set([field("a")])
    try daemon.until("attached") { scene.isConnected }
    #expect(daemon.calls[0].parameters["level"].asInteger == 3)
    #expect(daemon.calls[0].parameters["frame"]["y"].asInteger == 1)
  }

  @Test("touches come on a stream of their own, which is opened again") func touches() throws {
    var touches: [SceneTouch] = []
    scene.onTouch = { touches.append($0) }
    try attach()
    for number in 1...2 {
      try daemon.until("asked for touches") { daemon.called.filter { $0 == "Touches" }.count == number }
      daemon.say(
        #"""
        {"touch":{"id":\#(number),"phase":"began","time":7,"position":{"x":1,"y":2},"view":"a","responders":["a"]}}
        """#)
      try daemon.until("a touch") { touches.count == number }
      daemon.streams.last?.close()
    }
    #expect(touches.map(\.id) == [1, 2])
    #expect(touches[0].phase == .began)
    #expect(touches[0].position == Point(x: 1, y: 2))
    #expect(touches[0].responders == ["a"])
    #expect(scene.isConnected, "the scene lives on, and with it the focus")
    #expect(daemon.called.filter { $0 == "Attach" }.count == 1)
  }
}
