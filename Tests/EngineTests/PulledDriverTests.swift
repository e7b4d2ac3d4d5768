import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout rule 15: what draws the keyboard while a finger pulls it")
struct PulledDriverTests {
  /// As `Stage.pulling`, with a driver that has reported its frame.
  private func driven() -> (Stage, SceneID) {
    var (stage, scene) = Stage.dragging()
    _ = stage.call { .driverAttached($0, name: "osk") }
    report(keyboardFrame(500), &stage)
    stage.move(100, 600)
    return (stage, scene)
  }

  private func report(_ frame: Rect?, visible: Bool = true, _ stage: inout Stage) {
    _ = stage.call {
      .driverReport($0, driver: "osk", visible: visible, frame: frame, docked: true, order: nil)
    }
  }

  private func drives(_ stage: inout Stage) -> [DriverState] {
    stage.take().compactMap { if case .drive(let state) = $0 { state } else { nil } }
  }

  @Test("a driver is told where the finger has its keyboard, and that it has it no more, as no new order")
  func told() {
    var (stage, _) = driven()
    let before = drives(&stage)
    #expect(before.map(\.frame) == [nil, keyboardFrame(600)])
    stage.move(100, 640)
    #expect(drives(&stage).map(\.frame) == [keyboardFrame(640)])
    stage.time += 100_000
    stage.up()
    let after = drives(&stage)
    #expect(after.map(\.frame) == [nil])
    #expect(after.map(\.visible) == [true])
    #expect(Set((before + after).map(\.order)).count == 1)
  }

  @Test("a driver that moves its keyboard along reports frames that are not where it rests, late ones too")
  func reportsPulled() {
    var (stage, scene) = driven()
    for moved in [keyboardFrame(520), rect(0, 590, 480, 300), keyboardFrame(600), rect(0, 800, 480, 300)] {
      report(moved, &stage)
      #expect(stage.engine.keyboard.frame == keyboardFrame(600))
    }
    stage.time += 100_000
    stage.up()
    stage.expectBack(scene)
    report(keyboardFrame(600), &stage)
    stage.expectBack(scene)
    report(keyboardFrame(500), &stage)
    stage.settle()
    report(keyboardFrame(550), &stage)
    #expect(stage.engine.keyboard.frame == keyboardFrame(550), "it was back, so this is a lower keyboard")
  }

  @Test("a driver that goes without having reported that it is back starts anew")
  func reportsGone() {
    var (stage, scene) = driven()
    report(keyboardFrame(590), &stage)
    stage.move(100, 700)
    stage.up()
    report(keyboardFrame(650), &stage)
    report(nil, visible: false, &stage)
    stage.settle()
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.engine.keyboard.frame == keyboardFrame(500))
    report(keyboardFrame(550), &stage)
    #expect(stage.engine.keyboard.frame == keyboardFrame(550))
  }

  @Test("a driver whose keyboard grows meanwhile has a new place where it rests")
  func grows() {
    var (stage, scene) = driven()
    report(keyboardFrame(456), &stage)
    #expect(stage.engine.keyboard.frame == keyboardFrame(600))
    #expect(stage.offset(scene) == -50)
    stage.move(100, 480)
    #expect(stage.engine.keyboard.frame == keyboardFrame(480))
    stage.time += 100_000
    stage.up()
    #expect(stage.engine.keyboard.frame == keyboardFrame(456))
    #expect(stage.offset(scene) == -194)
  }

  @Test("rule 22: the driver's own hide key meanwhile hides it from where it is, and the focus stays")
  func ownHideKey() {
    var (stage, _) = driven()
    _ = stage.take()
    report(nil, visible: false, &stage)
    stage.expectGone(.driver)
    #expect(stage.focused == "a")
    #expect(drives(&stage).map(\.frame) == [nil])
  }
}
