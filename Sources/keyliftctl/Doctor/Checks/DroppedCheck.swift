import Varlink

extension Check {
  /// Whether frames were lost, or errors logged, within a day.
  ///
  /// A daemon that counts its dropped frames (io.keylift.Monitor.Counters) knows better than the journal, whose lines
  /// are limited: its count belongs into DaemonAnswers, and is to be judged here first.
  static let dropped = Check(id: "dropped") { facts in
    guard facts.isBySystemd else { return [.notBySystemd] }
    guard let journal = facts.journal else { return [.unknown("there is no journal")] }
    guard journal.isReadable else {
      return [
        .unknown(
          "the journal may not be read by \(facts.account.name)", "sudo keyliftctl doctor",
          "sudo usermod -aG systemd-journal \(facts.account.name), for good")
      ]
    }
    let members: [JSON.Member] = [
      .init("lines", .integer(journal.lines)), .init("drops", .integer(journal.drops)),
      .init("errors", .integer(journal.errors)),
    ]
    var findings: [Finding] = []
    if journal.drops > 0 {
      findings.append(
        .warning(
          "the kernel lost or cancelled events \(count(journal.drops, "time")) within a day: the machine is too busy, "
            + "or a device was suspended", "journalctl -u keylift.service -g 'lost or cancelled'",
          "systemd-cgtop, for what keeps the machine busy",
          "Nice=-10 below [Service], by sudo systemctl edit keylift.service", facts: members))
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
