import Geometry

/// Where the children of each view lie, so that the front-most at a point is found without asking them all.
///
/// A crit-bit tree for each parent, over the bits of the children's four edges, the highest of each edge first: it
/// halves by place and by size, and its shape depends on what is in it alone, so it needs no balancing. A branch
/// knows what bounds all below it, and the front-most of that; whatever the shape, what is found is right.
///
/// A branch is 56 bytes, and there is one less than siblings; those of views that go are used again. To file a view or
/// take it out takes as many steps as the tree is deep: with 20,000 siblings 15 to 35, never more than bits in a key.
struct SiblingTrees: Sendable {
  /// A view by its index, `ViewTree.none` for nothing, or below that a branch, counted downwards.
  typealias Link = Int32

  /// A view's frame and rank are read here; neither changes while it is filed.
  typealias Nodes = [ViewTree.Node]

  private struct Branch {
    var minX, minY, maxX, maxY: Double
    /// That of the front-most below.
    var rank: Int64
    /// Below, by the bit of the key that tells them apart.
    var zero: Link
    var one: Link
    /// The first bit, from the highest, that is not the same for all below.
    var bit: UInt8

    func contains(_ point: Point) -> Bool {
      point.x >= minX && point.y >= minY && point.x < maxX && point.y < maxY
    }
  }

  private var branches: [Branch] = []
  private var free: [Int32] = []

  /// Branches in use, of all trees: one a view less one a tree.
  var count: Int { branches.count - free.count }
  /// Branches that there is memory for.
  var capacity: Int { branches.count }

  private static func isBranch(_ link: Link) -> Bool { link < ViewTree.none }
  private static func place(_ link: Link) -> Int { -2 - Int(link) }
  private static func link(_ place: Int) -> Link { Link(-2 - place) }

  // MARK: Query

  /// A search for the front-most view at a point, and what it has found so far.
  struct Search {
    let point: Point
    var view = ViewTree.none
    var rank = Int64.min
    /// The views and branches that were looked at.
    var steps = 0
  }

  /// The front-most view of a tree that contains a point; `ViewTree.none` if none does.
  func front(at point: Point, of tree: Link, _ nodes: Nodes) -> ViewTree.Index {
    var search = Search(point: point)
    look(at: tree, &search, nodes)
    return search.view
  }

  /// Looks where the front-most is first, and not at all where nothing is further in front than what was found.
  ///
  /// Recurses once a branch, of which there are at most as many as bits in a key.
  func look(at link: Link, _ search: inout Search, _ nodes: Nodes) {
    search.steps += 1
    guard SiblingTrees.isBranch(link) else {
      guard link != ViewTree.none else { return }
      let rank = nodes[Int(link)].rank
      guard rank > search.rank, nodes[Int(link)].frame.contains(search.point) else { return }
      search.view = link
      search.rank = rank
      return
    }
    let branch = branches[SiblingTrees.place(link)]
    guard branch.rank > search.rank, branch.contains(search.point) else { return }
    let oneIsFirst = rank(of: branch.one, nodes) == branch.rank
    look(at: oneIsFirst ? branch.one : branch.zero, &search, nodes)
    look(at: oneIsFirst ? branch.zero : branch.one, &search, nodes)
  }

  private func rank(of link: Link, _ nodes: Nodes) -> Int64 {
    SiblingTrees.isBranch(link) ? branches[SiblingTrees.place(link)].rank : nodes[Int(link)].rank
  }

  // MARK: Changes

  /// Files a view that is not empty. Returns: the tree with it.
  mutating func insert(_ view: ViewTree.Index, into tree: Link, _ nodes: Nodes) -> Link {
    guard tree != ViewTree.none else { return view }
    let new = nodes[Int(view)]
    let key = Key(new)
    var link = tree
    while SiblingTrees.isBranch(link) { link = child(of: link, key) }
    let bit = key.firstDifference(from: Key(nodes[Int(link)]))

    // Down to where all below have more in common than with the new one; all on the way grows by it.
    var above: Link?
    link = tree
    while SiblingTrees.isBranch(link) {
      let place = SiblingTrees.place(link)
      guard branches[place].bit < bit else { break }
      branches[place].minX = min(branches[place].minX, new.frame.x)
      branches[place].minY = min(branches[place].minY, new.frame.y)
      branches[place].maxX = max(branches[place].maxX, new.frame.maxX)
      branches[place].maxY = max(branches[place].maxY, new.frame.maxY)
      branches[place].rank = max(branches[place].rank, new.rank)
      above = link
      link = child(of: link, key)
    }
    let branch = allocate(key.has(bit) ? (link, view) : (view, link), bit)
    bound(branch, nodes)
    guard let above else { return branch }
    let place = SiblingTrees.place(above)
    if key.has(branches[place].bit) { branches[place].one = branch } else { branches[place].zero = branch }
    return tree
  }

  /// Takes out a view. Returns: the tree without it.
  mutating func remove(_ view: ViewTree.Index, from tree: Link, _ nodes: Nodes) -> Link {
    remove(view, Key(nodes[Int(view)]), from: tree, nodes)
  }

  /// Recurses once a branch, of which there are at most as many as bits in a key.
  private mutating func remove(
    _ view: ViewTree.Index, _ key: Key, from link: Link, _ nodes: Nodes
  ) -> Link {
    guard SiblingTrees.isBranch(link) else { return link == view ? ViewTree.none : link }
    let place = SiblingTrees.place(link)
    let isOne = key.has(branches[place].bit)
    let below = remove(view, key, from: isOne ? branches[place].one : branches[place].zero, nodes)
    guard below != ViewTree.none else {
      free.append(Int32(place))
      return isOne ? branches[place].zero : branches[place].one
    }
    if isOne { branches[place].one = below } else { branches[place].zero = below }
    bound(link, nodes)
    return link
  }

  private func child(of link: Link, _ key: Key) -> Link {
    let place = SiblingTrees.place(link)
    return key.has(branches[place].bit) ? branches[place].one : branches[place].zero
  }

  private mutating func allocate(_ below: (zero: Link, one: Link), _ bit: UInt8) -> Link {
    let branch = Branch(
      minX: 0, minY: 0, maxX: 0, maxY: 0, rank: 0, zero: below.zero, one: below.one, bit: bit)
    if let place = free.popLast() {
      branches[Int(place)] = branch
      return SiblingTrees.link(Int(place))
    }
    branches.append(branch)
    return SiblingTrees.link(branches.count - 1)
  }

  /// Makes a branch bound what is directly below it.
  private mutating func bound(_ link: Link, _ nodes: Nodes) {
    let place = SiblingTrees.place(link)
    let (zero, one) = (bounds(of: branches[place].zero, nodes), bounds(of: branches[place].one, nodes))
    branches[place].minX = min(zero.minX, one.minX)
    branches[place].minY = min(zero.minY, one.minY)
    branches[place].maxX = max(zero.maxX, one.maxX)
    branches[place].maxY = max(zero.maxY, one.maxY)
    branches[place].rank = max(zero.rank, one.rank)
  }

  private func bounds(of link: Link, _ nodes: Nodes) -> Branch {
    if SiblingTrees.isBranch(link) { return branches[SiblingTrees.place(link)] }
    let (frame, rank) = (nodes[Int(link)].frame, nodes[Int(link)].rank)
    return Branch(
      minX: frame.x, minY: frame.y, maxX: frame.maxX, maxY: frame.maxY, rank: rank, zero: 0, one: 0, bit: 0)
  }
}

/// A view's four edges with their bits interleaved, and below them its rank, which tells equal frames apart.
private struct Key {
  private static let high: UInt32 = 1 << 31
  private static let highRank: UInt64 = 1 << 63

  private var edges: SIMD4<UInt32>
  private var rank: UInt64

  init(_ node: ViewTree.Node) {
    edges = SIMD4(
      Key.ordered(node.frame.x), Key.ordered(node.frame.y), Key.ordered(node.frame.maxX),
      Key.ordered(node.frame.maxY))
    rank = UInt64(bitPattern: node.rank)
  }

  /// A number's bits, as an integer that is larger when the number is; the two zeros are one.
  private static func ordered(_ value: Double) -> UInt32 {
    let bits = (Float(value) + 0).bitPattern
    return bits >> 31 == 1 ? ~bits : bits | 1 << 31
  }

  /// Whether a bit is set, counted from the highest.
  func has(_ bit: UInt8) -> Bool {
    bit < 128
      ? edges[Int(bit & 3)] & Key.high >> UInt32(bit >> 2) != 0
      : rank & Key.highRank >> UInt64(bit - 128) != 0
  }

  /// The first bit that another key, which is not the same, has otherwise.
  func firstDifference(from other: Key) -> UInt8 {
    let difference = edges ^ other.edges
    var first = UInt8(128 + min(63, (rank ^ other.rank).leadingZeroBitCount))
    for edge in 0..<4 where difference[edge] != 0 {
      first = min(first, UInt8(difference[edge].leadingZeroBitCount * 4 + edge))
    }
    return first
  }
}
