import Varlink

extension Check {
  /// Whether the daemon would take the configuration as it lies there, by `keyliftd --check`.
  static let configuration = Check(id: "configuration") { facts in
    guard let verdict = facts.configuration, let status = verdict.status else {
      return [.unknown("keyliftd --check could not be run: \(facts.configuration?.text ?? "not tried")")]
    }
    let members: [JSON.Member] = [.init("status", .integer(Int(status)))]
    switch status {
    case 0: return [.ok(verdict.text, facts: members)]
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
}
