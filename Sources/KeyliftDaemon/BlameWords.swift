import Varlink

extension Server.Blame {
  /// What became of a client for it, and why, after its name.
  func words(_ access: Access) -> String {
    switch self {
    case .connections:
      "is refused: there are \(access.connections) connections, as [Access] Connections= says"
    case .connectionsPerUser:
      "is refused: its user has \(access.connectionsPerUser) connections, as [Access] ConnectionsPerUser= says"
    case .stall: "is closed: it has read nothing for 10 s of what it is told"
    case .unsent: "is closed: 256 KiB wait that it does not read"
    case .behind: "is closed: more touches wait than are kept for one that does not read them"
    case .malformed: "is closed: what it sent is no Varlink call, or is too long"
    }
  }
}
