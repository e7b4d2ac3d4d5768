import Geometry

/// A view that lies at a point and cannot be hit there.
public struct PassedOver: Equatable, Sendable {
  /// Why a view is no candidate for a touch (focus-and-layout, rules 1 and 2).
  public enum Reason: String, CaseIterable, Sendable {
    case hidden, notInteractive, transparent
    /// The point is outside of it, and so of all that it contains.
    case outside
  }

  public var view: ViewTree.Index
  public var reason: Reason
  /// The view that the reason is true of: itself, or the outermost around it.
  public var cause: ViewTree.Index

  public init(view: ViewTree.Index, reason: Reason, cause: ViewTree.Index) {
    self.view = view
    self.reason = reason
    self.cause = cause
  }
}

extension ViewTree {
  /// The views that have a point within their frames and lie in front of what it hits, the front-most first.
  ///
  /// It costs every view in front: it is for people who look for what is wrong, not for touches.
  /// - hit: what the hit test finds there; nil for nothing, and then all views are asked.
  /// - limit: the most that are given.
  public func passedOver(at point: Point, inFrontOf hit: Index?, limit: Int) -> [PassedOver] {
    var found: [PassedOver] = []
    _ = collect(at: point, among: nil, because: nil, inFrontOf: hit, limit, &found)
    return found
  }

  /// Recurses once a level. Returns: whether to go on, since neither the hit nor the limit was come to.
  private func collect(
    at point: Point, among parent: Index?, because outer: (reason: PassedOver.Reason, cause: Index)?,
    inFrontOf hit: Index?, _ limit: Int, _ found: inout [PassedOver]
  ) -> Bool {
    for child in children(of: parent).reversed() {
      let node = nodes[Int(child)]
      let isThere = node.frame.contains(point)
      let why = outer ?? obstacle(child).map { ($0, child) }
      let below = why ?? (isThere ? nil : (.outside, child))
      guard
        collect(
          at: point - node.childOrigin, among: child, because: below, inFrontOf: hit, limit, &found),
        child != hit, found.count < limit
      else { return false }
      if isThere, let why { found.append(PassedOver(view: child, reason: why.0, cause: why.1)) }
    }
    return true
  }

  /// What keeps a touch from a view wherever it is.
  private func obstacle(_ index: Index) -> PassedOver.Reason? {
    let view = views[Int(index)]
    if view.hidden { return .hidden }
    if !view.interactive { return .notInteractive }
    return nodes[Int(index)].hittable ? nil : .transparent
  }
}
