import Engine
import EngineCoding
import KeyliftProtocol
import Varlink

/// io.keylift.Monitor: what is happening, for plugins, scripts and people.
final class MonitorService {
  private unowned let daemon: Daemon
  private var subscribers: [Subscriber] = []
  /// What one publication looks like to each kind of subscriber; encoded once a kind (ipc, rule 9).
  private var encoded: [(view: View, message: Message)] = []

  /// What decides how a state looks to a subscriber.
  private struct View: Equatable {
    /// nil for all.
    var wanted: Set<Notification>?
    /// Whose scenes are shown; nil for everybody's (ipc, rule 11).
    var uid: UInt32?
  }

  private final class Subscriber {
    let stream: Stream
    var view: View
    /// Notifications that the reader has not been told yet, each once, in the order of its last occurrence.
    var pending: [Notification] = []

    init(_ stream: Stream, _ view: View) {
      self.stream = stream
      self.view = view
    }
  }

  init(daemon: Daemon, server: Server) {
    self.daemon = daemon
    server.serve(Interfaces.monitor) { [unowned self] call in
      switch call.name {
      case "Subscribe": subscribe(call)
      case "Counters":
        // When a frame comes tells when somebody types.
        guard limit(on: call.peer) == nil else { return call.failDenied() }
        counters(call, of: self.daemon)
      default: call.fail(VarlinkError.methodNotImplemented)
      }
    }
  }

  var subscriberCount: Int { subscribers.count }

  private func subscribe(_ call: Call) {
    let wanted = call.parameters["notifications"].asArray.map { names in
      Set(names.compactMap { $0.asString.flatMap(Notification.init(rawValue:)) })
    }
    guard let stream = call.openStream() else { return }
    let subscriber = Subscriber(stream, View(wanted: wanted, uid: limit(on: stream.peer)))
    subscribers.append(subscriber)
    stream.onClose = { [unowned self, unowned subscriber] in subscribers.removeAll { $0 === subscriber } }
    stream.onDrained = { [unowned self, unowned subscriber] in
      guard !subscriber.pending.isEmpty else { return }
      let notifications = subscriber.pending
      subscriber.pending = []
      stream.send(encode(notifications, subscriber.view, daemon.loop.now))
    }
    stream.send(encode([.snapshot], subscriber.view, daemon.loop.now))
  }

  /// The only user whose scenes a client may see; nil if it may see all.
  private func limit(on peer: Credentials) -> UInt32? {
    daemon.allows(peer, as: daemon.settings.access.monitor) ? nil : peer.uid
  }

  /// From now on each sees what [Access] now says, and who sees other scenes than before is told at once.
  func accessChanged() {
    for subscriber in subscribers where subscriber.view.uid != limit(on: subscriber.stream.peer) {
      subscriber.view.uid = limit(on: subscriber.stream.peer)
      if subscriber.stream.isBlocked {
        subscriber.pending.append(.snapshot)
      } else {
        subscriber.stream.send(encode([.snapshot], subscriber.view, daemon.loop.now))
      }
    }
  }

  /// Tells every subscriber who wants one of the notifications; one who is behind is told once it has read.
  func publish(_ publication: Publication, _ time: UInt64) {
    guard !subscribers.isEmpty, !publication.notifications.isEmpty else { return }
    defer { encoded.removeAll(keepingCapacity: true) }
    for subscriber in subscribers {
      let notifications = publication.notifications.filter { subscriber.view.wanted?.contains($0) ?? true }
      guard !notifications.isEmpty else { continue }
      if subscriber.stream.isBlocked {
        if !subscriber.pending.isEmpty { subscriber.stream.noteMerged() }
        subscriber.pending.removeAll { notifications.contains($0) }
        subscriber.pending += notifications
        continue
      }
      if let same = encoded.first(where: { $0.view == subscriber.view }) {
        subscriber.stream.send(same.message)
      } else {
        let message = encode(notifications, subscriber.view, time)
        encoded.append((subscriber.view, message))
        subscriber.stream.send(message)
      }
    }
  }

  private func encode(_ notifications: [Notification], _ view: View, _ time: UInt64) -> Message {
    Message(continues: true) { writer in
      daemon.engine.writeMonitorState(
        notifications, time: time, daemon.stamp,
        showing: { scene in view.uid == nil || daemon.owner(of: scene.id)?.uid == view.uid }, to: &writer)
    }
  }
}
