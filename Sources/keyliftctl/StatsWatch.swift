import EventLoop
import Glibc
import KeyliftClient
import Varlink

/// The counters each second, by one connection; once they have come, the daemon may go and come back.
final class StatsWatch {
  private let daemon: Daemon
  private let form: StatsForm
  private let watch: Watch
  private let terminal: Terminal?
  private var timer: TimerSource?
  private var client: Client?
  private var counters: JSON?
  /// Why there are none at the moment.
  private var trouble: String?

  private static let pause: UInt64 = 1_000_000

  init(_ daemon: Daemon, _ form: StatsForm) throws {
    self.daemon = daemon
    self.form = form
    watch = try Watch()
    terminal = form == .table && Terminal.isOutput ? Terminal() : nil
  }

  /// Throws: why the daemon cannot be asked at all, or what it refuses.
  func run() throws {
    client = try daemon.connect()
    defer { terminal?.leave() }
    try terminal?.enter()
    timer = try watch.timer { [unowned self] in try ask() }
    if terminal != nil { try watch.on(SIGWINCH) { [unowned self] in try draw() } }
    timer?.arm(at: 0)
    try watch.run()
  }

  private func ask() throws {
    defer { timer?.arm(at: EventLoop.now &+ StatsWatch.pause) }
    do throws(ClientError) {
      if client == nil { client = try Client(path: daemon.socket.path, timeout: Daemon.patience) }
      guard let client else { return }
      counters = try client.call("io.keylift.Monitor.Counters", timeout: Daemon.patience)
    } catch {
      return try wait(DaemonError(error, at: daemon.socket, doing: "stats"))
    }
    if trouble != nil, terminal == nil { Output.complain("keyliftd is back.") }
    trouble = nil
    try draw()
  }

  private func wait(_ error: DaemonError) throws {
    client = nil
    guard counters != nil, !error.isPermanent else { throw Failure(error) }
    let reason = "waiting for keyliftd: \(error)"
    let isNew = reason != trouble
    trouble = reason
    guard isNew else { return }
    if terminal == nil { Output.complain(reason) } else { try draw() }
  }

  private func draw() throws {
    guard let counters else { return }
    guard let terminal else { return try Output.write(form.text(of: counters)) }
    let size = terminal.size
    let head = trouble.map { [printable($0)] } ?? []
    let lines = head + StatsTable.lines(counters, atMost: size.rows - head.count)
    try terminal.show(lines.map { String($0.prefix(size.columns)) }, in: size)
  }
}
