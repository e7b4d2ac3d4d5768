import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout rule 22: what draws the keyboard")
struct DriverTests {
  private let frame = rect(0, 500, 480, 300)

  /// A form with an input that has the focus, and a driver that was told so and has not answered.
  private func driven() -> Stage {
    var stage = Stage()
    stage.attach(input("a", y: 100))
    #expect(stage.call { .driverAttached($0, name: "osk") } == .driving(name: "osk"))
    #expect(stage.take().drives == ["osk hide"])
    stage.tap(100, 120)
    return stage
  }

  private func report(_ visible: Bool, _ stage: inout Stage) {
    let frame = visible ? frame : nil
    _ = stage.call {
      .driverReport($0, driver: "osk", visible: visible, frame: frame, docked: true, order: nil)
    }
  }

  @Test("a driver is told once what to do, and again when that changes")
  func told() {
    var stage = driven()
    #expect(stage.take().drives == ["osk show"])
    report(true, &stage)
    stage.settle()
    stage.down(100, 120)
    stage.up()
    #expect(stage.take().drives == [])
    stage.press(KEY.ESC)
    #expect(stage.take().drives == ["osk hide"])
  }

  @Test("a report from before it was told is no will of its own")
  func lateReport() {
    var stage = driven()
    report(true, &stage)
    stage.press(KEY.ESC)
    report(true, &stage)  // it has not hidden yet
    #expect(!stage.engine.keyboard.isShowing)
    report(false, &stage)
    report(true, &stage)
    #expect(stage.engine.keyboard.isShowing, "its own show key, after it has answered")
  }

  @Test("with the order that it answers, a late report is told from its own doing, either way round")
  func orders() {
    func report(_ visible: Bool, _ order: Int, _ stage: inout Stage) {
      _ = stage.call {
        .driverReport($0, driver: "osk", visible: visible, frame: nil, docked: true, order: order)
      }
    }
    var stage = driven()
    let shown = stage.engine.driverState?.order ?? 0
    stage.press(KEY.ESC)
    let hidden = stage.engine.driverState?.order ?? 0
    #expect(hidden == shown + 1)
    report(false, shown - 1, &stage)
    report(true, shown, &stage)
    #expect(!stage.engine.keyboard.isShowing, "it is the answer to the tap before Escape")
    report(false, hidden, &stage)
    stage.tap(100, 120)
    report(false, hidden, &stage)
    #expect(stage.engine.keyboard.isShowing, "it is the answer to Escape")
    report(false, hidden + 1, &stage)
    #expect(!stage.engine.keyboard.isShowing, "its own hide key")
    #expect(stage.focused == "a")
  }

  @Test("its own show key shows the keyboard, with a first responder and without")
  func ownShowKey() {
    var stage = driven()
    report(true, &stage)
    report(false, &stage)
    #expect(!stage.engine.keyboard.isShowing)
    report(true, &stage)
    #expect(stage.engine.keyboard.isShowing)
    #expect(stage.engine.keyboard.reason == .driver)
    stage.press(KEY.ESC)
    report(false, &stage)
    report(true, &stage)
    #expect(stage.engine.keyboard.isShowing)
    #expect(stage.focused == nil)
  }

  @Test("a driver that comes later takes over, and the one before is told to hide")
  func takenOver() {
    var stage = driven()
    _ = stage.take()
    _ = stage.call { .driverAttached($0, name: "new") }
    #expect(stage.take().drives == ["osk hide", "new show"])
    stage.handle(.driverGone("osk"))
    #expect(stage.engine.keyboard.isShowing, "it drove nothing any more")
  }

  @Test("a driver without a keyboard stands behind the one that has one, and drives once it has one")
  func absent() {
    var stage = driven()
    _ = stage.take()
    _ = stage.call { .driverAttached($0, name: "other", isAbsent: true) }
    #expect(stage.take().drives == ["other hide"], "osk drives on")
    stage.handle(.driverStands("other", isAbsent: false))
    #expect(stage.take().drives == ["osk hide", "other show"])
    stage.handle(.driverStands("other", isAbsent: true))
    #expect(stage.take().drives == ["other hide", "osk show"])
    _ = stage.call {
      .driverReport($0, driver: "other", visible: false, frame: nil, docked: true, order: nil)
    }
    #expect(stage.engine.keyboard.isShowing, "it drove nothing any more")
    stage.handle(.driverGone("osk"))
    #expect(stage.take().drives == ["other show"], "for want of another")
  }

  @Test("one that does not drive and has no keyboard any more changes nothing for the one that drives")
  func absentBehind() {
    var stage = driven()
    for name in ["second", "third"] { _ = stage.call { .driverAttached($0, name: name) } }
    _ = stage.take()
    stage.handle(.driverStands("second", isAbsent: true))
    #expect(stage.take().drives == [])
    stage.handle(.driverGone("third"))
    #expect(stage.take().drives == ["osk show"])
  }

  @Test("a driver of the name that the one before had is told what to do")
  func anotherOfThatName() {
    var stage = Stage()
    for _ in 0..<2 {
      _ = stage.call { .driverAttached($0, name: "osk") }
      #expect(stage.take().drives == ["osk hide"])
      stage.handle(.driverGone("osk"))
    }
  }

  @Test("asked for by hand, it shows although a hardware keyboard is attached")
  func byHand() {
    var stage = Stage()
    let letters = DeviceDescription(name: "USB Keyboard", keys: Set(1...120))
    stage.handle(.deviceAdded(3, path: "k", letters, DeviceState(), DeviceSettings()))
    stage.attach(input("a", y: 100))
    stage.tap(100, 120)
    #expect(!stage.engine.keyboard.isShowing)
    _ = stage.call { .showKeyboard($0) }
    #expect(stage.engine.keyboard.isShowing)
    #expect(stage.engine.keyboard.reason == .client)
    _ = stage.call { .hideKeyboard($0) }
    #expect(!stage.engine.keyboard.isShowing)
    #expect(stage.focused == nil, "Hide resigns")
  }
}
