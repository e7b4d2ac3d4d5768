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
    let (clients, sockets) = try connected(to: Daemon(socket: daemon.socket.control))
    if arguments.has("json") {
      return try Output.line(.object([.init("clients", .array(clients)), .init("sockets", sockets)]))
    }
    try Output.write(ClientTable.drawn(clients, sockets: sockets.asArray ?? []))
  }

  private static func connected(to control: Daemon) throws(Failure) -> (clients: [JSON], sockets: JSON) {
    let client = try control.connect()
    var clients: [JSON] = []
    do throws(ClientError) {
      try client.send("io.keylift.Control.Clients", .more)
      while true {
        let reply = try client.next(timeout: Daemon.patience)
        if let error = reply.error { throw ClientError.varlink(VarlinkError(error, reply.parameters)) }
        clients += (reply.parameters["clients"].asArray ?? []).map(named)
        if !reply.continues { return (clients, reply.parameters["sockets"]) }
      }
    } catch {
      throw control.failure(error, doing: "clients")
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
        client["process"].isNull ? "gone" : text(client["process"]), age(client["age"]),
        number(client["unsent"]), number(client["merged"]), number(client["calls"]), doing(client),
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

  /// `0.2 s`, `12 min`, `3.5 h`
  private static func age(_ seconds: JSON) -> String {
    guard let seconds = seconds.asDouble else { return "?" }
    if seconds < 120 { return "\(decimal(seconds, places: 1)) s" }
    return seconds < 7200
      ? "\(decimal(seconds / 60, places: 0)) min" : "\(decimal(seconds / 3600, places: 1)) h"
  }
}
