import Geometry

extension ViewTree {
  /// The front-most view at a point of the scene, hidden and untouchable subtrees left out.
  ///
  /// Source: focus-and-layout, rules 1 to 3. nil if no view is there.
  public func hitTest(_ point: Point) -> Index? {
    var hit: Index?
    var point = point
    var tree = rootSiblings
    while true {
      let front = siblings.front(at: point, of: tree, nodes)
      guard front != ViewTree.none else { return hit }
      hit = front
      point = point - nodes[Int(front)].childOrigin
      tree = nodes[Int(front)].siblings
    }
  }
}
