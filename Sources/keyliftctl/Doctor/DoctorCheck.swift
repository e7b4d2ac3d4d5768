/// Something that doctor looks at: facts in, findings out, and nothing else.
///
/// A new one is a `static let` in a file of its own below Checks, a place in `all`, and a row in
/// Documentation/diagnosis.md.
struct Check: Sendable {
  /// Never changes, since programs know it.
  let id: String
  /// Pure; one finding at least.
  let judge: @Sendable (Facts) -> [Finding]

  /// In the order in which one has to be right for the next to be.
  static let all = [
    service, restarts, socket, configuration, touchscreen, screen, client, keyboard, otherKeyboards, touch,
    plugins, dropped, limits,
  ]

  func findings(_ facts: Facts) -> [Finding] {
    judge(facts).map { finding in
      var finding = finding
      finding.check = id
      return finding
    }
  }
}

extension Finding {
  /// Of a check that asks the daemon, which gives no answers.
  static let needsDaemon = unknown("known once keyliftd can be asked")
  /// Of a check that asks systemd about a daemon that is none of its own.
  static let notBySystemd = unknown("systemd does not run this daemon")
  /// Of a check that asks on the control socket.
  static let needsRoot = unknown("told to root", "sudo keyliftctl doctor")
}
