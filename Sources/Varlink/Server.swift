import EventLoop
import Glibc

/// Serves interfaces to whoever connects to its sockets, each call checked against the description served.
///
/// org.varlink.service is served by itself. Keep the server for as long as it is to serve.
public final class Server {
  /// What clients may cost, and what they are given; the defaults are Keylift's.
  public struct Limits: Sendable {
    /// Bytes of a message, its NUL not counted, unless `setLimit` says another for its method.
    public var message = 65_536
    /// Bytes of the longest message of any method.
    public var framing = 262_144
    /// Bytes that wait to be sent to one connection.
    public var unsent = 262_144
    /// Microseconds without progress while something waits; the kernel tells of each half `sendBuffer` or so.
    public var stall: UInt64 = 10_000_000
    public var connections = 1024
    public var connectionsPerUser = 256
    /// Microseconds without accepting, after there was no descriptor or memory for it.
    public var acceptPause: UInt64 = 100_000
    /// Descriptors that are not for connections, of 512 or more.
    public var keptDescriptors: UInt = 64
    /// Microseconds that waiting calls are handled before the loop looks for what is more urgent.
    public var turn: UInt64 = 5_000
    /// SO_SNDBUF in bytes: how much old news the kernel keeps for a slow reader.
    public var sendBuffer: Int32 = 32_768

    public init() {}
  }

  /// Why a client was closed.
  public enum Blame: String, CaseIterable, Sendable {
    /// There are as many connections as there may be, of all users or of one.
    case connections, connectionsPerUser
    /// It takes nothing, for `stall`, or until more than `unsent` waited.
    case stall, unsent
    /// More waits for it than a stream keeps that leaves nothing out.
    case behind
    /// What it sent is no call, or is too long.
    case malformed
  }

  /// What has happened since the server began; only goes up.
  public struct Totals: Sendable {
    /// Connections, those that were refused not counted.
    public internal(set) var accepted = 0
    public internal(set) var calls = 0
    /// Calls that were answered by an error.
    public internal(set) var errors = 0
    /// States that were never sent, since newer ones took their place.
    public internal(set) var merged = 0
    /// Connections that were refused or closed for what they do.
    public internal(set) var closed: [Blame: Int] = [:]
    /// When the last one was refused, in microseconds of CLOCK_MONOTONIC.
    public internal(set) var refusedAt: UInt64?
  }

  /// What GetInfo says of the service.
  public struct Identity: Sendable {
    public var vendor: String
    public var product: String
    public var version: String
    public var url: String

    public init(vendor: String, product: String, version: String, url: String) {
      self.vendor = vendor
      self.product = product
      self.version = version
      self.url = url
    }
  }

  /// Smaller ones hold for what comes from then on.
  public var limits: Limits
  public let identity: Identity
  /// Called when a client is closed for what it does, or does not do.
  public var onBlame: ((Blame, Credentials) -> Void)?
  /// Takes a connection from a listening socket, as accept(2) does.
  var acceptor = Socket.accept
  let readBuffer = ReadBuffer(capacity: 65_536)

  private struct Service {
    let description: InterfaceDescription
    let handler: (Call) -> Void
  }

  private let loop: EventLoop
  private var services: [String: Service] = [:]
  private var interfaces: [String] = []
  private var methodLimits: [String: Int] = [:]
  private var listeners: [Int32: DescriptorSource] = [:]
  private var byID: [UInt64: Connection] = [:]
  private var byUser: [UInt32: Int] = [:]
  private var scheduled: [Connection] = []
  private var scratch = Message()
  private var turnTimer: TimerSource?
  private var acceptTimer: TimerSource?
  private var stallTimer: TimerSource?
  private var isWatchingProgress = false
  private var lastID: UInt64 = 0
  public internal(set) var totals = Totals()
  /// How often something was sent, or queued for who is behind. Apart from the others, since it is counted so often.
  var sends = 0

  /// Serves on listening sockets, which are the server's from now on.
  /// Throws: what the loop says to watching them.
  public init(
    loop: EventLoop, listening descriptors: [Int32], identity: Identity, limits: Limits = Limits()
  ) throws(SystemError) {
    self.loop = loop
    self.identity = identity
    self.limits = limits
    turnTimer = try loop.timer { [weak self] in self?.turn() }
    acceptTimer = try loop.timer { [weak self] in self?.listen(true) }
    stallTimer = try loop.timer { [weak self] in self?.closeStalled() }
    for descriptor in descriptors {
      Socket.prepare(descriptor)
      listeners[descriptor] = try loop.watch(descriptor) { [weak self] _ in self?.accept(descriptor) }
    }
    serveItself()
  }

  deinit {
    let connections = Array(byID.values) + scheduled
    close()
    for connection in connections { connection.abandon() }
  }

  /// Stops listening and closes every connection; who has calls or streams hears of it from the loop.
  public func close() {
    for (descriptor, source) in listeners {
      source.cancel()
      Glibc.close(descriptor)
    }
    listeners = [:]
    for connection in byID.values { connection.close() }
  }

  /// Serves an interface: the handler gets each call whose parameters are as described.
  public func serve(_ interface: InterfaceDescription, _ handler: @escaping (Call) -> Void) {
    if services.updateValue(Service(description: interface, handler: handler), forKey: interface.name) == nil
    {
      interfaces.append(interface.name)
    }
  }

  /// Lets messages to a method, by its qualified name, be of another length in bytes than the others.
  public func setLimit(_ bytes: Int, for method: String) { methodLimits[method] = min(bytes, limits.framing) }

  /// How often something was sent, or queued for who is behind.
  package var sendCount: Int { sends }

  /// How many connections were closed at once, for being past the limits.
  public var refused: Int {
    totals.closed[.connections, default: 0] + totals.closed[.connectionsPerUser, default: 0]
  }

  /// How many connections there are.
  public var connectionCount: Int { byID.count }

  /// The connections there are, the oldest first.
  public var connections: [Connection] { byID.values.sorted { $0.id < $1.id } }

  // MARK: Calls

  package func limit(of method: String) -> Int { methodLimits[method] ?? limits.message }

  func dispatch(_ call: Call) {
    guard let service = services[call.interface] else {
      return call.fail(VarlinkError.interfaceNotFound) { $0.field("interface", call.interface) }
    }
    guard let method = service.description.methods[call.name] else {
      return call.fail(VarlinkError.methodNotFound) { $0.field("method", call.method) }
    }
    guard !call.wantsUpgrade else {
      return call.fail(VarlinkError.methodNotImplemented) { $0.field("method", call.method) }
    }
    if let path = service.description.validate(parameters: call.parameters, of: method) {
      return call.failInvalid(parameter: path.isEmpty ? "parameters" : path)
    }
    service.handler(call)
  }

  private func serveItself() {
    guard let description = try? InterfaceDescription(InterfaceDescription.serviceText) else { return }
    serve(description) { [unowned self] call in
      switch call.name {
      case "GetInfo":
        call.reply { writer in
          writer.field("vendor", identity.vendor)
          writer.field("product", identity.product)
          writer.field("version", identity.version)
          writer.field("url", identity.url)
          writer.field("interfaces", interfaces)
        }
      default:
        let name = call.parameters["interface"].asString ?? ""
        guard let service = services[name] else {
          return call.fail(VarlinkError.interfaceNotFound) { $0.field("interface", name) }
        }
        call.reply { $0.field("description", service.description.text) }
      }
    }
  }

  /// Encodes into memory that is kept for it.
  func withScratch(_ body: (inout Message) -> Void) {
    var message = Message(capacity: 0)
    swap(&message, &scratch)
    body(&message)
    // A long reply's memory goes, the usual one's stays.
    if message.bytes.capacity <= 65_536 { swap(&message, &scratch) }
  }

  // MARK: Accepting

  private func accept(_ listener: Int32) {
    for _ in 0..<32 {
      guard hasSpareDescriptors(kept: limits.keptDescriptors) else { return pauseAccepting() }
      let descriptor = acceptor(listener)
      if descriptor >= 0 {
        adopt(descriptor)
        continue
      }
      switch errno {
      case EAGAIN: return
      case EINTR, ECONNABORTED, EPERM, EPROTO: continue
      default:
        return pauseAccepting()  // EMFILE, ENFILE, ENOBUFS, ENOMEM
      }
    }
  }

  /// The clients wait in the backlog meanwhile.
  private func pauseAccepting() {
    listen(false)
    acceptTimer?.arm(at: EventLoop.now + limits.acceptPause)
  }

  private func listen(_ isOn: Bool) {
    for source in listeners.values { source.wait(for: isOn ? .readable : []) }
  }

  /// Serves a connected socket, which is the server's from now on; past the limits it is closed at once.
  public func adopt(_ descriptor: Int32) {
    guard let peer = Credentials(of: descriptor) else {
      Glibc.close(descriptor)
      return
    }
    adopt(descriptor, peer: peer)
  }

  /// As `adopt`, for a peer who is known to be somebody.
  package func adopt(_ descriptor: Int32, peer: Credentials) {
    let isFull = byID.count >= limits.connections
    guard !isFull, byUser[peer.uid, default: 0] < limits.connectionsPerUser else {
      Glibc.close(descriptor)
      totals.refusedAt = EventLoop.now
      tell(isFull ? .connections : .connectionsPerUser, peer)
      return
    }
    var size = limits.sendBuffer
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    lastID += 1
    let connection = Connection(id: lastID, peer: peer, descriptor: descriptor, server: self)
    do {
      try connection.start(on: loop)
    } catch {
      return
    }
    totals.accepted &+= 1
    byID[connection.id] = connection
    byUser[peer.uid, default: 0] += 1
  }

  /// Counts a client that is closed for what it does, and says so.
  func tell(_ blame: Blame, _ peer: Credentials) {
    totals.closed[blame, default: 0] &+= 1
    onBlame?(blame, peer)
  }

  func forget(_ connection: Connection) {
    guard byID.removeValue(forKey: connection.id) != nil else { return }
    let rest = byUser[connection.peer.uid, default: 1] - 1
    byUser[connection.peer.uid] = rest > 0 ? rest : nil
  }

  // MARK: Turns of the loop

  /// Lets a connection go on in the loop's next turn, after what is more urgent.
  func schedule(_ connection: Connection) {
    guard !connection.isScheduled else { return }
    connection.isScheduled = true
    if scheduled.isEmpty { turnTimer?.arm(at: 0) }
    scheduled.append(connection)
  }

  private func turn() {
    let connections = scheduled
    scheduled = []
    let end = EventLoop.now + limits.turn
    for (place, connection) in connections.enumerated() {
      connection.isScheduled = false
      connection.turn()
      guard EventLoop.now >= end, place + 1 < connections.count else { continue }
      // The others go on before those that came meanwhile.
      scheduled.insert(contentsOf: connections[(place + 1)...], at: 0)
      turnTimer?.arm(at: 0)
      return
    }
  }

  /// Sees to it that a client that takes nothing until then is noticed.
  func watchProgress(until time: UInt64) {
    guard !isWatchingProgress else { return }
    isWatchingProgress = true
    stallTimer?.arm(at: time)
  }

  private func closeStalled() {
    isWatchingProgress = false
    let now = EventLoop.now
    var next = UInt64.max
    for connection in byID.values where connection.isBlocked {
      // The kernel reports room only once most of its buffer was read; a write finds any.
      if connection.lastProgress + limits.stall <= now { connection.retry() }
      guard connection.isBlocked else { continue }
      let deadline = connection.lastProgress + limits.stall
      if deadline <= now { connection.close(for: .stall) } else { next = min(next, deadline) }
    }
    if next < .max { watchProgress(until: next) }
  }
}
