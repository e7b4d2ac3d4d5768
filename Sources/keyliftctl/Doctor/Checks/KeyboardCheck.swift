import Varlink

extension Check {
  /// Whether the keyboard can show: what keeps it hidden, and whether its driver does what it is told.
  static let keyboard = Check(id: "keyboard") { facts in
    guard facts.daemon.isAnswering else { return [.needsDaemon] }
    guard let clients = facts.daemon.clients, let nodes = facts.daemon.nodes else { return [.needsRoot] }
    let keyboard = facts.daemon.state["keyboard"]
    return nodes.filter { $0["hidesKeyboard"] == .bool(true) }.map(hidden)
      + drivers(clients.filter { !$0["driver"].isNull }, keyboard, facts)
  }

  private static func hidden(by node: JSON) -> Finding {
    .warning(
      "the keyboard stays hidden: \(text(node["path"])) (\(text(node["name"]))) counts as a hardware keyboard",
      "unplug it; or, if nobody types on it:", "[Device \(node["id"].asString ?? "")]", "Keyboard=no",
      "sudo keyliftctl reload", facts: [.init("path", node["path"])])
  }

  private static func drivers(_ drivers: [JSON], _ keyboard: JSON, _ facts: Facts) -> [Finding] {
    let phase = text(keyboard["phase"])
    let members: [JSON.Member] = [
      .init("phase", keyboard["phase"]), .init("drivers", .array(drivers.map { $0["driver"] })),
    ]
    // The one that came last drives, unless it has no keyboard.
    let rank = { (driver: JSON) in
      (driver["absent"] == .bool(true) ? 0 : 1, driver["id"].asInteger ?? 0)
    }
    guard let driver = drivers.max(by: { rank($0) < rank($1) }) else {
      return [
        .note(
          "no driver is attached: the application has to draw the keyboard by itself", "keyliftctl status",
          "/usr/share/doc/keylift/Documentation/protocol.md", facts: members)
      ]
    }
    let title = "\(text(driver["driver"])) (process \(number(driver["pid"])), \(text(driver["process"])))"
    let process = facts.process(Int(clamping: driver["pid"].asInteger ?? 0))
    if process?.state == "T" || (driver["unsent"].asInteger ?? 0) > 0 {
      return [
        .failure(
          "the keyboard's driver \(title) does not read what it is told",
          "restart \(text(driver["process"]))",
          facts: members)
      ]
    }
    if !driver["problem"].isNull {
      return [
        .failure(
          "the keyboard's driver \(title) reports: \(text(driver["problem"]))",
          "/usr/share/doc/keylift/Documentation/keyboards.md, and what \(text(driver["process"])) logs",
          facts: members)
      ]
    }
    // Transitions take their time; these two are where one has ended.
    switch (phase, driver["reported"].asBool) {
    case ("shown", nil), ("shown", false):
      return [
        .warning(
          "the keyboard's driver \(title) was told to show it and has not reported that it did",
          "look whether it is there; restart \(text(driver["process"])) if not",
          "its developer: io.keylift.Keyboard.Report after each change", facts: members)
      ]
    case ("hidden", true):
      return [
        .warning(
          "the keyboard's driver \(title) was told to hide it and reports it visible",
          "restart \(text(driver["process"]))", facts: members)
      ]
    default: return [.ok("\(title) draws the keyboard, which is \(phase)", facts: members)]
    }
  }
}
