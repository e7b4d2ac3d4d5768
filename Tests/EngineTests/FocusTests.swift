import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

/// What Keylift exists for: a form on a scroll view with two inputs, on a page that resigns.
@Suite("the seed case (focus-and-layout, rule 14): a form on a scroll view with two inputs")
struct SeedCase {
  private func stage(scrollForwards: Bool) -> (Stage, SceneID) {
    var stage = Stage()
    let scene = stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800), resigns: .tap),
      View(
        id: "scroll", parent: "page", kind: .scroll, frame: rect(0, 0, 480, 800),
        forwardsTouches: scrollForwards, contentSize: Size(width: 480, height: 1200)),
      input("name", "scroll", y: 100), input("street", "scroll", y: 720), outsideTouch: .never)
    return (stage, scene)
  }

  @Test func withoutForwardsTouchesATouchOnTheScrollViewNeverReachesThePageThatResigns() {
    var (stage, scene) = stage(scrollForwards: false)
    stage.tap(240, 740)
    #expect(stage.focused == "street")
    #expect(stage.offset(scene) == -270)
    _ = stage.take()
    stage.tap(240, 400)
    #expect(stage.take().touches == ["began scroll", "ended scroll"])
    #expect(stage.focused == "street", "the page never saw the touch")
    #expect(stage.engine.keyboard.isShowing)
  }

  @Test func withForwardsTouchesItDoesAndTheScrollViewStillGetsItsOwnTouch() {
    var (stage, scene) = stage(scrollForwards: true)
    stage.tap(240, 740)
    #expect(stage.focused == "street")
    _ = stage.take()
    stage.tap(240, 400)
    let effects = stage.take()
    #expect(effects.touches == ["began page,scroll", "ended page,scroll"])
    #expect(stage.focused == nil)
    #expect(stage.engine.keyboard.phase == .willHide)
    #expect(stage.engine.keyboard.reason == .responder)
    #expect(stage.offset(scene) == 0)
    stage.settle()
    #expect(stage.engine.keyboard.phase == .hidden)
  }

  @Test func aScrollDoesNotDismissEitherWay() {
    for forwards in [false, true] {
      var (stage, _) = stage(scrollForwards: forwards)
      stage.tap(240, 740)
      stage.down(240, 400)
      stage.move(240, 300)
      stage.up()
      #expect(stage.focused == "street")
    }
  }
}

@Suite("focus-and-layout: focus")
struct FocusTests {
  @Test(
    "rule 8: a tap is down and up within the slop, at any speed",
    arguments: [
      (Int32(7), Int32(7), true), (10, 0, true), (11, 0, false), (0, -11, false),
    ])
  func slop(dx: Int32, dy: Int32, isTap: Bool) {
    var stage = Stage()
    stage.attach(input("a", y: 100))
    stage.down(100, 120)
    stage.move(100 + dx, 120 + dy)
    stage.time += 60_000_000
    stage.move(100, 120)  // back again does not make it a tap
    stage.up()
    #expect((stage.focused == "a") == isTap)
  }

  @Test("rule 9: a tap on an editable textInput asks for the focus; one on anything else does not")
  func asksForFocus() {
    var stage = Stage()
    var fixed = input("fixed", y: 200)
    fixed.editable = false
    stage.attach(
      input("a", y: 100), fixed, View(id: "label", frame: rect(20, 300, 440, 40)),
      View(id: "clear", parent: "a", kind: .control, frame: rect(400, 0, 40, 40)))
    for y: Int32 in [220, 320] {
      stage.tap(100, y)
      #expect(stage.focused == nil)
    }
    stage.tap(440, 120)
    #expect(stage.focused == nil, "a control in an input keeps its touch")
    stage.tap(100, 120)
    #expect(stage.focused == "a")
    #expect(stage.take().notifications.filter { $0 == .focusChanged }.count == 1)
  }

  @Test("rule 8: a cancelled touch is no tap")
  func cancelled() {
    var stage = Stage()
    stage.attach(input("a", y: 100))
    stage.down(100, 120)
    stage.handle(.deviceRemoved(1))
    #expect(stage.focused == nil)
    #expect(stage.take().touches == ["began a", "cancelled a"])
  }

  @Test(
    "rule 10: a view that goes, is hidden, disabled or not editable loses the focus",
    arguments: [
      ([View](), ["a"]),
      ([View(id: "a", parent: "box", kind: .textInput, frame: rect(0, 0, 9, 9), hidden: true)], []),
      ([View(id: "a", parent: "box", kind: .textInput, frame: rect(0, 0, 9, 9), interactive: false)], []),
      ([View(id: "a", parent: "box", kind: .textInput, frame: rect(0, 0, 9, 9), editable: false)], []),
      ([View(id: "box", frame: rect(0, 0, 480, 800), hidden: true)], []), ([], ["box"]),
    ])
  func lost(set: [View], remove: [String]) {
    var stage = Stage()
    let scene = stage.attach(View(id: "box", frame: rect(0, 0, 480, 800)), input("a", "box", y: 600))
    stage.tap(100, 620)
    #expect(stage.focused == "a")
    _ = stage.call { .update($0, scene, set: set, remove: remove, frame: nil) }
    #expect(stage.focused == nil)
    #expect(stage.engine.keyboard.phase == .willHide)
    #expect(stage.offset(scene) == 0)
  }

  @Test(
    "rule 11: from one input to another: one focusChanged, no hide and show, a layout change if it changes")
  func another() {
    var stage = Stage()
    let scene = stage.attach(input("a", y: 720), input("b", y: 560), input("c", y: 100), input("d", y: 150))
    stage.tap(100, 740)
    stage.settle()
    #expect(stage.offset(scene) == -270)
    _ = stage.take()
    stage.tap(100, 560 - 270 + 10)  // b, where the finger sees it
    #expect(stage.focused == "b")
    #expect(stage.offset(scene) == -110)
    #expect(stage.take().notifications == [.focusChanged, .layoutChanged])
    stage.tap(100, 150 + 20 - 110)  // d; c at -10 is above the screen
    #expect(stage.focused == "d")
    _ = stage.take()
    _ = stage.call { .focus($0, scene, view: "c") }
    #expect(stage.take().notifications == [.focusChanged])
  }

  @Test("a driver of the name that the one before had is told what to do") func anotherOfThatName() {
    var stage = Stage()
    for _ in 0..<2 {
      _ = stage.call { .driverAttached($0, name: "osk") }
      #expect(stage.take().contains { if case .drive = $0 { true } else { false } })
      stage.handle(.driverGone("osk"))
    }
  }

  @Test("rule 12: a tap on the input that has the focus shows a keyboard that the person hid")
  func again() {
    var stage = Stage()
    stage.attach(input("a", y: 600))
    guard case .driving(let driver) = stage.call({ .driverAttached($0, name: "osk") }) else { return }
    stage.tap(100, 620)
    let frame = rect(0, 500, 480, 300)
    _ = stage.call {
      .driverReport($0, driver: driver, visible: true, frame: frame, docked: true, order: nil)
    }
    stage.settle()
    _ = stage.call { .driverReport($0, driver: driver, visible: false, frame: nil, docked: true, order: nil) }
    #expect(stage.engine.keyboard.phase == .willHide)
    #expect(stage.engine.keyboard.reason == .driver)
    #expect(stage.focused == "a", "rule 22: the focus stays")
    stage.settle()
    stage.tap(100, 620)
    #expect(stage.engine.keyboard.phase == .willShow)
    #expect(stage.focused == "a")
  }

  @Test(
    "rule 13: a touch outside resigns by the scene's trigger, and is still delivered",
    arguments: [
      (Trigger.began, true, true), (.tap, false, true), (.never, false, false),
    ])
  func outside(trigger: Trigger, afterDown: Bool, afterUp: Bool) {
    var stage = Stage()
    stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 100), outsideTouch: trigger)
    stage.tap(100, 120)
    _ = stage.take()
    stage.down(100, 300)
    #expect((stage.focused == nil) == afterDown)
    stage.up()
    #expect((stage.focused == nil) == afterUp)
    #expect(stage.take().touches == ["began page", "ended page"])
  }

  @Test("rule 7: a touch on the keyboard is delivered to no view, changes no focus, dismisses nothing")
  func onTheKeyboard() {
    var stage = Stage()
    stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 100), outsideTouch: .began)
    stage.tap(100, 120)
    _ = stage.take()
    stage.tap(100, 505)
    #expect(stage.take() == [])
    #expect(stage.focused == "a")
  }

  @Test("rule 7: a touch on a view that keeps the focus, or below one, dismisses nothing")
  func keepsFocus() {
    var stage = Stage()
    stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800), resigns: .began), input("a", "page", y: 100),
      View(id: "button", parent: "page", kind: .control, frame: rect(0, 200, 100, 40), forwardsTouches: true),
      View(id: "icon", parent: "button", frame: rect(0, 0, 40, 40)))
    stage.tap(100, 120)
    _ = stage.take()
    stage.tap(20, 220)
    #expect(stage.take().touches == ["began page,button,icon", "ended page,button,icon"])
    #expect(stage.focused == "a")
  }

  @Test("rule 14: a control's own resigns counts, though it keeps the focus: a Done button")
  func doneButton() {
    var stage = Stage()
    stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 100),
      View(id: "done", parent: "page", kind: .control, frame: rect(0, 200, 100, 40), resigns: .tap),
      outsideTouch: .never)
    stage.tap(100, 120)
    stage.tap(20, 220)
    #expect(stage.focused == nil)
    #expect(stage.engine.keyboard.reason == .responder)
  }

  @Test("a touch on the first responder itself is none outside, though the view does not keep the focus")
  func onTheFirstResponder() {
    var stage = Stage()
    stage.attach(
      View(id: "a", kind: .textInput, frame: rect(0, 100, 480, 40), keepsFocus: false),
      View(id: "clear", parent: "a", frame: rect(400, 0, 40, 40)), outsideTouch: .began)
    stage.tap(100, 120)
    stage.down(420, 120)
    #expect(stage.focused == "a")
  }

  @Test("rule 15: onDrag resigns once a drag begins")
  func onDrag() {
    var stage = Stage()
    stage.attach(
      View(id: "scroll", kind: .scroll, frame: rect(0, 0, 480, 800), dismissMode: .onDrag),
      input("a", "scroll", y: 100))
    stage.tap(100, 120)
    stage.down(100, 300)
    #expect(stage.focused == "a")
    stage.move(100, 280)
    #expect(stage.focused == nil)
    #expect(stage.engine.keyboard.reason == .drag)
  }

  @Test("rule 16: Escape and Back resign", arguments: [KEY.ESC, KEY.BACK])
  func escape(key: UInt16) {
    var stage = Stage()
    stage.attach(input("a", y: 100))
    stage.tap(100, 120)
    stage.press(key)
    #expect(stage.focused == nil)
    #expect(stage.engine.keyboard.reason == .dismissKey)
  }

  @Test(
    "rule 16: Enter does as returnKey says; a modifier held with it means nothing",
    arguments: [
      (ReturnKey.none, "a"), (.next, "b"), (.done, nil),
    ] as [(ReturnKey, String?)])
  func enter(returnKey: ReturnKey, focused: String?) {
    var stage = Stage()
    stage.attach(input("a", y: 100, returnKey: returnKey), input("b", y: 200))
    stage.tap(100, 120)
    stage.press(KEY.ENTER, with: KEY.LEFTSHIFT)
    stage.press(KEY.ENTER, with: KEY.LEFTCTRL)
    #expect(stage.focused == "a")
    stage.press(KEY.TAB, with: KEY.LEFTCTRL)
    #expect(stage.focused == "a")
    stage.press(KEY.KPENTER)
    #expect(stage.focused == focused)
    if returnKey == .done { #expect(stage.engine.keyboard.reason == .returnKey) }
  }

  @Test("rule 16: Tab and Shift-Tab go to the next and previous input")
  func tab() {
    var stage = Stage()
    stage.attach(input("a", y: 100), input("b", y: 200), input("c", y: 300))
    stage.tap(100, 120)
    stage.press(KEY.TAB)
    #expect(stage.focused == "b")
    stage.press(KEY.TAB, with: KEY.LEFTSHIFT)
    #expect(stage.focused == "a")
  }

  @Test("rule 17: a hardware keyboard hides the one on the screen, and its going shows it again")
  func hardwareKeyboard() {
    let letters = DeviceDescription(name: "USB Keyboard", keys: Set(1...120))
    var stage = Stage()
    stage.attach(input("a", y: 100))
    stage.tap(100, 120)
    stage.handle(.deviceAdded(3, path: "k", letters, DeviceState(), DeviceSettings()))
    #expect(stage.engine.keyboard.phase == .willHide)
    #expect(stage.engine.keyboard.reason == .hardwareKeyboard)
    #expect(stage.focused == "a", "focus works as before")
    stage.handle(.deviceRemoved(3))
    #expect(stage.engine.keyboard.phase == .willShow)
    #expect(stage.engine.keyboard.reason == .hardwareKeyboard)
    let notCounted = DeviceSettings(countsAsKeyboard: false)
    stage.handle(.deviceAdded(4, path: "k", letters, DeviceState(), notCounted))
    #expect(stage.engine.keyboard.isShowing, "Keyboard=no")

    var ignoring = Stage(Configuration(keyboardHeight: .points(300), hardwareKeyboard: .ignore))
    ignoring.attach(input("a", y: 100))
    ignoring.handle(.deviceAdded(3, path: "k", letters, DeviceState(), DeviceSettings()))
    ignoring.tap(100, 120)
    #expect(ignoring.engine.keyboard.isShowing)
  }

  @Test("rule 18: the client asks for the focus, and for its end")
  func byClient() {
    var stage = Stage()
    let scene = stage.attach(input("a", y: 100), View(id: "label", frame: rect(0, 0, 9, 9)))
    #expect(stage.call { .focus($0, scene, view: "a") } == .done)
    #expect(stage.focused == "a")
    #expect(stage.engine.keyboard.reason == .client)
    let other = stage.attach(input("b", y: 200), name: "other")
    #expect(stage.call { .resign($0, other) } == .done)
    #expect(stage.focused == "a", "it was not the other scene's to give up")
    #expect(stage.call { .resign($0, scene) } == .done)
    #expect(stage.focused == nil)
    #expect(stage.call { .focus($0, scene, view: "nobody") } == .failed(.scene(.noSuchView("nobody"))))
    #expect(stage.call { .focus($0, 99, view: "a") } == .failed(.scene(.noSuchScene("scene-99"))))
    guard case .failed(.scene(.refused(let by))) = stage.call({ .focus($0, scene, view: "label") }) else {
      Issue.record("a label is no input")
      return
    }
    #expect(by.contains("label"))
  }

  @Test("a client that dies takes its focus and its keyboard with it")
  func sceneGone() {
    var stage = Stage()
    let scene = stage.attach(input("a", y: 100))
    stage.tap(100, 120)
    _ = stage.take()
    stage.handle(.detach(scene))
    #expect(stage.engine.keyboard.reason == .sceneGone)
    #expect(
      stage.take().notifications == [.sceneGone, .focusChanged, .keyboardWillChangeFrame, .keyboardWillHide])
  }
}
