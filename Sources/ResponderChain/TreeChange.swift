import Geometry

/// A change to a tree, checked against it before anything is touched.
struct TreeChange {
  /// Every view to take out, children before their parents.
  private(set) var removed: [ViewTree.Index] = []

  private let tree: ViewTree
  private var gone: Set<ViewTree.Index> = []
  private var incoming: [String: Int] = [:]
  /// The level that a view ends up on, the first being 1, of those that were come by.
  private var depths: [String: Int] = [:]
  private let set: [View]

  /// Costs the views that are set, those around them, and those that are removed or moved.
  init(_ tree: ViewTree, set: [View], remove: [String]) throws(SceneError) {
    self.tree = tree
    self.set = set
    incoming.reserveCapacity(set.count)
    for (place, view) in set.enumerated() {
      try view.check()
      guard incoming.updateValue(place, forKey: view.id) == nil else {
        throw .invalidScene(view: view.id, problem: "two views have this id")
      }
    }
    for id in remove {
      guard let index = tree.index(of: id) else { throw .noSuchView(id) }
      guard incoming[id] == nil else {
        throw .invalidScene(view: id, problem: "it is both set and removed")
      }
      collect(index)
    }
    // Where nothing changes its parent, what is there already stays as deep as it is.
    let moves = set.contains { exists($0.id) && parent(of: $0.id) != $0.parent }
    for view in set where moves || !exists(view.id) { try checkPlace(view) }
    let new = set.reduce(0) { exists($1.id) ? $0 : $0 + 1 }
    guard tree.count - removed.count + new <= ViewTree.maximumViews else {
      throw .invalidScene(view: nil, problem: "it has over \(ViewTree.maximumViews) views")
    }
    for view in set {
      if let id = view.keepsVisible, incoming[id] == nil, !exists(id) {
        throw .invalidScene(view: view.id, problem: "keepsVisible names \(id), which there is not")
      }
    }
  }

  private func exists(_ id: String) -> Bool {
    guard let index = tree.index(of: id) else { return false }
    return !gone.contains(index)
  }

  private mutating func collect(_ index: ViewTree.Index) {
    guard gone.insert(index).inserted else { return }
    for child in tree.children(of: index) { collect(child) }
    removed.append(index)
  }

  /// The id of a view's parent once the change is made; nil for a view directly in the scene.
  private func finalParent(_ id: String) -> String? {
    if let place = incoming[id] { return set[place].parent }
    return parent(of: id)
  }

  /// The id of a view's parent as it is now.
  private func parent(of id: String) -> String? {
    tree.index(of: id).flatMap { tree.parent(of: $0) }.map { tree.view(at: $0).id }
  }

  private mutating func checkPlace(_ view: View) throws(SceneError) {
    var line = [view.id]
    var depth = 0
    var ancestor = view.parent
    while let id = ancestor {
      guard incoming[id] != nil || exists(id) else {
        throw .invalidScene(view: line.last ?? view.id, problem: "its parent \(id) is not in the scene")
      }
      guard id != view.id else { throw .invalidScene(view: id, problem: "it lies within itself") }
      if let known = depths[id] {
        depth = known
        break
      }
      line.append(id)
      if line.count > ViewTree.maximumDepth, let cycle = hasCycle(above: view.id) {
        throw .invalidScene(view: cycle, problem: "it lies within itself")
      }
      guard line.count <= ViewTree.maximumDepth else { throw TreeChange.tooDeep(view.id) }
      ancestor = finalParent(id)
    }
    guard depth + line.count <= ViewTree.maximumDepth else { throw TreeChange.tooDeep(view.id) }
    for id in line.reversed() {
      depth += 1
      depths[id] = depth
    }
    guard let index = tree.index(of: view.id), !gone.contains(index) else { return }
    // Also a view that keeps its parent goes deeper with it.
    if depth > tree.ancestry(of: index).count, depth + height(below: index) > ViewTree.maximumDepth {
      throw .invalidScene(
        view: view.id, problem: "what lies below it is over \(ViewTree.maximumDepth) levels deep")
    }
  }

  private static func tooDeep(_ id: String) -> SceneError {
    .invalidScene(view: id, problem: "it is over \(ViewTree.maximumDepth) levels deep")
  }

  /// A view on a cycle of parents, if the way up from this one comes to one.
  private func hasCycle(above id: String) -> String? {
    var seen: Set<String> = [id]
    var ancestor = finalParent(id)
    while let next = ancestor {
      if !seen.insert(next).inserted { return next }
      ancestor = finalParent(next)
    }
    return nil
  }

  /// The levels below a view that stays as it is; at most `maximumDepth`, so the recursion is bounded.
  private func height(below index: ViewTree.Index) -> Int {
    var most = 0
    for child in tree.children(of: index)
    where !gone.contains(child) && incoming[tree.view(at: child).id] == nil {
      most = max(most, 1 + height(below: child))
    }
    return most
  }
}
