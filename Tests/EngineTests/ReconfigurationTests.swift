import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("another configuration while all goes on")
struct ReconfigurationTests {
  private static let size = Size(width: 480, height: 800)
  private static let main = Screen(name: "main", size: size)
  private static let other = Screen(name: "other", size: size)
  private static let configuration = Configuration(
    screens: [main, other], adoptsTouchscreenSize: false, keyboardHeight: .points(300))

  private var stage = Stage(configuration)

  private mutating func reconfigure(_ change: (inout Configuration) -> Void) {
    _ = stage.take()
    var next = stage.engine.configuration
    change(&next)
    stage.handle(.reconfigure(next))
  }

  @Test("the same once more is nothing, and a finger that is down goes on")
  mutating func nothing() {
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    stage.down(10, 10)
    reconfigure { _ in }
    #expect(stage.take() == [])
    stage.up()
    #expect(stage.take().touches == ["ended v"])
  }

  @Test("a keyboard that is up is republished at once, and the scene with it; a finger goes on")
  mutating func height() {
    let scene = stage.attach(input("a", y: 720))
    _ = stage.call { .focus($0, scene, view: "a") }
    stage.settle()
    stage.down(10, 10)
    reconfigure {
      $0.keyboardHeight = .points(100)
      $0.spacing = 20
      $0.duration = 1
    }
    let effects = stage.take()
    #expect(effects.notifications == [.keyboardWillChangeFrame, .layoutChanged])
    #expect(effects.changes == [scene: [.keyboard, .layout]])
    #expect(effects.touches == [])
    #expect(stage.engine.keyboard.frame == rect(0, 700, 480, 100))
    #expect(stage.engine.keyboard.duration == 1)
    #expect(stage.offset(scene) == -80)
    #expect(stage.focused == "a")
  }

  @Test("a hardware keyboard that does not count any more lets the one on the screen come")
  mutating func hardware() {
    let typing = DeviceDescription(name: "Typing", keys: Set(KEY.LETTERS))
    stage.handle(.deviceAdded(9, path: "k", typing, DeviceState(), DeviceSettings()))
    let scene = stage.attach(input("a", y: 720))
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(!stage.engine.keyboard.isShowing)
    reconfigure { $0.hardwareKeyboard = .ignore }
    #expect(stage.engine.keyboard.isShowing)
    #expect(stage.engine.keyboard.reason == .hardwareKeyboard)
    reconfigure { $0.hardwareKeyboard = .hide }
    #expect(!stage.engine.keyboard.isShowing)
  }

  @Test("a screen of another size takes its scenes along, cancels its touches, and leaves the other alone")
  mutating func resized() {
    stage.handle(
      .deviceAdded(
        3, path: "p", Stage.panel, DeviceState(slots: [SlotState()]), DeviceSettings(screen: "other")))
    let first = stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)), name: "first")
    let fixed = stage.attach(View(id: "f", frame: rect(0, 0, 9, 9)), name: "fixed", frame: rect(400, 0, 9, 9))
    let second = stage.attach(View(id: "w", frame: rect(0, 0, 480, 800)), name: "second", screen: "other")
    stage.down(10, 10)
    stage.frame(
      (EV.ABS, ABS.MT_TRACKING_ID, 5), (EV.ABS, ABS.MT_POSITION_X, 50), (EV.ABS, ABS.MT_POSITION_Y, 50),
      device: 3)
    reconfigure { $0.screens[0].size = Size(width: 240, height: 400) }
    var effects = stage.take()
    #expect(effects.touches == ["cancelled v"])
    #expect(effects.notifications == [.screenChanged])
    // The keyboard is at the bottom edge while it is hidden, which has moved.
    #expect(
      effects.changes == [first: [.screen, .keyboard], fixed: [.screen, .keyboard], second: [.keyboard]])
    #expect(stage.engine.scene(first)?.frame == rect(0, 0, 240, 400))
    #expect(stage.engine.scene(fixed)?.frame == rect(400, 0, 9, 9))
    #expect(stage.engine.scene(second)?.frame == rect(0, 0, 480, 800))
    stage.up()
    stage.down(240, 400)
    effects = stage.take()
    #expect(effects.touches == ["began v"])
    #expect(stage.engine.deliveries.last?.position == Point(x: 120, y: 200), "mapped to the new size")
  }

  @Test(
    "a scene whose screen goes is on the first one until it comes back; so is the focus, and its touchscreen")
  mutating func gone() {
    stage.handle(
      .deviceAdded(
        3, path: "p", Stage.panel, DeviceState(slots: [SlotState()]), DeviceSettings(screen: "other")))
    let first = stage.attach(input("a", y: 720), name: "first")
    let second = stage.attach(input("b", y: 720), name: "second", screen: "other")
    _ = stage.call { .focus($0, second, view: "b") }
    stage.settle()
    #expect(stage.engine.keyboardScreen == "other")
    stage.frame(
      (EV.ABS, ABS.MT_TRACKING_ID, 5), (EV.ABS, ABS.MT_POSITION_X, 50), (EV.ABS, ABS.MT_POSITION_Y, 470),
      device: 3)
    #expect(stage.effects.touches == ["began b"])
    reconfigure { $0.screens = [ReconfigurationTests.main] }
    var effects = stage.take()
    #expect(effects.touches == ["cancelled b"])
    #expect(stage.engine.scene(second)?.screen == "main")
    #expect(stage.focused == "b")
    #expect(stage.engine.keyboard.screen == "main" && stage.engine.keyboard.isShowing)
    #expect(effects.changes[second]?.contains(.screen) == true)
    #expect(effects.changes[first]?.contains(.screen) == false, "its screen is as it was")
    #expect(stage.engine.devices.last?.screen == "main")
    reconfigure { $0.screens.append(ReconfigurationTests.other) }
    effects = stage.take()
    #expect(stage.engine.scene(second)?.screen == "other")
    #expect(stage.engine.keyboard.screen == "other")
    #expect(stage.engine.devices.last?.screen == "other")
  }

  @Test("a scene that moves away under a finger has its touch cancelled, and the finger is nobody's")
  mutating func movedAway() {
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    let panel = DeviceSettings(screen: "main")
    stage.handle(.deviceAdded(3, path: "p", Stage.panel, DeviceState(slots: [SlotState()]), panel))
    stage.frame(
      (EV.ABS, ABS.MT_TRACKING_ID, 5), (EV.ABS, ABS.MT_POSITION_X, 50), (EV.ABS, ABS.MT_POSITION_Y, 50),
      device: 3)
    reconfigure { $0.screens = [ReconfigurationTests.other, ReconfigurationTests.main] }
    #expect(stage.take().touches == ["cancelled v"])
    stage.frame((EV.ABS, ABS.MT_POSITION_X, 90), device: 3)
    stage.frame((EV.ABS, ABS.MT_TRACKING_ID, -1), device: 3)
    #expect(stage.take().touches == [])
  }

  @Test("what SetRotation has set stays, until the configured rotation of that screen changes")
  mutating func rotation() {
    _ = stage.call { .setRotation($0, screen: "main", .clockwise90) }
    reconfigure { $0.keyboardHeight = .points(90) }
    #expect(stage.engine.screens[0].rotation == .clockwise90)
    reconfigure { $0.screens[0].size = Size(width: 100, height: 200) }
    #expect(
      stage.engine.screens[0]
        == Screen(name: "main", size: Size(width: 200, height: 100), rotation: .clockwise90))
    reconfigure { $0.screens[0].rotation = .clockwise180 }
    #expect(stage.engine.screens[0].rotation == .clockwise180)
    #expect(stage.engine.screens[0].size == Size(width: 100, height: 200))
  }

  @Test("a size that was taken from a touchscreen is taken again, and let go of for a configured one")
  mutating func adopted() {
    stage = Stage(Configuration())
    #expect(stage.engine.screens[0].size == ReconfigurationTests.size)
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    stage.down(10, 10)
    reconfigure { $0.spacing = 3 }
    #expect(stage.take() == [])
    reconfigure {
      $0.screens[0].size = Size(width: 96, height: 160)
      $0.adoptsTouchscreenSize = false
    }
    #expect(stage.engine.screens[0].size == Size(width: 96, height: 160))
    reconfigure { $0.adoptsTouchscreenSize = true }
    #expect(stage.engine.screens[0].size == ReconfigurationTests.size)
    stage.handle(.deviceRemoved(1))
    reconfigure { $0.spacing = 4 }
    #expect(stage.engine.screens[0].size == ReconfigurationTests.size, "as while it was unplugged")
  }

  @Test("a device by other settings: its finger is cancelled and silent, the next one is read by them")
  mutating func device() {
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    stage.down(10, 10)
    _ = stage.take()
    let down = DeviceState(slots: [SlotState(trackingID: 1, x: 10, y: 10)])
    stage.handle(.deviceReconfigured(1, Stage.panel, down, DeviceSettings(invertsX: true)))
    var effects = stage.take()
    #expect(effects.touches == ["cancelled v"])
    #expect(effects.notifications == [.deviceAdded])
    stage.move(20, 20)
    stage.up()
    #expect(stage.take().touches == [])
    stage.down(0, 10)
    effects = stage.take()
    #expect(effects.touches == ["began v"])
    #expect(stage.engine.deliveries.last?.position.x.rounded() == 480)
    #expect(stage.engine.devices.map(\.id) == [1, 2])
  }

  @Test("a range that the configuration gives is the size of a screen that has none")
  mutating func range() {
    stage = Stage(Configuration())
    stage.handle(
      .deviceReconfigured(1, Stage.panel, DeviceState(), DeviceSettings(xRange: 0...239, yRange: 0...399)))
    #expect(stage.engine.screens[0].size == Size(width: 240, height: 400))
    #expect(stage.engine.devices.first?.screen == "screen")
  }

  @Test("a keyboard that counts no more, in one step, and a grab that is over")
  mutating func keyboardDevice() {
    let typing = DeviceDescription(name: "Typing", keys: Set(KEY.LETTERS))
    stage.handle(.deviceAdded(9, path: "k", typing, DeviceState(), DeviceSettings(grabs: true)))
    stage.handle(.deviceGrabbed(9))
    let scene = stage.attach(input("a", y: 720))
    _ = stage.call { .focus($0, scene, view: "a") }
    _ = stage.take()
    stage.handle(.deviceReconfigured(9, typing, DeviceState(), DeviceSettings(grabs: true)))
    #expect(stage.take().notifications == [.deviceAdded])
    #expect(stage.engine.devices.last?.isGrabbed == true)
    stage.handle(.deviceReconfigured(9, typing, DeviceState(), DeviceSettings(countsAsKeyboard: false)))
    #expect(stage.engine.keyboard.isShowing)
    #expect(stage.engine.devices.last?.isGrabbed == false)
  }

  @Test("one without a screen, as no configuration is, changes nothing")
  mutating func none() {
    reconfigure { $0.screens = [] }
    #expect(stage.take() == [])
    #expect(stage.engine.configuration == ReconfigurationTests.configuration)
  }
}
