/// What a key asks of the focus (focus-and-layout, rule 16).
public enum KeyCommand: String, CaseIterable, Codable, Sendable {
  /// Escape and Back.
  case dismiss
  /// Tab.
  case next
  /// Shift-Tab.
  case previous
  /// Enter.
  case enter
}

/// Turns the keys of all devices into commands, so that no key code goes any further (touch-input, rule 29).
///
/// A modifier counts on whichever device it is held.
public struct KeyCommands: Sendable {
  private var trackers: [Int: KeyTracker] = [:]

  public init() {}

  /// A device with keys, some of which may be held already; those are silent until they are released.
  public mutating func add(_ device: Int, held: [UInt16]) { trackers[device] = KeyTracker(heldAtOpen: held) }

  /// Whatever was held on it is not any more.
  public mutating func remove(_ device: Int) { trackers[device] = nil }

  /// After lost events: what is held now; a press that was lost is not invented.
  public mutating func resynchronize(_ device: Int, held: [UInt16]) {
    _ = trackers[device]?.resynchronize(held: held)
  }

  /// Whether a frame has key events, which most frames have not.
  public static func concern(_ events: [InputEvent]) -> Bool {
    events.contains { $0.type == EV.KEY && KeyTracker.isKey($0.code) }
  }

  /// The commands of one frame's keys, in order.
  public mutating func commands(of events: [InputEvent], on device: Int) -> [KeyCommand] {
    var commands: [KeyCommand] = []
    for event in events where event.type == EV.KEY {
      if let change = trackers[device]?.handle(code: event.code, value: event.value), change.pressed,
        let command = command(for: change.code)
      {
        commands.append(command)
      }
    }
    return commands
  }

  /// The frame without its keys: buttons and absolute axes alone, since a key's scan code comes as EV_MSC beside it.
  public static func withoutKeys(_ events: [InputEvent]) -> [InputEvent] {
    events.filter { $0.type == EV.ABS || ($0.type == EV.KEY && !KeyTracker.isKey($0.code)) }
  }

  /// What is held without the keys.
  public static func withoutKeys(_ state: DeviceState) -> DeviceState {
    var state = state
    state.keysDown.removeAll(where: KeyTracker.isKey)
    return state
  }

  private static let shift = [KEY.LEFTSHIFT, KEY.RIGHTSHIFT]
  private static let otherModifiers = [
    KEY.LEFTCTRL, KEY.RIGHTCTRL, KEY.LEFTALT, KEY.RIGHTALT, KEY.LEFTMETA, KEY.RIGHTMETA,
  ]

  private func isHeld(_ codes: [UInt16]) -> Bool { trackers.values.contains { $0.holds(codes) } }

  /// A modifier held with Tab or Enter means nothing, but for Shift-Tab.
  private func command(for code: UInt16) -> KeyCommand? {
    switch code {
    case KEY.ESC, KEY.BACK: return .dismiss
    case KEY.TAB:
      if isHeld(KeyCommands.otherModifiers) { return nil }
      return isHeld(KeyCommands.shift) ? .previous : .next
    case KEY.ENTER, KEY.KPENTER:
      return isHeld(KeyCommands.shift) || isHeld(KeyCommands.otherModifiers) ? nil : .enter
    default: return nil
    }
  }
}
