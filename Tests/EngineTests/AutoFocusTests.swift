import ResponderChain
import Testing

@testable import Engine

@Suite("focus-and-layout rule 18: AutoFocus") struct AutoFocusTests {
  private func waiting() -> (stage: Stage, scene: SceneID) {
    var stage = Stage(Configuration(keyboardHeight: .points(300), autoFocus: .wait))
    let scene = stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800)), input("a", "page", y: 100), input("b", "page", y: 200))
    return (stage, scene)
  }

  @Test("rule 18: with wait the focus that no touch asked for shows no keyboard; a tap on it does")
  func wait() {
    var (stage, scene) = waiting()
    #expect(stage.call { .focus($0, scene, view: "a") } == .done)
    #expect(stage.focused == "a" && stage.engine.keyboard.phase == .hidden)
    #expect(stage.take().notifications == [.focusChanged])
    stage.tap(100, 120)
    #expect(stage.engine.keyboard.phase == .willShow)
  }

  @Test("rule 18: a focus that the application sets in answer to a touch was asked for by it")
  func answersTouch() {
    var (stage, scene) = waiting()
    stage.tap(100, 500)
    stage.time += Engine.touchAsksFor
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.engine.keyboard.phase == .willShow)

    (stage, scene) = waiting()
    stage.down(100, 500)
    stage.time += 5_000_000
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.engine.keyboard.phase == .willShow, "a finger is down")

    (stage, scene) = waiting()
    stage.tap(100, 500)
    stage.time += Engine.touchAsksFor + 1
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.engine.keyboard.phase == .hidden, "too long ago")
  }

  @Test("rule 18: a keyboard that is there stays there as the application moves the focus on")
  func moves() {
    var (stage, scene) = waiting()
    stage.tap(100, 120)
    stage.settle()
    stage.time += 5_000_000
    _ = stage.call { .focus($0, scene, view: "b") }
    #expect(stage.focused == "b" && stage.engine.keyboard.phase == .shown)
  }

  @Test("rule 18: Show shows it") func show() {
    var (stage, scene) = waiting()
    _ = stage.call { .focus($0, scene, view: "a") }
    _ = stage.call { .showKeyboard($0) }
    #expect(stage.focused == "a" && stage.engine.keyboard.phase == .willShow)
  }
}
