import EventLoop
import Glibc

/// A reply to a call.
public struct Reply: Equatable, Sendable {
  /// An object.
  public var parameters: JSON
  /// Whether others follow.
  public var continues: Bool
  /// The qualified name of an error; it ends the call.
  public var error: String?

  public init(parameters: JSON = .empty, continues: Bool = false, error: String? = nil) {
    self.parameters = parameters
    self.continues = continues
    self.error = error
  }

  package init?(_ text: borrowing Span<UInt8>, limits: JSON.Limits) {
    guard let message = try? JSON.parse(text, limits: limits), case .object = message else { return nil }
    parameters = message["parameters"].isNull ? .empty : message["parameters"]
    guard case .object = parameters else { return nil }
    switch message["continues"] {
    case .null: continues = false
    case .bool(let value): continues = value
    default: return nil
    }
    switch message["error"] {
    case .null: error = nil
    case .string(let name): error = name
    default: return nil
    }
    if error != nil, continues { return nil }
  }
}

/// A connection to a Varlink service.
///
/// A stream has its connection to itself: calls made meanwhile are answered when it has ended. Either wait
/// with `next` and `call`, or watch `descriptor` and take what came with `receive`.
public final class Client {
  /// The socket, to be watched for reading; -1 once closed.
  public private(set) var descriptor: Int32

  private let limits: JSON.Limits
  private var framer: Framer
  private var replies: ArraySlice<Reply> = []
  private var inputEnded = false
  private var message = Message()
  private var queue = SendQueue()
  private let readBuffer = ReadBuffer(capacity: 65_536)

  /// Connects to the service at a path.
  ///
  /// - Parameters:
  ///   - waits: whether to wait while the service has more to accept than it lets wait; else `.wouldBlock`.
  ///   - timeout: in microseconds, of that waiting; `.wouldBlock` is thrown after it.
  ///   - longestReply: in bytes, its NUL not counted
  public convenience init(
    path: String, waits: Bool = true, timeout: UInt64? = nil, longestReply: Int = 16_777_216,
    limits: JSON.Limits = JSON.Limits(containers: 1_000_000)
  ) throws(ClientError) {
    let flags = waits ? Int32(SOCK_CLOEXEC.rawValue) : Socket.flags
    let descriptor = socket(AF_UNIX, Socket.stream | flags, 0)
    guard descriptor >= 0 else { throw .system(SystemError(errno, "socket")) }
    if let timeout {
      var time = timeval(
        tv_sec: Int(clamping: timeout / 1_000_000), tv_usec: max(1, Int(timeout % 1_000_000)))
      unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    var code: Int32 = 0
    let result = unsafe Socket.withAddress(path) { address, length in
      var result: Int32
      repeat {
        result = unsafe connect(descriptor, address, length)
        code = errno
      } while result < 0 && code == EINTR
      return result
    }
    guard result == 0 else {
      Glibc.close(descriptor)
      guard result != nil else { throw .noSocket(path: path) }
      throw ClientError(connecting: path, code)
    }
    self.init(adopting: descriptor, longestReply: longestReply, limits: limits)
  }

  /// Uses a connected socket, which is the client's from now on.
  public init(
    adopting descriptor: Int32, longestReply: Int = 16_777_216,
    limits: JSON.Limits = JSON.Limits(containers: 1_000_000)
  ) {
    self.descriptor = descriptor
    self.limits = limits
    framer = Framer(limit: longestReply)
  }

  /// Who serves: the process that made the socket listen.
  public var peer: Credentials? { Credentials(of: descriptor) }

  deinit { close() }

  public func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Calls a method and waits for its reply's parameters; the timeout is in microseconds.
  /// Throws: `.varlink` if the method answered with an error.
  public func call(
    _ method: String, timeout: UInt64? = nil, _ fields: (inout JSONWriter) -> Void = { _ in }
  ) throws(ClientError) -> JSON {
    let deadline = timeout.map { EventLoop.now &+ $0 }
    try send(method, .none, until: deadline, fields)
    let reply = try next(timeout: deadline.map { $0 - min(EventLoop.now, $0) })
    if let error = reply.error { throw .varlink(VarlinkError(error, reply.parameters)) }
    guard !reply.continues else { throw .malformed }  // it was not asked for more
    return reply.parameters
  }

  /// Sends a call, waiting for the service to take it unless `waits` is false; `.more` begins a stream.
  /// Throws: `.wouldBlock` if it did not take all of it at once, `.timedOut` if not until the deadline, in
  /// microseconds of CLOCK_MONOTONIC; the connection is then of no more use.
  public func send(
    _ method: String, _ flag: CallFlag = .none, waits: Bool = true, until deadline: UInt64? = nil,
    _ fields: (inout JSONWriter) -> Void = { _ in }
  ) throws(ClientError) {
    try enqueue(method, flag, fields)
    while hasUnsent {
      guard waits else { throw .wouldBlock }
      try wait(for: Int16(POLLOUT), until: deadline)
      try flush()
    }
  }

  /// Sends as much of a call as the service takes now, and keeps the rest for `flush`.
  public func enqueue(
    _ method: String, _ flag: CallFlag = .none, _ fields: (inout JSONWriter) -> Void = { _ in }
  ) throws(ClientError) {
    message.encode(method: method, flag: flag, fields)
    queue.append(message.bytes[...])
    try flush()
  }

  /// Whether the service has yet to take something: `flush` once `descriptor` is writable.
  public var hasUnsent: Bool { !queue.isEmpty }

  /// Sends what the service takes now of what is unsent.
  public func flush() throws(ClientError) {
    guard descriptor >= 0 else { throw .closed }
    while !queue.isEmpty {
      let written = unsafe queue.write { unsafe Socket.send(descriptor, $0) }
      if written == 0 { return }
      guard written < 0 else { continue }
      // What the service said before it closed is still to be read.
      if -written == Int(EPIPE) || -written == Int(ECONNRESET) { throw .closed }
      throw .system(SystemError(Int32(truncatingIfNeeded: written), "send"))
    }
  }

  /// The replies that came, without waiting.
  /// Throws: `.closed` once the service has closed and everything was received.
  public func receive() throws(ClientError) -> [Reply] {
    if replies.isEmpty { try read() }
    let all = Array(replies)
    replies = []
    return all
  }

  /// The next reply, waiting for it; the timeout is in microseconds.
  public func next(timeout: UInt64? = nil) throws(ClientError) -> Reply {
    let deadline = timeout.map { EventLoop.now &+ $0 }
    while true {
      if let reply = replies.popFirst() { return reply }
      try read()
      if replies.isEmpty { try wait(for: Int16(POLLIN), until: deadline) }
    }
  }

  /// Reads what is there, up to a bound.
  private func read() throws(ClientError) {
    guard descriptor >= 0 else { throw .closed }
    for _ in 0..<16 where !inputEnded {
      let result = unsafe readBuffer.withBytes { bytes in
        let result = unsafe Socket.receive(descriptor, into: bytes)
        if case .bytes(let count) = result {
          unsafe framer.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        return result
      }
      switch result {
      case .bytes: try parse()
      case .nothing: return
      case .end: inputEnded = true
      case .descriptors: throw .malformed
      case .failed(let code) where code == ECONNRESET: inputEnded = true
      case .failed(let code): throw .system(SystemError(code, "recvmsg"))
      }
    }
    if inputEnded, replies.isEmpty { throw .closed }
  }

  private func parse() throws(ClientError) {
    while let range = framer.next() {
      guard range.count <= framer.limit,
        let reply = Reply(framer.bytes.span.extracting(range), limits: limits)
      else { throw .malformed }
      replies.append(reply)
    }
    if framer.isOverLimit { throw .malformed }
    framer.trim()
  }

  private func wait(for events: Int16, until deadline: UInt64?) throws(ClientError) {
    while true {
      var timeout: Int32 = -1
      if let deadline {
        let now = EventLoop.now
        guard now < deadline else { throw .timedOut }
        timeout = Int32(clamping: (deadline - now + 999) / 1000)
      }
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      let count = unsafe poll(&entry, 1, timeout)
      if count > 0 { return }
      if count < 0, errno != EINTR { throw .system(SystemError(errno, "poll")) }
    }
  }
}
