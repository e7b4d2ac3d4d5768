import Varlink

extension Check {
  /// Whether connections come near the most that are allowed, or somebody does not read.
  static let limits = Check(id: "limits") { facts in
    guard facts.daemon.isAnswering else {
      return [
        facts.daemon.reach == .closed
          ? .failure("keyliftd refuses the connection: there are too many", "sudo keyliftctl clients")
          : .needsDaemon
      ]
    }
    guard let clients = facts.daemon.clients else { return [.needsRoot] }
    let findings =
      facts.daemon.sockets.flatMap { judge($0, clients) }
      + clients.compactMap { behind($0, facts.daemon.sockets) }
    if !findings.isEmpty { return findings }
    let counts = facts.daemon.sockets.map {
      "\(number($0["connections"])) of \(number($0["mostConnections"])) connections to \(text($0["socket"]))"
    }
    return [.ok(counts.joined(separator: ", "))]
  }

  private static let list = "sudo keyliftctl clients"

  private static func judge(_ socket: JSON, _ clients: [JSON]) -> [Finding] {
    let name = text(socket["socket"])
    let members: [JSON.Member] = ["socket", "connections", "mostConnections", "mostPerUser", "refused"]
      .map { .init($0, socket[$0]) }
    var findings: [Finding] = []
    if isNear(socket["connections"].asInteger, socket["mostConnections"].asInteger) {
      findings.append(
        .warning(
          "\(number(socket["connections"])) of \(number(socket["mostConnections"])) connections to \(name) are taken",
          list, "Connections= below [Access]", facts: members))
    }
    let users = Dictionary(grouping: clients.filter { $0["socket"] == socket["socket"] }) {
      number($0["uid"])
    }
    for (user, connections) in users.sorted(by: { $0.key < $1.key })
    where isNear(Int64(connections.count), socket["mostPerUser"].asInteger) {
      findings.append(
        .warning(
          "user \(user) has \(connections.count) of \(number(socket["mostPerUser"])) connections to \(name)",
          list, "ConnectionsPerUser= below [Access]", facts: members))
    }
    if let refused = socket["refused"].asInteger, refused > 0 {
      findings.append(
        .warning(
          "\(number(socket["refused"])) connections to \(name) were refused since keyliftd began", list,
          "journalctl -u keylift.service -g refused", facts: members))
    }
    return findings
  }

  /// A client that has much of what it was sent yet to read.
  private static func behind(_ client: JSON, _ sockets: [JSON]) -> Finding? {
    guard let unsent = client["unsent"].asInteger,
      let most = sockets.first(where: { $0["socket"] == client["socket"] })?["mostUnsent"].asInteger,
      most > 0, unsent > most / 2
    else { return nil }
    return .warning(
      "\(text(client["process"])) (process \(number(client["pid"]))) does not read what it is sent, and will be "
        + "closed: \(unsent) bytes wait", list,
      facts: [.init("pid", client["pid"]), .init("unsent", client["unsent"])])
  }

  /// Four fifths or more.
  private static func isNear(_ number: Int64?, _ most: Int64?) -> Bool {
    guard let number, let most, most > 0 else { return false }
    return number >= most - most / 5
  }
}
