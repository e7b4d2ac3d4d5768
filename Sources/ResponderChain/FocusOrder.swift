import Geometry

extension ViewTree {
  /// Whether the view can be first responder: an editable text input that can be seen and touched (rule 10).
  public func canBecomeFirstResponder(_ index: Index) -> Bool {
    nodes[Int(index)].input != ViewTree.none && views[Int(index)].editable && isReachable(index)
  }

  /// The inputs that next and previous go through: by `order`, then top to bottom, then left to right.
  ///
  /// Inputs with an order come before those without. Source: focus-and-layout, rule 16.
  public func focusOrder() -> [String] {
    focusPlaces().sorted(by: precedes).map { view(at: $0.index).id }
  }

  /// The input after (or before) one, round the end; nil if there is no other.
  public func nextInput(after id: String, backwards: Bool = false) -> String? {
    let places = focusPlaces()
    let current = places.first { view(at: $0.index).id == id }
    if current != nil, places.count == 1 { return nil }
    let beyond = places.filter { place in
      current.map { backwards ? precedes(place, $0) : precedes($0, place) } ?? true
    }
    let rest = beyond.isEmpty ? places : beyond
    return (backwards ? rest.max(by: precedes) : rest.min(by: precedes)).map { view(at: $0.index).id }
  }

  /// Where an input comes when the focus goes on.
  private struct FocusPlace {
    var order: Int
    var frame: Rect
    var index: Index
  }

  private func focusPlaces() -> [FocusPlace] {
    inputs.filter(canBecomeFirstResponder).map {
      FocusPlace(order: views[Int($0)].order ?? Int.max, frame: frameInScene($0), index: $0)
    }
  }

  private func precedes(_ a: FocusPlace, _ b: FocusPlace) -> Bool {
    if a.order != b.order { return a.order < b.order }
    if a.frame.y != b.frame.y { return a.frame.y < b.frame.y }
    if a.frame.x != b.frame.x { return a.frame.x < b.frame.x }
    // The tree's order settles what is equal.
    return ranks(downTo: a.index).lexicographicallyPrecedes(ranks(downTo: b.index))
  }

  /// The ranks of the views around one and its own, from the outermost.
  private func ranks(downTo index: Index) -> [Int64] {
    ancestry(of: index).reversed().map { nodes[Int($0)].rank }
  }
}
