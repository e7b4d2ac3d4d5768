import Geometry

/// What is wrong with a scene or a call about one.
public enum SceneError: Codable, Equatable, Error, Sendable {
  case noSuchScene(String)
  case noSuchView(String)
  /// The view, if the problem is one view's, and the problem in words.
  case invalidScene(view: String?, problem: String)
  /// Who refused: a plugin, or the reason that a view cannot do it.
  case refused(by: String)

  enum NoSuchSceneCodingKeys: String, CodingKey { case _0 = "scene" }
  enum NoSuchViewCodingKeys: String, CodingKey { case _0 = "view" }
}

extension SceneError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchScene(let scene): "no scene \"\(scene)\""
    case .noSuchView(let view): "no view \"\(view)\""
    case .invalidScene(let view?, let problem): "view \"\(view)\": \(problem)"
    case .invalidScene(nil, let problem): problem
    case .refused(let by): "refused by \(by)"
    }
  }
}

/// The views of one scene; a later sibling lies in front.
///
/// What a touch reads of a view lies together in one array, its full description in another, and siblings are filed by
/// where they are, so that a hit test costs its path and an update the views it sets, however many there are.
public struct ViewTree: Sendable {
  /// The most views of one scene (ipc, rule 4).
  public static let maximumViews = 20_000
  /// The most levels, the views directly in the scene being the first (ipc, rule 4).
  public static let maximumDepth = 64

  /// The longest id of a view, and name of a scene or a driver, in bytes of UTF-8.
  ///
  /// Every state and touch carries them to every reader, who is cut off from what is too long to send.
  public static let longestName = 256

  /// Whether a client may call something so: not too long, and without control characters, which take six
  /// bytes each in JSON.
  public static func isName(_ text: String) -> Bool {
    text.utf8.count <= longestName && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// A place in the arrays; `none` for no view.
  public typealias Index = Int32
  static let none: Index = -1

  /// What hit test, delivery and geometry read.
  struct Node: Sendable {
    var frame = Rect.zero
    /// What is added to a child's coordinates to come to the parent's.
    var childOrigin = Point.zero
    var parent = ViewTree.none
    var firstChild = ViewTree.none
    var lastChild = ViewTree.none
    var next = ViewTree.none
    var previous = ViewTree.none
    /// The tree that its children are filed in.
    var siblings = ViewTree.none
    /// Where it is among the text inputs.
    var input = ViewTree.none
    /// Counts up as views come to the front.
    var rank: Int64 = 0
    var hittable = false
    /// Whether it is filed among its siblings: it can be hit, and is not empty.
    var isFiled = false
    var used = false
  }

  private(set) var nodes: [Node] = []
  private(set) var views: [View] = []
  private(set) var places: [String: Index] = [:]
  private var free: [Index] = []
  private(set) var firstRoot = ViewTree.none
  private(set) var lastRoot = ViewTree.none
  private(set) var siblings = SiblingTrees()
  /// The tree that the views directly in the scene are filed in.
  private(set) var rootSiblings = ViewTree.none
  /// Every text input, in no order that means anything.
  private(set) var inputs: [Index] = []
  private var lastRank: Int64 = 0

  public init() {}

  public var count: Int { places.count }

  public func view(_ id: String) -> View? { places[id].map { views[Int($0)] } }
  public func index(of id: String) -> Index? { places[id] }
  public func view(at index: Index) -> View { views[Int(index)] }
  // A touch reads these of all on its path, and a whole view is much to copy.
  public func id(at index: Index) -> String { views[Int(index)].id }
  public func resigns(at index: Index) -> Trigger { views[Int(index)].resigns }
  public func parent(of index: Index) -> Index? { link(nodes[Int(index)].parent) }

  private func link(_ index: Index) -> Index? { index == ViewTree.none ? nil : index }

  /// The views directly in one view, or in the scene for nil, from the back to the front.
  public func children(of index: Index?) -> [Index] {
    var children: [Index] = []
    var child = index.map { nodes[Int($0)].firstChild } ?? firstRoot
    while child != ViewTree.none {
      children.append(child)
      child = nodes[Int(child)].next
    }
    return children
  }

  /// The view and its ancestors, innermost first.
  public func ancestry(of index: Index) -> [Index] {
    var line: [Index] = []
    var place = index
    while place != ViewTree.none {
      line.append(place)
      place = nodes[Int(place)].parent
    }
    return line
  }

  /// Every view depth first, parents before children, siblings from the back to the front.
  public func walk(_ body: (_ index: Index, _ depth: Int) -> Void) {
    var place = firstRoot
    var depth = 0
    while place != ViewTree.none {
      body(place, depth)
      if nodes[Int(place)].firstChild != ViewTree.none {
        place = nodes[Int(place)].firstChild
        depth += 1
        continue
      }
      while place != ViewTree.none, nodes[Int(place)].next == ViewTree.none {
        place = nodes[Int(place)].parent
        depth -= 1
      }
      if place != ViewTree.none { place = nodes[Int(place)].next }
    }
  }

  /// A view's frame in the scene's coordinates, content offsets of scroll views around it taken in.
  public func frameInScene(_ index: Index) -> Rect {
    var frame = nodes[Int(index)].frame
    var place = nodes[Int(index)].parent
    while place != ViewTree.none {
      frame = frame.offset(by: nodes[Int(place)].childOrigin)
      place = nodes[Int(place)].parent
    }
    return frame
  }

  /// A view's frame in the scene's coordinates, as if no scroll view around it were scrolled.
  public func unscrolledFrameInScene(_ index: Index) -> Rect {
    var frame = nodes[Int(index)].frame
    var place = nodes[Int(index)].parent
    while place != ViewTree.none {
      frame = frame.offset(by: nodes[Int(place)].frame.origin)
      place = nodes[Int(place)].parent
    }
    return frame
  }

  /// The scroll views that a view is in, from inside out.
  public func scrollViews(containing index: Index) -> [Index] {
    ancestry(of: index).dropFirst().filter { views[Int($0)].kind == .scroll }
  }

  /// Whether the view and all around it can be seen and touched (focus-and-layout, rules 1 and 10).
  public func isReachable(_ index: Index) -> Bool {
    var place = index
    while place != ViewTree.none {
      if !nodes[Int(place)].hittable { return false }
      place = nodes[Int(place)].parent
    }
    return true
  }
}

// MARK: - Changes

extension ViewTree {
  /// Removes the named views with all below them, then sets whole views by id, as one step.
  ///
  /// A view that is new or changes its parent comes to the front there; the others keep their place.
  /// Throws: `noSuchView`, `invalidScene` naming the view; nothing is changed then (ipc, rule 4).
  /// Returns: whether anything differs from before.
  @discardableResult
  public mutating func update(set: [View], remove: [String] = []) throws(SceneError) -> Bool {
    // Nothing of the change is kept: it shares the arrays, and writing to them would copy them all.
    let removed = try TreeChange(self, set: set, remove: remove).removed
    if removed.isEmpty, set.allSatisfy({ view($0.id) == $0 }) { return false }
    for index in removed { release(index) }
    for view in set where places[view.id] == nil { allocate(view) }
    for view in set {
      guard let index = places[view.id] else { continue }
      let parent = view.parent.flatMap { places[$0] } ?? ViewTree.none
      let isNew = !nodes[Int(index)].used
      if isNew || nodes[Int(index)].parent != parent {
        if !isNew { unlink(index) }
        append(index, to: parent)
      }
      store(view, at: index)
    }
    return true
  }

  private mutating func allocate(_ view: View) {
    if let index = free.popLast() {
      views[Int(index)] = view
      places[view.id] = index
    } else {
      let index = Index(nodes.count)
      nodes.append(Node())
      views.append(view)
      places[view.id] = index
    }
  }

  private mutating func store(_ view: View, at index: Index) {
    views[Int(index)] = view
    let shift = view.kind == .scroll ? view.contentOffset : .zero
    let hittable = !view.hidden && view.interactive && view.alpha >= 0.01
    let canBeHit = hittable && !view.frame.isEmpty
    if nodes[Int(index)].frame != view.frame || !canBeHit { unfile(index) }
    nodes[Int(index)].frame = view.frame
    nodes[Int(index)].childOrigin = view.frame.origin - shift
    nodes[Int(index)].hittable = hittable
    nodes[Int(index)].used = true
    if canBeHit { file(index) }
    setInput(view.kind == .textInput, index)
  }

  /// Takes one view out of the arrays; those below it are released on their own, children first.
  private mutating func release(_ index: Index) {
    setInput(false, index)
    unlink(index)
    places[views[Int(index)].id] = nil
    nodes[Int(index)] = Node()
    views[Int(index)] = View(id: "", frame: .zero)
    free.append(index)
  }

  private mutating func unlink(_ index: Index) {
    unfile(index)
    let node = nodes[Int(index)]
    if node.previous != ViewTree.none {
      nodes[Int(node.previous)].next = node.next
    } else if node.parent != ViewTree.none {
      nodes[Int(node.parent)].firstChild = node.next
    } else {
      firstRoot = node.next
    }
    if node.next != ViewTree.none {
      nodes[Int(node.next)].previous = node.previous
    } else if node.parent != ViewTree.none {
      nodes[Int(node.parent)].lastChild = node.previous
    } else {
      lastRoot = node.previous
    }
    nodes[Int(index)].next = ViewTree.none
    nodes[Int(index)].previous = ViewTree.none
    nodes[Int(index)].parent = ViewTree.none
  }

  private mutating func append(_ index: Index, to parent: Index) {
    lastRank += 1
    nodes[Int(index)].rank = lastRank
    nodes[Int(index)].parent = parent
    let last = parent == ViewTree.none ? lastRoot : nodes[Int(parent)].lastChild
    nodes[Int(index)].previous = last
    if last != ViewTree.none { nodes[Int(last)].next = index }
    if parent == ViewTree.none {
      if last == ViewTree.none { firstRoot = index }
      lastRoot = index
    } else {
      if last == ViewTree.none { nodes[Int(parent)].firstChild = index }
      nodes[Int(parent)].lastChild = index
    }
  }

  // MARK: What is filed

  /// The tree that a view's siblings are filed in.
  private func siblings(below parent: Index) -> SiblingTrees.Link {
    parent == ViewTree.none ? rootSiblings : nodes[Int(parent)].siblings
  }

  private mutating func setSiblings(_ tree: SiblingTrees.Link, below parent: Index) {
    if parent == ViewTree.none { rootSiblings = tree } else { nodes[Int(parent)].siblings = tree }
  }

  private mutating func file(_ index: Index) {
    guard !nodes[Int(index)].isFiled else { return }
    let parent = nodes[Int(index)].parent
    let tree = siblings.insert(index, into: siblings(below: parent), nodes)
    setSiblings(tree, below: parent)
    nodes[Int(index)].isFiled = true
  }

  private mutating func unfile(_ index: Index) {
    guard nodes[Int(index)].isFiled else { return }
    let parent = nodes[Int(index)].parent
    let tree = siblings.remove(index, from: siblings(below: parent), nodes)
    setSiblings(tree, below: parent)
    nodes[Int(index)].isFiled = false
  }

  /// Keeps the list of text inputs; the last takes the place of one that goes.
  private mutating func setInput(_ isInput: Bool, _ index: Index) {
    let place = nodes[Int(index)].input
    guard isInput != (place != ViewTree.none) else { return }
    if isInput {
      nodes[Int(index)].input = Index(inputs.count)
      inputs.append(index)
    } else {
      nodes[Int(index)].input = ViewTree.none
      guard let last = inputs.popLast(), last != index else { return }
      inputs[Int(place)] = last
      nodes[Int(last)].input = place
    }
  }
}
