import Geometry
import ResponderChain
import Testing
import TouchInput
import Varlink

@testable import Engine
@testable import EngineCoding
@testable import KeyliftProtocol

@Test(
  "every interface that is compiled in can be parsed, and is served as its file is",
  arguments: [
    (Interfaces.scene, "io.keylift.Scene", ["Attach", "Focus", "Resign", "Touches", "Update"]),
    (Interfaces.monitor, "io.keylift.Monitor", ["Counters", "Subscribe"]),
    (Interfaces.keyboard, "io.keylift.Keyboard", ["Drive", "Hide", "Report", "Show"]),
    (Interfaces.plugin, "io.keylift.Plugin", ["Decide", "Describe"]),
    (
      Interfaces.control, "io.keylift.Control",
      [
        "Clients", "Devices", "HitTest", "Inject", "Plugins", "Record", "Reload", "SetRotation", "Touches",
        "Tree",
      ]
    ),
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

@Test("a state on the wire: what the interface says, and where things are seen")
func states() throws {
  var engine = Engine(configuration: Configuration(keyboardHeight: .points(200)))
  var effects: [Effect] = []
  let field = View(id: "a", kind: .textInput, frame: Rect(x: 10, y: 400, width: 300, height: 40))
  let description = SceneDescription(name: "s", frame: Rect(x: 0, y: 20, width: 800, height: 460))
  engine.handle(.attach(1, description, [field]), at: 0, into: &effects)
  engine.handle(.focus(2, 1, view: "a"), at: 0, into: &effects)
  let scene = try #require(engine.scene(1))
  var writer = JSONWriter()
  writer.object { scene.writeState([.focus, .layout], of: engine, StateStamp(instance: "i"), to: &$0) }
  let state = try JSON.parse(writer.bytes)
  let attach = try #require(Interfaces.scene.methods["Attach"])
  #expect(Interfaces.scene.validate(reply: state, of: attach) == nil)
  #expect(state["change"] == .array([.string("focus"), .string("layout")]))
  #expect(state["focused"].asString == "a")
  #expect(state["keyboard"]["phase"].asString == "willShow")
  #expect(Rect(state["keyboard"]["frame"]) == Rect(x: 0, y: 280, width: 800, height: 200))
  #expect(Rect(state["keyboard"]["previousFrame"]) == Rect(x: 0, y: 480, width: 800, height: 0))
  #expect(state["layout"]["offset"]["y"].asDouble == -190)
  #expect(state["layout"]["overlap"].asDouble == 200)

  writer.reset()
  writer.object { scene.writeView(0, depth: 0, to: &$0) }
  let view = try JSON.parse(writer.bytes)
  #expect(Rect(view["frame"]) == field.frame)
  #expect(Rect(view["screenFrame"]) == Rect(x: 10, y: 230, width: 300, height: 40))

  writer.reset()
  writer.object {
    engine.writeMonitorState(
      [.layoutChanged], time: 7, StateStamp(instance: "i"), showing: { _ in false }, to: &$0)
  }
  let hidden = try JSON.parse(writer.bytes)
  let subscribe = try #require(Interfaces.monitor.methods["Subscribe"])
  #expect(Interfaces.monitor.validate(reply: hidden, of: subscribe) == nil)
  #expect(hidden["scenes"] == .array([]), "of what a uid may not see there is nothing")
}

@Test(
  "what a driver is told is what the interface says, with a finger's place for the keyboard and without",
  arguments: [Rect(x: 0, y: 300.5, width: 800, height: 179.5), nil])
func driver(frame: Rect?) throws {
  let drive = try #require(Interfaces.keyboard.methods["Drive"])
  let state = DriverState(
    driver: "osk", visible: true, purpose: nil, screen: "screen", order: 7, frame: frame)
  var writer = JSONWriter()
  writer.object { Engine.write(state, to: &$0) }
  let json = try JSON.parse(writer.bytes)
  #expect(Interfaces.keyboard.validate(reply: json, of: drive) == nil)
  #expect(Rect(json["frame"]) == frame ?? .zero)
  #expect(json["frame"].isNull == (frame == nil))
  #expect(json["order"].asInteger == 7)
}

@Test("trees and what a touch would do are written as their interface has them")
func trees() throws {
  var engine = Engine(configuration: Configuration(keyboardHeight: .points(200)))
  var effects: [Effect] = []
  let views = [
    View(
      id: "list", kind: .scroll, frame: Rect(x: 0, y: 0, width: 800, height: 480),
      contentOffset: Point(x: 0, y: 30)),
    View(
      id: "a", parent: "list", kind: .textInput, frame: Rect(x: 10, y: 400, width: 300, height: 40),
      keepsVisible: "list", spacing: 3, caret: .zero, order: 2),
    View(id: "glass", frame: Rect(x: 0, y: 0, width: 800, height: 480), interactive: false),
  ]
  engine.handle(.attach(1, SceneDescription(name: "s", avoidance: .scroll), views), at: 0, into: &effects)
  engine.handle(.focus(2, 1, view: "a"), at: 0, into: &effects)
  let scene = try #require(engine.scene(1))
  var writer = JSONWriter()
  writer.object { writer in
    writer.object("scene") { scene.write(of: engine, uid: 7, pid: nil, to: &$0) }
    writer.array("views") { writer in
      for (index, depth) in scene.viewsInOrder {
        writer.object { scene.writeView(index, depth: depth, to: &$0) }
      }
    }
  }
  let tree = try JSON.parse(writer.bytes)
  let method = try #require(Interfaces.control.methods["Tree"])
  #expect(Interfaces.control.validate(reply: tree, of: method) == nil)
  #expect(tree["views"].asArray?.first?["contentOffset"]["y"].asDouble == 30)

  for point in [Point(x: 20, y: 200), Point(x: 20, y: 470)] {
    writer.reset()
    let hit = try #require(engine.hitTest(point, on: nil))
    writer.object { hit.write(of: engine, to: &$0) }
    let reply = try JSON.parse(writer.bytes)
    let method = try #require(Interfaces.control.methods["HitTest"])
    #expect(Interfaces.control.validate(reply: reply, of: method) == nil)
    #expect(reply["keyboard"] == .bool(point.y == 470))
    #expect(reply["focused"].asString == "a")
  }
}

@Test("a touch is written as its interface has it, whatever its numbers and names are")
func touch() throws {
  let touches = [
    DeliveredTouch(
      scene: 1, id: .max, phase: .cancelled, time: .max, position: Point(x: -1e300, y: 799.9996), view: nil,
      responders: []),
    DeliveredTouch(
      scene: 1, id: .min, phase: .began, time: 0, position: Point(x: 159.98, y: -0.0004),
      view: "\"\\\u{1}ü" + String(repeating: "\u{2}", count: 300), responders: ["a\"", "\\", "日本"]),
  ]
  for touch in touches {
    var writer = JSONWriter()
    writer.object { touch.write(to: &$0) }
    let json = try JSON.parse(writer.bytes)["touch"]
    #expect(json["id"].asInteger == Int64(touch.id))
    #expect(json["phase"].asString == touch.phase.rawValue)
    #expect(json["view"].asString == touch.view)
    #expect(json["responders"].asArray?.compactMap(\.asString) == touch.responders)
  }
  var writer = JSONWriter()
  writer.object { touches[1].write(to: &$0) }
  let position = try JSON.parse(writer.bytes)["touch"]["position"]
  #expect(position["x"].asDouble == 159.98)
  #expect(position["y"].asDouble == 0)
}

@Test(
  "touch-input, rules 14 and 19: the filters that Control.Devices tells of are those in effect",
  arguments: [
    // The kernel's fuzz: it smooths slots itself, and leaves protocol A to us.
    (true, Int32(6), DeviceSettings(fuzz: 10), Int64?.none, Int64?(1)),
    (false, 6, DeviceSettings(), 6, 1),
    (false, 6, DeviceSettings(fuzz: 10, minimumPressure: 0), 10, nil),
    (true, 0, DeviceSettings(fuzz: 10, minimumPressure: 30), 10, 30),
  ])
func filters(
  hasSlots: Bool, kernelFuzz: Int32, settings: DeviceSettings, fuzz: Int64?, pressure: Int64?
) throws {
  let axis = AbsoluteAxis(minimum: 0, maximum: 799, fuzz: kernelFuzz)
  var panel = DeviceDescription(
    name: "Panel", keys: [BTN.TOUCH],
    absoluteAxes: [
      ABS.MT_POSITION_X: axis, ABS.MT_POSITION_Y: axis,
      ABS.MT_PRESSURE: AbsoluteAxis(minimum: 0, maximum: 255),
    ])
  if hasSlots {
    panel.absoluteAxes[ABS.MT_SLOT] = AbsoluteAxis(minimum: 0, maximum: 9)
    panel.absoluteAxes[ABS.MT_TRACKING_ID] = AbsoluteAxis(minimum: 0, maximum: 65535)
  }
  var engine = Engine()
  var effects: [Effect] = []
  engine.handle(.deviceAdded(1, path: "p", panel, DeviceState(), settings), at: 0, into: &effects)
  let device = try #require(engine.devices.first)
  let touchscreen = try #require(device.touchscreen)
  var writer = JSONWriter()
  writer.object { device.writeFilters(touchscreen, to: &$0) }
  let filters = try JSON.parse(writer.bytes)
  #expect(filters["fuzz"].asInteger == fuzz)
  #expect(filters["minimumPressure"].asInteger == pressure)
}
