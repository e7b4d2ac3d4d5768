import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout: what is published, besides Tests/Scenarios")
struct PublicationTests {
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
