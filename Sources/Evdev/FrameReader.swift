import TouchInput

/// Gathers an evdev stream's events into frames, and skips what follows an overrun.
///
/// A frame ends with SYN_REPORT. After SYN_DROPPED, and after `limit` events without a SYN_REPORT, everything
/// up to and including the next SYN_REPORT is of no use: it is the rest of a frame whose beginning is lost.
/// A SYN_REPORT with a value is the kernel's own, and what ends in such a frame was not lifted by anyone: on
/// inhibit it ends all contacts, on suspend it releases all keys. Such a frame counts as lost events too, so
/// that the state is asked instead. The buffer is reused, so that a frame costs no allocation.
struct FrameReader {
  /// What one event completed.
  enum Outcome: Equatable {
    /// The frame goes on.
    case more
    /// `events` and `time` hold one whole frame until the next `take`.
    case frame
    /// Events were lost: what was known of the device is out of date.
    case dropped
  }

  /// The longest frame, in events; no device comes near, since the kernel's own buffer is shorter.
  static let limit = 4096

  /// The events of the frame so far, without its SYN_REPORT.
  private(set) var events: [InputEvent] = []
  /// The last event's time, in microseconds.
  private(set) var time: UInt64 = 0
  /// Whether the rest of a broken frame is being skipped.
  private(set) var isSkipping = false
  private var isComplete = false

  init() { events.reserveCapacity(64) }

  /// Takes the next event of the stream with the kernel's time in microseconds.
  mutating func take(_ event: InputEvent, at time: UInt64) -> Outcome {
    if isComplete {
      events.removeAll(keepingCapacity: true)
      isComplete = false
    }
    self.time = time
    if event.type == EV.SYN {
      switch event.code {
      case SYN.REPORT:
        isComplete = true
        guard !isSkipping else {
          isSkipping = false
          return .more
        }
        return event.value != 0 && events.contains(where: FrameReader.ends) ? .dropped : .frame
      case SYN.DROPPED:
        return skip()
      default:
        break  // SYN_MT_REPORT ends a contact of protocol A, within the frame
      }
    }
    guard !isSkipping else { return .more }
    guard events.count < FrameReader.limit else { return skip() }
    events.append(event)
    return .more
  }

  private mutating func skip() -> Outcome {
    events.removeAll(keepingCapacity: true)
    isSkipping = true
    return .dropped
  }

  /// Whether an event ends a contact or releases a key.
  private static func ends(_ event: InputEvent) -> Bool {
    event.type == EV.ABS && event.code == ABS.MT_TRACKING_ID && event.value < 0
      || event.type == EV.KEY && event.value == 0
  }
}
