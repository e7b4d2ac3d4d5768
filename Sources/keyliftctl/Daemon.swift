import KeyliftClient
import Varlink

/// The daemon at a socket, asked one thing at a time.
struct Daemon {
  let socket: DaemonSocket

  /// How long an answer may take, in microseconds.
  static let patience: UInt64 = 5_000_000

  func connect() throws(Failure) -> Client {
    do {
      return try socket.connect()
    } catch {
      throw Failure(error)
    }
  }

  /// Calls a method and waits for its one answer; `subject` is what an error is about.
  func call(
    _ method: String, subject: String, _ fields: (inout JSONWriter) -> Void = { _ in }
  ) throws(Failure) -> JSON {
    do {
      return try socket.call(method, subject: subject, timeout: Daemon.patience, fields)
    } catch {
      throw Failure(error)
    }
  }

  /// Sends a call on a connection, where answers are waited for in some other way.
  func send(
    _ method: String, _ flag: CallFlag, on client: Client, subject: String,
    _ fields: (inout JSONWriter) -> Void = { _ in }
  ) throws(Failure) {
    do {
      try client.send(method, flag, fields)
    } catch {
      throw failure(error, doing: subject)
    }
  }

  /// The state that a monitor begins with.
  func snapshot(subject: String) throws(Failure) -> JSON {
    let client = try connect()
    do throws(ClientError) {
      return try client.snapshot(timeout: Daemon.patience)
    } catch {
      throw failure(error, doing: subject)
    }
  }

  func failure(_ error: ClientError, doing subject: String) -> Failure {
    Failure(DaemonError(error, at: socket, doing: subject))
  }
}

extension Client {
  /// The state that a monitor begins with; from then on the connection is that stream's.
  func snapshot(timeout: UInt64) throws(ClientError) -> JSON {
    // One name only, since the first reply is a snapshot whatever is asked for.
    try send("io.keylift.Monitor.Subscribe", .more) { $0.field("notifications", ["snapshot"]) }
    let reply = try next(timeout: timeout)
    if let error = reply.error { throw .varlink(VarlinkError(error, reply.parameters)) }
    return reply.parameters
  }
}
