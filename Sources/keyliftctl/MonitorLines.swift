import Varlink

/// Monitor's states as lines for people: the time since the first, the notification, and what it is about.
///
/// A state says how things are, not what changed; so each is compared with the one before.
struct MonitorLines {
  private var start: Int64?
  private var previous = JSON.empty

  mutating func lines(for state: JSON) -> [String] {
    let time = state["time"].asInteger ?? 0
    let since = seconds(time - (start ?? time))
    start = start ?? time
    defer { previous = state }
    return (state["notifications"].asArray ?? []).compactMap(\.asString).flatMap { name in
      facts(name, state).map { facts in
        let line = "\(since)  \(padded(printable(name), to: 23))  \(facts)"
        return String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)])
      }
    }
  }

  /// One or more lines' worth.
  private func facts(_ name: String, _ state: JSON) -> [String] {
    let keyboard = state["keyboard"]
    let reason = "reason \(text(keyboard["reason"]))"
    let frame = rect(keyboard["frame"]) + StatusPage.floating(keyboard)
    switch name {
    case "snapshot": return [MonitorLines.snapshot(state)]
    case "focusChanged": return [focus(state)]
    case "keyboardWillShow": return ["\(frame)\(within(keyboard["duration"])), \(reason)"]
    case "keyboardDidShow": return [frame]
    case "keyboardWillHide":
      return ["from \(rect(keyboard["previousFrame"]))\(within(keyboard["duration"])), \(reason)"]
    case "keyboardDidHide": return [reason]
    case "keyboardWillChangeFrame":
      return ["from \(rect(keyboard["previousFrame"])) to \(frame)\(within(keyboard["duration"]))"]
    case "keyboardDidChangeFrame": return [frame]
    case "layoutChanged":
      return changed("scenes", "scene", state) {
        $0["offset"] != $1["offset"] || $0["overlap"] != $1["overlap"]
      }
      .map { "\(SceneName($0).description) offset \(point($0["offset"])), overlap \(number($0["overlap"]))" }
      .orNothing
    case "sceneAttached": return new("scenes", "scene", state, previous).map(MonitorLines.scene).orNothing
    case "sceneUpdated":
      return changed("scenes", "scene", state) { $0["frame"] != $1["frame"] || $0["screen"] != $1["screen"] }
        .map(MonitorLines.scene).orNothing
    case "sceneGone":
      return new("scenes", "scene", previous, state).map { SceneName($0).description }.orNothing
    case "deviceAdded": return new("devices", "path", state, previous).map(MonitorLines.device).orNothing
    case "deviceRemoved":
      return new("devices", "path", previous, state).map { "\(text($0["path"])) \(text($0["name"]))" }
        .orNothing
    case "screenChanged":
      return changed("screens", "name", state) { $0 != $1 }.map(StatusPage.screen).orNothing
    default: return [""]
    }
  }

  private func focus(_ state: JSON) -> String {
    func responder(_ state: JSON) -> String? {
      state["scenes"].asArray?.first { !$0["focused"].isNull }
        .map { "\(text($0["focused"])) in \(SceneName($0).description)" }
    }
    if let now = responder(state) { return now }
    return "none" + (responder(previous).map { ", was \($0)" } ?? "")
  }

  /// The elements of a state that another does not have, by a key.
  private func new(_ list: String, _ key: String, _ state: JSON, _ other: JSON) -> [JSON] {
    let known = (other[list].asArray ?? []).map { $0[key] }
    return (state[list].asArray ?? []).filter { !known.contains($0[key]) }
  }

  /// The elements that were there before and differ now, or are new.
  private func changed(_ list: String, _ key: String, _ state: JSON, _ differ: (JSON, JSON) -> Bool) -> [JSON]
  {
    (state[list].asArray ?? []).filter { now in
      guard let before = previous[list].asArray?.first(where: { $0[key] == now[key] }) else { return true }
      return differ(now, before)
    }
  }

  private static func snapshot(_ state: JSON) -> String {
    func counted(_ list: String, _ noun: String) -> String { count(state[list].asArray?.count ?? 0, noun) }
    let all = [counted("screens", "screen"), counted("scenes", "scene"), counted("devices", "device")]
    return "keyboard \(StatusPage.keyboard(state["keyboard"])); \(all.joined(separator: ", "))"
  }

  private static func scene(_ scene: JSON) -> String {
    let level = scene["level"].asInteger ?? 0
    return "\(SceneName(scene).description) on \(text(scene["screen"])) at \(rect(scene["frame"]))"
      + (level == 0 ? "" : ", level \(level)")
  }

  private static func device(_ device: JSON) -> String {
    let screen = device["screen"].isNull ? "" : " on \(text(device["screen"]))"
    return "\(text(device["path"])) \(text(device["name"])): \(DeviceTable.reads(device))\(screen)"
  }
}

extension [String] {
  /// A notification has its line even if there is nothing left to say, such as of a scene that came and went.
  fileprivate var orNothing: [String] { isEmpty ? [""] : self }
}
