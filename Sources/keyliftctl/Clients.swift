import EventLoop
import KeyliftClient
import Varlink

extension Command {
  static let clients = Command(
    name: "clients", summary: "Who is connected, and what for; for root", synopsis: "[--json]",
    details: """
        --json  one JSON object, with the members "clients" and "sockets"

      CALL is what streams on a connection, or is not answered yet. UNSENT counts bytes
      that the client has yet to take, MERGED the states that it never got since it was
      behind and newer ones took their place, CALLS how many calls it made. Below are
      the limits past which a connection is refused. keyliftctl is there itself.
      """,
    options: [Option("json")]
  ) { arguments, daemon in
    let (clients, sockets) = try Daemon(socket: daemon.socket.control).clients(for: "clients")
    if arguments.has("json") {
      return try Output.line(.object([.init("clients", .array(clients)), .init("sockets", sockets)]))
    }
    try Output.write(ClientTable.drawn(clients, sockets: sockets.asArray ?? []))
  }
}

extension Daemon {
  /// Everybody who is connected; over the control socket, and so for root.
  func clients(for command: String) throws(Failure) -> (clients: [JSON], sockets: JSON) {
    let client = try connect()
    do throws(ClientError) {
      return try client.listClients(timeout: Daemon.patience)
    } catch {
      throw failure(error, doing: command)
    }
  }
}

extension Client {
  /// All replies of io.keylift.Control.Clients, each of which may take so many microseconds.
  func listClients(timeout: UInt64) throws(ClientError) -> (clients: [JSON], sockets: JSON) {
    var clients: [JSON] = []
    try send("io.keylift.Control.Clients", .more)
    while true {
      let reply = try next(timeout: timeout)
      if let error = reply.error { throw ClientError.varlink(VarlinkError(error, reply.parameters)) }
      clients += (reply.parameters["clients"].asArray ?? []).map(Client.named)
      if !reply.continues { return (clients, reply.parameters["sockets"]) }
    }
  }

  /// With the name of its process, which the daemon's sandbox hides from it.
  private static func named(_ client: JSON) -> JSON {
    guard case .object(var members) = client, client["process"].isNull,
      let name = client["pid"].asInteger.flatMap({ Int32(exactly: $0) }).flatMap(processName)
    else { return client }
    members.removeAll { $0.key == "process" }
    return .object(members + [.init("process", .string(name))])
  }
}

enum ClientTable {
  static func drawn(_ clients: [JSON], sockets: [JSON]) -> String {
    let rows = clients.map { client in
      [
        text(client["socket"]), number(client["id"]), number(client["uid"]), number(client["pid"]),
        client["process"].isNull ? "gone" : text(client["process"]),
        age(client["age"]), number(client["unsent"]), number(client["merged"]), number(client["calls"]),
        doing(client),
      ]
    }
    let head = ["SOCKET", "ID", "UID", "PID", "PROCESS", "AGE", "UNSENT", "MERGED", "CALLS", "CALL"]
    let limits = sockets.map { socket in
      "\(text(socket["socket"])): \(number(socket["connections"])) of \(number(socket["mostConnections"])) "
        + "connections, \(number(socket["mostPerUser"])) a user at most, \(number(socket["refused"])) refused\n"
    }
    return table([head] + rows) + "\n" + limits.joined()
  }

  /// `Scene.Attach, form (scene-1)`, or nothing.
  private static func doing(_ client: JSON) -> String {
    let call = text(client["call"])
    let method = call.hasPrefix("io.keylift.") ? String(call.dropFirst("io.keylift.".count)) : call
    let scene = client["scene"].isNull ? nil : "\(text(client["name"])) (\(text(client["scene"])))"
    let driver = client["driver"].isNull ? nil : text(client["driver"])
    return [method, scene, driver].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
