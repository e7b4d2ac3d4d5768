import Avoidance
import Geometry
import ResponderChain
import Testing

@testable import Engine

/// A page that dismisses by drags.
let interactiveList = View(
  id: "list", kind: .scroll, frame: rect(0, 0, 480, 800), dismissMode: .interactive)

/// A keyboard across the bottom of 480x800, from its top on.
func keyboardFrame(_ top: Double) -> Rect { rect(0, top, 480, 800 - top) }

extension Stage {
  /// A field has the focus and a finger is down at y 300 in the list around it.
  ///
  /// The keyboard is at y 500, and the field's bottom at 640: the scene is lifted by 150.
  static func dragging(
    _ list: View = interactiveList, avoidance: AvoidanceMode = .pan
  ) -> (Stage, SceneID) {
    var stage = Stage()
    let scene = stage.attach(list, input("a", "list", y: 600), avoidance: avoidance)
    _ = stage.call { .focus($0, scene, view: "a") }
    stage.settle()
    stage.down(100, 300)
    _ = stage.take()
    return (stage, scene)
  }

  /// As `dragging`, and the finger has pulled the keyboard to y 600.
  static func pulling() -> (Stage, SceneID) {
    var (stage, scene) = Stage.dragging()
    stage.move(100, 600)
    #expect(stage.engine.keyboard.frame == keyboardFrame(600))
    _ = stage.take()
    return (stage, scene)
  }

  /// The keyboard comes back from y 600.
  func expectBack(_ scene: SceneID? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(engine.keyboard.phase == .shown, sourceLocation: sourceLocation)
    #expect(engine.keyboard.frame == keyboardFrame(500), sourceLocation: sourceLocation)
    #expect(engine.keyboard.previousFrame == keyboardFrame(600), sourceLocation: sourceLocation)
    #expect(engine.keyboard.duration == 0.3, sourceLocation: sourceLocation)
    #expect(engine.keyboard.reason == .drag, sourceLocation: sourceLocation)
    if let scene { #expect(offset(scene) == -150, sourceLocation: sourceLocation) }
  }

  /// The keyboard goes from y 600.
  func expectGone(_ reason: KeyboardReason, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(engine.keyboard.phase == .willHide, sourceLocation: sourceLocation)
    #expect(engine.keyboard.previousFrame == keyboardFrame(600), sourceLocation: sourceLocation)
    #expect(engine.keyboard.reason == reason, sourceLocation: sourceLocation)
  }
}
