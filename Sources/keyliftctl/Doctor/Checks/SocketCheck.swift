import Varlink

extension Check {
  /// Whether the user may connect to the clients' socket.
  static let socket = Check(id: "socket") { facts in
    let members = socketFacts(facts)
    let restart = facts.restart
    guard let file = facts.socketFile else {
      if facts.daemon.reach == .permissionDenied {
        return [
          .failure(
            "\(facts.account.name) may not look into the directory of \(facts.socket)",
            "namei -l \(facts.socket), for which part of the path it is", facts: members)
        ]
      }
      return [
        .failure(
          "\(facts.socket) is not there",
          facts.isBySystemd ? "sudo systemctl enable --now keylift.socket keylift.service" : "start keyliftd",
          facts: members)
      ]
    }
    guard file.isSocket else {
      return [.failure("\(facts.socket) is no socket", "sudo rm \(facts.socket)", restart, facts: members)]
    }
    var findings: [Finding] = []
    if facts.isSystemSocket {
      if facts.account.keyliftGroup == nil {
        findings.append(
          .failure("there is no group keylift", "sudo systemd-sysusers", restart, facts: members))
      } else if file.group != "keylift" || file.mode & 0o660 != 0o660 {
        findings.append(
          .failure(
            "\(facts.socket) should be of group keylift with mode 0660, and is of group \(file.group) with mode "
              + "\(octal(file.mode))", "systemctl cat keylift.socket", restart, facts: members))
      }
    }
    if findings.isEmpty { findings.append(access(facts, file, members)) }
    if facts.daemon.reach == .nobodyListens {
      findings.append(
        .failure(
          "nobody listens at \(facts.socket) any more", facts.isBySystemd ? restart : "start keyliftd",
          facts: members))
    }
    return findings
  }

  private static func access(_ facts: Facts, _ file: SocketFile, _ members: [JSON.Member]) -> Finding {
    let account = facts.account
    let name = account.name
    let willBeAdmitted = file.admits(account.uid, account.databaseGroups)
    guard let session = account.sessionGroups else {
      guard willBeAdmitted else { return join(name, file, members) }
      let isOlder = { (process: Process) in
        // PAM's own, beside the first process of each session of a service, keeps the groups of who started it.
        process.uid == account.uid && !file.admits(process.uid, process.groups) && process.state != "Z"
          && process.name != "(sd-pam)"
      }
      if let process = facts.processes.first(where: isOlder) {
        return older(
          name, "\(process.program) (process \(process.pid)) is older than that, and may not connect", members
        )
      }
      return .ok("\(name) may connect to \(facts.socket)", facts: members)
    }
    if account.uid == 0 {
      let isAlone = facts.isSystemSocket && account.keyliftMembers.isEmpty
      let hasOthers = (facts.daemon.clients ?? []).contains { ($0["uid"].asInteger ?? 0) != 0 }
      return isAlone && !hasOthers
        ? .note(
          "root may connect to \(facts.socket), and the group keylift has no members: an application of another user "
            + "may not", "sudo usermod -aG keylift USER", "sudo keyliftctl doctor --user USER", facts: members
        )
        : .ok("root and the group \(file.group) may connect to \(facts.socket)", facts: members)
    }
    if file.admits(account.uid, session) {
      return .ok("\(name) may connect to \(facts.socket)", facts: members)
    }
    return willBeAdmitted
      ? older(name, "this session is older than that", members) : join(name, file, members)
  }

  private static func join(_ name: String, _ file: SocketFile, _ members: [JSON.Member]) -> Finding {
    if file.gid == 0 {
      return .failure(
        "\(name) may not connect: the socket is root's alone, since there was no group keylift as it was made",
        "sudo systemd-sysusers", "start keyliftd again", "sudo usermod -aG keylift \(name)", facts: members)
    }
    return .failure(
      "\(name) may not connect: that takes the group \(file.group)", "sudo usermod -aG \(file.group) \(name)",
      "log out and in again, or restart what runs the application", facts: members)
  }

  private static func older(_ name: String, _ what: String, _ members: [JSON.Member]) -> Finding {
    .failure(
      "\(name) is in the group that may connect, but \(what)",
      "log out and in again, or restart what runs the application (sudo systemctl restart, or reboot)",
      facts: members)
  }

  private static func socketFacts(_ facts: Facts) -> [JSON.Member] {
    let file = facts.socketFile
    return [
      .init("path", .string(facts.socket)), .init("user", .string(facts.account.name)),
      .init("mode", file.map { .string(octal($0.mode)) } ?? .null),
      .init("group", file.map { .string($0.group) } ?? .null),
    ]
  }

  private static func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
