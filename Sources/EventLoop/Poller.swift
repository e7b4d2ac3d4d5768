import CSystemd
import Glibc

/// Descriptors and a clock behind one descriptor, for what is to live on any loop (epoll(7), timerfd_create(2)).
public final class Poller {
  /// Readable whenever `ready` has something to say; it stays the same.
  public let descriptor: Int32
  private let clock: Int32
  private var watched: [Int32: (key: UInt32, interest: Readiness)] = [:]

  private static let clockKey = UInt32.max

  /// Throws: EMFILE, ENFILE, ENOMEM.
  public init() throws(SystemError) {
    let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard poll >= 0 else { throw SystemError(errno, "epoll_create1") }
    let clock = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard clock >= 0 else {
      let code = errno
      close(poll)
      throw SystemError(code, "timerfd_create")
    }
    descriptor = poll
    self.clock = clock
    try control(EPOLL_CTL_ADD, clock, Poller.clockKey, .readable)
  }

  deinit {
    close(clock)
    close(descriptor)
  }

  /// Watches a descriptor, or what else for; `key` is what `ready` calls it.
  /// Throws: what epoll_ctl(2) says, such as ENOSPC where user limits are reached.
  public func watch(_ descriptor: Int32, as key: UInt32, for interest: Readiness) throws(SystemError) {
    let old = watched[descriptor]
    if let old, old == (key, interest) { return }
    try control(old == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, key, interest)
    watched[descriptor] = (key, interest)
  }

  /// Watches it no longer; to be called before it is closed.
  public func forget(_ descriptor: Int32) {
    guard watched.removeValue(forKey: descriptor) != nil else { return }
    try? control(EPOLL_CTL_DEL, descriptor, 0, [])
  }

  /// Makes `descriptor` readable at a time in microseconds of CLOCK_MONOTONIC; nil for at none.
  public func arm(at time: UInt64?) {
    var setting = itimerspec()
    if let time {
      // All zeros would disarm it.
      setting.it_value.tv_sec = Int(clamping: time / 1_000_000)
      setting.it_value.tv_nsec = max(1, Int(time % 1_000_000) * 1000)
    }
    unsafe timerfd_settime(clock, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  /// What is ready by now, by its key.
  public func ready() -> [(key: UInt32, readiness: Readiness)] {
    var events = unsafe Array(repeating: epoll_event(), count: watched.count + 1)
    let most = Int32(clamping: watched.count + 1)
    let count = unsafe epoll_wait(descriptor, &events, most, 0)
    guard count > 0 else { return [] }
    return unsafe events.prefix(Int(count)).compactMap { event in
      let key = unsafe event.data.u32
      guard key == Poller.clockKey else { return unsafe (key, Readiness(rawValue: event.events)) }
      var times: UInt64 = 0
      unsafe _ = read(clock, &times, 8)
      return nil
    }
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ key: UInt32, _ interest: Readiness)
    throws(SystemError)
  {
    var event = unsafe epoll_event()
    unsafe event.events = interest.rawValue
    unsafe event.data.u32 = key
    guard unsafe epoll_ctl(self.descriptor, operation, descriptor, &event) == 0 else {
      throw SystemError(errno, "epoll_ctl")
    }
  }
}
