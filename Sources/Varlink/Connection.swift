import CJSON
import EventLoop
import Glibc

/// One client's connection: calls come in, are answered in order, and streams go out.
///
/// While a call is unanswered, a stream runs or something is unsent, nothing more is read; so a client can
/// make this hold one message at most, besides what was read with it. A client that shuts down its sending
/// side (as nc and socat do at the end of their input) goes on getting replies and states; it is gone when
/// it has closed. Calls behind an unanswered one are dropped with a client that has closed.
public final class Connection {
  /// Unlike any other connection's of its server.
  public let id: UInt64
  public let peer: Credentials

  private(set) weak var server: Server?
  private(set) var descriptor: Int32
  /// When something was taken last, in microseconds, while something is unsent.
  private(set) var lastProgress: UInt64 = 0
  var isScheduled = false
  /// When it was accepted, in microseconds of CLOCK_MONOTONIC.
  public let openedAt = EventLoop.now
  /// How many calls were taken up.
  public private(set) var calls = 0
  /// How many states were never sent, since a newer one took their place.
  public private(set) var merged = 0
  /// The qualified name of the method whose call is not answered yet, or streams; nil for none.
  public var method: String? { call?.method }
  /// Called once, from the loop, when it has closed.
  public var onClose: (() -> Void)?

  private var source: DescriptorSource?
  private var interest: Readiness = .readable
  private var framer: Framer
  private var queue = SendQueue()
  private var call: Call?
  private var inputEnded = false
  private var isProcessing = false

  /// Calls handled in one turn of the loop, so that a client who pipelines does not keep it from the others.
  private static let callsPerTurn = 16
  /// Bytes of a message after which memory is given back.
  private static let longMessage = 16_384

  init(id: UInt64, peer: Credentials, descriptor: Int32, server: Server) {
    self.id = id
    self.peer = peer
    self.descriptor = descriptor
    self.server = server
    framer = Framer(limit: server.limits.framing)
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  func start(on loop: EventLoop) throws(SystemError) {
    source = try loop.watch(descriptor) { [weak self] ready in self?.handle(ready) }
  }

  public var isClosed: Bool { descriptor < 0 }

  /// Whether the client has yet to take something before more can be written.
  public var isBlocked: Bool { !queue.isEmpty }

  /// How many bytes the client has yet to take, the kernel's own buffer not counted.
  public var unsent: Int { queue.count }

  /// Closes at once; who has a call or a stream here hears of it in the loop's next turn.
  public func close() {
    guard descriptor >= 0 else { return }
    source?.cancel()
    source = nil
    Glibc.close(descriptor)
    descriptor = -1
    queue.removeAll()
    server?.forget(self)
    if call != nil || onClose != nil { server?.schedule(self) }
  }

  /// Closes at once for what the client does, and says so.
  func close(for blame: Server.Blame) {
    guard descriptor >= 0 else { return }
    let server = server
    close()
    server?.tell(blame, peer)
  }

  // MARK: Reading

  private func handle(_ ready: Readiness) {
    if ready.contains(.writable) { flush() }
    guard !isClosed else { return }
    let isGone = ready.contains(.hangUp) || ready.contains(.error)
    if isGone, call != nil || inputEnded || isBlocked || ready.contains(.error) { return close() }
    if isGone || ready.contains(.readable), mayRead { read() }
    turn()
  }

  private var mayRead: Bool { call == nil && !inputEnded && queue.isEmpty && !framer.hasMessage }

  private func read() {
    guard let server else { return close() }
    let result = unsafe server.readBuffer.withBytes { bytes in
      let result = unsafe Socket.receive(descriptor, into: bytes)
      if case .bytes(let count) = result {
        unsafe framer.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      return result
    }
    switch result {
    case .bytes, .nothing: break
    case .end: inputEnded = true
    case .descriptors: close(for: .malformed)
    case .failed: close()
    }
  }

  /// Takes up the messages that are there, and waits for what has to come next.
  func turn() {
    guard !isClosed else { return closed() }
    process()
    guard !isClosed else { return }
    if call == nil, queue.isEmpty {
      if framer.hasMessage {
        server?.schedule(self)
      } else if inputEnded {
        return close()
      }
    }
    wait()
  }

  private func process() {
    isProcessing = true
    defer { isProcessing = false }
    var budget = Connection.callsPerTurn
    while budget > 0, !isClosed, call == nil, queue.isEmpty {
      guard let range = framer.next() else {
        if framer.isOverLimit { close(for: .malformed) }
        framer.trim()
        return
      }
      budget -= 1
      dispatch(range)
      // Parsed, a long message took many times its length, all of which is free again.
      if range.count > Connection.longMessage { malloc_trim(0) }
    }
  }

  private func dispatch(_ range: Range<Int>) {
    guard let server, range.count <= server.limits.framing,
      let message = CallMessage(framer.bytes.span.extracting(range)),
      range.count <= server.limit(of: message.method)
    else { return close(for: .malformed) }
    let call = Call(message, on: self)
    self.call = call
    calls &+= 1
    server.totals.calls &+= 1
    server.dispatch(call)
  }

  private func wait() {
    var interest: Readiness = []
    if mayRead { interest.insert(.readable) }
    if !queue.isEmpty { interest.insert(.writable) }
    guard interest != self.interest else { return }
    self.interest = interest
    source?.wait(for: interest)
  }

  // MARK: Writing

  /// Writes what the socket takes now and keeps the rest; closes if too much is kept.
  func send(_ bytes: [UInt8]) {
    guard let server, !isClosed else { return }
    server.sends &+= 1
    var written = 0
    if queue.isEmpty {
      written = unsafe bytes.withUnsafeBytes { unsafe Socket.send(descriptor, $0) }
      guard written >= 0 else { return close() }
      guard written < bytes.count else { return }
      lastProgress = EventLoop.now
    }
    queue.append(bytes[written...])
    guard queue.count <= server.limits.unsent else { return close(for: .unsent) }
    server.watchProgress(until: lastProgress + server.limits.stall)
    if !isProcessing { wait() }
  }

  private func flush() {
    guard !queue.isEmpty else { return }
    let descriptor = descriptor
    let written = unsafe queue.write { unsafe Socket.send(descriptor, $0) }
    guard written >= 0 else { return close() }
    if written > 0 { lastProgress = EventLoop.now }
    if queue.isEmpty { call?.drained() }
  }

  /// Writes what the socket takes, whether the loop says that it does or not.
  func retry() {
    flush()
    turn()
  }

  /// Counts a state that is never sent, since a newer one took its place.
  func noteMerged() {
    merged &+= 1
    server?.totals.merged &+= 1
  }

  // MARK: Calls

  /// The call is answered, or its stream has ended: the next one may come.
  func finish(_ call: Call) {
    guard self.call === call else { return }
    self.call = nil
    // A handler is never called from within another one's reply.
    if !isProcessing { server?.schedule(self) }
  }

  /// Lets go of a call that nobody will be told about, since the server goes.
  func abandon() {
    call?.end()
    call = nil
  }

  /// Tells who waits on a connection that is closed.
  private func closed() {
    let (call, onClose) = (call, onClose)
    self.call = nil
    self.onClose = nil
    call?.closed()
    onClose?()
  }
}
