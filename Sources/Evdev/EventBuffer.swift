import CEvdev
import Glibc
import TouchInput

/// Room for what one read(2) of an event node delivers: up to 64 events.
///
/// The kernel hands out whole events only. A pipe or a socket in its place, as under umockdev, may cut one in
/// two; the part that came waits here for the rest.
@safe struct EventBuffer: ~Copyable {
  /// What a read came to.
  enum Outcome: Equatable {
    /// So many whole events are there, possibly none.
    case events(Int)
    /// End of file.
    case end
    /// A positive errno value.
    case failed(Int32)
  }

  static let capacity = 64

  private let storage: UnsafeMutableBufferPointer<input_event>
  /// Bytes that are there, and those of them that `subscript` gives out.
  private var filled = 0
  private var whole = 0

  init() {
    unsafe storage = .allocate(capacity: EventBuffer.capacity)
    unsafe storage.initialize(repeating: input_event())
  }

  deinit { unsafe storage.deallocate() }

  /// Reads once, starting over when a signal interrupts; replaces the events that were there.
  mutating func fill(from descriptor: Int32) -> Outcome {
    let bytes = unsafe UnsafeMutableRawBufferPointer(storage)
    if whole > 0 {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[whole..<filled])
      unsafe bytes.copyMemory(from: rest)
      filled = rest.count
      whole = 0
    }
    let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
    var count: Int
    repeat { count = unsafe read(descriptor, room.baseAddress, room.count) } while count < 0 && errno == EINTR
    guard count != 0 else { return .end }
    guard count > 0 else { return .failed(errno) }
    filled += count
    let size = MemoryLayout<input_event>.stride
    whole = filled / size * size
    return .events(filled / size)
  }

  /// The event at an index below the count that `fill` returned.
  subscript(index: Int) -> InputEvent {
    let event = unsafe storage[index]
    return InputEvent(type: event.type, code: event.code, value: event.value)
  }

  /// The kernel's time of an event, in microseconds.
  func time(at index: Int) -> UInt64 {
    unsafe withUnsafePointer(to: storage[index]) { unsafe keylift_evdev_time($0) }
  }
}
