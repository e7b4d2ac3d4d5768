import Varlink

/// What doctor found out, for the checks to judge; `gather` fills it in.
struct Facts: Sendable {
  /// The clients' socket.
  var socket = "/run/keylift/keylift.sock"
  var socketFile: SocketFile?
  var account = Account()
  var systemd = Systemd()
  var processes: [Process] = []
  var daemon = DaemonAnswers()
  var configuration: ConfigurationVerdict?
  /// nil if they cannot be listed, or the daemon has told of all.
  var inputs: [InputNode]?
  var displays: [Display] = []
  /// How the kernel turns its console, in degrees clockwise; nil without one.
  var consoleRotation: Int?
  var touch: TouchWait = .skipped
  var journal: JournalLines?
  /// Names of the sockets in the plugins' directory.
  var pluginSockets: [String] = []

  /// Whether the socket is the one that systemd's units make.
  var isSystemSocket: Bool { socket == "/run/keylift/keylift.sock" }
  /// Whether the daemon is systemd's to start and to restart.
  var isBySystemd: Bool { isSystemSocket && systemd.isRunning }
  /// How the daemon is started anew, its socket too.
  var restart: String {
    isBySystemd ? "sudo systemctl restart keylift.socket keylift.service" : "end keyliftd and start it again"
  }

  func process(_ pid: Int) -> Process? { processes.first { $0.pid == pid } }
}

extension JSON {
  static func integer(_ value: Int) -> JSON { .integer(Int64(value)) }
}
