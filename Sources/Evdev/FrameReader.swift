import TouchInput

/// Gathers an evdev stream's events into frames, and skips what follows an overrun.
///
/// A frame ends with SYN_REPORT. What the kernel delivers, and where it decides that:
/// - Frames are handed to a reader whole (drivers/input/evdev.c, evdev_pass_values), and an empty one not at all.
/// - A full buffer is emptied but for SYN_DROPPED and the newest event, which may be in the middle of a frame
///   (evdev.c, __pass_event): up to and including the next SYN_REPORT nothing is of use. The same here after `limit`
///   events without a SYN_REPORT.
/// - A SYN_REPORT whose value is not 0 is the kernel's own, and what ends in such a frame was not lifted by anyone: on
///   inhibit it ends all contacts, on inhibit, suspend and unplug it releases all keys (input.c, input_inhibit_device
///   and input_dev_release_keys; input-mt.c, input_mt_release_slots). Such a frame counts as lost
///   events too, so that the state is asked instead. It also ends a frame too long for input.c's buffer, and follows
///   a key's repeat; nothing is lost there.
/// - A tracking id that replaces another comes without a -1 between, and -1 and an id, or an id and -1, come both in
///   one frame (rules 4 to 6). An id, like any axis value of a slot, that is the one before does not come (rule 7;
///   input.c, input_handle_abs_event); of protocol A every value comes.
/// - A slot number out of range does not come: the kernel stays at the slot before, and so what its driver meant for
///   another slot changes that one (rule 8; input_handle_abs_event). ABS_MT_SLOT comes only ahead of a value that
///   changes. Other sources than a kernel, such as a recording, may have any number, and it is handed on.
/// - Movement below an axis' fuzz is smoothed away, of slots and single touch, not of protocol A (rule 19;
///   input.c, input_defuzz_abs_event).
///
/// The buffer is reused, so that a frame costs no allocation.
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
  /// How often a frame was broken: by SYN_DROPPED, or as it was too long.
  private(set) var overruns = 0
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
    overruns &+= 1
    return .dropped
  }

  /// Whether an event ends a contact or releases a key.
  private static func ends(_ event: InputEvent) -> Bool {
    event.type == EV.ABS && event.code == ABS.MT_TRACKING_ID && event.value < 0
      || event.type == EV.KEY && event.value == 0
  }
}
