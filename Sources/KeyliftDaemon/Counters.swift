import Engine
import Statistics

/// What is counted for io.keylift.Monitor.Counters, but for what devices, servers and plugins count for themselves.
struct Counters {
  /// In microseconds of CLOCK_MONOTONIC.
  let startedAt: UInt64
  /// Of devices that are gone.
  private(set) var frames = 0
  private(set) var drops = 0
  private(set) var shows = 0
  private(set) var hides = 0
  var reloads = 0
  var failedReloads = 0

  /// The stages of a frame's way, and all of it, in microseconds.
  private(set) var kernel = Histogram()
  private(set) var decision = Histogram()
  private(set) var delivery = Histogram()
  private(set) var whole = Histogram()

  init(startedAt: UInt64) { self.startedAt = startedAt }

  /// Takes a frame's times, which are microseconds of CLOCK_MONOTONIC.
  ///
  /// - delivered: nil if nobody was sent anything
  mutating func take(stamped: UInt64, read: UInt64, decided: UInt64, delivered: UInt64?) {
    // More frames may have come since the loop woke, and were read with the others.
    let read = max(read, stamped)
    kernel.take(read &- stamped)
    decision.take(decided &- min(read, decided))
    guard let delivered else { return }
    delivery.take(delivered &- min(decided, delivered))
    whole.take(delivered &- min(stamped, delivered))
  }

  mutating func take(_ notifications: [Notification]) {
    for notification in notifications {
      switch notification {
      case .keyboardWillShow: shows &+= 1
      case .keyboardWillHide: hides &+= 1
      default: break
      }
    }
  }

  /// Keeps what a device counted, that goes.
  mutating func keep(frames: Int, drops: Int) {
    self.frames &+= frames
    self.drops &+= drops
  }
}
