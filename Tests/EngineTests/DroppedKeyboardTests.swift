import ResponderChain
import Testing

@testable import Engine

@Suite("focus-and-layout rules 9 and 15: a finger drops the keyboard, and plugins are asked")
struct DroppedKeyboardTests {
  /// A finger has pulled the keyboard past half of its height, and is lifted; ending the editing is asked about.
  private func dropped() -> (stage: Stage, scene: SceneID) {
    var stage = Stage()
    let page = View(id: "page", kind: .scroll, frame: rect(0, 0, 480, 800), dismissMode: .interactive)
    let scene = stage.attach(page, input("a", "page", y: 440))
    stage.tap(100, 460)
    stage.settle()
    stage.ask(about: .endEditing)
    stage.down(100, 300)
    for y in stride(from: Int32(320), through: 700, by: 20) { stage.move(100, y) }
    _ = stage.take()
    stage.up()
    return (stage, scene)
  }

  @Test("while it is asked the keyboard stays where the finger left it, and what follows is its resigning")
  func allowed() {
    var (stage, _) = dropped()
    #expect(stage.engine.keyboard.frame.y == 700 && stage.engine.keyboard.phase == .shown)
    #expect(stage.take().notifications == [])
    stage.handle(.decision(1, .allowed))
    #expect(stage.focused == nil && stage.engine.keyboard.phase == .willHide)
    #expect(stage.engine.keyboard.previousFrame.y == 700 && stage.engine.keyboard.reason == .drag)
  }

  @Test("refused, it comes back and nothing was hidden")
  func refusedDrop() {
    var (stage, scene) = dropped()
    stage.handle(.decision(1, Decision(isAllowed: false)))
    #expect(stage.focused == "a" && stage.engine.keyboard.frame.y == 500)
    stage.settle()
    let heard = stage.take().notifications
    #expect(!heard.contains(.keyboardWillHide) && heard.last == .keyboardDidChangeFrame)
    #expect(stage.engine.keyboard.phase == .shown && stage.offset(scene) == 0)
  }
}
