import Geometry
import Testing

@testable import ResponderChain

/// A tree of views, or the error that it makes.
func tree(_ views: View...) throws(SceneError) -> ViewTree {
  var tree = ViewTree()
  try tree.update(set: views)
  return tree
}

func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
  Rect(x: x, y: y, width: width, height: height)
}

extension ViewTree {
  func hit(_ x: Double, _ y: Double) -> String? { hitTest(Point(x: x, y: y)).map { view(at: $0).id } }

  func delivery(_ id: String) -> [String] {
    index(of: id).map { responders(for: $0).map { view(at: $0).id } } ?? []
  }
}

@Suite("focus-and-layout: hit test and delivery")
struct HitTestTests {
  @Test(
    "rule 1: hidden, untouchable and transparent subtrees are skipped",
    arguments: [
      (View(id: "a", frame: rect(0, 0, 100, 100), hidden: true), false),
      (View(id: "a", frame: rect(0, 0, 100, 100), interactive: false), false),
      (View(id: "a", frame: rect(0, 0, 100, 100), alpha: 0.009), false),
      (View(id: "a", frame: rect(0, 0, 100, 100), alpha: 0.01), true),
    ])
  func skipped(view: View, hit: Bool) throws {
    let tree = try tree(view, View(id: "child", parent: "a", frame: rect(0, 0, 100, 100)))
    #expect(tree.hit(50, 50) == (hit ? "child" : nil))
  }

  @Test("rule 1: the front-most sibling wins, the later in the list")
  func frontMost() throws {
    var tree = try tree(
      View(id: "back", frame: rect(0, 0, 100, 100)), View(id: "front", frame: rect(50, 0, 100, 100)))
    #expect(tree.hit(75, 50) == "front")
    #expect(tree.hit(25, 50) == "back")
    try tree.update(set: [View(id: "back", frame: rect(0, 0, 90, 100))])
    #expect(tree.hit(75, 50) == "front", "a view that is set again keeps its place")
  }

  @Test("rule 2: a point outside a parent never hits its children")
  func clipped() throws {
    let tree = try tree(
      View(id: "parent", frame: rect(0, 0, 100, 50)),
      View(id: "child", parent: "parent", frame: rect(0, 0, 200, 200)))
    #expect(tree.hit(50, 49.9) == "child")
    #expect(tree.hit(50, 50) == nil)
  }

  @Test("rule 3: frames are in the parent's coordinates, in a scroll view in its content's")
  func coordinates() throws {
    let tree = try tree(
      View(id: "page", frame: rect(10, 20, 400, 400)),
      View(
        id: "scroll", parent: "page", kind: .scroll, frame: rect(0, 100, 400, 200),
        contentSize: Size(width: 400, height: 900), contentOffset: Point(x: 0, y: 300)),
      View(id: "row", parent: "scroll", frame: rect(0, 350, 400, 40)))
    #expect(tree.hit(15, 20 + 100 + 50) == "row")
    #expect(tree.hit(15, 20 + 100 + 49) == "scroll")
    let row = try #require(tree.index(of: "row"))
    #expect(tree.frameInScene(row) == rect(10, 170, 400, 40))
  }

  @Test("rule 3: only a scroll view shifts what is in it by its content offset")
  func contentOffsetOfOthers() throws {
    let tree = try tree(
      View(id: "box", frame: rect(0, 0, 400, 400), contentOffset: Point(x: 0, y: 300)),
      View(id: "row", parent: "box", frame: rect(0, 10, 400, 40)))
    #expect(tree.hit(15, 20) == "row")
  }

  @Test("rule 5: delivery goes up as long as each forwards, and the one that forwards handles it last")
  func delivery() throws {
    func views(_ forwards: Bool) throws -> ViewTree {
      try tree(
        View(id: "root", frame: rect(0, 0, 800, 480)),
        View(
          id: "scroll", parent: "root", kind: .scroll, frame: rect(0, 0, 800, 480),
          forwardsTouches: forwards),
        View(id: "label", parent: "scroll", frame: rect(0, 0, 800, 40)))
    }
    #expect(try views(true).delivery("label") == ["root", "scroll", "label"])
    #expect(try views(false).delivery("label") == ["scroll", "label"])
  }

  @Test("rule 6: the innermost scroll view takes a drag over; controls keep theirs")
  func takeOver() throws {
    let tree = try tree(
      View(id: "outer", kind: .scroll, frame: rect(0, 0, 800, 480)),
      View(id: "inner", parent: "outer", kind: .scroll, frame: rect(0, 0, 800, 200)),
      View(id: "input", parent: "inner", kind: .textInput, frame: rect(0, 0, 800, 40)),
      View(id: "button", parent: "inner", kind: .control, frame: rect(0, 50, 800, 40)),
      View(id: "icon", parent: "button", frame: rect(0, 0, 20, 20)))
    func taker(_ id: String) -> String? {
      tree.index(of: id).flatMap { tree.scrollView(around: $0) }.map { tree.view(at: $0).id }
    }
    #expect(taker("input") == "inner")
    #expect(taker("outer") == "outer")
    #expect(taker("button") == nil)
    #expect(taker("icon") == nil)
  }
}

@Suite("focus-and-layout: order of inputs")
struct FocusOrderTests {
  @Test(
    "rule 16: by order, then top to bottom, then left to right, across containers; unusable ones left out")
  func order() throws {
    func input(
      _ id: String, _ parent: String? = nil, _ frame: Rect, hidden: Bool = false, editable: Bool = true,
      order: Int? = nil
    ) -> View {
      View(
        id: id, parent: parent, kind: .textInput, frame: frame, hidden: hidden, editable: editable,
        order: order)
    }
    let tree = try tree(
      View(id: "low", frame: rect(0, 200, 400, 200)), View(id: "high", frame: rect(0, 0, 400, 200)),
      View(id: "gone", frame: rect(0, 0, 1, 1), hidden: true), input("4", "low", rect(0, 0, 10, 10)),
      input("3", "high", rect(50, 10, 10, 10)), input("2", "high", rect(0, 10, 10, 10)),
      input("1", "low", rect(0, 100, 10, 10), order: 1), input("hidden", nil, rect(0, 0, 9, 9), hidden: true),
      input("fixed", nil, rect(0, 0, 9, 9), editable: false), input("inGone", "gone", rect(0, 0, 9, 9)))
    #expect(tree.focusOrder() == ["1", "2", "3", "4"])
    #expect(tree.nextInput(after: "1") == "2")
    #expect(tree.nextInput(after: "4") == "1", "round the end")
    #expect(tree.nextInput(after: "1", backwards: true) == "4")
    #expect(tree.nextInput(after: "fixed") == "1", "from what is no input any more, to the first")
    #expect(tree.nextInput(after: "fixed", backwards: true) == "4")
  }

  @Test func theOnlyInputHasNoNext() throws {
    let tree = try tree(View(id: "a", kind: .textInput, frame: rect(0, 0, 10, 10)))
    #expect(tree.nextInput(after: "a") == nil)
  }
}
