import Varlink

/// A scene of Control and its views, parents first.
struct SceneTree {
  var scene: JSON
  var views: [JSON]

  /// What joins a view to its parent.
  struct Branches {
    let child: String
    let last: String
    let through: String
    let none: String

    init(unicode: Bool) {
      child = unicode ? "├─ " : "|- "
      last = unicode ? "└─ " : "`- "
      through = unicode ? "│  " : "|  "
      none = "   "
    }
  }

  /// Heading and views; with a touch's answer, its way is marked at the left.
  func drawn(with branches: Branches, _ answer: TouchAnswer? = nil) -> String {
    // Whatever a daemon says: none is deeper than there are views before it.
    let depths = views.enumerated().map { min(max(0, Int($1["depth"].asInteger ?? 0)), $0) }
    let isLast = SceneTree.lastChildren(depths)
    var result = heading + "\n"
    for scroll in scene["scrolls"].asArray ?? [] { result += line(ofScroll: scroll) + "\n" }
    let way = answer.map { $0.way(in: scene) }
    /// Whether the ancestor of each depth was the last of its parent's children.
    var ended: [Bool] = []
    for (index, view) in views.enumerated() {
      ended.removeLast(max(0, ended.count - depths[index]))
      if let way { result += SceneTree.margin(way[view["id"].asString ?? ""]) }
      for isLast in ended { result += isLast ? branches.none : branches.through }
      result += isLast[index] ? branches.last : branches.child
      result += SceneTree.line(view) + "\n"
      ended.append(isLast[index])
    }
    return result
  }

  /// For each depth in a list parents first, whether no sibling follows.
  private static func lastChildren(_ depths: [Int]) -> [Bool] {
    var result = Array(repeating: true, count: depths.count)
    /// By depth, whether a sibling was seen, from the back.
    var seen: [Bool] = []
    for index in depths.indices.reversed() {
      let depth = max(0, depths[index])
      // What is deeper belongs to another parent.
      seen.removeLast(max(0, seen.count - depth - 1))
      while seen.count <= depth { seen.append(false) }
      result[index] = !seen[depth]
      seen[depth] = true
    }
    return result
  }

  private static func margin(_ mark: TouchAnswer.Mark?) -> String {
    switch mark {
    case .hit: "=> "
    case .reached: " > "
    case .missed: " x "
    case .passedOver: " - "
    case nil: "   "
    }
  }

  /// `Keyboard shown at 0,288 800x192, reason focus, on screen, driven by osk`.
  static func keyboard(_ keyboard: JSON) -> String {
    let driver = keyboard["driver"].asString.map { "driven by \(printable($0))" } ?? "no driver"
    return "Keyboard \(StatusPage.keyboard(keyboard)), on \(text(keyboard["screen"])), \(driver)"
  }

  /// With what its client has not said yet, since touches land where it says that the scroll view is.
  private func line(ofScroll scroll: JSON) -> String {
    let view = views.first { $0["id"] == scroll["view"] }
    let isReported = view.map { $0["contentOffset"] == scroll["contentOffset"] } ?? true
    let remark = isReported ? "" : " (its client has not reported that by Update: touches land as before)"
    let inset = scroll["insetBottom"].asDouble == 0 ? "" : ", inset by \(number(scroll["insetBottom"]))"
    return "  scrolls \(text(scroll["view"])) to \(point(scroll["contentOffset"]))\(inset)\(remark)"
  }

  var heading: String {
    let facts = [
      "on \(text(scene["screen"])) at \(rect(scene["frame"]))",
      scene["rotation"].asInteger ?? 0 == 0 ? "" : "rotated by \(number(scene["rotation"]))",
      scene["level"].asInteger == 0 ? "" : "level \(number(scene["level"]))",
      "offset \(point(scene["offset"]))",
      scene["overlap"].asDouble == 0 ? "" : "overlap \(number(scene["overlap"]))",
      said("avoidance", usual: "pan"), said("outsideTouch", usual: "tap"), safeArea,
      "revision \(number(scene["revision"]))",
      "uid \(number(scene["uid"]))", "pid \(number(scene["pid"]))", views.isEmpty ? "no views" : "",
    ]
    return "\(SceneName(scene).description) \(facts.filter { !$0.isEmpty }.joined(separator: ", "))"
  }

  private func said(_ key: String, usual: String) -> String {
    guard let value = scene[key].asString, value != usual else { return "" }
    return "\(key) \(printable(value))"
  }

  private var safeArea: String {
    let edges = ["top", "left", "bottom", "right"].map { scene["safeArea"][$0] }
    let isZero = edges.allSatisfy { $0.asDouble ?? 0 == 0 }
    return isZero ? "" : "safe area \(edges.map(number).joined(separator: " "))"
  }

  private static func line(_ view: JSON) -> String {
    let kind = view["kind"].asString ?? ""
    let takesFocus = kind == "textInput"
    var flags: [String] = []
    func flag(_ key: String, default usual: Bool, _ yes: String, _ no: String) {
      guard let value = view[key].asBool, value != usual else { return }
      flags.append(value ? yes : no)
    }
    flag("hidden", default: false, "hidden", "")
    flag("interactive", default: true, "", "not interactive")
    flag("forwardsTouches", default: kind == "view", "forwards touches", "keeps touches")
    if let trigger = view["resigns"].asString, trigger != "never" {
      flags.append("resigns \(printable(trigger))")
    }
    flag("keepsFocus", default: takesFocus || kind == "control", "keeps focus", "does not keep focus")
    flag("editable", default: takesFocus, "editable", "not editable")
    flags += particulars(view)
    let mark = view["focused"] == .bool(true) ? " *" : ""
    let (frame, seen) = (view["frame"], view["screenFrame"])
    let isElsewhere = !seen.isNull && (seen["x"] != frame["x"] || seen["y"] != frame["y"])
    return [
      "\(text(view["id"])) \(printable(kind)) \(rect(frame))\(mark)",
      isElsewhere ? "seen at \(point(seen))" : "", flags.joined(separator: ", "),
    ]
    .filter { !$0.isEmpty }.joined(separator: "  ")
  }

  /// What the client gave that is no yes or no.
  private static func particulars(_ view: JSON) -> [String] {
    func unless(_ usual: String, _ key: String, _ name: String) -> String? {
      guard let value = view[key].asString, value != usual else { return nil }
      return "\(name) \(printable(value))"
    }
    func given(_ key: String, _ name: String, _ format: (JSON) -> String) -> String? {
      view[key].isNull ? nil : "\(name) \(format(view[key]))"
    }
    let isScrolled =
      view["contentOffset"]["x"].asDouble ?? 0 != 0 || view["contentOffset"]["y"].asDouble ?? 0 != 0
    let isLarger = !view["contentSize"].isNull && size(view["contentSize"]) != size(view["frame"])
    return [
      view["alpha"].asDouble ?? 1 == 1 ? nil : given("alpha", "alpha", number),
      isScrolled ? given("contentOffset", "scrolled to", point) : nil,
      isLarger ? given("contentSize", "content", size) : nil,
      unless("none", "dismissMode", "dismisses"), unless("normal", "purpose", "purpose"),
      unless("none", "returnKey", "return is"), given("order", "order", number),
      given("keepsVisible", "keeps visible", text), given("spacing", "spacing", number),
      given("caret", "caret", rect),
    ].compactMap(\.self)
  }
}
