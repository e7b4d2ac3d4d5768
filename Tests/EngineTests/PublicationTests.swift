import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout: keyboard and what is published")
struct PublicationTests {
  @Test("rule 19: showing, in order, and hiding as its mirror")
  func order() {
    var stage = Stage()
    let scene = stage.attach(View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 720))
    stage.tap(100, 740)
    let showing = stage.take()
    #expect(
      showing.notifications == [
        .focusChanged, .keyboardWillChangeFrame, .keyboardWillShow, .layoutChanged,
      ])
    #expect(showing.changes == [scene: [.focus, .keyboard, .layout]])
    #expect(stage.engine.keyboard.frame == rect(0, 500, 480, 300))
    #expect(stage.engine.keyboard.previousFrame == rect(0, 800, 480, 0))
    #expect(stage.engine.keyboard.duration == 0.3)
    #expect(stage.offset(scene) == -270)
    stage.settle()
    #expect(stage.take().notifications == [.keyboardDidChangeFrame, .keyboardDidShow])
    stage.tap(100, 100)
    #expect(
      stage.take().notifications == [
        .focusChanged, .keyboardWillChangeFrame, .keyboardWillHide, .layoutChanged,
      ])
    #expect(stage.offset(scene) == 0)
    stage.settle()
    #expect(stage.take().notifications == [.keyboardDidChangeFrame, .keyboardDidHide])
  }

  @Test("rule 20: what happens within one frame publishes one state")
  func burst() {
    var stage = Stage()
    stage.attach(input("a", y: 100), input("b", y: 200))
    stage.tap(100, 120)
    _ = stage.take()
    stage.frame(
      (EV.KEY, KEY.TAB, 1), (EV.KEY, KEY.TAB, 0), (EV.KEY, KEY.TAB, 1), (EV.KEY, KEY.TAB, 0), device: 2)
    #expect(stage.take().notifications == [], "a to b and back")
    stage.frame((EV.KEY, KEY.ESC, 1), device: 2)
    #expect(stage.take().publications == 1)
  }

  @Test("rule 23: duration 0 is applied at once, and still published in order")
  func atOnce() {
    var stage = Stage(Configuration(keyboardHeight: .points(300), duration: 0))
    stage.attach(input("a", y: 720))
    stage.tap(100, 740)
    #expect(
      stage.take().notifications == [
        .focusChanged, .keyboardWillChangeFrame, .keyboardWillShow, .layoutChanged, .keyboardDidChangeFrame,
        .keyboardDidShow,
      ])
  }

  @Test("a movement that changes nothing published publishes nothing and asks for nothing")
  func moved() {
    var stage = Stage()
    stage.attach(View(id: "page", frame: rect(0, 0, 480, 800)))
    stage.down(100, 100)
    _ = stage.take()
    stage.move(105, 100)
    let effects = stage.take()
    #expect(effects.count == 1)
    #expect(effects.touches == ["moved page"])
  }

  @Test("rules 27 and 36: a new keyboard height moves the focused scene; the others get overlap alone")
  func heights() {
    var stage = Stage()
    let other = stage.attach(View(id: "page", frame: rect(0, 0, 480, 800)), name: "other")
    let scene = stage.attach(input("a", y: 720))
    guard case .driving(let driver) = stage.call({ .driverAttached($0, name: "osk") }) else { return }
    stage.tap(100, 740)
    #expect(stage.offset(scene) == -270)
    _ = stage.call {
      .driverReport(
        $0, driver: driver, visible: true, frame: rect(0, 456, 480, 344), docked: true, order: nil)
    }
    #expect(stage.offset(scene) == -314)
    #expect(stage.offset(other) == 0)
    #expect(stage.engine.scene(other)?.layout.overlap == 344)
    _ = stage.call {
      .driverReport(
        $0, driver: driver, visible: true, frame: rect(90, 300, 300, 200), docked: false, order: nil)
    }
    #expect(stage.offset(scene) == 0, "a floating keyboard covers nothing")
    #expect(stage.engine.keyboard.isShowing)
    _ = stage.call { .hideKeyboard($0) }
    #expect(stage.offset(scene) == 0)
    #expect(stage.focused == nil)
  }

  @Test("rule 29: a scene that is not the whole screen")
  func window() {
    var stage = Stage()
    let frame = rect(0, 100, 480, 600)
    let scene = stage.attach(input("a", y: 340), input("b", y: 400), frame: frame)
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.offset(scene) == 0)
    #expect(stage.engine.scene(scene)?.layout.overlap == 200)
    _ = stage.call { .focus($0, scene, view: "b") }
    #expect(stage.offset(scene) == -50)
  }

  @Test("keepsVisible, spacing and caret say what must stay in sight")
  func keepsVisible() {
    var stage = Stage()
    var a = input("a", y: 600)
    a.keepsVisible = "button"
    var b = input("b", y: 600)
    b.spacing = -10
    b.caret = rect(0, 10, 2, 20)
    let scene = stage.attach(
      a, b, View(id: "button", kind: .control, frame: rect(0, 700, 100, 40)), frame: rect(0, 50, 480, 750))
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.offset(scene) == 500 - (50 + 740 + 10))
    _ = stage.call { .focus($0, scene, view: "b") }
    #expect(stage.offset(scene) == 500 - (50 + 630 - 10))
  }

  @Test(
    "rule 35: resize and none are not moved; overlap is the number", arguments: [AvoidanceMode.resize, .none])
  func others(mode: AvoidanceMode) {
    var stage = Stage()
    let scene = stage.attach(input("a", y: 720), avoidance: mode)
    stage.tap(100, 740)
    #expect(stage.offset(scene) == 0)
    #expect(stage.engine.scene(scene)?.layout.overlap == 300)
  }

  @Test("Show and Hide without a first responder; Escape hides it too")
  func byRequest() {
    var stage = Stage()
    #expect(stage.call { .showKeyboard($0) } == .done)
    #expect(stage.engine.keyboard.phase == .willShow)
    #expect(stage.engine.keyboard.reason == .client)
    #expect(stage.call { .hideKeyboard($0) } == .done)
    #expect(stage.engine.keyboard.phase == .willHide)
    _ = stage.call { .showKeyboard($0) }
    stage.press(KEY.ESC)
    #expect(stage.engine.keyboard.phase == .willHide)
    _ = stage.call { .showKeyboard($0) }
    stage.tap(100, 100)
    #expect(stage.engine.keyboard.phase == .willHide, "and a tap outside, whoever asked for it")
    #expect(stage.engine.keyboard.reason == .outsideTouch)
  }

  @Test("the driver that came last drives; when it goes, the one before does; the last one gone is a hide")
  func drivers() {
    var stage = Stage()
    stage.attach(input("a", y: 100))
    #expect(stage.call { .driverAttached($0, name: "osk") } == .driving(name: "osk"))
    #expect(stage.call { .driverAttached($0, name: "osk") } == .driving(name: "osk-2"))
    stage.tap(100, 120)
    #expect(stage.engine.driverState?.driver == "osk-2")
    #expect(stage.engine.driverState?.visible == true)
    stage.handle(.driverGone("osk-2"))
    #expect(stage.engine.driverState?.driver == "osk")
    #expect(stage.engine.keyboard.isShowing)
    stage.handle(.driverGone("osk"))
    #expect(!stage.engine.keyboard.isShowing)
    #expect(stage.engine.keyboard.reason == .driver)
    #expect(stage.focused == "a")
    #expect(
      stage.call { .driverReport($0, driver: "osk", visible: true, frame: nil, docked: true, order: nil) }
        == .failed(.noSuchDriver("osk")))
  }

  @Test("without a configured screen the first touchscreen's axes are the screen, and scenes follow")
  func screenSize() {
    var engine = Engine(configuration: Configuration())
    var effects: [Effect] = []
    engine.handle(.attach(1, SceneDescription(name: "s"), []), at: 0, into: &effects)
    engine.handle(
      .deviceAdded(1, path: "p", Stage.panel, DeviceState(), DeviceSettings()), at: 0, into: &effects)
    #expect(engine.screens[0].size == Size(width: 480, height: 800))
    #expect(engine.scenes[0].frame == rect(0, 0, 480, 800))
    #expect(effects.notifications.contains(.screenChanged))
    #expect(effects.changes == [1: [.keyboard, .screen]], "the hidden keyboard is at the new bottom edge")
  }

  @Test("rule 23: the same update once more is no revision, and publishes nothing")
  func sameUpdate() {
    var stage = Stage()
    let scene = stage.attach(input("a", y: 100))
    #expect(
      stage.call { .update($0, scene, set: [input("a", y: 100)], remove: [], frame: nil) }
        == .updated(revision: 1))
    #expect(stage.take().publications == 0)
    #expect(
      stage.call { .update($0, scene, set: [input("a", y: 90)], remove: [], frame: nil) }
        == .updated(revision: 2))
    #expect(stage.take().notifications == [.sceneUpdated])
    _ = stage.call { .update($0, scene, set: [], remove: [], frame: rect(0, 0, 480, 700)) }
    #expect(stage.engine.scene(scene)?.frame == rect(0, 0, 480, 700))
    #expect(stage.engine.scene(scene)?.followsScreen == false)
  }

  @Test("a timer is asked for once, and an early one changes nothing")
  func timer() {
    var stage = Stage()
    stage.attach(input("a", y: 100), input("b", y: 200))
    stage.tap(100, 120)
    #expect(stage.take().timers == [stage.time + 300_000])
    stage.tap(100, 220)
    #expect(stage.take().timers == [])
    stage.handle(.timer)
    #expect(stage.take() == [.setTimer(stage.engine.keyboardMachine.deadline)])
    stage.settle()
    #expect(stage.take().notifications == [.keyboardDidChangeFrame, .keyboardDidShow])
  }

  @Test("a scene beside the keyboard is neither covered nor moved")
  func beside() {
    var stage = Stage()
    let scene = stage.attach(
      View(id: "a", kind: .textInput, frame: rect(0, 720, 80, 40)), frame: rect(0, 0, 80, 800))
    guard case .driving(let driver) = stage.call({ .driverAttached($0, name: "osk") }) else { return }
    let frame = rect(100, 500, 380, 300)
    _ = stage.call { .focus($0, scene, view: "a") }
    _ = stage.call {
      .driverReport($0, driver: driver, visible: true, frame: frame, docked: true, order: nil)
    }
    #expect(stage.engine.keyboard.coveredFrom == 500)
    #expect(stage.engine.scene(scene)?.layout.overlap == 0)
    #expect(stage.offset(scene) == 0)
  }

  @Test("the same inputs give the same effects again")
  func deterministic() {
    func run() -> [Effect] {
      var stage = Stage()
      stage.attach(View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 720))
      stage.tap(100, 740)
      stage.settle()
      stage.tap(100, 100)
      stage.settle()
      return stage.take()
    }
    #expect(run() == run())
  }
}
