import DBus
import EventLoop

/// The session's bus, as soon and as long as it is there.
final class SessionBus {
  /// Nil while there is none.
  private(set) var bus: Bus?

  /// After which is tried again, in microseconds; after twice as long each time.
  private static let shortest: UInt64 = 1_000_000
  private static let longest: UInt64 = 60_000_000

  let loop: EventLoop
  private let log: Log
  private var timer: TimerSource?
  private var pause = SessionBus.shortest
  private var users: [(Bus?) -> Void] = []

  init(on loop: EventLoop, _ log: Log) throws(SystemError) {
    self.loop = loop
    self.log = log
    timer = try loop.timer { [unowned self] in connect() }
    connect()
  }

  /// Tells of the bus: at once if it is there, and whenever it comes or goes (nil).
  func use(_ user: @escaping (Bus?) -> Void) {
    users.append(user)
    if let bus { user(bus) }
  }

  private func connect() {
    do throws(SystemError) {
      let bus = try Bus(sessionOn: loop)
      bus.onDisconnect = { [unowned self] in
        log.warning("the session bus is gone")
        self.bus = nil
        for user in users { user(nil) }
        timer?.arm(at: loop.now + SessionBus.shortest)
      }
      self.bus = bus
      pause = SessionBus.shortest
      for user in users { user(bus) }
    } catch {
      log.debug("\(error)")
      timer?.arm(at: loop.now + pause)
      pause = min(pause * 2, SessionBus.longest)
    }
  }
}
