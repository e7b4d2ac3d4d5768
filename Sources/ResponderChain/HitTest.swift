import Geometry

extension ViewTree {
  /// The front-most view at a point of the scene, hidden and untouchable subtrees left out.
  ///
  /// Source: focus-and-layout, rules 1 to 3. nil if no view is there.
  public func hitTest(_ point: Point) -> Index? {
    let hit = hitTest(point, among: lastRoot)
    return hit == ViewTree.none ? nil : hit
  }

  /// Recurses once a level, of which there are at most `maximumDepth`.
  private func hitTest(_ point: Point, among last: Index) -> Index {
    var place = last
    while place != ViewTree.none {
      let node = nodes[Int(place)]
      if node.hittable, node.frame.contains(point) {
        let below = hitTest(point - node.childOrigin, among: node.lastChild)
        return below == ViewTree.none ? place : below
      }
      place = node.previous
    }
    return ViewTree.none
  }
}
