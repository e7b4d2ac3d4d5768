import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout rule 15: the keyboard follows the finger")
struct InteractiveDismissalTests {
  @Test("over its top edge the keyboard follows the finger, and the scene comes down with it")
  func follows() {
    var (stage, scene) = Stage.dragging()
    stage.move(100, 499)
    #expect(stage.take().publications == 0, "not yet at the edge")
    let way: [(y: Int32, top: Double, offset: Double)] = [
      (520, 520, -130), (560, 560, -90), (649, 649, -1), (660, 660, 0), (799, 799, 0), (600, 600, -50),
      (480, 500, -150), (530, 530, -120),
    ]
    for (y, top, offset) in way {
      let before = stage.engine.keyboard.frame
      stage.move(100, y)
      let effects = stage.take()
      let layout: [Notification] =
        stage.engine.scene(scene)?.layout.overlap == 800 - before.y ? [] : [.layoutChanged]
      #expect(
        effects.notifications == [.keyboardWillChangeFrame] + layout + [.keyboardDidChangeFrame], "y \(y)")
      #expect(effects.changes == [scene: [.keyboard, .layout]])
      let keyboard = stage.engine.keyboard
      #expect(keyboard.frame == keyboardFrame(top))
      #expect(keyboard.previousFrame == before)
      #expect(keyboard.phase == .shown)
      #expect(keyboard.duration == 0)
      #expect(keyboard.reason == .drag)
      #expect(stage.offset(scene) == offset)
      #expect(stage.engine.scene(scene)?.layout.overlap == 800 - top)
      #expect(stage.engine.scene(scene)?.layout.duration == 0)
    }
    #expect(stage.focused == "a")
  }

  @Test("a finger that moves sideways, or above the edge, publishes nothing")
  func sideways() {
    var (stage, _) = Stage.dragging()
    stage.move(100, 560)
    _ = stage.take()
    stage.move(300, 560)
    #expect(stage.take().publications == 0)
    stage.move(300, 490)
    _ = stage.take()
    stage.move(300, 400)
    #expect(stage.take().publications == 0)
  }

  /// Evenly to a y in steps of 3 points, the keyboard being at the finger before.
  private func drag(to y: Int32, atPointsPerSecond speed: Double, _ stage: inout Stage) {
    stage.move(100, 510)
    stage.time += 1_000_000
    let step: Int32 = speed < 0 ? -3 : 3
    for left in (0...40).reversed() {
      stage.time += UInt64(3_000_000 / abs(speed)) - 8_000
      stage.move(100, y - step * Int32(left))
    }
    _ = stage.take()
  }

  @Test(
    "lifted past half of its height or moving down at over 300 points/s it goes, else it comes back",
    arguments: [
      (647, 100.0, 0, false), (650, 100, 0, false), (653, 100, 0, true), (750, 100, 0, true),
      (640, 299, 0, false), (640, 301, 0, true), (640, 350, 0, true),
      (640, 350, 100_000, false), (653, 350, 100_000, true), (640, -350, 0, false), (660, -350, 0, true),
      (501, 301, 0, true), (499, 301, 0, false), (799, -100, 0, true),
    ])
  func lifted(y: Int32, speed: Double, resting: UInt64, goes: Bool) {
    var (stage, scene) = Stage.dragging()
    drag(to: y, atPointsPerSecond: speed, &stage)
    let top = max(500, Double(y))
    #expect(stage.engine.keyboard.frame == keyboardFrame(top))
    stage.time += resting
    stage.up()
    let notifications = stage.take().notifications
    let keyboard = stage.engine.keyboard
    #expect(keyboard.reason == .drag)
    if goes {
      #expect(
        notifications == [.focusChanged, .keyboardWillChangeFrame, .keyboardWillHide, .layoutChanged])
      #expect(keyboard.phase == .willHide)
      #expect(keyboard.previousFrame == keyboardFrame(top))
      #expect(keyboard.duration == 0.3)
      #expect(stage.focused == nil)
      #expect(stage.offset(scene) == 0)
      stage.settle()
      #expect(stage.take().notifications == [.keyboardDidChangeFrame, .keyboardDidHide])
    } else {
      #expect(notifications == (top == 500 ? [] : [.keyboardWillChangeFrame, .layoutChanged]))
      #expect(keyboard.phase == .shown)
      #expect(keyboard.frame == keyboardFrame(500))
      #expect(top == 500 || keyboard.previousFrame == keyboardFrame(top))
      #expect(top == 500 || keyboard.duration == 0.3)
      #expect(stage.focused == "a")
      #expect(stage.offset(scene) == -150)
      stage.settle()
      #expect(stage.take().notifications == (top == 500 ? [] : [.keyboardDidChangeFrame]))
    }
  }
  @Test("shown by hand, it follows as well, and goes")
  func byHand() {
    var stage = Stage()
    stage.attach(interactiveList)
    _ = stage.call { .showKeyboard($0) }
    stage.settle()
    stage.down(100, 300)
    stage.move(100, 600)
    #expect(stage.engine.keyboard.frame == keyboardFrame(600))
    stage.time += 100_000
    stage.up()
    stage.expectBack()
    stage.settle()
    stage.down(100, 300)
    stage.move(100, 600)
    stage.move(100, 660)
    stage.up()
    #expect(stage.engine.keyboard.phase == .willHide)
    #expect(stage.engine.keyboard.reason == .drag)
    #expect(!stage.engine.keyboardIsWanted)
  }

  @Test("a keyboard that is on its way up is had by the finger at once, and has then been shown")
  func onItsWay() {
    var stage = Stage()
    stage.attach(interactiveList, input("a", "list", y: 100))
    stage.tap(100, 120)
    _ = stage.take()
    stage.down(100, 400)
    stage.move(100, 520)
    #expect(
      stage.take().notifications == [
        .keyboardWillChangeFrame, .layoutChanged, .keyboardDidChangeFrame, .keyboardDidShow,
      ])
    #expect(stage.engine.keyboard.phase == .shown)
    #expect(stage.engine.keyboard.frame == keyboardFrame(520))
    stage.settle()
    #expect(stage.take().notifications == [], "nothing runs any more")
  }

  @Test("a keyboard that comes up below a dragging finger is not had by it: the finger crossed nothing")
  func cameUpBelow() {
    var stage = Stage()
    let scene = stage.attach(interactiveList, input("a", "list", y: 100))
    stage.down(100, 300)
    stage.move(100, 600)
    _ = stage.call { .focus($0, scene, view: "a") }
    stage.move(100, 700)
    stage.up()
    #expect(stage.engine.keyboard.frame == keyboardFrame(500))
    #expect(stage.focused == "a")
  }

  @Test("rules 4 and 7: the drag stays the view's over the keyboard; what the keyboard left is touched again")
  func delivery() {
    var (stage, _) = Stage.dragging()
    stage.move(100, 600)
    stage.move(100, 700)
    #expect(stage.take().touches == ["moved list", "moved list"])
    stage.down(200, 550, slot: 1)
    #expect(stage.take().touches == ["began list"])
    stage.down(300, 750, slot: 2)
    #expect(stage.take().touches == [], "but where the keyboard is, it is the keyboard's")
  }

  @Test("rule 20: what two fingers do in one frame publishes one state")
  func burst() {
    var (stage, _) = Stage.dragging()
    stage.down(200, 300, slot: 1)
    _ = stage.take()
    stage.time += 8000
    stage.frame(
      (EV.ABS, ABS.MT_SLOT, 0), (EV.ABS, ABS.MT_POSITION_Y, 600), (EV.ABS, ABS.MT_SLOT, 1),
      (EV.ABS, ABS.MT_POSITION_Y, 700))
    #expect(stage.take().publications == 1)
    #expect(stage.engine.keyboard.frame == keyboardFrame(600))
  }

  @Test("rule 34: scroll positions are not revealed again, during the drag and after; insets follow")
  func scrolled() {
    var tall = interactiveList
    tall.contentSize = Size(width: 480, height: 1000)
    var (stage, scene) = Stage.dragging(tall, avoidance: .scroll)
    func scrolls() -> [String] {
      (stage.engine.scene(scene)?.layout.scrolls ?? []).map {
        "\($0.view) \(Int($0.contentOffset.y)) inset \(Int($0.insetBottom))"
      }
    }
    func report(_ offset: Double) {
      tall.contentOffset.y = offset
      _ = stage.call { .update($0, scene, set: [tall], remove: [], frame: nil) }
    }
    #expect(scrolls() == ["list 150 inset 300"])
    report(150)
    stage.move(100, 600)
    #expect(scrolls() == ["list 150 inset 200"])
    report(80)
    #expect(scrolls() == ["list 80 inset 200"], "the person is scrolling")
    stage.move(100, 610)
    #expect(scrolls() == ["list 80 inset 190"])
    stage.time += 100_000
    stage.up()
    #expect(scrolls() == ["list 80 inset 300"], "nothing changed on balance")
    stage.settle()
    #expect(scrolls() == ["list 80 inset 300"])
  }

  @Test("rule 25: what cannot be lifted out of the keyboard's way entirely comes down last")
  func safeArea() {
    var stage = Stage()
    let scene = stage.attach(
      interactiveList, View(id: "a", parent: "list", kind: .textInput, frame: rect(0, 100, 480, 600)),
      safeArea: Insets(top: 44, left: 0, bottom: 0, right: 0))
    _ = stage.call { .focus($0, scene, view: "a") }
    stage.settle()
    #expect(stage.offset(scene) == -56)
    stage.down(100, 300)
    for (y, offset) in [(Int32(510), -56.0), (650, -56), (660, -50), (700, -10), (720, 0)] {
      stage.move(100, y)
      #expect(stage.offset(scene) == offset)
    }
  }

  @Test("a scene that is not covered is told of no layout")
  func uncovered() {
    var (stage, scene) = Stage.dragging()
    let above = stage.attach(View(id: "bar", frame: rect(0, 0, 480, 50)), frame: rect(0, 0, 480, 50))
    stage.move(100, 600)
    #expect(stage.take().changes == [scene: [.keyboard, .layout], above: [.keyboard]])
  }
}
