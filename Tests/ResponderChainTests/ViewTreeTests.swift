import Geometry
import Testing

@testable import ResponderChain

@Suite("ipc rule 4: an invalid scene is refused, naming the view, and changes nothing")
struct InvalidSceneTests {
  private func chain(_ count: Int) -> [View] {
    (0..<count).map { View(id: "v\($0)", parent: $0 == 0 ? nil : "v\($0 - 1)", frame: rect(0, 0, 9, 9)) }
  }

  private func base() throws -> ViewTree {
    try tree(View(id: "a", frame: rect(0, 0, 9, 9)), View(id: "b", parent: "a", frame: rect(0, 0, 9, 9)))
  }

  @Test(
    "what is refused",
    arguments: [
      ([View(id: "x", parent: "nobody", frame: .zero)], "x", "nobody"),
      ([View(id: "x", frame: .zero), View(id: "x", frame: .zero)], "x", "two views"),
      ([View(id: "x", parent: "x", frame: .zero)], "x", "within itself"),
      (
        [View(id: "x", parent: "y", frame: .zero), View(id: "y", parent: "x", frame: .zero)], "x",
        "within itself"
      ),
      ([View(id: "a", parent: "b", frame: .zero)], "a", "within itself"),
      ([View(id: "x", frame: Rect(x: .infinity, y: 0, width: 1, height: 1))], "x", "finite"),
      ([View(id: "x", frame: Rect(x: 0, y: .nan, width: 1, height: 1))], "x", "finite"),
      ([View(id: "x", frame: Rect(x: 0, y: 0, width: -1, height: 1))], "x", "negative"),
      ([View(id: "x", frame: Rect(x: 1e300, y: 0, width: 1, height: 1))], "x", "1e9"),
      ([View(id: "x", frame: .zero, alpha: .nan)], "x", "alpha"),
      ([View(id: "x", frame: .zero, spacing: .infinity)], "x", "spacing"),
      ([View(id: "x", frame: .zero, caret: rect(0, 0, .nan, 1))], "x", "caret"),
      ([View(id: "x", frame: .zero, caret: rect(0, 0, 1, 1e300))], "x", "1e9"),
      ([View(id: "x", frame: .zero, caret: rect(0, 0, 1e300, 1))], "x", "1e9"),
      ([View(id: "x", frame: .zero, contentSize: Size(width: .nan, height: 1))], "x", "contentSize"),
      ([View(id: "x", frame: .zero, contentOffset: Point(x: 0, y: .nan))], "x", "contentOffset"),
      ([View(id: "x", frame: .zero, keepsVisible: "nobody")], "x", "nobody"),
      ([View(id: "", frame: .zero)], "", "empty"),
      ([View(id: String(repeating: "x", count: 257), frame: .zero)], nil, "256 bytes"),
      ([View(id: "a\u{1B}[2J", frame: .zero)], nil, "control"),
    ])
  func refused(views: [View], view: String?, problem: String) throws {
    var tree = try base()
    #expect {
      try tree.update(set: [View(id: "new", frame: .zero)] + views)
    } throws: { error in
      guard case SceneError.invalidScene(let named, let words) = error else { return false }
      return named == view && words.contains(problem)
    }
    #expect(tree.count == 2)
    #expect(tree.view("new") == nil)
  }

  @Test func sixtyFourLevelsAreTheMost() throws {
    var tree = ViewTree()
    try tree.update(set: chain(64))
    #expect(throws: SceneError.invalidScene(view: "v64", problem: "it is over 64 levels deep")) {
      try tree.update(set: [View(id: "v64", parent: "v63", frame: .zero)])
    }
    #expect(throws: SceneError.self, "what is below a moved view counts") {
      try tree.update(set: [
        View(id: "top", frame: .zero), View(id: "v0", parent: "top", frame: .zero),
      ])
    }
    #expect(tree.count == 64)
  }

  @Test func noLevelIsAddedBelowAViewThatKeepsItsParent() throws {
    var tree = ViewTree()
    try tree.update(set: chain(60))
    try tree.update(
      set: [View(id: "a", frame: .zero), View(id: "b", parent: "a", frame: .zero)]
        + (0..<9).map { View(id: "w\($0)", parent: $0 == 0 ? "b" : "w\($0 - 1)", frame: .zero) })
    #expect(throws: SceneError.invalidScene(view: "b", problem: "what lies below it is over 64 levels deep"))
    {
      try tree.update(set: [
        View(id: "a", parent: "v59", frame: .zero), View(id: "b", parent: "a", frame: .zero),
      ])
    }
    try tree.update(set: [
      View(id: "a", parent: "v51", frame: .zero), View(id: "b", parent: "a", frame: .zero),
    ])
  }

  @Test func twentyThousandViewsAreTheMost() throws {
    var tree = ViewTree()
    try tree.update(set: (0..<20_000).map { View(id: "v\($0)", frame: .zero) })
    #expect(throws: SceneError.invalidScene(view: nil, problem: "it has over 20000 views")) {
      try tree.update(set: [View(id: "more", frame: .zero)])
    }
    try tree.update(set: [View(id: "more", frame: .zero)], remove: ["v7"])
    #expect(tree.count == 20_000)
  }
}

@Suite("an update is one step")
struct UpdateTests {
  @Test func removingTakesAllBelow() throws {
    var tree = try tree(
      View(id: "a", frame: rect(0, 0, 9, 9)), View(id: "b", parent: "a", frame: rect(0, 0, 9, 9)),
      View(id: "c", parent: "b", frame: rect(0, 0, 9, 9)), View(id: "d", frame: rect(0, 0, 5, 5)))
    #expect(try tree.update(set: [], remove: ["a"]))
    #expect(tree.count == 1)
    #expect(tree.hit(1, 1) == "d")
    #expect(throws: SceneError.noSuchView("a")) { try tree.update(set: [], remove: ["a"]) }
    #expect(throws: SceneError.invalidScene(view: "d", problem: "it is both set and removed")) {
      try tree.update(set: [View(id: "d", frame: .zero)], remove: ["d"])
    }
  }

  @Test func aViewCanMoveToAnotherParent() throws {
    var tree = try tree(
      View(id: "a", frame: rect(0, 0, 100, 100)), View(id: "b", frame: rect(100, 0, 100, 100)),
      View(id: "x", parent: "a", frame: rect(0, 0, 10, 10)))
    try tree.update(set: [View(id: "x", parent: "b", frame: rect(0, 0, 10, 10))], remove: ["a"])
    #expect(tree.hit(5, 5) == nil)
    #expect(tree.hit(105, 5) == "x")
  }

  @Test func parentsMayComeAfterTheirChildren() throws {
    let tree = try tree(
      View(id: "x", parent: "a", frame: rect(0, 0, 10, 10)), View(id: "a", frame: rect(0, 0, 100, 100)))
    #expect(tree.hit(5, 5) == "x")
  }

  @Test("focus-and-layout rule 23: the same once more changes nothing")
  func same() throws {
    var tree = try tree(View(id: "a", frame: rect(0, 0, 9, 9)))
    #expect(try tree.update(set: [View(id: "a", frame: rect(0, 0, 9, 9))]) == false)
    #expect(try tree.update(set: [View(id: "a", frame: rect(0, 0, 9, 8))]))
  }

  @Test("arbitrary updates leave a tree that a fresh one of the same views equals")
  func arbitrary() throws {
    var random = SystemRandomNumberGenerator()
    var tree = ViewTree()
    for _ in 0..<2_000 {
      let ids = (0..<12).map { "v\($0)" }
      let set = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        View(
          id: ids.randomElement(using: &random) ?? "", parent: Bool.random() ? ids.randomElement() : nil,
          frame: rect(0, 0, 10, 10))
      }
      let remove = Bool.random() ? [ids.randomElement() ?? ""] : []
      let before = describe(tree)
      do { try tree.update(set: set, remove: remove) } catch { #expect(describe(tree) == before) }
      var seen = 0
      tree.walk { index, depth in
        seen += 1
        #expect(tree.ancestry(of: index).count == depth + 1)
        #expect(tree.index(of: tree.view(at: index).id) == index)
      }
      #expect(seen == tree.count, "every view is reached once")
    }
  }

  private func describe(_ tree: ViewTree) -> [String] {
    var lines: [String] = []
    tree.walk { index, depth in lines.append("\(depth) \(tree.view(at: index).id)") }
    return lines
  }
}
