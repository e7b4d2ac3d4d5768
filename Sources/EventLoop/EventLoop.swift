import CSystemd
import Glibc

/// The daemon's one loop: descriptors, timers, signals and the watchdog, by sd-event(3), on one thread.
///
/// Handlers are called on the thread that runs the loop. A source lives until it is cancelled or released.
@safe public final class EventLoop {
  /// The sd_event itself, for what attaches to it by libsystemd's own means, such as a device monitor.
  package let event: OpaquePointer

  /// Throws: what sd_event_new(3) says, such as ENOMEM or EMFILE.
  public init() throws(SystemError) {
    var event: OpaquePointer?
    let result = unsafe sd_event_new(&event)
    guard result >= 0, let event = unsafe event else { throw SystemError(result, "sd_event_new") }
    unsafe self.event = event
  }

  deinit { unsafe sd_event_unref(event) }

  /// Runs until `exit` is called, and returns its status.
  public func run() throws(SystemError) -> Int32 {
    let result = unsafe sd_event_loop(event)
    guard result >= 0 else { throw SystemError(result, "sd_event_loop") }
    return result
  }

  /// Makes `run` return with a status of 0 or more once the current handler is done.
  public func exit(_ status: Int32 = 0) { unsafe _ = sd_event_exit(event, max(0, status)) }

  /// Handles what is ready, waiting at most `timeout` microseconds for something to be; for tests and tools.
  /// Returns: whether something was.
  @discardableResult
  public func runOnce(timeout: UInt64) throws(SystemError) -> Bool {
    let result = unsafe sd_event_run(event, timeout)
    guard result >= 0 else { throw SystemError(result, "sd_event_run") }
    return result > 0
  }

  /// Lets sd-event answer systemd's watchdog as long as the loop turns, if the unit has one.
  @discardableResult
  public func answerWatchdog() -> Bool { unsafe sd_event_set_watchdog(event, 1) > 0 }

  /// CLOCK_MONOTONIC in microseconds, as the kernel stamps input events.
  public var now: UInt64 { EventLoop.now }

  /// When the loop woke for the handler that it is in, in microseconds of CLOCK_MONOTONIC; costs less than `now`.
  public var wokeAt: UInt64 {
    var time: UInt64 = 0
    // Before the loop has turned for the first time it is the time as it is.
    return unsafe sd_event_now(event, CLOCK_MONOTONIC, &time) >= 0 ? time : now
  }

  public static var now: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000 &+ UInt64(time.tv_nsec) / 1000
  }
}
