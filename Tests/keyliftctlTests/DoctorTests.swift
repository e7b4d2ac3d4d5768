import KeyliftProtocol
import Testing
import TouchInput
import Varlink

@testable import keyliftctl

/// The first finding of a check, which the table below is about.
private func first(_ check: Check, _ facts: Facts) -> Finding { check.findings(facts)[0] }

@Suite("doctor: the daemon, its sockets and its configuration") struct DoctorServiceTests {
  @Test("a healthy kiosk: all is ok, and the status is 0") func healthy() throws {
    let findings = try Check.all.flatMap { $0.findings(try Facts.healthy()) }
    #expect(findings.filter { $0.state != .ok } == [])
    #expect(findings.exitStatus == 0)
    #expect(Set(findings.map(\.check)) == Set(Check.all.map(\.id)))
  }

  @Test(
    "what a unit's state means",
    arguments: [
      ("not-found", "inactive", "", 0, Finding.State.failure, "not installed", "make install"),
      ("masked", "inactive", "", 0, .failure, "masked", "systemctl unmask keylift.service"),
      ("bad-setting", "inactive", "", 0, .failure, "cannot load", "systemd-analyze verify"),
      ("loaded", "failed", "exit-code", 78, .failure, "configuration is wrong", "keyliftctl check"),
      ("loaded", "failed", "exit-code", 1, .failure, "ended with status 1", "journalctl"),
      ("loaded", "failed", "watchdog", 6, .failure, "hung", "journalctl"),
      ("loaded", "failed", "signal", 9, .failure, "signal 9", "journalctl"),
      (
        "loaded", "inactive", "success", 0, .failure, "does not run",
        "enable --now keylift.socket keylift.service"
      ),
    ])
  func units(
    load: String, active: String, result: String, status: Int, state: Finding.State, words: String,
    remedy: String
  ) throws {
    var facts = try Facts.healthy()
    facts.daemon = DaemonAnswers()
    facts.systemd.socket?.activeState = "inactive"
    facts.systemd.service = Systemd.Unit(
      loadState: load, activeState: active, subState: "dead", result: result, exitStatus: status)
    let finding = first(.service, facts)
    #expect(finding.state == state)
    #expect(finding.text.contains(words))
    #expect(finding.remedy.joined(separator: "\n").contains(remedy))
  }

  @Test("the first client would start it") func socketActivated() throws {
    var facts = try Facts.healthy()
    facts.daemon = DaemonAnswers()
    facts.systemd.service = Systemd.Unit(activeState: "inactive")
    #expect(first(.service, facts).state == .warning)
    #expect(
      first(.client, facts)
        == {
          var f = Finding.needsDaemon; f.check = "client"; return f
        }())
  }

  @Test("runs, and does not start at boot") func notEnabled() throws {
    var facts = try Facts.healthy()
    facts.systemd.service?.fileState = "disabled"
    #expect(first(.service, facts).state == .ok)  // the socket starts it
    facts.systemd.socket?.fileState = "disabled"
    #expect(first(.service, facts).state == .warning)
    #expect(first(.service, facts).remedy == ["sudo systemctl enable keylift.socket keylift.service"])
  }

  @Test("a hung daemon is told from a stopped one") func hung() throws {
    var facts = try Facts.healthy()
    facts.daemon = DaemonAnswers(reach: .silent)
    #expect(first(.service, facts).text.contains("does not answer"))
    #expect(first(.service, facts).remedy == ["sudo systemctl restart keylift.socket keylift.service"])
    facts.processes[0].state = "T"
    #expect(first(.service, facts).remedy == ["sudo kill -CONT 50"])
    #expect(Check.all.flatMap { $0.findings(facts) }.exitStatus == 3)
  }

  @Test("a daemon of one's own, and one that systemd does not run") func ownDaemon() throws {
    var facts = try Facts.healthy()
    facts.systemd = Systemd(isRunning: false)
    #expect(first(.service, facts).state == .ok)
    facts.daemon = DaemonAnswers()
    facts.processes = [Process(pid: 50, name: "keyliftd", state: "Z")]  // it has ended
    #expect(first(.service, facts).state == .failure)
    facts.processes = []
    #expect(first(.service, facts).state == .failure)
    facts.socket = "/tmp/try/keylift.sock"
    facts.daemon.reach = .noSocket
    #expect(first(.service, facts).firstRemedy == "keyliftd --runtime-directory /tmp/try")
    facts.daemon.reach = .answers
    #expect(first(.service, facts).state == .ok)
  }

  @Test("restarts are told") func restarts() throws {
    var facts = try Facts.healthy()
    facts.systemd.service?.restarts = 1
    #expect(first(.restarts, facts).state == .warning)
    #expect(first(.restarts, facts).text.contains("1 time "))
  }

  @Test("no daemon is started by asking it") func mayAsk() throws {
    var facts = try Facts.healthy()
    #expect(facts.mayAsk(hasControlSocket: true))
    facts.systemd.service = Systemd.Unit(activeState: "inactive")
    facts.processes = []
    #expect(!facts.mayAsk(hasControlSocket: true))
    facts.systemd.service = nil
    #expect(!facts.mayAsk(hasControlSocket: false))
    facts.socket = "/tmp/try/keylift.sock"
    #expect(facts.mayAsk(hasControlSocket: false))
  }

  @Test(
    "who may connect",
    arguments: [
      ([100, 120] as [UInt32], [100, 120] as [UInt32], Finding.State.ok, "may connect", ""),
      ([100], [100], .failure, "takes the group keylift", "sudo usermod -aG keylift kiosk"),
      ([100], [100, 120], .failure, "this session is older", "log out"),
    ])
  func access(session: [UInt32], database: [UInt32], state: Finding.State, words: String, remedy: String)
    throws
  {
    let facts = try Facts.healthy(user: "kiosk", session: session, database: database)
    let finding = first(.socket, facts)
    #expect(finding.state == state)
    #expect(finding.text.contains(words))
    #expect(remedy.isEmpty || finding.firstRemedy.hasPrefix(remedy))
  }

  @Test("another user's processes tell how old his sessions are") func accessOfAnother() throws {
    var facts = try Facts.healthy(user: "kiosk", session: [], database: [100, 120])
    facts.account.sessionGroups = nil
    facts.processes = [Process(pid: 60, uid: 1000, name: "kiosk", groups: [100, 120])]
    facts.processes.append(Process(pid: 59, uid: 1000, name: "(sd-pam)", groups: []))
    #expect(first(.socket, facts).state == .ok)
    facts.processes.append(Process(pid: 61, uid: 1000, name: "browser", groups: [100]))
    #expect(first(.socket, facts).text.contains("browser (process 61) is older"))
  }

  @Test("a socket that is not there, of the wrong group, or dead") func socketFile() throws {
    var facts = try Facts.healthy()
    facts.socketFile?.mode = 0o600
    #expect(first(.socket, facts).text.contains("0600"))
    facts.socketFile?.mode = 0o660
    facts.daemon.reach = .nobodyListens
    #expect(Check.socket.findings(facts).last?.text.contains("nobody listens") == true)
    facts.account.keyliftGroup = nil
    #expect(first(.socket, facts).firstRemedy == "sudo systemd-sysusers")
    facts.socketFile = nil
    #expect(first(.socket, facts).state == .failure)
  }

  @Test("a user who may not even see the socket, and a socket that is root's") func otherSockets() throws {
    var facts = try Facts.healthy(user: "kiosk", session: [100], database: [100])
    facts.socket = "/root/try/keylift.sock"
    facts.socketFile = SocketFile(mode: 0o660, uid: 0, gid: 0, group: "root")
    #expect(first(.socket, facts).firstRemedy == "sudo systemd-sysusers")
    facts.socketFile = nil
    facts.daemon = DaemonAnswers(reach: .permissionDenied)
    #expect(first(.socket, facts).firstRemedy.hasPrefix("namei"))
  }

  @Test("root alone may connect: a note, unless someone does") func emptyGroup() throws {
    var facts = try Facts.healthy()
    facts.account.keyliftMembers = []
    #expect(first(.socket, facts).state == .ok)
    facts.daemon.clients = []
    #expect(first(.socket, facts).state == .note)
  }

  @Test("the configuration, as keyliftd --check has it") func configuration() throws {
    var facts = try Facts.healthy()
    facts.configuration = ConfigurationVerdict(status: 78, text: "/etc/keylift/keylift.conf:3: no such key")
    #expect(first(.configuration, facts).state == .failure)
    #expect(first(.configuration, facts).text.contains("goes on by the one before"))
    #expect(
      first(.configuration, facts).remedy == ["mend it, then: keyliftctl check", "sudo keyliftctl reload"])
    facts.processes[0].arguments = ["keyliftd", "--config", "/k.conf"]
    #expect(first(.configuration, facts).firstRemedy == "mend it, then: keyliftctl check /k.conf")
    facts.processes[0].arguments = ["keyliftd", "--config=k.conf"]
    facts.processes[0].directory = "/home/kiosk"
    #expect(first(.configuration, facts).firstRemedy == "mend it, then: keyliftctl check /home/kiosk/k.conf")
    facts.daemon = DaemonAnswers()
    #expect(first(.configuration, facts).remedy.last?.hasPrefix("sudo systemctl restart") == true)
    facts.configuration = ConfigurationVerdict(
      status: 78, text: "/etc/keylift/keylift.conf: Permission denied")
    #expect(first(.configuration, facts).state == .failure)
    facts.account.isRoot = false
    #expect(first(.configuration, facts).state == .unknown)
    facts.configuration = ConfigurationVerdict(text: "no keyliftd")
    #expect(first(.configuration, facts).state == .unknown)
  }

  @Test("the journal: lost events, errors, and who may read it") func journal() throws {
    var facts = try Facts.healthy()
    var lines = JournalLines()
    lines.take(
      "/dev/input/event0: the kernel lost events ...", priority: "4", id: LogEvent.eventsLost.rawValue)
    lines.take("no plugins: too many open files", priority: "3")
    lines.take("an older error", priority: "3")
    facts.journal = lines
    let findings = facts.findings(.dropped)
    #expect(findings.map(\.state) == [.warning, .warning])
    #expect(findings[0].text.contains("1 time within"))
    #expect(findings[1].text.contains("2 errors") && findings[1].text.contains("too many open files"))
    facts.daemon.counters = .object([.init("drops", .integer(3))])
    #expect(facts.findings(.dropped).map(\.state) == [.warning, .warning])
    #expect(first(.dropped, facts).text.contains("3 times since"))
    facts.daemon.counters = .object([.init("drops", .integer(0))])
    facts.journal = JournalLines(isReadable: false)
    #expect(first(.dropped, facts).state == .unknown)
  }
}

@Suite("doctor: what is printed") struct DoctorPageTests {
  @Test func page() {
    var asked = Finding.needsDaemon
    asked.check = "client"
    var other = asked
    other.check = "keyboard"
    var failure = Finding.failure("it does not run \u{1b}[2J, and this is a long sentence", "type this")
    failure.check = "service"
    let page = DoctorPage(
      findings: [failure, asked, other, .warning("x"), .warning("y")], socket: "/s", user: "root",
      isRoot: true)
    #expect(
      page.text(columns: 48) == """
        failure  service   it does not run \\u{1b}[2J,
                           and this is a long sentence
                           > type this
        unknown  client, keyboard  known once keyliftd
                           can be asked
        warning            x
        warning            y

        1 failure, 2 warnings.
        What each check means: /usr/share/doc/keylift/Documentation/diagnosis.md

        """)
    #expect(page.findings.exitStatus == 3)
    #expect([Finding.warning("x"), .unknown("y")].exitStatus == 1)
    #expect([Finding.note("x"), .unknown("y")].exitStatus == 0)
    #expect(page.json["state"] == .string("failure"))
    #expect(page.json["findings"][0]["remedy"] == .array([.string("type this")]))
    let root = Finding.failure("x", "sudo keyliftctl check", "log in again").withoutSudo
    #expect(root.remedy == ["keyliftctl check", "log in again"])
    let own = Finding.failure("x", "sudo keyliftctl touches", "keyliftctl status", "start keyliftd").asking(
      "/a/b")
    #expect(
      own.remedy == [
        "sudo keyliftctl --socket /a/b touches", "keyliftctl --socket /a/b status", "start keyliftd",
      ])
  }

  @Test func whenSomebodyIsAsked() throws {
    func seconds(_ options: [String: String], _ isTerminal: Bool) throws -> Double? {
      try TouchRequest(Arguments(options: options), isTerminal: isTerminal).seconds
    }
    #expect(try seconds([:], true) == 10)
    #expect(try seconds([:], false) == nil)
    #expect(try seconds(["json": ""], true) == nil)
    #expect(try seconds(["no-touch": ""], true) == nil)
    #expect(try seconds(["json": "", "wait": "3"], false) == 3)
    for wrong in [["wait": "soon"], ["wait": "0"], ["wait": "4000"], ["wait": "3", "no-touch": ""]] {
      #expect(throws: Failure.self) { try seconds(wrong, true) }
    }
  }

  @Test("a program's name, whoever runs it") func programs() {
    #expect(
      Process(pid: 1, name: "matchbox-keyboa", arguments: ["/usr/bin/matchbox-keyboard"]).program
        == "matchbox-keyboard")
    #expect(
      Process(pid: 1, name: "onboard", arguments: ["/usr/bin/python3", "/usr/bin/onboard"]).program
        == "onboard")
    let daemon = Process(
      pid: 1, name: "keyliftd", arguments: ["keyliftd", "-r", "/tmp/x", "--config=/tmp/c"])
    #expect(daemon.option("--runtime-directory", "-r") == "/tmp/x")
    #expect(daemon.option("--config", "-c") == "/tmp/c")
    #expect(daemon.option("--check", "-C") == nil)
    #expect(daemon.path("--config", "-c") == "/tmp/c")
    let short = Process(
      pid: 1, name: "keyliftd", arguments: ["keyliftd", "-c/tmp/c", "-r/tmp/x"])
    #expect(short.path("--runtime-directory", "-r") == "/tmp/x")
    #expect(short.path("--config", "-c") == "/tmp/c")
    var relative = Process(pid: 1, name: "keyliftd", arguments: ["keyliftd", "-c", "my.conf"])
    relative.directory = "/home/op"
    #expect(relative.path("--config", "-c") == "/home/op/my.conf")
  }

  @Test("root believes no program that is called keyliftd, but its own and that of the socket's owner")
  func impostor() throws {
    var facts = try Facts.healthy()
    facts.daemon = DaemonAnswers()
    facts.systemd = Systemd(isRunning: false)
    facts.socketFile?.uid = 998
    let cases: [(uid: UInt32, isBelieved: Bool)] = [(0, true), (998, true), (1000, false)]
    for (uid, isBelieved) in cases {
      facts.processes = [Process(pid: 50, uid: uid, name: "keyliftd")]
      #expect((facts.runningDaemon != nil) == isBelieved)
    }
    facts.account.isRoot = false
    #expect(facts.runningDaemon != nil)
  }
}

@Suite("doctor: Documentation/diagnosis.md") struct DoctorDocumentationTests {
  /// From this file's own place.
  private static let page = Files.lines("\(#filePath)/../../../Documentation/diagnosis.md".normalized)

  @Test("has a row for each check and no other, in their order") func checks() {
    let rows = Self.page.filter { $0.hasPrefix("| `") }.map { $0.split(separator: "`")[1] }
    #expect(rows.map(String.init) == Check.all.map(\.id))
  }

  @Test("has every state") func states() {
    let table = Self.page.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| `") }.joined()
    for state in Finding.State.allCases { #expect(table.contains(state.rawValue)) }
  }
}

extension String {
  /// A path without its `..`, whose file before need not be a directory.
  fileprivate var normalized: String {
    var parts: [Substring] = []
    for part in split(separator: "/") { if part == ".." { _ = parts.popLast() } else { parts.append(part) } }
    return "/" + parts.joined(separator: "/")
  }
}
