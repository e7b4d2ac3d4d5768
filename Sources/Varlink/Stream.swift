/// Many replies to one call; it has its connection to itself while it runs.
///
/// To give a slow reader the newest state and not the backlog: while `isBlocked`, keep the newest and send
/// it in `onDrained`.
public final class Stream {
  public let peer: Credentials
  /// The connection; nil once it is closed or the stream has ended.
  public private(set) var connection: Connection?
  /// Called from the loop when the client has taken all that was unsent.
  public var onDrained: (() -> Void)?
  /// Called once, from the loop, when the connection has closed; not after `end` or `fail`.
  public var onClose: (() -> Void)?

  private weak var call: Call?

  init(_ call: Call, on connection: Connection) {
    self.call = call
    self.connection = connection
    peer = call.peer
  }

  public var isOpen: Bool { connection.map { !$0.isClosed } ?? false }

  /// Whether something sent before is still unsent; sending more would queue it.
  public var isBlocked: Bool { connection?.isBlocked ?? false }

  /// Sends a reply that says it continues: writes what the socket takes, and queues the rest.
  ///
  /// Never blocks and never calls back. A client that leaves too much unsent is closed; `onClose` tells it.
  public func send(_ message: borrowing Message) { connection?.send(message.bytes) }

  /// Writes what the client has made room for, before the loop comes to it; may call `onDrained` and `onClose`.
  public func retry() { connection?.retry() }

  /// Counts a state that is never sent, since a newer one took its place.
  public func noteMerged() { connection?.noteMerged() }

  /// Sends the last reply, after which the client may call again.
  public func end(_ fields: (inout JSONWriter) -> Void) { call?.reply(fields) }

  /// Ends the stream with an error.
  public func fail(_ error: String, _ fields: (inout JSONWriter) -> Void = { _ in }) {
    call?.fail(error, fields)
  }

  /// Closes the connection without another reply.
  public func close() { connection?.close() }

  /// The same for what the client does, which is counted and told.
  public func close(for blame: Server.Blame) { connection?.close(for: blame) }

  func end() {
    connection = nil
    onDrained = nil
    onClose = nil
  }
}
