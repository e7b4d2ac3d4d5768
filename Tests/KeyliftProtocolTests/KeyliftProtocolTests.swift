import Geometry
import ResponderChain
import Testing
import Varlink

@testable import KeyliftProtocol

@Test(
  "every interface that is compiled in can be parsed, and is served as its file is",
  arguments: [
    (Interfaces.scene, "io.keylift.Scene", ["Attach", "Focus", "Resign", "Touches", "Update"]),
    (Interfaces.monitor, "io.keylift.Monitor", ["Subscribe"]),
    (Interfaces.keyboard, "io.keylift.Keyboard", ["Drive", "Hide", "Report", "Show"]),
    (Interfaces.plugin, "io.keylift.Plugin", ["Decide", "Describe"]),
    (Interfaces.control, "io.keylift.Control", ["Devices", "Tree"]),
  ])
func interfaces(interface: InterfaceDescription, name: String, methods: [String]) {
  #expect(interface.name == name)
  #expect(interface.methods.keys.sorted() == methods)
}

@Test(
  "absent members of a view take the defaults that the interface names",
  arguments: [
    ("view", true, false, false), ("control", false, true, false), ("textInput", false, true, true),
    ("scroll", false, false, false),
  ])
func defaults(kind: String, forwards: Bool, keepsFocus: Bool, editable: Bool) throws {
  let view = View(.object([.init("id", .string("v")), .init("kind", .string(kind))]))
  #expect(view.forwardsTouches == forwards)
  #expect(view.keepsFocus == keepsFocus)
  #expect(view.editable == editable)
  #expect(view.alpha == 1)
  #expect(view.interactive)
  #expect(view.resigns == .never)
}

@Test("every member of a view and of a scene is taken from the wire")
func members() throws {
  let json = try JSON.parse(
    Array(
      #"""
      {"id":"v","parent":"p","kind":"textInput","frame":{"x":1,"y":2.5,"width":3,"height":4},"hidden":true,
       "alpha":0.5,"interactive":false,"forwardsTouches":true,"resigns":"tap","keepsFocus":false,
       "editable":false,"purpose":"email","returnKey":"next","keepsVisible":"w","spacing":-5,
       "caret":{"x":5,"y":6,"width":7,"height":8},"order":9,"contentSize":{"width":10,"height":11},
       "contentOffset":{"x":12,"y":13},"dismissMode":"onDrag"}
      """#.utf8))
  #expect(
    View(json)
      == View(
        id: "v", parent: "p", kind: .textInput, frame: Rect(x: 1, y: 2.5, width: 3, height: 4), hidden: true,
        alpha: 0.5, interactive: false, forwardsTouches: true, resigns: .tap, keepsFocus: false,
        editable: false, purpose: .email, returnKey: .next, keepsVisible: "w", spacing: -5,
        caret: Rect(x: 5, y: 6, width: 7, height: 8), order: 9, contentSize: Size(width: 10, height: 11),
        contentOffset: Point(x: 12, y: 13), dismissMode: .onDrag))
  let scene = try JSON.parse(
    Array(
      #"""
      {"name":"s","screen":"main","frame":{"x":1,"y":2,"width":3,"height":4},"level":5,"avoidance":"resize",
       "outsideTouch":"began","safeArea":{"top":6,"left":7,"bottom":8,"right":9},"views":[]}
      """#.utf8))
  #expect(
    SceneDescription(scene)
      == SceneDescription(
        name: "s", screen: "main", frame: Rect(x: 1, y: 2, width: 3, height: 4), level: 5, avoidance: .resize,
        outsideTouch: .began, safeArea: Insets(top: 6, left: 7, bottom: 8, right: 9)))
}
