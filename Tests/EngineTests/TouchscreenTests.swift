import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("touchscreens in the engine")
struct TouchscreenTests {
  private let page = View(id: "page", frame: rect(0, 0, 480, 800))

  /// Frames of device 3, a pen that is plugged in where the panel is.
  private func withPen(_ stage: inout Stage) {
    var pen = DeviceDescription(name: "Pen", keys: [BTN.TOOL_PEN, BTN.STYLUS, BTN.TOUCH])
    pen.absoluteAxes = [
      ABS.X: AbsoluteAxis(minimum: 0, maximum: 1000), ABS.Y: AbsoluteAxis(minimum: 0, maximum: 1000),
    ]
    pen.udevProperties = ["LIBINPUT_DEVICE_GROUP": "a"]
    var panel = Stage.panel
    panel.udevProperties = pen.udevProperties
    stage.handle(.deviceRemoved(1))
    stage.handle(.deviceAdded(1, path: "p", panel, DeviceState(), DeviceSettings()))
    stage.handle(.deviceAdded(3, path: "pen", pen, DeviceState(), DeviceSettings()))
  }

  @Test(
    "touch-input rule 18: a pen in proximity on the same panel cancels touches; the pen itself touches nothing"
  )
  func pen() {
    var stage = Stage()
    withPen(&stage)
    stage.attach(page)
    stage.down(100, 100)
    stage.frame((EV.KEY, BTN.TOOL_PEN, 1), (EV.ABS, ABS.X, 500), device: 3)
    #expect(stage.take().touches == ["began page", "cancelled page"])
    stage.frame((EV.KEY, BTN.TOUCH, 1), device: 3)
    stage.tap(50, 50)
    #expect(stage.take().touches == [])
    stage.frame((EV.KEY, BTN.TOUCH, 0), (EV.KEY, BTN.TOOL_PEN, 0), device: 3)
    stage.time += 90_000
    stage.tap(50, 50)
    #expect(stage.take().touches == ["began page", "ended page"])
  }

  @Test(
    "touch-input rule 18: what began while a pen was near is no touch, though it is read after the pen has left"
  )
  func penReadFirst() {
    var stage = Stage()
    withPen(&stage)
    stage.attach(page)
    stage.frame((EV.KEY, BTN.TOOL_PEN, 1), device: 3)
    stage.time += 50_000
    stage.frame((EV.KEY, BTN.TOOL_PEN, 0), device: 3)
    stage.time -= 20_000
    stage.tap(50, 50)
    #expect(stage.take().touches == [])
    // Before it came there was no pen.
    stage.time -= 40_000
    stage.tap(50, 50)
    #expect(stage.take().touches == ["began page", "ended page"])
  }

  @Test("touch-input rule 18: a pen that is unplugged while near has left")
  func penUnplugged() {
    var stage = Stage()
    withPen(&stage)
    stage.attach(page)
    stage.frame((EV.KEY, BTN.TOOL_PEN, 1), device: 3)
    stage.handle(.deviceRemoved(3))
    stage.time += 90_000
    stage.tap(50, 50)
    #expect(stage.take().touches == ["began page", "ended page"])
  }

  @Test("touch-input rule 18: a pen that was near before the panel came counts, also after lost events")
  func penFirst() {
    var stage = Stage()
    withPen(&stage)
    stage.attach(page)
    stage.handle(.dropped(3, DeviceState(keysDown: [BTN.TOOL_PEN])))
    let panel = stage.engine.devices.first { $0.id == 1 }?.description ?? Stage.panel
    stage.handle(.deviceRemoved(1))
    stage.handle(.deviceAdded(1, path: "p", panel, DeviceState(), DeviceSettings()))
    stage.tap(50, 50)
    #expect(stage.take().touches == [])
  }

  @Test("a screen that is rotated turns with its touchscreen, and cancels what is down")
  func rotated() {
    var stage = Stage()
    let scene = stage.attach(page)
    stage.down(100, 100)
    _ = stage.take()
    #expect(stage.call { .setRotation($0, screen: "screen", .clockwise90) } == .done)
    let effects = stage.take()
    #expect(effects.touches == ["cancelled page"])
    #expect(effects.notifications.contains(.screenChanged))
    #expect(stage.engine.screens[0].size == Size(width: 800, height: 480))
    #expect(stage.engine.scene(scene)?.frame == rect(0, 0, 800, 480))
    stage.move(110, 110)
    stage.up()
    #expect(stage.take().touches == [], "silent until it lifts")
    stage.handle(.observeTouches(true))
    stage.down(100, 300)
    #expect(stage.take().observed == ["began (500,100) of 100,300"])
  }

  @Test("a rotation there and back gives what was there, and one of no screen is refused")
  func rotatedBack() {
    var stage = Stage()
    let before = stage.engine.screens
    _ = stage.call { .setRotation($0, screen: "screen", .clockwise270) }
    _ = stage.call { .setRotation($0, screen: "screen", Rotation.none) }
    #expect(stage.engine.screens == before)
    #expect(stage.call { .setRotation($0, screen: "x", .clockwise90) } == .failed(.noSuchScreen("x")))
  }

  @Test("rotated while shown the keyboard has the new screen's frame, and the field stays in sight")
  func rotatedWhileShown() {
    var stage = Stage(Configuration(keyboardHeight: .fraction(0.4)))
    let scene = stage.attach(input("a", y: 420))
    _ = stage.call { .focus($0, scene, view: "a") }
    stage.settle()
    #expect(stage.offset(scene) == 0, "the keyboard is below it")
    _ = stage.call { .setRotation($0, screen: "screen", .clockwise90) }
    stage.settle()
    #expect(stage.engine.keyboard.frame == rect(0, 288, 800, 192))
    #expect(stage.offset(scene) == 288 - (460 + 10))
  }

  @Test("touch-input rule 20: a touch that is held back is told by the timer that was asked for")
  func filtered() {
    var stage = Stage()
    stage.handle(.deviceRemoved(1))
    let settings = DeviceSettings(minimumTime: 30_000, debounce: 20_000)
    stage.handle(.deviceAdded(1, path: "p", Stage.panel, DeviceState(), settings))
    stage.attach(page)
    stage.down(100, 100)
    let asked = stage.take()
    #expect(asked.touches == [])
    #expect(asked.timers == [stage.time + 30_000])
    stage.time += 30_000
    stage.handle(.timer)
    let told = stage.take()
    #expect(told.touches == ["began page"])
    #expect(told.timers == [], "it is not asked for again")
    stage.up()
    #expect(stage.take().timers == [stage.time + 20_000])
    stage.time += 20_000
    stage.handle(.timer)
    #expect(stage.take().touches == ["ended page"])
  }

  @Test("touch-input rule 20: the keyboard's timer and a filter's are both kept")
  func bothTimers() {
    var stage = Stage()
    stage.handle(.deviceRemoved(1))
    let settings = DeviceSettings(minimumTime: 500_000)
    stage.handle(.deviceAdded(1, path: "p", Stage.panel, DeviceState(), settings))
    let scene = stage.attach(page, input("a", "page", y: 700))
    stage.down(100, 100)
    let due = stage.time + 500_000
    _ = stage.take()
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.take().timers == [stage.time + 300_000])
    stage.time += 300_000
    stage.handle(.timer)
    let shown = stage.take()
    #expect(shown.notifications.contains(.keyboardDidShow))
    #expect(shown.timers == [due])
  }

  @Test("who observes is told of every touch, whoever gets it, with the device's own values")
  func observed() {
    var stage = Stage()
    stage.tap(100, 200)
    #expect(stage.take().observed == [])
    stage.handle(.observeTouches(true))
    stage.down(100, 200)
    stage.move(101, 200)
    stage.up()
    #expect(
      stage.take().observed == [
        "began (100,200) of 100,200", "moved (101,200) of 101,200", "ended (101,200)",
      ])
    stage.handle(.observeTouches(false))
    stage.tap(100, 200)
    #expect(stage.take().observed == [])
  }

  @Test("touch-input rule 28: a grabbed device is published as such")
  func grabbed() {
    var stage = Stage()
    stage.handle(.deviceGrabbed(1))
    #expect(stage.engine.devices[0].isGrabbed)
    #expect(stage.take().publications == 1)
  }

  @Test("a screen that takes its size from the axes takes it with the axes swapped")
  func sizeOfSwappedAxes() {
    var engine = Engine(configuration: Configuration())
    var effects: [Effect] = []
    let settings = DeviceSettings(swapsAxes: true)
    engine.handle(.deviceAdded(1, path: "p", Stage.panel, DeviceState(), settings), at: 1, into: &effects)
    #expect(engine.screens[0].size == Size(width: 800, height: 480))
  }

  @Test("touch-input rule 23: what the configuration leaves open, udev's properties say")
  func udevProperties() {
    var panel = Stage.panel
    panel.udevProperties = ["LIBINPUT_CALIBRATION_MATRIX": "-1 0 1 0 1 0", "WL_OUTPUT": "right"]
    let screens = ["left", "right"].map { Screen(name: $0, size: Size(width: 480, height: 800)) }
    var stage = Stage(Configuration(screens: screens, adoptsTouchscreenSize: false))
    stage.handle(.deviceAdded(3, path: "p", panel, DeviceState(slots: [SlotState()]), DeviceSettings()))
    #expect(stage.engine.devices.last?.screen == "right")
    stage.handle(.observeTouches(true))
    stage.frame(
      (EV.ABS, ABS.MT_TRACKING_ID, 1), (EV.ABS, ABS.MT_POSITION_X, 100), (EV.ABS, ABS.MT_POSITION_Y, 300),
      device: 3)
    #expect(stage.take().observed == ["began (380,300) of 100,300"])
  }
}

extension [Effect] {
  /// Each as "began (100,200) of 100,200".
  fileprivate var observed: [String] {
    compactMap { effect in
      guard case .observed(let seen) = effect else { return nil }
      let position = "(\(Int(seen.touch.position.x.rounded())),\(Int(seen.touch.position.y.rounded())))"
      let contact = seen.x.flatMap { x in seen.y.map { y in " of \(x),\(y)" } } ?? ""
      return "\(seen.touch.phase.rawValue) \(position)\(contact)"
    }
  }
}
