import Avoidance
import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

private let refused = Decision(isAllowed: false, by: "night")

/// On 480x800 with a keyboard of 300: a at the top, b covered by it.
private func form(asking transitions: Transition...) -> (stage: Stage, scene: SceneID) {
  var stage = Stage()
  let scene = stage.attach(
    View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 100), input("b", "page", y: 600),
    input("c", "page", y: 700))
  stage.handle(.deciders(Set(transitions)))
  _ = stage.take()
  return (stage, scene)
}

@Suite("focus-and-layout rule 9: what deciding plugins are asked") struct DecisionTests {
  @Test("rule 9: may the old one end, may the new one begin, before anything changes, once each")
  func order() {
    var (stage, _) = form(asking: .beginEditing, .endEditing)
    stage.tap(100, 120)
    #expect(stage.focused == nil)
    #expect(stage.answer { _ in .allowed } == ["beginEditing a"])
    #expect(stage.focused == "a")
    _ = stage.take()
    stage.settle()
    _ = stage.take()

    stage.down(100, 450)
    stage.up()
    #expect(stage.answer { _ in .allowed } == ["endEditing a"], "a touch outside")
    #expect(stage.focused == nil)
    #expect(
      stage.take().notifications == [
        .focusChanged, .keyboardWillChangeFrame, .keyboardWillHide, .layoutChanged,
      ])
  }

  @Test("rule 9: a refusal leaves all as it was", arguments: [Transition.endEditing, .beginEditing])
  func refusal(refusing: Transition) {
    var (stage, scene) = form()
    stage.tap(100, 120)
    stage.settle()
    _ = stage.take()
    let before = stage.engine.keyboard
    stage.ask(about: .beginEditing, .endEditing)
    let reply = stage.call { .focus($0, scene, view: "b") }
    #expect(reply == nil, "the answer waits too")
    let asked = stage.answer { $0.transition == refusing ? refused : .allowed }
    #expect(asked == (refusing == .endEditing ? ["endEditing a"] : ["endEditing a", "beginEditing b"]))
    #expect(stage.focused == "a")
    #expect(stage.engine.keyboard == before)
    let effects = stage.take()
    #expect(effects.notifications == [])
    #expect(effects.replies == ["night"])
  }

  @Test("rule 9: one state is published when all is decided, with the focus, the keyboard and the layout")
  func oneState() {
    var (stage, scene) = form(asking: .beginEditing, .showKeyboard, .moveLayout)
    stage.tap(100, 450)
    _ = stage.take()
    stage.handle(.focus(77, scene, view: "b"))
    for (id, transition) in [(1, Transition.beginEditing), (2, .showKeyboard), (3, .moveLayout)] {
      #expect(stage.effects.questions.map(\.transition).last == transition)
      #expect(stage.focused == nil && stage.engine.keyboard.phase == .hidden && stage.offset(scene) == 0)
      stage.handle(.decision(id, .allowed))
    }
    let effects = stage.take()
    #expect(
      effects.notifications
        == [.focusChanged, .keyboardWillChangeFrame, .keyboardWillShow, .layoutChanged])
    #expect(effects.publications == 1)
    #expect(effects.contains(.reply(77, .done)))
    #expect(stage.offset(scene) == -150)
  }

  @Test("what does not depend on the answer goes on while it is awaited")
  func meanwhile() {
    var (stage, scene) = form(asking: .beginEditing)
    stage.tap(100, 120)
    _ = stage.take()
    stage.down(100, 450)
    #expect(stage.take().touches == ["began page"], "touches are delivered")
    stage.handle(.update(5, scene, set: [input("d", "page", y: 300)], remove: [], frame: nil))
    #expect(stage.take().contains(.reply(5, .updated(revision: 2))))
    stage.attach(name: "other", frame: rect(0, 0, 9, 9))
    stage.up()
    stage.tap(100, 620)
    #expect(stage.take().questions.isEmpty, "one question at a time")
    stage.handle(.decision(1, .allowed))
    #expect(stage.focused == nil, "the taps that came since have their turn")
    #expect(stage.answer { _ in .allowed } == ["beginEditing b"])
    #expect(stage.focused == "b")
    #expect(
      stage.take().notifications == [
        .focusChanged, .keyboardWillChangeFrame, .keyboardWillShow, .layoutChanged,
      ])
  }

  @Test("a tap that comes while an earlier one is decided is asked about for itself")
  func tappedAgain() {
    var (stage, _) = form(asking: .beginEditing)
    stage.tap(100, 120)
    stage.tap(100, 120)
    var answers = [refused, .allowed]
    #expect(stage.answer { _ in answers.removeFirst() } == ["beginEditing a", "beginEditing a"])
    #expect(stage.focused == "a")
  }

  @Test("an input that goes while it is asked about does not get the focus")
  func gone() {
    var (stage, scene) = form(asking: .beginEditing)
    stage.handle(.focus(7, scene, view: "a"))
    stage.handle(.update(8, scene, set: [], remove: ["a"], frame: nil))
    #expect(stage.take().contains(.reply(7, .failed(.scene(.noSuchView("a"))))))
    stage.handle(.decision(1, .allowed))
    #expect(stage.focused == nil)
    #expect(stage.take().publications == 0)

    stage.handle(.focus(9, scene, view: "b"))
    stage.handle(.detach(scene))
    #expect(stage.take().contains(.reply(9, .failed(.scene(.noSuchScene("scene-1"))))))
  }

  @Test("rule 10: a focus that is lost is not asked about, nor is the keyboard that goes with it")
  func lost() {
    var (stage, scene) = form()
    stage.tap(100, 120)
    stage.ask(about: .endEditing, .hideKeyboard)
    _ = stage.take()
    stage.handle(.update(5, scene, set: [], remove: ["a"], frame: nil))
    #expect(stage.take().questions.isEmpty)
    #expect(stage.engine.keyboard.phase == .willHide)
  }

  @Test("rule 16: Tab skips what is refused, and asks each once")
  func tab() {
    var (stage, _) = form()
    stage.tap(100, 120)
    stage.settle()
    stage.ask(about: .beginEditing, .endEditing)
    _ = stage.take()
    stage.press(KEY.TAB)
    #expect(
      stage.answer { $0.view == "b" ? refused : .allowed } == [
        "endEditing a", "beginEditing b", "beginEditing c",
      ])
    #expect(stage.focused == "c")
    _ = stage.take()
    stage.press(KEY.TAB)
    #expect(
      stage.answer { $0.transition == .beginEditing ? refused : .allowed }
        == ["endEditing c", "beginEditing a", "beginEditing b"])
    #expect(stage.focused == "c", "all refused: it stays, and nobody is asked again")
    _ = stage.take()
    stage.press(KEY.TAB)
    #expect(stage.answer { _ in refused } == ["endEditing c"])
    #expect(stage.focused == "c")
  }

  @Test("a keyboard that is refused stays away while the focus is there, until it is tapped again")
  func showRefused() {
    var (stage, _) = form(asking: .showKeyboard)
    stage.tap(100, 120)
    #expect(stage.answer { _ in refused } == ["showKeyboard a"])
    #expect(stage.focused == "a" && stage.engine.keyboard.phase == .hidden)
    #expect(stage.take().notifications == [.focusChanged])
    stage.settle()
    #expect(stage.take().questions.isEmpty, "it is not asked again and again")
    stage.tap(100, 120)
    #expect(stage.answer { _ in .allowed } == ["showKeyboard a"])
    #expect(stage.engine.keyboard.phase == .willShow)
  }

  @Test("a keyboard that may not hide stays without a first responder, and goes when that is allowed")
  func hideRefused() {
    var (stage, _) = form()
    stage.tap(100, 120)
    stage.settle()
    stage.ask(about: .hideKeyboard)
    _ = stage.take()
    stage.press(KEY.ESC)
    #expect(stage.answer { _ in refused } == ["hideKeyboard -"])
    #expect(stage.focused == nil && stage.engine.keyboard.phase == .shown)
    _ = stage.take()
    stage.press(KEY.ESC)
    #expect(stage.answer { _ in .allowed } == ["hideKeyboard -"])
    #expect(stage.engine.keyboard.phase == .willHide)
  }

  @Test(
    "moveLayout: where the plugin puts it, within the screen and never downwards",
    arguments: [
      (Decision(isAllowed: true, offset: Point(x: 0, y: -170)), -170.0),
      (Decision(isAllowed: true, offset: Point(x: 9, y: 33)), 0),
      (Decision(isAllowed: true, offset: Point(x: 0, y: -5000)), -800),
      (Decision(isAllowed: true, offset: Point(x: 0, y: .nan)), -150), (refused, 0), (.allowed, -150),
    ])
  func moved(decision: Decision, offset: Double) {
    var (stage, scene) = form(asking: .moveLayout)
    stage.tap(100, 620)
    #expect(stage.take().questions.map(\.offset) == [Point(x: 0, y: -150)])
    #expect(stage.focused == nil, "nothing half done")
    stage.handle(.decision(1, decision))
    #expect(stage.focused == "b" && stage.offset(scene) == offset)
    stage.settle()
    #expect(stage.take().questions.isEmpty)
    stage.press(KEY.ESC)
    #expect(stage.offset(scene) == 0, "rule 27: hidden is exactly 0, always")
    #expect(stage.take().questions.isEmpty)
  }

  @Test("a keyboard that changes its height is followed at once, and the scene when that is decided")
  func frameChanges() {
    var (stage, scene) = form()
    stage.handle(.driverAttached(1, name: "osk"))
    stage.tap(100, 620)
    stage.settle()
    stage.ask(about: .moveLayout)
    _ = stage.take()
    stage.handle(
      .driverReport(2, driver: "osk", visible: true, frame: rect(0, 400, 480, 400), docked: true, order: nil))
    #expect(stage.take().notifications == [.keyboardWillChangeFrame, .layoutChanged])
    #expect(stage.offset(scene) == -150)
    #expect(stage.engine.scene(scene)?.layout.overlap == 400)
    stage.handle(.decision(1, .allowed))
    #expect(stage.offset(scene) == -250)
    #expect(stage.take().notifications == [.layoutChanged])
  }

  @Test("when nobody decides any more, what waited happens")
  func decidersGo() {
    var (stage, _) = form(asking: .beginEditing, .showKeyboard)
    stage.tap(100, 120)
    #expect(stage.focused == nil)
    stage.ask(about: .showKeyboard)
    #expect(stage.take().questions.map(\.transition) == [.beginEditing, .showKeyboard])
    stage.ask()
    #expect(stage.focused == "a")
    _ = stage.take()
    stage.handle(.decision(1, refused))
    #expect(stage.focused == "a" && stage.take().isEmpty, "late")
  }

  @Test("Show and Hide say by whom they were refused", arguments: [Transition.endEditing, .hideKeyboard])
  func byRequest(refusing: Transition) {
    var (stage, _) = form(asking: .showKeyboard)
    stage.handle(.showKeyboard(5))
    #expect(stage.take().replies.isEmpty)
    stage.handle(.decision(1, refused))
    #expect(stage.take().replies == ["night"] && stage.engine.keyboard.phase == .hidden)
    stage.ask()
    stage.tap(100, 120)
    stage.ask(about: refusing)
    _ = stage.take()
    stage.handle(.hideKeyboard(6))
    stage.handle(.decision(2, refused))
    #expect(stage.take().replies == ["night"] && stage.engine.keyboard.isShowing)
    stage.ask()
    #expect(stage.call { .hideKeyboard($0) } == .keyboard(refusedBy: nil))
  }

  @Test("more than can wait is refused, and nothing is lost of what was asked first")
  func bounded() {
    var (stage, scene) = form(asking: .beginEditing)
    for request in 1...Engine.maximumCalls + 5 { stage.handle(.focus(request, scene, view: "a")) }
    #expect(stage.take().replies.count == 5)
    for _ in 0...Engine.maximumWishes { stage.tap(100, 120) }
    #expect(stage.engine.wishes.count == Engine.maximumWishes, "the person's own has room besides")
    stage.handle(.decision(1, .allowed))
    while let question = stage.take().questions.first { stage.handle(.decision(question.id, .allowed)) }
    #expect(stage.focused == "a")
  }
}
