import Avoidance
import Geometry
import ResponderChain
import Testing

@testable import Engine

@Suite("focus-and-layout: scroll avoidance")
struct RevealTests {
  /// Of rule 33: on 480x800 with a keyboard of 300, the field's bottom at 720; 230 are needed.
  private let outer = View(id: "outer", kind: .scroll, frame: rect(0, 490, 480, 310))
  private func inner(_ offset: Double = 40) -> View {
    View(
      id: "inner", parent: "outer", kind: .scroll, frame: rect(0, 50, 480, 260),
      contentSize: Size(width: 480, height: 300), contentOffset: Point(x: 3, y: offset))
  }
  private let field = View(id: "field", parent: "inner", kind: .textInput, frame: rect(20, 180, 440, 40))
  private let other = View(id: "other", parent: "inner", kind: .textInput, frame: rect(20, 230, 440, 20))

  private func stage(_ avoidance: AvoidanceMode = .scroll) -> (Stage, SceneID) {
    var stage = Stage()
    let scene = stage.attach(outer, inner(), field, other, avoidance: avoidance)
    _ = stage.call { .focus($0, scene, view: "field") }
    return (stage, scene)
  }

  private func set(_ views: View..., in scene: SceneID, _ stage: inout Stage) {
    _ = stage.call { .update($0, scene, set: views, remove: [], frame: nil) }
  }

  /// Each scroll view as "inner 180 inset 210".
  private func scrolls(_ stage: Stage, _ scene: SceneID) -> [String] {
    (stage.engine.scene(scene)?.layout.scrolls ?? []).map {
      "\($0.view) \(Int($0.contentOffset.y)) inset \(Int($0.insetBottom))"
    }
  }

  @Test("rule 33: inner 180, outer 50, scene -40; insets are what the keyboard covers after that")
  func nested() {
    let (stage, scene) = stage()
    #expect(scrolls(stage, scene) == ["inner 180 inset 210", "outer 50 inset 260"])
    #expect(stage.offset(scene) == -40)
    #expect(stage.engine.scene(scene)?.layout.scrolls.first?.contentOffset.x == 3, "rule 32: x stays")
    #expect(stage.engine.scene(scene)?.layout.overlap == 300)
  }

  @Test("rule 33: what the client then reports is what it was told, and changes nothing")
  func reported() {
    var (stage, scene) = stage()
    let before = stage.engine.scene(scene)?.layout
    set(inner(180), in: scene, &stage)
    #expect(stage.engine.scene(scene)?.layout == before)
  }

  @Test("rule 34: a position that the person scrolled to is kept, until focus, caret or keyboard change")
  func scrolledByThePerson() {
    var (stage, scene) = stage()
    set(inner(180), in: scene, &stage)
    set(inner(100), in: scene, &stage)
    #expect(scrolls(stage, scene) == ["inner 100 inset 210", "outer 50 inset 260"])
    #expect(stage.offset(scene) == -40, "no new reveal")
    set(inner(40), in: scene, &stage)
    #expect(scrolls(stage, scene)[0] == "inner 40 inset 210", "not even back where it was")
    var caret = field
    caret.caret = rect(0, 0, 2, 40)
    set(caret, in: scene, &stage)
    #expect(scrolls(stage, scene)[0] == "inner 180 inset 210", "the caret moved: it is shown again")
  }

  @Test("rule 34: a scene that is panned is not pulled back either")
  func panned() {
    var (stage, scene) = stage(.pan)
    #expect(stage.offset(scene) == -230)
    #expect(scrolls(stage, scene) == [])
    set(inner(0), in: scene, &stage)
    #expect(stage.offset(scene) == -230)
    var moved = field
    moved.frame.y -= 100
    set(moved, in: scene, &stage)
    #expect(stage.offset(scene) == -170, "but where the field itself is moved, it is")
  }

  @Test("rule 33: going back restores insets at once, and positions as far as they are out of range")
  func goingBack() {
    var (stage, scene) = stage()
    set(
      inner(180), View(id: "outer", kind: .scroll, frame: outer.frame, contentOffset: Point(x: 0, y: 50)),
      in: scene, &stage)
    _ = stage.call { .resign($0, scene) }
    #expect(scrolls(stage, scene) == ["inner 40 inset 0", "outer 0 inset 0"])
    #expect(stage.offset(scene) == 0)
    set(inner(40), outer, in: scene, &stage)
    #expect(scrolls(stage, scene) == [], "nothing is left to do")
  }

  @Test("rule 33: a position within the range stays where the person scrolled to")
  func goingBackWithinRange() {
    var (stage, scene) = stage()
    set(inner(180), in: scene, &stage)
    set(inner(30), in: scene, &stage)
    _ = stage.call { .resign($0, scene) }
    #expect(scrolls(stage, scene) == ["outer 0 inset 0"])
  }

  @Test("rules 11 and 33: from one field to the next each scrolls on from where it is going")
  func nextField() {
    var (stage, scene) = stage()
    _ = stage.call { .focus($0, scene, view: "other") }
    #expect(scrolls(stage, scene) == ["inner 230 inset 230", "outer 50 inset 280"])
    #expect(stage.offset(scene) == -20)
    _ = stage.call { .focus($0, scene, view: "field") }
    #expect(scrolls(stage, scene)[0].hasPrefix("inner 180"), "as far back as the field's top is in sight")
  }

  @Test("rule 33: a scroll view that does not contain what must stay in sight does not help")
  func keepsVisibleOutside() {
    var stage = Stage()
    var field = field
    field.keepsVisible = "done"
    let scene = stage.attach(
      outer, inner(), field, View(id: "done", kind: .control, frame: rect(0, 700, 480, 40)),
      avoidance: .scroll)
    _ = stage.call { .focus($0, scene, view: "field") }
    #expect(stage.offset(scene) == -250)
    #expect(scrolls(stage, scene)[0].hasPrefix("inner 40"))
  }

  @Test(
    "rule 35: resize and none move nothing, and say what is covered",
    arguments: [AvoidanceMode.resize, .none])
  func leftToTheClient(avoidance: AvoidanceMode) {
    let (stage, scene) = stage(avoidance)
    #expect(stage.offset(scene) == 0)
    #expect(scrolls(stage, scene) == [])
    #expect(stage.engine.scene(scene)?.layout.overlap == 300)
  }
}
