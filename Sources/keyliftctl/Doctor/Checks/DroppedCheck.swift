import KeyliftProtocol
import Varlink

extension Check {
  /// Whether frames were lost since the daemon began, or were lost or errors logged within a day.
  static let dropped = Check(id: "dropped") { facts in
    var findings: [Finding] = []
    let drops = facts.daemon.counters["drops"].asInteger
    if let drops, drops > 0 {
      findings.append(
        .lostEvents(
          "\(count(Int(clamping: drops), "time")) since the daemon began", look: "keyliftctl stats",
          facts: [.init("drops", .integer(drops))]))
    }
    guard facts.isBySystemd else {
      return findings.isEmpty ? [drops == nil ? .notBySystemd : .ok("no lost events")] : findings
    }
    guard let journal = facts.journal else { return findings + [.unknown("there is no journal")] }
    guard journal.isReadable else {
      return findings + [
        .unknown(
          "the journal may not be read by \(facts.account.name)", "sudo keyliftctl doctor",
          "sudo usermod -aG systemd-journal \(facts.account.name), for good")
      ]
    }
    let members: [JSON.Member] = [
      .init("lines", .integer(Int64(journal.lines))), .init("drops", .integer(Int64(journal.drops))),
      .init("errors", .integer(Int64(journal.errors))),
    ]
    if journal.drops > 0, findings.isEmpty {
      findings.append(
        .lostEvents(
          "\(count(journal.drops, "time")) within a day",
          look: "journalctl MESSAGE_ID=\(LogEvent.eventsLost.rawValue)", facts: members))
    }
    if let error = journal.lastError {
      findings.append(
        .warning(
          "\(count(journal.errors, "error")) in the log within a day, the last: \(error)",
          "journalctl -u keylift.service -p err -S -1d", facts: members))
    }
    return findings.isEmpty
      ? [.ok("no lost events and no errors in the log within a day", facts: members)] : findings
  }
}

extension Finding {
  fileprivate static func lostEvents(_ often: String, look: String, facts: [JSON.Member]) -> Finding {
    .warning(
      "the kernel lost events \(often), since they were not read in time: the machine is too busy", look,
      "systemd-cgtop, for what keeps the machine busy",
      "Nice=-10 below [Service], by sudo systemctl edit keylift.service", facts: facts)
  }
}
