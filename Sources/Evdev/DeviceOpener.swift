import EventLoop
import Glibc

/// Opens nodes, and tries those again that may not be opened yet, since udev sets a node's group after it appears.
///
/// Only EACCES (rule 25) is tried again, for 5 s, and a lack of descriptors, until there is one. A node that vanished or
/// was revoked fails at once, and nothing ticks while nothing is pending.
public final class DeviceOpener {
  /// How long a node that may not be opened is tried, in microseconds.
  static let patience: UInt64 = 5_000_000
  /// The first and the longest pause between two tries, in microseconds; each is twice the one before.
  static let pauses: ClosedRange<UInt64> = 50_000...500_000

  private struct Pending {
    var node: DeviceMonitor.Node
    var deadline: UInt64
    var pause: UInt64
    var next: UInt64
    var done: (Result<Device, SystemError>) -> Void
  }

  private let open: (DeviceMonitor.Node) throws(SystemError) -> Device
  private var pending: [Pending] = []
  private var timer: TimerSource?

  /// Throws: what sd_event_add_time(3) says.
  public convenience init(loop: EventLoop) throws(SystemError) {
    try self.init(loop: loop) { node throws(SystemError) in try Device(node) }
  }

  /// With a stand-in for opening, for tests.
  init(loop: EventLoop, open: @escaping (DeviceMonitor.Node) throws(SystemError) -> Device)
    throws(SystemError)
  {
    self.open = open
    timer = try loop.timer { [weak self] in self?.retry() }
  }

  /// Tries at once, and calls `done` when the device is open or has failed: possibly before this returns.
  ///
  /// - waits: called once, before this returns, if the node is to be tried again, with the reason.
  public func open(
    _ node: DeviceMonitor.Node, waits: (SystemError) -> Void = { _ in },
    done: @escaping (Result<Device, SystemError>) -> Void
  ) {
    cancel(node.systemPath)
    let now = EventLoop.now
    let first = Pending(
      node: node, deadline: now &+ DeviceOpener.patience, pause: DeviceOpener.pauses.lowerBound, next: now,
      done: done)
    if let error = attempt(first, now) { waits(error) }
  }

  /// Stops trying a node, because it was removed; its `done` is not called any more.
  public func cancel(_ systemPath: String) {
    pending.removeAll { $0.node.systemPath == systemPath }
    arm()
  }

  /// Returns: why it is to be tried again, if it is.
  @discardableResult
  private func attempt(_ one: Pending, _ now: UInt64) -> SystemError? {
    do throws(SystemError) {
      one.done(.success(try open(one.node)))
    } catch {
      guard error.isLackOfDescriptors || error.code == EACCES && now < one.deadline else {
        one.done(.failure(error))
        return nil
      }
      var later = one
      later.next = now &+ later.pause
      if now < later.deadline { later.next = min(later.next, later.deadline) }
      later.pause = min(later.pause &* 2, DeviceOpener.pauses.upperBound)
      pending.append(later)
      arm()
      return error
    }
    return nil
  }

  private func retry() {
    let now = EventLoop.now
    // One at a time, since a `done` may cancel another.
    while let due = pending.firstIndex(where: { $0.next <= now }) { attempt(pending.remove(at: due), now) }
    arm()
  }

  private func arm() {
    guard let next = pending.map(\.next).min() else {
      timer?.disarm()
      return
    }
    timer?.arm(at: next)
  }
}

extension SystemError {
  /// Whether there is no descriptor left for what may be had as soon as there is one.
  public var isLackOfDescriptors: Bool { code == EMFILE || code == ENFILE }
}
