import Engine
import EngineCoding
import EventLoop
import KeyliftProtocol
import Varlink

/// Everybody who was connected when they were asked for, in as many replies as they take (io.keylift.Control.Clients).
final class ClientList {
  private unowned let daemon: Daemon
  private var clients: ArraySlice<Client>

  /// Clients in one reply: so few that it can be sent whatever their names are.
  private static let perReply = 100

  private struct Client {
    let id: UInt64
    let socket: DaemonSocketName
    let peer: Credentials
    let openedAt: UInt64
    let method: String?
    let scene: SceneID?
    let driver: String?
    let unsent: Int
    let merged: Int
    let calls: Int
  }

  init(of daemon: Daemon) {
    self.daemon = daemon
    let scenes = daemon.scenesByConnection
    let drivers = daemon.driversByConnection
    var clients: [Client] = []
    for (socket, server) in daemon.servers {
      for connection in server.connections {
        clients.append(
          Client(
            id: connection.id, socket: socket, peer: connection.peer, openedAt: connection.openedAt,
            method: connection.method, scene: socket == .main ? scenes[connection.id] : nil,
            driver: socket == .main ? drivers[connection.id] : nil, unsent: connection.unsent,
            merged: connection.merged, calls: connection.calls))
      }
    }
    self.clients = clients[...]
  }

  /// Sends what the stream takes now; the last reply ends it.
  func send(on stream: Stream) {
    while !stream.isBlocked, stream.isOpen, !clients.isEmpty {
      let part = clients.prefix(ClientList.perReply)
      clients = clients.dropFirst(ClientList.perReply)
      let fields: (inout JSONWriter) -> Void = { [self] writer in
        writer.array("sockets") { writer in
          for (socket, server) in daemon.servers { writer.object { write(socket, server, to: &$0) } }
        }
        writer.array("clients") { writer in
          for client in part { writer.object { write(client, to: &$0) } }
        }
      }
      if clients.isEmpty { stream.end(fields) } else { stream.send(Message(continues: true, fields)) }
    }
  }

  private func write(_ socket: DaemonSocketName, _ server: Server, to writer: inout JSONWriter) {
    writer.field("socket", socket.rawValue)
    writer.field("connections", server.connectionCount)
    writer.field("mostConnections", server.limits.connections)
    writer.field("mostPerUser", server.limits.connectionsPerUser)
    writer.field("mostUnsent", server.limits.unsent)
    writer.field("refused", server.refused)
    if let refusedAt = server.totals.refusedAt {
      let now = daemon.loop.now
      writer.field("sinceRefused", Double(now - min(now, refusedAt)) / 1_000_000)
    } else {
      writer.null("sinceRefused")
    }
  }

  private func write(_ client: Client, to writer: inout JSONWriter) {
    let now = daemon.loop.now
    writer.field("id", Int64(clamping: client.id))
    writer.field("socket", client.socket.rawValue)
    writer.field("uid", Int64(client.peer.uid))
    writer.field("pid", Int64(client.peer.pid))
    writer.field("process", processName(client.peer.pid))
    writer.field("age", Double(now - min(now, client.openedAt)) / 1_000_000)
    writer.field("call", client.method)
    writer.field("scene", client.scene.map { Engine.name(of: $0) })
    writer.field("name", client.scene.flatMap { daemon.engine.scene($0)?.description.name })
    writer.field("driver", client.driver)
    writer.field("unsent", client.unsent)
    writer.field("merged", client.merged)
    writer.field("calls", client.calls)
    if let name = client.driver, let driver = daemon.engine.drivers.first(where: { $0.name == name }),
      let visible = driver.visible
    {
      writer.field("reported", visible)
    } else {
      writer.null("reported")
    }
    writer.field("problem", client.driver.flatMap { daemon.driverProblem($0) })
    if let isAbsent = client.driver.flatMap({ daemon.driverIsAbsent($0) }) {
      writer.field("absent", isAbsent)
    } else {
      writer.null("absent")
    }
  }
}

/// The daemon's two sockets.
package enum DaemonSocketName: String { case main, control }

extension ControlService {
  func clients(_ call: Call, of daemon: Daemon) {
    guard let stream = call.openStream() else { return }
    let list = ClientList(of: daemon)
    stream.onDrained = { [unowned stream] in list.send(on: stream) }
    list.send(on: stream)
  }
}
