import EventLoop
import KeyliftProtocol
import Varlink

/// A stream of the daemon's states that begins again by itself, and calls about it on a second connection.
///
/// All of it is state: after a new connection the stream says all there is to know, and what is still to be said is
/// what the daemon does not know yet. So nothing piles up while it is away. Nothing here blocks. It belongs to one
/// thread: `start(on:)` an EventLoop, or watch `descriptor` for input in any other, and `dispatch` then.
///
/// Callbacks come from `dispatch` alone. They may call everything here, `close` too.
public class DaemonClient {
  /// Called when the daemon has answered, before the first state; and again after each loss.
  public var onConnect: (() -> Void)?
  /// Called when there is no connection any more, and when the reason for that is another; it is tried again.
  public var onDisconnect: ((DaemonError) -> Void)?
  /// Called for what no trying again helps: what the daemon refuses, or that this user may not connect. A stream is
  /// tried again all the same, since the daemon may be set up anew; the same is said but once. Once, too, that a
  /// connection beside the stream, for calls or touches, is closed again and again: the daemon may take no more.
  public var onError: ((DaemonError) -> Void)?

  public let socket: DaemonSocket
  /// Whether the daemon has said how things are.
  public private(set) var isConnected = false
  /// To be watched for input; it stays the same.
  public var descriptor: Int32 { poller.descriptor }

  /// What is called, and what comes of it.
  struct Call {
    let method: String
    /// What an error is about.
    var subject: String
    /// When who asked is told that there is no answer, in microseconds.
    var deadline: UInt64 = .max
    var fields: (inout JSONWriter) -> Void = { _ in }
    var answer: (Result<JSON, DaemonError>) -> Void = { _ in }
  }

  /// While a stream runs, later calls on its connection wait.
  private enum Wire: UInt32, CaseIterable { case stream, calls, side }

  /// How a connection beside the stream fares.
  private struct Attempt {
    var openedAt: UInt64 = 0
    /// Not to be opened before.
    var notBefore: UInt64 = 0
    /// After it is lost the next time.
    var wait = DaemonClient.firstWait
  }

  private static let firstWait: UInt64 = 100_000
  private static let longestWait: UInt64 = 10_000_000
  /// After a connection that held so long, the next one is tried at once.
  private static let longEnough: UInt64 = 1_000_000
  private static let mostCalls = 64
  /// The daemon closes a connection with more than 256 KiB unsent.
  private static let longestReply = 1_048_576

  /// How long an answer may take, in microseconds.
  var patience: UInt64 = 10_000_000
  private let interface: InterfaceDescription
  private let method: String
  private let poller: Poller
  private var source: DescriptorSource?
  private var wires: [Wire: Client] = [:]
  private var calls: [Call] = []
  private var calling: Call?
  /// When the daemon hangs if `calling` is not answered.
  private var answerBy: UInt64?
  private var wait: UInt64 = 0
  private var retryAt: UInt64? = 0
  private var attempts: [Wire: Attempt] = [:]
  private var connectedAt: UInt64 = 0
  /// The error that was told last, since nothing else has happened.
  private var told: String?
  private var isWoken = false
  private var isDispatching = false
  private(set) var isClosed = false

  /// Throws: SystemError, such as EMFILE.
  init(_ interface: InterfaceDescription, _ method: String, at socket: DaemonSocket) throws(SystemError) {
    self.interface = interface
    self.method = method
    self.socket = socket
    poller = try Poller()
    poller.arm(at: 0)
  }

  // MARK: What a kind of client is

  /// What an error of the stream is about.
  var subject: String { method }
  func writeParameters(to writer: inout JSONWriter) {}
  /// Keeps a state, and tells nobody yet.
  func keep(_ state: JSON) {}
  /// Tells of the state that was kept last.
  func tell() {}
  /// The daemon has taken the stream's parameters, or has refused them.
  func answered(_ isAccepted: Bool) {}
  /// The daemon knows nothing any more.
  func forget() {}
  /// What is to be said next, before what was asked for by `call`.
  func nextCall() -> Call? { nil }
  /// A stream beside the first, which lives on when this one breaks.
  func sideStream() -> Call? { nil }

  // MARK: For any loop

  /// Lets the loop do all that is to be done, until `close`.
  public func start(on loop: EventLoop) throws(SystemError) {
    source = try loop.watch(descriptor) { [weak self] _ in self?.dispatch() }
  }

  /// Does what there is to do without waiting, and calls back.
  public func dispatch() {
    guard !isClosed, !isDispatching else { return }
    isDispatching = true
    for (key, readiness) in poller.ready() { Wire(rawValue: key).map { handle($0, readiness) } }
    expire()
    isWoken = false
    proceed()
    isDispatching = false
    if !isClosed { poller.arm(at: isWoken ? 0 : nextDeadline) }
  }

  /// Hangs up, and calls nothing back any more; a scene is gone with it.
  public func close() {
    isClosed = true
    source?.cancel()
    source = nil
    for wire in Wire.allCases { hangUp(wire) }
    poller.arm(at: nil)
    calls = []
    calling = nil
    isConnected = false
  }

  /// Calls a method, such as `io.keylift.Keyboard.Hide`, once there is a connection.
  ///
  /// The answer is `.timedOut` after 10 seconds without, `.closed` if the connection went before it came; such a call
  /// may have been carried out. Throws: `.wouldBlock` if 64 wait already.
  public func call(
    _ method: String, _ fields: @escaping (inout JSONWriter) -> Void = { (_: inout JSONWriter) in },
    answer: @escaping (Result<JSON, DaemonError>) -> Void = { (_: Result<JSON, DaemonError>) in }
  ) throws(DaemonError) {
    guard calls.count < DaemonClient.mostCalls else {
      throw DaemonError(.wouldBlock, at: socket, doing: method)
    }
    calls.append(
      Call(
        method: method, subject: method, deadline: EventLoop.now + patience, fields: fields,
        answer: answer))
    wake()
  }

  /// Lets `dispatch` be called soon.
  func wake() {
    isWoken = true
    if !isDispatching, !isClosed { poller.arm(at: 0) }
  }

  /// Does not wait any longer before it connects.
  func retryNow() {
    if retryAt != nil { retryAt = 0 }
    wake()
  }

  // MARK: Connections

  private func send(_ call: Call, _ flag: CallFlag, on wire: Wire) throws(ClientError) {
    let client =
      if let client = wires[wire] {
        client
      } else {
        try open(wire)
      }
    wires[wire] = client
    try client.enqueue(call.method, flag, call.fields)
    try watch(wire, client)
  }

  private func open(_ wire: Wire) throws(ClientError) -> Client {
    attempts[wire, default: Attempt()].openedAt = EventLoop.now
    return try Client(path: socket.path, waits: false, longestReply: DaemonClient.longestReply)
  }

  private func watch(_ wire: Wire, _ client: Client) throws(ClientError) {
    let interest: Readiness = client.hasUnsent ? [.readable, .writable] : .readable
    do throws(SystemError) {
      try poller.watch(client.descriptor, as: wire.rawValue, for: interest)
    } catch {
      throw ClientError.system(error)
    }
  }

  private func hangUp(_ wire: Wire) {
    guard let client = wires.removeValue(forKey: wire) else { return }
    poller.forget(client.descriptor)
    client.close()
  }

  /// Closes all and tries again: at once if it was well for a while, else after a pause that grows.
  private func startAgain(_ error: ClientError) {
    let now = EventLoop.now
    if isConnected, now - connectedAt >= DaemonClient.longEnough { wait = 0 }
    retryAt = now + wait
    wait = wait == 0 ? DaemonClient.firstWait : min(wait * 2, DaemonClient.longestWait)
    for wire in Wire.allCases { hangUp(wire) }
    attempts = [:]
    isConnected = false
    let unanswered = endCall()
    let isRefusal = if case .varlink = error { true } else { false }
    if isRefusal { answered(false) }
    forget()
    if let unanswered {
      unanswered.answer(.failure(DaemonError(error, at: socket, doing: unanswered.subject)))
    }
    let reason = DaemonError(error, at: socket, doing: isRefusal ? subject : nil)
    guard !isClosed, reason.description != told else { return }
    told = reason.description
    if reason.isPermanent { onError?(reason) } else { onDisconnect?(reason) }
  }

  /// Closes it; the stream lives on when another is lost, and with it a scene and its focus.
  private func lost(_ wire: Wire, _ error: ClientError) {
    guard wire != .stream else { return startAgain(error) }
    hangUp(wire)
    if wire == .calls, calling == nil { return }  // opened again when there is something to say
    let now = EventLoop.now
    var attempt = attempts[wire] ?? Attempt()
    if now - attempt.openedAt >= DaemonClient.longEnough { attempt.wait = DaemonClient.firstWait }
    let isSecond = attempt.wait == 2 * DaemonClient.firstWait
    attempt.notBefore = now + attempt.wait
    attempt.wait = min(attempt.wait * 2, DaemonClient.longestWait)
    attempts[wire] = attempt
    let call = wire == .calls ? endCall() : sideStream()
    let reason = DaemonError(error, at: socket, doing: call?.method)
    if wire == .calls { call?.answer(.failure(reason)) }
    if isSecond, !isClosed { onError?(reason) }
  }

  private func endCall() -> Call? {
    defer { calling = nil }
    answerBy = nil
    return calling
  }

  // MARK: What there is to do

  private func proceed() {
    if !isClosed, let retryAt, retryAt <= EventLoop.now {
      self.retryAt = nil
      let call = Call(
        method: method, subject: subject, fields: { [unowned self] in writeParameters(to: &$0) })
      do throws(ClientError) { try send(call, .more, on: .stream) } catch { startAgain(error) }
    }
    openSide()
    guard isConnected, calling == nil, mayOpen(.calls) else { return }
    guard let call = nextCall() ?? (calls.isEmpty ? nil : calls.removeFirst()) else { return }
    calling = call
    answerBy = EventLoop.now + patience
    do throws(ClientError) { try send(call, .none, on: .calls) } catch { lost(.calls, error) }
  }

  private func mayOpen(_ wire: Wire) -> Bool {
    guard (attempts[wire]?.notBefore ?? 0) <= EventLoop.now else { return false }
    attempts[wire]?.notBefore = 0
    return true
  }

  private func openSide() {
    guard isConnected, wires[.side] == nil, mayOpen(.side), let call = sideStream() else { return }
    do throws(ClientError) { try send(call, .more, on: .side) } catch { lost(.side, error) }
  }

  private func expire() {
    let now = EventLoop.now
    if let answerBy, answerBy <= now { startAgain(.timedOut) }
    if let late = calling, late.deadline <= now {
      calling?.deadline = .max
      calling?.answer = { _ in }
      late.answer(.failure(DaemonError(.timedOut, at: socket, doing: late.subject)))
    }
    while let late = calls.firstIndex(where: { $0.deadline <= now }) {
      let call = calls.remove(at: late)
      call.answer(.failure(DaemonError(.timedOut, at: socket, doing: call.subject)))
    }
  }

  private var nextDeadline: UInt64? {
    let pauses = attempts.values.map(\.notBefore).filter { $0 > 0 }
    let deadlines = [retryAt, calling?.deadline, answerBy].compactMap(\.self)
    return (pauses + deadlines + calls.map(\.deadline)).min()
  }

  private func handle(_ wire: Wire, _ readiness: Readiness) {
    guard let client = wires[wire] else { return }
    do throws(ClientError) {
      if readiness.contains(.writable) { try client.flush() }
      try watch(wire, client)
      for reply in try client.receive() {
        try take(reply, from: wire)
        guard wires[wire] === client else { return }  // a callback's doing
      }
    } catch {
      if wires[wire] === client { lost(wire, error) }
    }
  }

  private func take(_ reply: Reply, from wire: Wire) throws(ClientError) {
    let error = reply.error.map { VarlinkError($0, reply.parameters) }
    switch wire {
    case .calls:
      guard !reply.continues, let call = endCall() else { throw .malformed }
      if let error {
        call.answer(.failure(DaemonError(.varlink(error), at: socket, doing: call.subject)))
      } else {
        call.answer(.success(reply.parameters))
      }
      return
    case .stream:
      if let error { throw .varlink(error) }
      guard isReply(reply.parameters, to: method) else { throw .malformed }
      keep(reply.parameters)
      let client = wires[.stream]
      if !isConnected {
        isConnected = true
        connectedAt = EventLoop.now
        told = nil
        answered(true)
        openSide()
        onConnect?()
      }
      if wires[.stream] === client, client != nil { tell() }
    case .side:
      if let error { throw .varlink(error) }
      guard let call = sideStream(), isReply(reply.parameters, to: call.method) else { throw .malformed }
      call.answer(.success(reply.parameters))
    }
    // Nothing follows, whatever comes.
    if !reply.continues { throw .closed }
  }

  private func isReply(_ parameters: JSON, to method: String) -> Bool {
    guard let dot = method.lastIndex(of: "."),
      let description = interface.methods[String(method[method.index(after: dot)...])]
    else { return false }
    return interface.validate(reply: parameters, of: description, skipsUnknown: true) == nil
  }
}

extension DaemonClient {
  /// Shows the keyboard without a first responder; the answer is the plugin that did not let it, or nil.
  public func showKeyboard(answer: @escaping (Result<String?, DaemonError>) -> Void = { _ in })
    throws(DaemonError)
  {
    try call("io.keylift.Keyboard.Show") { _ in
    } answer: {
      answer($0.map { $0["refusedBy"].asString })
    }
  }

  /// Hides the keyboard, and the first responder resigns; the answer is the plugin that did not let it, or nil.
  public func hideKeyboard(answer: @escaping (Result<String?, DaemonError>) -> Void = { _ in })
    throws(DaemonError)
  {
    try call("io.keylift.Keyboard.Hide") { _ in
    } answer: {
      answer($0.map { $0["refusedBy"].asString })
    }
  }
}
