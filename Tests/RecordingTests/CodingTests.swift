import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput
import Varlink

@testable import Engine
@testable import Recording

@Suite("Inputs, effects and numbers as a recording has them")
struct CodingTests {
  static let view = View(
    id: "\u{1F600}\"\\\n", parent: "p", kind: .scroll,
    frame: Rect(x: -0.1, y: 1e-300, width: 1e300, height: 2),
    alpha: .nan, keepsVisible: "k", spacing: -.infinity, caret: .zero, order: .min)
  static let description = DeviceDescription(
    name: "Panel", busType: 3, vendor: 0x56a, product: 1, version: 2, physicalPath: "usb-1/input0",
    properties: [INPUT_PROP.DIRECT], keys: [BTN.TOUCH], relativeAxes: [8],
    absoluteAxes: [ABS.X: AbsoluteAxis(minimum: .min, maximum: .max, value: 1, fuzz: 2, resolution: 3)],
    udevProperties: ["ID_INPUT": "1"])
  static let settings = DeviceSettings(
    screen: "second", xRange: .min ... .max, yRange: 0...0, swapsAxes: true, invertsX: true, invertsY: true,
    calibration: .identity, fuzz: 8, minimumPressure: 3, minimumTime: .max, debounce: 1 << 53 + 1,
    deadZones: [Rect(x: 1, y: 2, width: 3, height: 4)], grabs: true, countsAsKeyboard: false)
  static let state = DeviceState(
    currentSlot: 1, slots: [SlotState(trackingID: 5, x: 1, y: 2, pressure: 3, distance: 4, toolType: 2)],
    x: 7, y: 8,
    pressure: 9, distance: 10, keysDown: [BTN.TOUCH])

  static let inputs: [Input] = [
    .deviceAdded(1, path: "/dev/input/event0", description, state, settings), .deviceRemoved(1),
    .deviceReconfigured(1, description, state, settings),
    .reconfigure(
      Configuration(
        screens: [Screen(name: "s", size: Size(width: 1, height: 2), rotation: .clockwise90)],
        adoptsTouchscreenSize: false, keyboardHeight: .points(7), spacing: -1, duration: 0.1,
        hardwareKeyboard: .ignore, autoFocus: .wait)),
    .deviceGrabbed(1), .frame(1, [InputEvent(type: EV.ABS, code: ABS.X, value: -5)]),
    .keys(KeyCommand.allCases), .dropped(1, state), .attach(2, SceneDescription(name: "n"), [view]),
    .attach(
      2,
      SceneDescription(
        name: "n", screen: "s", frame: .zero, level: .max, avoidance: .scroll, outsideTouch: .never,
        safeArea: Insets(top: 1, left: 2, bottom: 3, right: 4)), []),
    .update(3, 1, set: [view], remove: ["a"], frame: nil), .update(3, 1, set: [], remove: [], frame: .zero),
    .focus(4, 1, view: "v"), .resign(5, 1), .detach(1), .driverAttached(6, name: "d"),
    .driverAttached(6, name: "e", isAbsent: true), .driverStands("d", isAbsent: true),
    .driverReport(7, driver: "d", visible: true, frame: .zero, docked: false, order: 3),
    .driverReport(7, driver: "d", visible: false, frame: nil, docked: true, order: nil), .driverGone("d"),
    .showKeyboard(8), .hideKeyboard(9), .setRotation(10, screen: "s", .clockwise270),
    .deciders(Set(Transition.allCases)),
    .decision(1, Decision(isAllowed: false, offset: Point(x: 0, y: -0.5), by: "b")), .decision(2, .allowed),
    .inject(
      11, 1, screen: "s",
      [InjectedTouch(id: 1, phase: .began, position: .zero), InjectedTouch(id: 2, phase: .ended)], key: nil),
    .inject(12, 1, screen: nil, [], key: .enter), .injectorGone(1), .observeTouches(true), .timer,
  ]
  static let effects: [Effect] = [
    .reply(1, .attached(2)), .reply(1, .updated(revision: 3)), .reply(1, .driving(name: "d")),
    .reply(1, .done),
    .reply(1, .failed(.touch(id: 1, problem: "p"))), .reply(1, .failed(.noSuchDriver("d"))),
    .reply(1, .failed(.noSuchScreen("s"))),
    .reply(1, .failed(.scene(.noSuchScene("s")))), .reply(1, .failed(.scene(.noSuchView("v")))),
    .reply(1, .failed(.scene(.invalidScene(view: nil, problem: "p")))),
    .reply(1, .failed(.scene(.refused(by: "b")))),
    .touch(
      DeliveredTouch(
        scene: 1, id: 2, phase: .moved, time: .max, position: Point(x: 0.1, y: -0.0), view: nil,
        responders: ["a"])),
    .observed(
      ObservedTouch(
        device: 1, path: "/dev/input/event0", screen: "s",
        touch: Touch(id: 1, phase: .ended, position: .zero),
        time: 1 << 63, x: nil, y: .min)),
    .publish(
      Publication(notifications: Notification.allCases, scenes: [.init(scene: 1, change: [.focus, .layout])])),
    .drive(DriverState(driver: "d", visible: true, purpose: .pin, screen: "s", order: 2)), .setTimer(nil),
    .ask(
      Question(
        id: 1, transition: .moveLayout, scene: nil, sceneName: "", view: nil, reason: .drag, offset: .zero)),
    .setTimer(1 << 53 + 1),
  ]

  @Test("every input comes back as it was", arguments: inputs)
  func input(input: Input) throws {
    let json = JSON(encoding: input)
    let back: Input = try json.decoded(at: "")
    #expect(JSON(encoding: back) == json)
    #expect(json.asMembers?.count == 1)
    #expect(!"\(json)".contains("\"_"), "a payload without a name: \(json)")
  }

  @Test(
    "every effect comes back as it was, whether or not nil is written", arguments: effects, [false, true])
  func effect(effect: Effect, writesNil: Bool) throws {
    var writer = JSONWriter()
    writer.value(encoding: effect, writesNil: writesNil)
    let json = try JSON.parse(writer.bytes)
    #expect(try json.decoded(as: Effect.self, at: "") == effect)
    #expect(!"\(json)".contains("\"_"), "a payload without a name: \(json)")
  }

  @Test("what is nil is null in effects, so that a value instead is a difference; elsewhere it is absent")
  func absent() throws {
    struct Absent: Codable {
      var bool: Bool?, string: String?, double: Double?, int: Int?, int32: Int32?, unsigned: UInt64?,
        frame: Rect?
    }
    #expect(JSON(encoding: Absent()) == .empty)
    var writer = JSONWriter()
    writer.value(encoding: Absent(), writesNil: true)
    let null = try JSON.parse(writer.bytes)
    #expect(null.asMembers?.count == 7)
    #expect(null.asMembers?.allSatisfy { $0.value.isNull } == true)
    writer.reset()
    writer.value(
      encoding: Absent(bool: true, string: "", double: 0, int: 0, int32: 0, unsigned: 0, frame: .zero),
      writesNil: true)
    #expect(Difference.between(null, try JSON.parse(writer.bytes), at: "x").count == 7)
    let none = try null.decoded(as: Absent.self, at: "")
    #expect(none.string == nil && none.frame == nil && none.unsigned == nil)
  }

  @Test(
    "every double comes back to the bit",
    arguments: [0.0, -0.0, 0.1, -0x1p-1074, 1e308, .infinity, -.infinity, .nan, 0x1p60, 4503599627370497.5])
  func double(value: Double) throws {
    let back: [Double] = try JSON(encoding: [value]).decoded(at: "")
    #expect(back.first?.description == value.description)
  }

  @Test("a tree comes back with its order, and with a view that keeps visible what is gone")
  func tree() throws {
    var tree = ViewTree()
    let view = { (id: String, parent: String?) in
      View(
        id: id, parent: parent, kind: .textInput, frame: Rect(x: 0, y: 0, width: 9, height: 9),
        keepsVisible: "gone")
    }
    try tree.update(set: [View(id: "gone", frame: .zero)] + ["a", "b", "c"].map { view($0, nil) })
    try tree.update(set: [view("d", "b"), view("e", "b"), view("a", "c")])
    try tree.update(set: [], remove: ["gone"])
    let back: ViewTree = try JSON(encoding: tree).decoded(at: "")
    #expect(back.count == tree.count)
    #expect(JSON(encoding: back) == JSON(encoding: tree))
    #expect(back.focusOrder() == tree.focusOrder())
    #expect(back.view("d") == tree.view("d"))
    let two = JSON(encoding: [view("a", nil), view("a", nil)])
    let error = #expect(throws: DecodingProblem.self) { try two.decoded(as: ViewTree.self, at: "tree") }
    #expect(error?.path == "tree")
    #expect(error?.problem.contains("two views have this id") == true)
  }

  @Test("ipc rule 13: a key that is held or pressed is not in it, whatever the shell hands on")
  func noKeys() throws {
    let scan = InputEvent(type: 4, code: 4, value: 458_756)
    var typing = DeviceState()
    typing.keysDown = [KEY.ESC, 30, BTN.TOUCH]
    var recorder = Recorder()
    let keys = [
      scan, InputEvent(type: EV.KEY, code: 30, value: 1), InputEvent(type: EV.KEY, code: BTN.TOUCH, value: 1),
    ]
    recorder.add(.frame(1, keys), at: 1, [], Engine())
    recorder.add(.dropped(1, typing), at: 2, [], Engine())
    recorder.add(
      .deviceAdded(1, path: "p", DeviceDescription(name: "n"), typing, DeviceSettings()), at: 3, [], Engine())
    let lines = try text(recorder.bytes).split(separator: "\n").map { try JSON.parse(Array($0.utf8)) }
    #expect(
      lines[0]["input"]["frame"]["events"]
        == JSON(encoding: [InputEvent(type: EV.KEY, code: BTN.TOUCH, value: 1)]))
    #expect(lines[1]["input"]["dropped"]["state"]["keysDown"] == .array([.integer(Int64(BTN.TOUCH))]))
    #expect(lines[2]["input"]["deviceAdded"]["state"]["keysDown"] == .array([.integer(Int64(BTN.TOUCH))]))
  }
}
