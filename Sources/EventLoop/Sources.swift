import CSystemd
import Glibc

/// What a loop calls back; cancelled when released, so its owner keeps it.
@safe public class EventSource {
  var source: OpaquePointer?

  init() {}

  deinit { cancel() }

  /// Ends the source: its handler is not called again. Safe within its own handler, and twice.
  public func cancel() {
    guard let source = unsafe source else { return }
    unsafe self.source = nil
    unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    unsafe sd_event_source_unref(source)
  }

  var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }
}

func object<T: EventSource>(_ context: UnsafeMutableRawPointer?, _: T.Type) -> T? {
  guard let context = unsafe context else { return nil }
  return unsafe Unmanaged<T>.fromOpaque(context).takeUnretainedValue()
}

/// A descriptor that is watched; the descriptor stays its owner's to close, after cancelling.
public final class DescriptorSource: EventSource {
  private let handler: (Readiness) -> Void

  fileprivate init(
    _ loop: EventLoop, _ descriptor: Int32, _ interest: Readiness, _ priority: Priority,
    _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) {
    self.handler = handler
    super.init()
    let result = unsafe sd_event_add_io(
      loop.event, &source, descriptor, interest.rawValue,
      { _, _, ready, context in
        guard let self = unsafe object(context, DescriptorSource.self) else { return 0 }
        self.handler(Readiness(rawValue: ready))
        return 0
      }, context)
    guard result >= 0 else { throw SystemError(result, "sd_event_add_io") }
    unsafe sd_event_source_set_priority(source, priority.rawValue)
  }

  /// Changes what is waited for; an empty set still reports hang-up and errors.
  public func wait(for interest: Readiness) {
    guard let source = unsafe source else { return }
    unsafe sd_event_source_set_io_events(source, interest.rawValue)
  }
}

/// A timer on CLOCK_MONOTONIC that is off until armed, and off again once it fired.
public final class TimerSource: EventSource {
  private let handler: () -> Void

  fileprivate init(_ loop: EventLoop, _ priority: Priority, _ handler: @escaping () -> Void)
    throws(SystemError)
  {
    self.handler = handler
    super.init()
    let result = unsafe sd_event_add_time(
      loop.event, &source, CLOCK_MONOTONIC, 0, 1000,
      { _, _, context in
        guard let self = unsafe object(context, TimerSource.self) else { return 0 }
        self.handler()
        return 0
      }, context)
    guard result >= 0 else { throw SystemError(result, "sd_event_add_time") }
    unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    unsafe sd_event_source_set_priority(source, priority.rawValue)
  }

  /// Fires once at a time in microseconds of CLOCK_MONOTONIC, to within a millisecond.
  public func arm(at time: UInt64) {
    guard let source = unsafe source else { return }
    unsafe sd_event_source_set_time(source, time)
    unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
  }

  public func disarm() {
    guard let source = unsafe source else { return }
    unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
  }
}

/// A signal that the loop takes instead of its default action.
public final class SignalSource: EventSource {
  private let handler: () -> Void

  fileprivate init(_ loop: EventLoop, _ signal: Int32, _ handler: @escaping () -> Void) throws(SystemError) {
    self.handler = handler
    super.init()
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, signal)
    unsafe sigprocmask(SIG_BLOCK, &set, nil)
    let result = unsafe sd_event_add_signal(
      loop.event, &source, signal,
      { _, _, context in
        guard let self = unsafe object(context, SignalSource.self) else { return 0 }
        self.handler()
        return 0
      }, context)
    guard result >= 0 else { throw SystemError(result, "sd_event_add_signal") }
  }
}

extension EventLoop {
  /// Calls the handler whenever the descriptor is ready for one of the things waited for.
  /// Throws: EPERM for a descriptor that cannot be polled, ENOMEM.
  public func watch(
    _ descriptor: Int32, for interest: Readiness = .readable, priority: Priority = .normal,
    _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) -> DescriptorSource {
    try DescriptorSource(self, descriptor, interest, priority, handler)
  }

  /// A timer, not yet armed.
  public func timer(priority: Priority = .normal, _ handler: @escaping () -> Void) throws(SystemError)
    -> TimerSource
  { try TimerSource(self, priority, handler) }

  /// Blocks the signal and calls the handler instead.
  public func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> SignalSource {
    try SignalSource(self, signal, handler)
  }
}
