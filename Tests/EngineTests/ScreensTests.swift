import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("several screens")
struct ScreensTests {
  /// Two screens of one size; device 3 is the second's panel.
  private func twoScreens() -> Stage {
    let size = Size(width: 480, height: 800)
    var stage = Stage(
      Configuration(
        screens: [Screen(name: "main", size: size), Screen(name: "other", size: size)],
        keyboardHeight: .points(300)))
    let second = DeviceSettings(screen: "other")
    stage.handle(.deviceAdded(3, path: "p", Stage.panel, DeviceState(slots: [SlotState()]), second))
    _ = stage.take()
    return stage
  }

  private func tapOther(_ y: Int32, _ stage: inout Stage) {
    stage.frame(
      (EV.ABS, ABS.MT_TRACKING_ID, y), (EV.ABS, ABS.MT_POSITION_X, 50), (EV.ABS, ABS.MT_POSITION_Y, y),
      device: 3)
    stage.frame((EV.ABS, ABS.MT_TRACKING_ID, -1), device: 3)
  }

  @Test("a touch on another screen is none outside, wherever it lands", arguments: [Trigger.began, .tap])
  func outside(trigger: Trigger) {
    var stage = twoScreens()
    let scene = stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 100), outsideTouch: trigger)
    _ = stage.call { .focus($0, scene, view: "a") }
    _ = stage.take()
    tapOther(300, &stage)
    #expect(stage.focused == "a")
    #expect(stage.take() == [])
    stage.attach(View(id: "label", frame: rect(0, 0, 480, 800)), screen: "other")
    tapOther(600, &stage)  // where the keyboard is on the first screen
    #expect(stage.take().touches == ["began label", "ended label"])
    #expect(stage.focused == "a")
  }

  @Test("the keyboard goes to the screen of the focus, and covers scenes of that one alone")
  func keyboard() {
    var stage = twoScreens()
    let first = stage.attach(input("a", y: 720), name: "first")
    let second = stage.attach(input("b", y: 720), name: "second", screen: "other")
    _ = stage.call { .focus($0, first, view: "a") }
    #expect(stage.engine.keyboardScreen == "main")
    #expect(stage.engine.scene(first)?.layout.overlap == 300)
    #expect(stage.engine.scene(second)?.layout.overlap == 0)
    _ = stage.take()
    _ = stage.call { .focus($0, second, view: "b") }
    #expect(stage.engine.keyboardScreen == "other")
    #expect(stage.engine.keyboard.screen == "other")
    #expect(stage.engine.scene(first)?.layout.overlap == 0)
    #expect(stage.offset(first) == 0)
    #expect(stage.offset(second) == -270)
    #expect(stage.engine.scene(first)?.focused == nil, "there is one first responder")
    let changes = stage.take().changes
    #expect(changes[first] == [.focus, .keyboard, .layout])
    #expect(changes[second] == [.focus, .keyboard, .layout])
  }

  @Test("a scene names a screen that there is, and a frame and a safe area that are numbers")
  func refused() {
    var stage = twoScreens()
    func refusal(_ description: SceneDescription) -> String? {
      guard
        case .failed(.scene(.invalidScene(nil, let problem))) = stage.call({ .attach($0, description, []) })
      else { return nil }
      return problem
    }
    #expect(
      refusal(SceneDescription(name: "s", screen: "x")) == "there is no screen x; there is: main, other")
    #expect(refusal(SceneDescription(name: "s", frame: rect(0, 0, .nan, 1))) != nil)
    #expect(refusal(SceneDescription(name: "s", frame: rect(0, 0, -1, 1))) != nil)
    #expect(refusal(SceneDescription(name: "s", frame: rect(0, 1e10, 1, 1))) != nil)
    let safeArea = Insets(top: .infinity, left: 0, bottom: 0, right: 0)
    #expect(refusal(SceneDescription(name: "s", safeArea: safeArea)) == "the safe area is not finite")
    #expect(stage.engine.scenes.isEmpty)
  }

  @Test("only a touchscreen on the first screen says how large that is, and only the first of them")
  func size() {
    let two = [
      Screen(name: "a", size: Size(width: 1, height: 1)), Screen(name: "b", size: Size(width: 9, height: 9)),
    ]
    var engine = Engine(configuration: Configuration(screens: two))
    var effects: [Effect] = []
    func plug(_ id: DeviceID, _ screen: String?, xRange: ClosedRange<Int32>? = nil) {
      let settings = DeviceSettings(screen: screen, xRange: xRange)
      engine.handle(.deviceAdded(id, path: "p", Stage.panel, DeviceState(), settings), at: 0, into: &effects)
    }
    plug(1, "b")
    #expect(engine.screens == two)
    plug(2, nil, xRange: 0...239)
    #expect(engine.screens[0].size == Size(width: 240, height: 800))
    plug(3, nil)
    #expect(engine.screens[0].size == Size(width: 240, height: 800))
  }

  @Test("a turned screen is as high as the touchscreen is wide")
  func turned() {
    let screen = Screen(name: "a", size: Size(width: 1, height: 1), rotation: .clockwise90)
    var engine = Engine(configuration: Configuration(screens: [screen]))
    var effects: [Effect] = []
    engine.handle(
      .deviceAdded(1, path: "p", Stage.panel, DeviceState(), DeviceSettings()), at: 0, into: &effects)
    #expect(engine.screens[0].size == Size(width: 800, height: 480))
  }
}
