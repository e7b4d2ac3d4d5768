import EventLoop
import Varlink

/// Tells of clients that were closed for what they do: the first of a kind at once, then how many it were in a minute.
struct Blames {
  /// In microseconds.
  private static let pause: UInt64 = 60_000_000

  private struct Kind {
    var toldAt: UInt64
    var untold = 0
  }

  private var kinds: [Server.Blame: Kind] = [:]

  /// What is to be logged of one more; nil for nothing.
  ///
  /// - now: microseconds of CLOCK_MONOTONIC
  mutating func take(_ blame: Server.Blame, of peer: Credentials, _ access: Access, at now: UInt64) -> String?
  {
    let untold = kinds[blame]?.untold ?? 0
    if let kind = kinds[blame], now - min(now, kind.toldAt) < Blames.pause {
      kinds[blame]?.untold = untold &+ 1
      return nil
    }
    kinds[blame] = Kind(toldAt: now)
    let what =
      switch blame {
      case .connections:
        "is refused: there are \(access.connections) connections, as [Access] Connections= says"
      case .connectionsPerUser:
        "is refused: its user has \(access.connectionsPerUser) connections, as [Access] ConnectionsPerUser= says"
      case .stall: "is closed: it has read nothing for 10 s of what it is told"
      case .unsent: "is closed: 256 KiB wait that it does not read"
      case .malformed: "is closed: what it sent is no Varlink call, or is too long"
      }
    return "process \(peer.pid) of uid \(peer.uid) \(what)"
      + (untold > 0 ? "; so were \(untold) before it" : "")
  }
}
