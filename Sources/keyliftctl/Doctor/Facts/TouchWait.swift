import EventLoop
import KeyliftClient
import Varlink

/// What came while somebody was asked to touch the screen.
enum TouchWait: Equatable, Sendable {
  /// Nobody was asked.
  case skipped
  /// A finger, as root is told.
  case touch(SeenTouch)
  /// What any client is told of: that focus, keyboard or layout changed.
  case notifications([String])
  /// - seesTouches: whether a finger would have been seen, whatever it does.
  case nothing(seconds: Double, seesTouches: Bool)

  /// Waits for a finger on a touchscreen, for so many seconds at most.
  ///
  /// - countdown: is told how many seconds are left, each second
  static func gather(_ daemon: Daemon, seconds: Double, _ countdown: (Int) -> Void) -> TouchWait {
    let control = Daemon(socket: daemon.socket.control)
    if let client = try? Client(path: control.socket.path, timeout: 1_000_000),
      (try? client.send("io.keylift.Control.Touches", .more)) != nil
    {
      let found = first(on: client, seconds: seconds, countdown) { reply in
        SeenTouch(reply).flatMap { $0.device == "injected" ? nil : TouchWait.touch($0) }
      }
      return found ?? .nothing(seconds: seconds, seesTouches: true)
    }
    guard let client = try? Client(path: daemon.socket.path, timeout: 1_000_000),
      (try? client.send("io.keylift.Monitor.Subscribe", .more)) != nil
    else { return .skipped }
    let found = first(on: client, seconds: seconds, countdown) { reply in
      let names = (reply["notifications"].asArray ?? []).compactMap(\.asString)
      let touched = names.filter {
        $0.hasPrefix("focus") || $0.hasPrefix("keyboard") || $0 == "layoutChanged"
      }
      return touched.isEmpty ? nil : TouchWait.notifications(touched)
    }
    return found ?? .nothing(seconds: seconds, seesTouches: false)
  }

  /// The first reply that is taken for one; nil if none came in time.
  private static func first(
    on client: Client, seconds: Double, _ countdown: (Int) -> Void, _ isIt: (JSON) -> TouchWait?
  ) -> TouchWait? {
    let end = EventLoop.now &+ UInt64(max(0, seconds) * 1_000_000)
    while true {
      let now = EventLoop.now
      guard now < end else { return nil }
      let left = end - now
      countdown(Int((left &+ 999_999) / 1_000_000))
      do throws(ClientError) {
        let reply = try client.next(timeout: min(left, 1_000_000))
        if reply.error != nil { return .skipped }
        if let found = isIt(reply.parameters) { return found }
      } catch .timedOut {
        continue
      } catch {
        return .skipped  // the daemon has hung up
      }
    }
  }
}
