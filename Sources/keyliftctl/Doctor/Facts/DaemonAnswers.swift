import EventLoop
import Glibc
import KeyliftClient
import Varlink

/// What the daemon answers, as far as it may be asked; every question has a deadline.
struct DaemonAnswers: Equatable, Sendable {
  enum Reach: Equatable, Sendable {
    /// Nothing was asked, so that no daemon is started by it.
    case notAsked
    case answers
    case noSocket
    /// The file is there, and nobody listens.
    case nobodyListens
    case permissionDenied
    /// It takes no call, or does not answer in time.
    case silent
    /// It closed the connection, as it does past its limits.
    case closed
    case failed(String)
  }

  var reach = Reach.notAsked
  /// org.varlink.service.GetInfo's.
  var version = ""
  /// A monitor's snapshot; null if there was none.
  var state = JSON.null
  /// io.keylift.Monitor.Counters; null from an older daemon.
  var counters = JSON.null
  /// Control's; nil if it could not be asked.
  var nodes: [JSON]?
  /// The MATCH of each section of a device that is for none that is there.
  var unmatched: [String] = []
  var clients: [JSON]?
  var sockets: [JSON] = []
  var plugins: [JSON]?
  /// Who made the control socket, which is the daemon itself.
  var pid: Int?

  var isAnswering: Bool { reach == .answers && !state.isNull }
  var screens: [JSON] { state["screens"].asArray ?? [] }
  var scenes: [JSON] { state["scenes"].asArray ?? [] }

  /// For one answer, in microseconds; a daemon that takes so long hangs.
  private static let patience: UInt64 = 2_000_000
  /// At who is connected, as long as a driver has something to read; the pauses in microseconds.
  private static let mostLooks = 11
  private static let betweenLooks: UInt32 = 100_000

  static func gather(_ daemon: Daemon) -> DaemonAnswers {
    var answers = DaemonAnswers()
    do throws(ClientError) {
      let client = try Client(path: daemon.socket.path, timeout: patience)
      answers.version =
        try client.call("org.varlink.service.GetInfo", timeout: patience)["version"].asString ?? ""
      // By one connection, since there may be few left.
      do throws(ClientError) {
        answers.counters = try client.call("io.keylift.Monitor.Counters", timeout: patience)
      } catch .varlink {}  // not for this user, or an older daemon
      answers.state = try client.snapshot(timeout: patience)
      answers.reach = .answers
    } catch {
      answers.reach = Reach(error)
      // Past its limits it takes nobody else; root has a socket with limits of its own.
      guard answers.reach == .closed else { return answers }
    }
    do throws(ClientError) {
      try answers.askControl(daemon.socket.control)
    } catch .timedOut, .wouldBlock {
      if answers.reach == .answers { answers.reach = .silent }
    } catch {}  // not for this user, or an older daemon
    return answers
  }

  private mutating func askControl(_ socket: DaemonSocket) throws(ClientError) {
    let client = try Client(path: socket.path, timeout: Self.patience)
    pid = client.peer.map { Int($0.pid) }
    let devices = try client.call("io.keylift.Control.Devices", timeout: Self.patience)
    nodes = devices["devices"].asArray ?? []
    unmatched = (devices["unmatched"].asArray ?? []).compactMap(\.asString)
    let plugins = try client.call("io.keylift.Control.Plugins", timeout: Self.patience)
    self.plugins = plugins["plugins"].asArray ?? []
    for look in 1...Self.mostLooks {
      let (clients, sockets) = try client.listClients(timeout: Self.patience)
      self.clients = clients
      self.sockets = sockets.asArray ?? []
      // What a driver was just sent it may be about to read.
      let isWaiting = clients.contains { !$0["driver"].isNull && ($0["unsent"].asInteger ?? 0) > 0 }
      guard isWaiting, look < Self.mostLooks else { return }
      usleep(Self.betweenLooks)
    }
  }
}

extension DaemonAnswers.Reach {
  init(_ error: ClientError) {
    self =
      switch error {
      case .noSocket: .noSocket
      case .notListening: .nobodyListens
      case .permissionDenied: .permissionDenied
      case .timedOut, .wouldBlock: .silent
      case .closed: .closed
      default: .failed("\(error)")
      }
  }
}
