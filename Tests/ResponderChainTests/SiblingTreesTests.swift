import Geometry
import Testing

@testable import ResponderChain

extension ViewTree {
  /// The hit test as rules 1 and 2 have it, by asking every sibling from the front.
  fileprivate func naiveHitTest(_ point: Point, among parent: Index? = nil) -> Index? {
    for child in children(of: parent).reversed() {
      let node = nodes[Int(child)]
      guard node.hittable, node.frame.contains(point) else { continue }
      return naiveHitTest(point - node.childOrigin, among: child) ?? child
    }
    return nil
  }

  /// Views that a touch can hit among their siblings.
  fileprivate var filed: Int { nodes.count { $0.isFiled } }
}

/// Numbers that are the same in every run.
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {  // SplitMix64
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &self)] }

  /// A coordinate: mostly on the screen, now and then where few think of.
  mutating func coordinate() -> Double {
    switch Int.random(in: 0..<12, using: &self) {
    case 0: pick([0, -0.0, 1, -1, 0.25, 1e9, -1e9, 1e-9, 479.9999999])
    case 1: Double.random(in: -1e9...1e9, using: &self)
    case 2: Double.random(in: -1...1, using: &self)
    case 3, 4: Double.random(in: -50...850, using: &self)
    default: Double(Int.random(in: -5...40, using: &self) * 20)
    }
  }

  mutating func length() -> Double {
    switch Int.random(in: 0..<10, using: &self) {
    case 0: pick([0, 1e-9, 1e9, 800])
    case 1: abs(coordinate())
    default: Double(Int.random(in: 0...20, using: &self) * 20)
    }
  }

  mutating func view(_ id: String, in parent: String?) -> View {
    View(
      id: id, parent: parent, kind: pick(Kind.allCases),
      frame: Rect(x: coordinate(), y: coordinate(), width: length(), height: length()),
      hidden: Int.random(in: 0..<12, using: &self) == 0, alpha: pick([1, 1, 1, 0.01, 0.009]),
      interactive: Int.random(in: 0..<12, using: &self) != 0,
      contentOffset: Point(x: 0, y: pick([0, 0, 30, coordinate()])))
  }
}

@Suite("focus-and-layout: the front-most at a point, found by where siblings are")
struct SiblingTreesTests {
  @Test(
    "rules 1 and 2: the same hit as asking every sibling", arguments: [0..<1000, 1000..<2000, 2000..<3000])
  func sameAsNaive(seeds: Range<UInt64>) throws {
    for seed in seeds { try compare(seed) }
  }

  /// Changes a tree at random, and after each change compares what random points hit.
  private func compare(_ seed: UInt64) throws {
    var dice = Dice(state: seed)
    var tree = ViewTree()
    let names = (0..<dice.pick([3, 12, 40])).map { "v\($0)" }
    for _ in 0..<12 {
      var set: [String: View] = [:]
      var remove: Set<String> = []
      for _ in 0..<Int.random(in: 1...8, using: &dice) {
        let id = dice.pick(names)
        if tree.index(of: id) != nil, Int.random(in: 0..<4, using: &dice) == 0 {
          remove.insert(id)
        } else {
          set[id] = dice.view(id, in: Int.random(in: 0..<3, using: &dice) == 0 ? nil : dice.pick(names))
        }
      }
      for id in remove { set[id] = nil }
      // What is refused, such as a parent that is not there, must leave what is filed as it is.
      _ = try? tree.update(set: set.keys.sorted().compactMap { set[$0] }, remove: remove.sorted())
      for _ in 0..<12 {
        let corner = tree.count == 0 ? nil : tree.places.keys.sorted().randomElement(using: &dice)
        var point = Point(x: dice.coordinate(), y: dice.coordinate())
        if let corner, let index = tree.index(of: corner) {
          let frame = tree.frameInScene(index)
          point = dice.pick([
            point, frame.origin, Point(x: frame.maxX, y: frame.y),
            Point(x: frame.x + frame.width / 2, y: frame.y + frame.height / 2),
          ])
        }
        let (found, expected) = (tree.hitTest(point), tree.naiveHitTest(point))
        try #require(found == expected, "seed \(seed): at \(point) after \(set)")
      }
      #expect(tree.siblings.count <= max(0, tree.filed - 1), "branches of what is gone are given back")
    }
    try tree.update(set: [], remove: tree.children(of: nil).map { tree.view(at: $0).id })
    #expect(tree.siblings.count == 0)
    #expect(tree.inputs.isEmpty)
  }

  @Test func updatesInPlaceTakeNoMemory() throws {
    var tree = ViewTree()
    try tree.update(set: (0..<100).map { View(id: "v\($0)", frame: rect(Double($0), 0, 50, 50)) })
    let (branches, nodes) = (tree.siblings.capacity, tree.nodes.count)
    for step in 0..<100_000 {
      try tree.update(set: [View(id: "v50", frame: rect(Double(step % 777), Double(step % 313), 50, 50))])
    }
    #expect(tree.siblings.capacity == branches)
    #expect(tree.nodes.count == nodes)
    #expect(tree.hit(Double(99_999 % 777) + 1, Double(99_999 % 313) + 49) == "v50")
  }

  /// Scenes that a structure of this kind might find hard, and where to touch them.
  static let hard: [(name: String, frame: @Sendable (Double, inout Dice) -> Rect)] = [
    ("a list", { n, _ in rect(0, n * 40, 800, 40) }),
    (
      "a grid",
      { n, _ in rect((n.truncatingRemainder(dividingBy: 200)) * 4, (n / 200).rounded(.down) * 4, 4, 4) }
    ),
    (
      "all over",
      { _, dice in rect(.random(in: 0...800, using: &dice), .random(in: 0...480, using: &dice), 20, 20) }
    ),
    ("stacked", { _, _ in rect(100, 100, 600, 280) }),
    ("stacked, each smaller", { n, _ in rect(n / 50, n / 90, 800 - n / 25, 480 - n / 45) }),
    (
      "slivers both ways",
      { n, _ in
        n.truncatingRemainder(dividingBy: 2) == 0 ? rect(n / 25, 0, 0.08, 480) : rect(0, n / 42, 800, 0.08)
      }
    ),
    (
      "of all sizes",
      { _, dice in
        let size = 800 / Double.random(in: 1...400, using: &dice)
        return rect(.random(in: -50...800, using: &dice), .random(in: -50...480, using: &dice), size, size)
      }
    ),
    (
      "nearly the same",
      { _, dice in
        rect(.random(in: 0...100, using: &dice), .random(in: 0...100, using: &dice), 600, 280)
      }
    ),
  ]

  @Test("a hit test among 20,000 siblings asks few of them", arguments: hard.indices)
  func fewSteps(kind: Int) throws {
    var dice = Dice(state: 1)
    let make = SiblingTreesTests.hard[kind]
    var tree = ViewTree()
    try tree.update(set: (0..<20_000).map { View(id: "\($0)", frame: make.frame(Double($0), &dice)) })
    var most = 0
    let points = (0..<2000).map { _ in
      Point(x: .random(in: 0...800, using: &dice), y: .random(in: 0...480, using: &dice))
    }
    for point in points {
      var search = SiblingTrees.Search(point: point)
      tree.siblings.look(at: tree.rootSiblings, &search, tree.nodes)
      most = max(most, search.steps)
    }
    #expect(most < 400, "\(make.name)")
  }
}
