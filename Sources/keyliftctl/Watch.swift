import EventLoop
import Glibc
import KeyliftClient
import Varlink

/// Streams that are followed until someone ends it: a signal, the reader of the output, the daemon, or itself.
final class Watch {
  private let loop: EventLoop
  private var sources: [EventSource] = []
  private var followed: [DaemonClient] = []
  private var problem: (any Error)?

  init() throws {
    loop = try EventLoop()
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      sources.append(try loop.onSignal(signal) { [unowned self] in end() })
    }
    // A pipe says so when its reader goes; a file cannot be watched, and need not be.
    if let output = try? loop.watch(STDOUT_FILENO, for: [], { [unowned self] _ in end() }) {
      sources.append(output)
    }
  }

  func end() { loop.exit() }

  func fail(_ error: any Error) {
    problem = problem ?? error
    loop.exit()
  }

  /// Calls the handler with the parameters of each reply; the stream's own end is a failure.
  func follow(
    _ client: Client, of daemon: Daemon, doing subject: String, _ handler: @escaping (JSON) throws -> Void
  )
    throws
  {
    sources.append(
      try loop.watch(client.descriptor) { [unowned self] _ in
        do {
          for reply in try client.receive() where problem == nil {
            if let error = reply.error { throw ClientError.varlink(VarlinkError(error, reply.parameters)) }
            try handler(reply.parameters)
            guard reply.continues else { throw ClientError.closed }
          }
        } catch let error as ClientError {
          fail(daemon.failure(error, doing: subject))
        } catch {
          fail(error)
        }
      })
  }

  /// Follows a stream that begins again by itself: once it has begun, the daemon may go and come back.
  ///
  /// - subject: what a refusal is about
  /// - status: how the tool ends when the daemon refuses; that it cannot be asked may pass
  func follow(_ client: DaemonClient, doing subject: String, refusedAs status: Failure.Status = .refused)
    throws
  {
    var hasBegun = false
    client.onConnect = {
      if hasBegun { Output.complain("keyliftd is back.") }
      hasBegun = true
    }
    client.onDisconnect = { [unowned self] error in
      if case .wouldBlock = error.cause { return }  // others are before it
      guard hasBegun else { return fail(Failure(error)) }
      Output.complain("waiting for keyliftd: \(error)")
    }
    client.onError = { [unowned self, socket = client.socket] error in
      // It is tried again: what the daemon's configuration does not allow any more, a reload may.
      guard !hasBegun || status == .refused else { return Output.complain("\(error)") }
      let reason = DaemonError(error.cause, at: socket, doing: subject)
      fail(Failure(reason, status: error.isRefusal ? status : .refused))
    }
    try client.start(on: loop)
    followed.append(client)
  }

  /// What a handler of such a stream throws ends it.
  func attempt(_ handler: () throws -> Void) {
    guard problem == nil else { return }
    do { try handler() } catch { fail(error) }
  }

  /// Calls the handler once, after so many microseconds.
  func after(_ delay: UInt64, _ handler: @escaping () -> Void) throws {
    let timer = try loop.timer(handler)
    timer.arm(at: loop.now &+ delay)
    sources.append(timer)
  }

  /// A timer that is not armed yet; the caller keeps it.
  func timer(_ handler: @escaping () throws -> Void) throws -> TimerSource {
    try loop.timer { [unowned self] in attempt(handler) }
  }

  /// Calls the handler at each signal.
  func on(_ signal: Int32, _ handler: @escaping () throws -> Void) throws {
    sources.append(try loop.onSignal(signal) { [unowned self] in attempt(handler) })
  }

  /// Throws: what made it end, unless it was meant to.
  func run() throws {
    _ = try loop.run()
    sources = []
    for client in followed { client.close() }
    if let problem { throw problem }
  }
}
