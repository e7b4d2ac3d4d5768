import Varlink

extension Check {
  /// Whether the daemon would take the configuration as it lies there, by `keyliftd --check`.
  static let configuration = Check(id: "configuration") { facts in
    guard let verdict = facts.configuration, let status = verdict.status else {
      return [.unknown("keyliftd --check could not be run: \(facts.configuration?.text ?? "not tried")")]
    }
    let members: [JSON.Member] = [.init("status", .integer(Int(status)))]
    switch status {
    case 0: return [.ok(verdict.text, facts: members)] + unmatched(facts)
    // A file that only root reads is wrong for everybody else.
    case 78 where !facts.account.isRoot && verdict.text.contains("ermission denied"):
      return [.unknown(verdict.text, "sudo keyliftctl check", facts: members)]
    case 78:
      let goesOn = facts.daemon.isAnswering
      // Without its name another configuration would be looked at, which may have nothing wrong.
      let file = facts.configurationFile.map { " \($0)" } ?? ""
      return [
        .failure(
          verdict.text + (goesOn ? "; keyliftd goes on by the one before, and would not start again" : ""),
          "mend it, then: keyliftctl check\(file)",
          goesOn ? "sudo keyliftctl reload" : facts.restart, facts: members)
      ]
    default:
      return [.unknown("keyliftd --check ended with status \(status): \(verdict.text)", facts: members)]
    }
  }

  /// Sections for no device that is there, since a wrong name looks the same as one that is not plugged in.
  private static func unmatched(_ facts: Facts) -> [Finding] {
    let sections = facts.daemon.unmatched
    guard !sections.isEmpty else { return [] }
    func list(_ names: [String]) -> String {
      (names.prefix(8) + (names.count > 8 ? ["..."] : [])).joined(separator: ", ")
    }
    let nodes = facts.daemon.nodes ?? []
    let panels = nodes.filter { $0["kind"].asString == "touchscreen" }
    let others = nodes.filter { $0["kind"].asString != "touchscreen" }
    let names = (panels + others).map { node in
      text(node["name"]) + (node["id"].asString.map { " (\($0))" } ?? "")
    }
    return [
      .note(
        "no device that is there matches \(list(sections.map { "[Device \($0)]" }))"
          + (names.isEmpty ? "" : "; there are: \(list(names))"),
        "sudo keyliftctl devices, for paths, ids and names", "plug it in, or mend the section's name, then:",
        "sudo keyliftctl reload", facts: [.init("sections", .array(sections.map(JSON.string)))])
    ]
  }
}
