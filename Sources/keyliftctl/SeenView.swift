import Geometry
import KeyliftProtocol
import Varlink

/// A view where it is seen.
struct SeenView {
  var id: String
  /// Its scene's id.
  var scene: String
  var kind: String
  /// What of it lies within all that it is in, and so can be hit.
  var seen: Rect
  /// What of it lies within the scroll views that it is in.
  var whole: Rect
  /// Hidden or not to be touched, or in such a view.
  var isOff: Bool
  var isFocused: Bool
  var hasChildren: Bool

  var outline: Rect { seen.isEmpty ? whole : seen }

  /// Those of a scene that are on a screen or near it, from the back to the front.
  static func all(of tree: SceneTree, on screen: Rect) -> [SeenView] {
    // Farther away than this nothing can be told from its edges.
    let around = Rect(
      x: -screen.width, y: -screen.height, width: 3 * screen.width, height: 3 * screen.height)
    var result: [SeenView] = []
    /// By depth: what may be seen and be drawn within the view of that depth.
    var outer: [(seen: Rect, whole: Rect, isOff: Bool)] = []
    for (place, view) in tree.views.enumerated() {
      let depth = max(0, Int(view["depth"].asInteger ?? 0))
      outer.removeLast(max(0, outer.count - depth))
      let bounds = outer.last ?? (around, around, false)
      let frame = Rect(view["screenFrame"])
      let kind = view["kind"].asString ?? ""
      let isOff =
        bounds.isOff || view["hidden"] == .bool(true) || view["interactive"] == .bool(false)
        || view["alpha"].asDouble ?? 1 < 0.01
      let seen = frame.intersection(bounds.seen)
      let whole = frame.intersection(bounds.whole)
      outer.append((seen, kind == "scroll" ? whole : bounds.whole, isOff))
      guard !whole.isEmpty else { continue }
      let next = place + 1 < tree.views.count ? Int(tree.views[place + 1]["depth"].asInteger ?? 0) : 0
      result.append(
        SeenView(
          id: view["id"].asString ?? "", scene: tree.scene["scene"].asString ?? "", kind: kind, seen: seen,
          whole: whole, isOff: isOff, isFocused: view["focused"] == .bool(true), hasChildren: next > depth))
    }
    return result
  }
}
