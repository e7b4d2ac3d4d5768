import Varlink

extension Check {
  /// Whether connections come near the most that are allowed, or somebody does not read.
  static let limits = Check(id: "limits") { facts in
    let isRefused = facts.daemon.reach == .closed
    guard facts.daemon.isAnswering || isRefused else { return [.needsDaemon] }
    guard let clients = facts.daemon.clients else { return [isRefused ? refused(facts) : .needsRoot] }
    let findings =
      facts.daemon.sockets.flatMap { judge($0, clients) }
      + clients.compactMap { behind($0, facts.daemon.sockets) }
    if isRefused, !findings.contains(where: { $0.state == .failure }) {
      return [.warning("keyliftd closed the connection, and is below its limits now", "keyliftctl doctor")]
        + findings
    }
    if !findings.isEmpty { return findings }
    let counts = facts.daemon.sockets.map {
      "\(number($0["connections"])) of \(number($0["mostConnections"])) connections to \(text($0["socket"]))"
    }
    return [.ok(counts.joined(separator: ", "))]
  }

  private static let list = "sudo keyliftctl clients"

  /// Of somebody who is told no more than that the connection is closed.
  private static func refused(_ facts: Facts) -> Finding {
    .failure(
      "keyliftd refuses the connection: as many are taken as [Access] allows, by all or by one user",
      facts.account.isRoot ? list : "sudo keyliftctl doctor, which is told who has them",
      "Connections= or ConnectionsPerUser= below [Access]")
  }

  /// Who has most connections, three at most: `kiosk (process 60) 250`.
  private static func holders(_ clients: [JSON]) -> String {
    Dictionary(grouping: clients) { number($0["pid"]) }.values
      .sorted { ($1.count, number($0[0]["pid"])) < ($0.count, number($1[0]["pid"])) }.prefix(3)
      .map { "\(text($0[0]["process"])) (process \(number($0[0]["pid"]))) \($0.count)" }
      .joined(separator: ", ")
  }

  private static func judge(_ socket: JSON, _ clients: [JSON]) -> [Finding] {
    let name = text(socket["socket"])
    let members: [JSON.Member] = [
      "socket", "connections", "mostConnections", "mostPerUser", "refused", "sinceRefused",
    ].map { .init($0, socket[$0]) }
    var findings: [Finding] = []
    let here = clients.filter { $0["socket"] == socket["socket"] }
    if let finding = near(
      "\(number(socket["connections"])) of \(number(socket["mostConnections"])) connections to \(name) are taken",
      socket["connections"].asInteger, socket["mostConnections"].asInteger, here, "Connections=")
    {
      findings.append(finding)
    }
    for (user, connections) in Dictionary(grouping: here, by: { number($0["uid"]) })
      .sorted(by: { $0.key < $1.key })
    {
      let text =
        "user \(user) has \(connections.count) of \(number(socket["mostPerUser"])) connections to \(name)"
      if let finding = near(
        text, Int64(connections.count), socket["mostPerUser"].asInteger, connections, "ConnectionsPerUser=")
      {
        findings.append(finding)
      }
    }
    for place in findings.indices { findings[place].facts = members }
    if let refused = socket["refused"].asInteger, refused > 0 {
      findings.append(
        .warning(
          "\(number(socket["refused"])) connections to \(name) were refused since keyliftd began", list,
          "journalctl -u keylift.service -g refused", facts: members
        ).ofLast(socket["sinceRefused"]))
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

  /// A warning from four fifths on, and a failure where no more are taken; nil below.
  ///
  /// - key: of [Access], for who means so many
  private static func near(_ text: String, _ number: Int64?, _ most: Int64?, _ clients: [JSON], _ key: String)
    -> Finding?
  {
    guard let number, let most, most > 0, number >= most - most / 5 else { return nil }
    guard number >= most else { return .warning(text, list, "\(key) below [Access]") }
    return .failure(
      "\(text), and keyliftd refuses more; most are of \(holders(clients))", list,
      "restart or mend the program that needs fewer", "\(key) below [Access], if so many are meant",
      "sudo keyliftctl reload")
  }
}
