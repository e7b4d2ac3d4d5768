import Varlink

extension Check {
  /// Whether there is a touchscreen, and the daemon uses it.
  static let touchscreen = Check(id: "touchscreen") { facts in
    if let nodes = facts.daemon.nodes { return judge(nodes) }
    if facts.daemon.isAnswering { return [judgeRead(facts)] }
    return judgeThere(facts)
  }

  /// By what root is told of every node.
  private static func judge(_ nodes: [JSON]) -> [Finding] {
    let used = nodes.filter { $0["used"] == .bool(true) && $0["touch"] == .bool(true) }
    // Of a node that could not be opened nothing is known but its name.
    let refused = nodes.filter {
      $0["used"] != .bool(true) && ($0["kind"].asString == "touchscreen" || isTouchscreen(udev: $0))
    }
    let findings =
      used.map { node in
        Finding.ok("\(title(node)) is used, on screen \(text(node["screen"]))", facts: nodeFacts(node))
      }
      + refused.map { node in
        var finding = Finding.warning(
          "\(title(node)) is not used: \(node["why"].asString ?? "the log says why")", facts: nodeFacts(node))
        finding.remedy = remedies(for: node)
        if used.isEmpty { finding.state = .failure }
        return finding
      }
    return findings.isEmpty ? [none(nodes.count)] : findings
  }

  private static func isTouchscreen(udev node: JSON) -> Bool {
    (node["udev"].asArray ?? []).contains { $0.asString == "ID_INPUT_TOUCHSCREEN=1" }
  }

  /// By udev's word, since a reason is a sentence for people.
  private static func remedies(for node: JSON) -> [String] {
    let path = node["path"].asString ?? "NODE"
    let why = node["why"].asString ?? ""
    if why.contains("the configuration ignores it") {
      let sections = (node["sections"].asArray ?? []).map { "[Device \(text($0))]" }.joined(separator: " or ")
      return ["take Ignore=yes away below \(sections)", "sudo keyliftctl reload"]
    }
    if why.contains("may not read") {
      return ["sudo udevadm trigger --action=add \(path)", "grep -r '' /etc/udev/rules.d"]
    }
    if why.contains("no udev rule sets that") || why.contains("ID_SEAT") {
      return [
        "grep -rn -e LIBINPUT_IGNORE_DEVICE -e ID_INPUT_TOUCHSCREEN -e ID_SEAT /etc/udev/rules.d /run/udev/rules.d",
        "sudo udevadm control --reload && sudo udevadm trigger --action=change \(path)",
      ]
    }
    if why.contains("range") {
      return [
        "evtest \(path), for its values at the edges",
        "[Device \(node["id"].asString ?? path)]", "Range=minX maxX minY maxY",
        "sudo keyliftctl reload",
      ]
    }
    return ["sudo keyliftctl devices", "/usr/share/doc/keylift/Documentation/touchscreens.md"]
  }

  /// By what any client is told, and what this user may see.
  private static func judgeRead(_ facts: Facts) -> Finding {
    let read = (facts.daemon.state["devices"].asArray ?? []).filter { $0["touch"] == .bool(true) }
    if !read.isEmpty {
      let titles = read.map { "\(title($0)) on screen \(text($0["screen"]))" }
      return .ok("used: \(titles.joined(separator: ", "))")
    }
    let there = (facts.inputs ?? []).filter(\.isTouchscreen)
    guard let first = there.first else { return none(facts.inputs?.count) }
    return .failure(
      "\(first.path) (\(first.name)) is a touchscreen, and keyliftd does not use it; root is told why",
      "sudo keyliftctl doctor", "sudo keyliftctl devices")
  }

  /// By what the machine has, while no daemon answers.
  private static func judgeThere(_ facts: Facts) -> [Finding] {
    guard let inputs = facts.inputs else {
      return [.unknown("the input devices cannot be listed", "sudo keyliftctl doctor")]
    }
    let there = inputs.filter(\.isTouchscreen)
    if there.isEmpty { return [none(inputs.count)] }
    return there.map { node in
      let members: [JSON.Member] = [.init("path", .string(node.path)), .init("name", .string(node.name))]
      if let why = node.why {
        return .warning(
          "\(node.path) (\(node.name)) would not be used: \(why)",
          "/usr/share/doc/keylift/Documentation/touchscreens.md", facts: members)
      }
      return .ok("\(node.path) (\(node.name)) is there; keyliftd says whether it uses it", facts: members)
    }
  }

  private static func none(_ others: Int?) -> Finding {
    let among =
      switch others {
      case nil: ""
      case 0?: ", nor any other input device"
      case let number?: " among \(count(number, "input device"))"
      }
    return .failure(
      "there is no touchscreen\(among): it is not plugged in, or has no driver",
      "sudo dmesg | grep -i -e touch -e input -e i2c -e hid", "cat /proc/bus/input/devices",
      facts: [.init("devices", others.map { .integer($0) } ?? .null)])
  }

  private static func title(_ node: JSON) -> String { "\(text(node["path"])) (\(text(node["name"])))" }

  private static func nodeFacts(_ node: JSON) -> [JSON.Member] {
    ["path", "name", "id", "used", "screen", "why"].map { .init($0, node[$0]) }
  }
}
