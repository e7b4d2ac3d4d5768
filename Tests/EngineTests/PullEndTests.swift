import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout rule 15: what has the keyboard, and what takes it from a finger")
struct PullEndTests {
  @Test(
    "a touch that is cancelled, by its panel's going or its screen's turning, lets the keyboard come back")
  func cancelled() {
    var (stage, scene) = Stage.pulling()
    stage.handle(.dropped(1, DeviceState(slots: Array(repeating: SlotState(), count: 10))))
    #expect(stage.take().notifications == [.keyboardWillChangeFrame, .layoutChanged])
    stage.expectBack(scene)

    (stage, scene) = Stage.pulling()
    stage.handle(.deviceRemoved(1))
    #expect(stage.take().notifications == [.deviceRemoved, .keyboardWillChangeFrame, .layoutChanged])
    stage.expectBack(scene)

    (stage, scene) = Stage.pulling()
    _ = stage.call { .setRotation($0, screen: "screen", .clockwise90) }
    #expect(!stage.take().notifications.contains(.keyboardWillHide))
    #expect(stage.engine.keyboard.frame == rect(0, 180, 800, 300))
    stage.settle()
    stage.move(100, 700)
    #expect(stage.engine.keyboard.frame == rect(0, 180, 800, 300), "the finger has it no more")
  }

  @Test("a scroll view that goes, or does not dismiss by drags any more, lets the keyboard come back")
  func scrollViewChanges() {
    var plain = interactiveList
    for mode in [DismissMode.none, .onDrag] {
      var (stage, scene) = Stage.pulling()
      plain.dismissMode = mode
      _ = stage.call { .update($0, scene, set: [plain], remove: [], frame: nil) }
      stage.expectBack(scene)
      stage.move(100, 650)
      #expect(stage.engine.keyboard.frame == keyboardFrame(500))
    }
    var (stage, scene) = Stage.pulling()
    var page = interactiveList
    page.kind = .view
    _ = stage.call { .update($0, scene, set: [page], remove: [], frame: nil) }
    stage.expectBack(scene)

    (stage, scene) = Stage.pulling()
    _ = stage.call {
      .update($0, scene, set: [input("a", y: 600)], remove: ["list"], frame: nil)
    }
    stage.expectBack(scene)
  }

  @Test("a focus that goes meanwhile takes the keyboard along, from where it is")
  func focusGoes() {
    var (stage, scene) = Stage.pulling()
    stage.press(KEY.ESC)
    stage.expectGone(.dismissKey)

    (stage, scene) = Stage.pulling()
    stage.handle(.detach(scene))
    stage.expectGone(.sceneGone)
    #expect(stage.engine.deliveries.isEmpty)

    (stage, scene) = Stage.pulling()
    let letters = DeviceDescription(name: "USB Keyboard", keys: Set(1...120))
    stage.handle(.deviceAdded(3, path: "k", letters, DeviceState(), DeviceSettings()))
    stage.expectGone(.hardwareKeyboard)
    stage.handle(.deviceRemoved(3))
    #expect(stage.engine.keyboard.frame == keyboardFrame(500))
    stage.move(100, 700)
    #expect(stage.engine.keyboard.frame == keyboardFrame(500), "the finger has it no more")
    stage.move(100, 450)
    stage.move(100, 550)
    #expect(stage.engine.keyboard.frame == keyboardFrame(550), "until it crosses the edge once more")
  }

  @Test("one finger leads; a second drag does nothing to the keyboard, nor has it when the first is up")
  func secondFinger() {
    var (stage, scene) = Stage.pulling()
    stage.down(200, 300, slot: 1)
    stage.move(200, 700, slot: 1)
    #expect(stage.take().publications == 0)
    stage.move(100, 610)
    #expect(stage.engine.keyboard.frame == keyboardFrame(610))
    stage.up(slot: 1)
    #expect(stage.engine.keyboard.frame == keyboardFrame(610))
    stage.down(200, 300, slot: 1)
    stage.move(200, 700, slot: 1)
    stage.move(100, 600)
    stage.time += 100_000
    stage.up()
    stage.expectBack(scene)
    stage.move(200, 710, slot: 1)
    #expect(stage.engine.keyboard.frame == keyboardFrame(500))
  }

  @Test("a drag of anything but an interactive scroll view that took it over leaves the keyboard")
  func otherDrags() {
    func expectNothing(_ views: View..., sourceLocation: SourceLocation = #_sourceLocation) {
      var stage = Stage()
      let description = SceneDescription(name: "form", outsideTouch: .never)
      _ = stage.call { .attach($0, description, views + [input("a", y: 0)]) }
      _ = stage.call { .focus($0, 1, view: "a") }
      stage.settle()
      stage.down(100, 300)
      stage.move(100, 600)
      #expect(stage.engine.keyboard.frame == keyboardFrame(500), sourceLocation: sourceLocation)
    }
    let all = rect(0, 0, 480, 800)
    expectNothing(View(id: "list", kind: .scroll, frame: all))
    expectNothing(View(id: "page", frame: all, dismissMode: .interactive))
    expectNothing(interactiveList, View(id: "slider", parent: "list", kind: .control, frame: all))
    expectNothing(interactiveList, View(id: "inner", parent: "list", kind: .scroll, frame: all))
    expectNothing()
  }

  @Test("nested, it is the scroll view that took the drag over that counts")
  func nested() {
    var outer = interactiveList
    outer.id = "outer"
    outer.dismissMode = .none
    var stage = Stage()
    var inner = interactiveList
    inner.parent = "outer"
    stage.attach(outer, inner, input("a", "outer", y: 0))
    stage.tap(100, 20)
    stage.settle()
    stage.down(100, 300)
    stage.move(100, 600)
    #expect(stage.engine.keyboard.frame == keyboardFrame(600))
  }

  @Test("a keyboard that floats, is on another screen or beside the finger does not follow")
  func elsewhere() {
    var (stage, _) = Stage.dragging()
    _ = stage.call { .driverAttached($0, name: "osk") }
    func report(_ frame: Rect, docked: Bool = true) {
      _ = stage.call {
        .driverReport($0, driver: "osk", visible: true, frame: frame, docked: docked, order: nil)
      }
    }
    for (floating, docked) in [(rect(0, 500, 480, 300), false), (rect(0, 400, 480, 300), true)] {
      report(floating, docked: docked)
      stage.move(100, 600)
      #expect(stage.engine.keyboard.frame == floating)
      stage.move(100, 300)
    }
    report(rect(200, 500, 280, 300))
    stage.move(100, 600)
    #expect(stage.engine.keyboard.frame == rect(200, 500, 280, 300), "the finger is beside it")
    stage.move(300, 300)
    stage.move(300, 600)
    #expect(stage.engine.keyboard.frame == rect(200, 600, 280, 200))
    report(rect(100, 100, 280, 300), docked: false)
    #expect(stage.engine.keyboard.frame == rect(100, 100, 280, 300), "it floats now")

    let screens = [
      Screen(name: "main", size: Size(width: 480, height: 800)),
      Screen(name: "other", size: Size(width: 480, height: 800)),
    ]
    stage = Stage(Configuration(screens: screens, keyboardHeight: .points(300)))
    stage.attach(interactiveList)
    let other = stage.attach(input("b", y: 100), screen: "other")
    _ = stage.call { .focus($0, other, view: "b") }
    stage.settle()
    stage.down(100, 300)
    stage.move(100, 600)
    #expect(stage.engine.keyboard.frame == keyboardFrame(500))
  }
}
