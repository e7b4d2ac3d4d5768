import EventLoop
import Glibc
import KeyliftClient
import Varlink

extension Command {
  static let doctor = Command(
    name: "doctor", summary: "Find what is wrong on this machine, and say what to do",
    synopsis: "[--json] [--user NAME] [--no-touch | --wait SECONDS]",
    details: """
        --user NAME     judge this user's access: the one that the application runs as
        --wait SECONDS  how long to wait for somebody to touch the screen; 10 on a
                        terminal, else nobody is asked
        --no-touch      ask nobody to touch the screen
        --json          one JSON object, with a member "findings"

      Looks at units, sockets, configuration, touchscreens, screens, clients, the
      keyboard and the journal, and changes none of it; no daemon is started by it.
      Below a finding, after >, is what to type or to do. Without root less is known,
      and it says what. What each check means is in
      /usr/share/doc/keylift/Documentation/diagnosis.md.
      Exit status: 0 nothing is wrong, 1 there is something to look at, 3 something
      does not work, 2 wrong usage.
      """,
    options: [
      Option("json"), Option("user", takesArgument: true), Option("wait", takesArgument: true),
      Option("no-touch"),
    ]
  ) { arguments, daemon in
    let wait = try TouchRequest(arguments, isTerminal: Terminal.isOutput && isatty(STDIN_FILENO) == 1)
    let facts = try Facts.gather(daemon, user: arguments["user"], wait: wait)
    let isRoot = facts.account.isRoot
    let findings = Check.all.flatMap { $0.findings(facts) }
      .map { facts.isSystemSocket ? $0 : $0.asking(facts.socket) }
      .map { isRoot ? $0.withoutSudo : $0 }
    let page = DoctorPage(
      findings: findings, socket: facts.socket, user: facts.account.name, isRoot: isRoot)
    if arguments.has("json") {
      try Output.line(page.json)
    } else {
      try Output.write(page.text(columns: Terminal.columns))
    }
    exit(findings.exitStatus)
  }
}

/// Whether and for how long somebody is asked to touch the screen.
struct TouchRequest: Equatable {
  /// In seconds; nil if nobody is asked.
  var seconds: Double?

  /// - isTerminal: whether somebody sees what is asked for
  /// Throws: what is wrong with the options.
  init(_ arguments: Arguments, isTerminal: Bool) throws(Failure) {
    guard let text = arguments["wait"] else {
      seconds = arguments.has("no-touch") || arguments.has("json") || !isTerminal ? nil : 10
      return
    }
    if arguments.has("no-touch") { throw .usage("doctor: --wait and --no-touch exclude each other.") }
    guard let number = Double(text), number > 0, number <= 3600 else {
      throw .usage("doctor: --wait \(text): a number of seconds above 0, 3600 at most.")
    }
    seconds = number
  }
}

/// What asks for a touch, on standard error: a line that is written anew each second on a terminal, else once.
final class Countdown {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var shown: Int?

  func show(_ seconds: Int) {
    guard seconds != shown, isTerminal || shown == nil else { return }
    shown = seconds
    let line = "Touch the screen now: \(seconds) s"
    try? Output.write(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n", to: STDERR_FILENO)
  }

  func end() {
    if isTerminal { try? Output.write("\r\u{1B}[K", to: STDERR_FILENO) }
  }
}

extension Finding {
  /// With the socket that was looked at in its commands, since the system's daemon would answer them else.
  func asking(_ socket: String) -> Finding {
    var finding = self
    finding.remedy = remedy.map { line in
      for start in ["sudo keyliftctl ", "keyliftctl "] where line.hasPrefix(start) {
        return "\(start)--socket \(socket) \(line.dropFirst(start.count))"
      }
      return line
    }
    return finding
  }

  /// As root types it, on a machine that may have no sudo.
  var withoutSudo: Finding {
    var finding = self
    finding.remedy = remedy.map { $0.hasPrefix("sudo ") ? String($0.dropFirst("sudo ".count)) : $0 }
    return finding
  }
}

extension Facts {
  /// Finds everything out; about a second where all answer, and never without an end.
  static func gather(_ daemon: Daemon, user: String?, wait: TouchRequest) throws -> Facts {
    var facts = Facts(socket: daemon.socket.path, account: try Account.gather(user))
    facts.socketFile = SocketFile.gather(facts.socket)
    facts.systemd = Systemd.gather()
    facts.processes = Process.gatherAll()
    if facts.mayAsk(hasControlSocket: SocketFile.gather(daemon.socket.control.path) != nil) {
      facts.daemon = DaemonAnswers.gather(daemon)
    }
    facts.configuration = ConfigurationVerdict.gather(
      file: facts.configurationFile, isSystem: facts.isSystemSocket)
    if facts.daemon.nodes == nil { facts.inputs = InputNode.gatherAll() }
    facts.displays = Display.gatherAll()
    facts.consoleRotation = Display.consoleRotation()
    facts.journal = facts.isSystemSocket && facts.systemd.isRunning ? JournalLines.gather() : nil
    let plugins = daemon.socket.path.prefix(
      upTo: daemon.socket.path.lastIndex(of: "/") ?? facts.socket.startIndex)
    facts.pluginSockets = (try? namesInDirectory("\(plugins)/plugins")) ?? []
    if let seconds = wait.seconds, facts.daemon.isAnswering {
      let countdown = Countdown()
      facts.touch = TouchWait.gather(daemon, seconds: seconds) { countdown.show($0) }
      countdown.end()
    }
    return facts
  }

  /// The daemon behind the socket.
  var runningDaemon: Process? {
    if let pid = daemon.pid { return process(pid) }
    if isSystemSocket, let pid = systemd.service?.mainPID, pid > 0 { return process(pid) }
    // Of several the one that was told to make this socket, by its directory. Anybody can call a program so, and root
    // would read the configuration that it names.
    let daemons = processes.filter { process in
      process.name == "keyliftd" && process.state != "Z"
        && (!account.isRoot || process.uid == 0 || process.uid == socketFile?.uid)
    }
    return daemons.first { daemon in
      let directory = daemon.path("--runtime-directory", "-r") ?? "/run/keylift"
      return socket == "\(directory)/keylift.sock"
    }
  }

  /// What the daemon was told to read; nil for the configuration of the system.
  var configurationFile: String? { runningDaemon?.path("--config", "-c") }

  /// Whether a daemon runs that a connection does not start: the socket is systemd's, and it would.
  ///
  /// - hasControlSocket: whether there is that file, which a daemon makes as it starts
  func mayAsk(hasControlSocket: Bool) -> Bool {
    if isSystemSocket, let service = systemd.service {
      return service.activeState == "active" || service.activeState == "reloading" || runningDaemon != nil
    }
    return runningDaemon != nil || hasControlSocket || !isSystemSocket
  }
}
