import Geometry

extension ViewTree {
  /// Whether the view can be first responder: an editable text input that can be seen and touched (rule 10).
  public func canBecomeFirstResponder(_ index: Index) -> Bool {
    let view = views[Int(index)]
    return view.kind == .textInput && view.editable && isReachable(index)
  }

  /// The inputs that next and previous go through: by `order`, then top to bottom, then left to right.
  ///
  /// Inputs with an order come before those without. Source: focus-and-layout, rule 16.
  public func focusOrder() -> [String] {
    var inputs: [(order: Int, frame: Rect, id: String)] = []
    walk { index, _ in
      guard canBecomeFirstResponder(index) else { return }
      let view = views[Int(index)]
      inputs.append((view.order ?? Int.max, frameInScene(index), view.id))
    }
    // The tree's order settles what is equal, so that the result never depends on the sort.
    let sorted = inputs.enumerated().sorted { a, b in
      let (left, right) = (a.element, b.element)
      if left.order != right.order { return left.order < right.order }
      if left.frame.y != right.frame.y { return left.frame.y < right.frame.y }
      if left.frame.x != right.frame.x { return left.frame.x < right.frame.x }
      return a.offset < b.offset
    }
    return sorted.map { $0.element.id }
  }

  /// The input after (or before) one, round the end; nil if there is no other.
  public func nextInput(after id: String, backwards: Bool = false) -> String? {
    let order = focusOrder()
    guard order.count > 1 else { return order.first == id ? nil : order.first }
    guard let place = order.firstIndex(of: id) else { return backwards ? order.last : order.first }
    let step = backwards ? order.count - 1 : 1
    return order[(place + step) % order.count]
  }
}
