import Avoidance
import Geometry
import ResponderChain
import Testing

@testable import Engine

@Suite("What a touch would do, told without touching")
struct HitTestTests {
  /// A page that resigns, in it a scroll view with a label, and a field.
  private func page(forwards: Bool) -> [View] {
    [
      View(id: "page", frame: rect(0, 0, 480, 800), resigns: .tap),
      View(id: "list", parent: "page", kind: .scroll, frame: rect(0, 0, 480, 400), forwardsTouches: forwards),
      View(id: "label", parent: "list", frame: rect(0, 250, 480, 100)),  // 0 to 100 once lifted
      input("field", "page", y: 700),
    ]
  }

  private func stage(_ views: [View], outsideTouch: Trigger = .tap) -> Stage {
    var stage = Stage()
    let description = SceneDescription(name: "form", outsideTouch: outsideTouch)
    _ = stage.call { .attach($0, description, views) }
    return stage
  }

  private func look(_ stage: Stage, _ x: Double, _ y: Double) throws -> HitTest {
    try #require(stage.engine.hitTest(Point(x: x, y: y), on: nil))
  }

  @Test("rule 14: what a scroll view that does not forward keeps from its page")
  func stops() throws {
    var stage = stage(page(forwards: false), outsideTouch: .never)
    #expect(stage.call { .focus($0, 1, view: "field") } == .done)
    let kept = try look(stage, 10, 10)
    #expect(kept.chain.map(\.view.id) == ["label", "list", "page"])
    #expect(kept.chain.map(\.isReached) == [true, true, false])
    #expect(kept.responders == ["list", "label"])
    #expect(kept.tap == nil)
    #expect(kept.scrollView == "list")

    stage = self.stage(page(forwards: true), outsideTouch: .never)
    #expect(stage.call { .focus($0, 1, view: "field") } == .done)
    let forwarded = try look(stage, 10, 10)
    #expect(forwarded.chain.map(\.isReached) == [true, true, true])
    #expect(forwarded.tap == .responder)
    #expect(forwarded.chain.map(\.mayResign) == [true, true, true])
  }

  @Test("rules 9 and 13: a tap on an input takes the focus, one outside ends it")
  func focus() throws {
    var stage = stage(page(forwards: false))
    #expect(try look(stage, 100, 710).input == "field")
    #expect(try look(stage, 10, 10).tap == .outsideTouch, "as it would be with a first responder")
    stage.tap(100, 710)
    let field = stage.engine.scenes[0].layout.offset.y + 710
    let again = try look(stage, 100, field)
    #expect(again.input == "field")
    #expect(again.tap == nil)
    #expect(!again.isOutside)
    #expect(again.focusKeeper == "field")
  }

  @Test("rule 7: what is on the keyboard is the keyboard's")
  func keyboard() throws {
    var stage = stage(page(forwards: false))
    stage.tap(100, 710)
    let hit = try look(stage, 100, 790)
    #expect(hit.isOnKeyboard)
    #expect(hit.scene == nil)
    #expect(hit.responders.isEmpty)
  }

  @Test("rules 1 and 2: why what lies at a point is not hit")
  func passedOver() throws {
    let stage = stage([
      View(id: "page", frame: rect(0, 0, 480, 400)),
      View(id: "below", parent: "page", frame: rect(0, 350, 480, 200)),
      View(id: "sheet", frame: rect(0, 0, 480, 800), hidden: true),
      View(id: "ok", parent: "sheet", kind: .control, frame: rect(0, 0, 100, 100)),
      View(id: "glass", frame: rect(0, 0, 480, 300), interactive: false),
      View(id: "faint", frame: rect(0, 0, 50, 50), alpha: 0.009),
      View(id: "elsewhere", frame: rect(300, 0, 50, 50), hidden: true),
    ])
    let corner = try look(stage, 10, 10)
    #expect(corner.chain.map(\.view.id) == ["page"])
    #expect(
      corner.passedOver == [
        .init(view: "faint", reason: .transparent, cause: "faint"),
        .init(view: "glass", reason: .notInteractive, cause: "glass"),
        .init(view: "ok", reason: .hidden, cause: "sheet"),
        .init(view: "sheet", reason: .hidden, cause: "sheet"),
      ])
    let bottom = try look(stage, 10, 500)
    #expect(bottom.chain.isEmpty)
    #expect(bottom.scene == 1)
    #expect(
      bottom.passedOver == [
        .init(view: "sheet", reason: .hidden, cause: "sheet"),
        .init(view: "below", reason: .outside, cause: "page"),
      ])
  }

  @Test("rule 1: the scene in front, and those that it covers")
  func scenes() throws {
    var stage = Stage()
    stage.attach(View(id: "a", frame: rect(0, 0, 480, 800)), name: "back")
    stage.attach(name: "menu", frame: rect(0, 0, 480, 100), level: 2)
    stage.attach(name: "bar", frame: rect(0, 0, 480, 100), level: 1)
    let hit = try look(stage, 10, 10)
    #expect(hit.scene == 2)
    #expect(hit.below == [3, 1])
    #expect(hit.chain.isEmpty, "an empty scene covers what is below all the same")
    #expect(stage.engine.hitTest(.zero, on: "nowhere") == nil)
  }

  @Test("A drag on a scroll view that dismisses (rule 15)")
  func drag() throws {
    let stage = stage([
      View(id: "list", kind: .scroll, frame: rect(0, 0, 480, 800), dismissMode: .onDrag),
      View(id: "row", parent: "list", frame: rect(0, 0, 480, 100)),
      View(id: "ok", parent: "list", kind: .control, frame: rect(0, 100, 480, 100)),
    ])
    let row = try look(stage, 10, 10)
    #expect(row.drag == .drag && !row.pullsKeyboard)
    let control = try look(stage, 10, 110)
    #expect(control.scrollView == nil, "a control keeps its touches (rule 6)")
    #expect(control.drag == nil)
  }

  @Test("A drag that the keyboard follows (rule 15)")
  func pulls() throws {
    let stage = stage([
      View(id: "list", kind: .scroll, frame: rect(0, 0, 480, 800), dismissMode: .interactive)
    ])
    let list = try look(stage, 10, 10)
    #expect(list.pullsKeyboard && list.drag == nil)
  }

  @Test("What it says is what a tap there then does", arguments: 0..<60)
  func sameAsATap(seed: Int) throws {
    var state = UInt64(seed)
    func roll(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    var views: [View] = []
    for n in 0..<14 {
      let parent = n > 2 && roll(3) > 0 ? "v\(roll(n))" : nil
      views.append(
        View(
          id: "v\(n)", parent: parent, kind: Kind.allCases[roll(4)],
          frame: rect(Double(roll(4) * 60), Double(roll(8) * 60), Double(roll(6) * 80), Double(roll(8) * 80)),
          hidden: roll(10) == 0, forwardsTouches: [nil, true, false][roll(3)],
          resigns: Trigger.allCases[roll(3)],
          keepsFocus: [nil, nil, true, false][roll(4)]))
    }
    var stage = stage(views, outsideTouch: Trigger.allCases[roll(3)])
    for _ in 0..<25 {
      let (x, y) = (Int32(roll(480)), Int32(roll(800)))
      let before = stage.focused
      let told = try look(stage, Double(x), Double(y))
      _ = stage.take()
      stage.down(x, y)
      let responders = told.responders.joined(separator: ",")
      #expect(stage.take().touches == (told.scene == nil ? [] : ["began \(responders)"]))
      #expect(stage.focused == (told.began == nil ? before : nil))
      if before != nil, let reason = told.began { #expect(stage.engine.keyboard.reason == reason) }
      stage.up()
      #expect(stage.focused == told.input ?? (told.began == nil && told.tap == nil ? before : nil))
      if before != nil, let reason = told.tap { #expect(stage.engine.keyboard.reason == reason) }
      stage.settle()
    }
  }
}
