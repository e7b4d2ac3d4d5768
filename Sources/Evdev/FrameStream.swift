import EventLoop
import Glibc
import TouchInput

/// How a drain of a device ended.
public enum DrainResult: Sendable {
  /// All that was there is read; wait until the descriptor is readable again.
  case again
  /// Nothing will come from this descriptor any more, for this reason: ENODEV when it was unplugged or revoked.
  case gone(SystemError)
}

/// Reads frames from a descriptor, and asks for the state anew where events were lost.
///
/// After SYN_DROPPED all that is queued is older than what the kernel answers to a question now, and playing it on top
/// would lift fingers that are down. So the queue is emptied first, then the state is asked; and if something came in
/// between, once more. The answers are of the device, not of this reader's place in the queue (drivers/input/evdev.c,
/// evdev_handle_mt_request and evdev_handle_get_val): only the latter, which is asked for keys, takes the events of
/// its own kind out of the queue. A contact that came and went in the gap leaves nothing, and is not invented.
struct FrameStream: ~Copyable {
  /// Reads in one drain, after which other sources have their turn: eight times what a 10-slot panel's kernel
  /// buffer holds.
  static let limit = 64
  /// Questions for the state in one drain, before the newest answer is taken although events keep coming.
  static let questions = 8

  private var buffer = EventBuffer()
  private var reader = FrameReader()
  private var isStale = false
  /// Those of the reader that `dropped` was called for.
  private var toldOverruns = 0
  private let hasClock: Bool
  /// Slots for a device's contacts that have none.
  var slots: ContactSlots?

  /// A descriptor whose clock could not be set, as under umockdev, has its frames stamped when they are read.
  init(hasClock: Bool = true) { self.hasClock = hasClock }

  /// Drains the descriptor; see `Device.drain`.
  mutating func drain(
    _ descriptor: Int32, state: () throws(SystemError) -> DeviceState,
    frame: (_ events: [InputEvent], _ time: UInt64) -> Void,
    dropped: (_ state: DeviceState, _ time: UInt64, _ hasLost: Bool) -> Void
  ) -> DrainResult {
    var fresh: DeviceState?
    var questions = 0
    for _ in 0..<FrameStream.limit {
      switch buffer.fill(from: descriptor) {
      case .events(let count):
        if count > 0 { fresh = nil }
        let now = hasClock ? 0 : EventLoop.now
        for index in 0..<count {
          switch reader.take(buffer[index], at: hasClock ? buffer.time(at: index) : now) {
          case .more: break
          case .frame:
            guard !isStale else { break }
            guard let slots else {
              frame(reader.events, reader.time)
              break
            }
            if slots.take(reader.events) { frame(slots.events, reader.time) } else { isStale = true }
          case .dropped: isStale = true
          }
        }
        // Fewer events than there was room for: nothing was left, and EAGAIN would only say the same. What came
        // since makes the descriptor readable again.
        if count < EventBuffer.capacity, !isStale { return .again }
      case .failed(EAGAIN):
        // Skipping goes on only where no kernel is behind the descriptor: it hands out whole frames.
        guard isStale, !reader.isSkipping else { return .again }
        if let state = fresh {
          dropped(state, reader.time, restart())
          return .again
        }
        do throws(SystemError) { fresh = try state() } catch { return .gone(error) }
        questions += 1
        if questions == FrameStream.questions, let state = fresh {
          dropped(state, reader.time, restart())
          fresh = nil
        }
      case .end:
        return .gone(SystemError(ENODEV, "read: end of file"))
      case .failed(let code):
        return .gone(SystemError(code, "read"))
      }
    }
    return .again
  }

  /// Goes on with a state that was asked. Returns: whether events were lost, and not only cancelled.
  private mutating func restart() -> Bool {
    isStale = false
    slots?.restart()
    defer { toldOverruns = reader.overruns }
    return reader.overruns != toldOverruns
  }
}
