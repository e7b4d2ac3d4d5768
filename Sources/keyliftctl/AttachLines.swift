import Varlink

/// A scene's states and touches as lines for people: the time since the start, what changed, how it is now.
struct AttachLines {
  /// In microseconds of CLOCK_MONOTONIC.
  let start: UInt64
  /// The id that was told last.
  private var scene = JSON.null

  init(start: UInt64) { self.start = start }

  mutating func lines(for state: JSON, at time: UInt64) -> [String] {
    var lines: [String] = []
    if state["scene"] != scene { lines.append("scene \(text(state["scene"]))") }
    scene = state["scene"]
    for change in (state["change"].asArray ?? []).compactMap(\.asString) {
      lines += facts(change, state).map { line(change, $0, time) }
    }
    return lines
  }

  func line(forTouch touch: JSON, at time: UInt64) -> String {
    let responders = (touch["responders"].asArray ?? []).map(text).joined(separator: ", ")
    let view = touch["view"].isNull ? "on no view" : "on \(text(touch["view"]))"
    return line(
      "touch",
      "\(number(touch["id"])) \(text(touch["phase"])) at \(point(touch["position"])) \(view)"
        + (responders.isEmpty ? "" : ", delivered to \(responders)"), time)
  }

  private func facts(_ change: String, _ state: JSON) -> [String] {
    switch change {
    case "snapshot":
      let keyboard = StatusPage.keyboard(state["keyboard"])
      return [
        "screen \(StatusPage.screen(state["screen"])); keyboard \(keyboard); \(layout(state["layout"])[0])"
      ]
    case "focus": return [state["focused"].isNull ? "none" : text(state["focused"])]
    case "keyboard": return [StatusPage.keyboard(state["keyboard"])]
    case "layout": return layout(state["layout"])
    case "screen": return [StatusPage.screen(state["screen"])]
    default: return [""]
    }
  }

  private func layout(_ layout: JSON) -> [String] {
    let whole =
      "offset \(point(layout["offset"])), overlap \(number(layout["overlap"]))\(within(layout["duration"]))"
    let scrolls = (layout["scrolls"].asArray ?? []).map { scroll in
      "\(text(scroll["view"])): content offset \(point(scroll["contentOffset"])), "
        + "bottom inset \(number(scroll["insetBottom"]))"
    }
    return [whole] + scrolls
  }

  private func line(_ what: String, _ facts: String, _ time: UInt64) -> String {
    "\(seconds(Int64(clamping: time &- min(start, time))))  \(padded(printable(what), to: 8))  \(facts)"
  }
}
