import TouchInput

/// What is held down on a device: keys, buttons and contacts, so that a grab can wait for none (touch-input, rule 28).
///
/// To be grabbed in the middle of a press would leave those who had seen it begin without its end.
public struct HeldInputs: Equatable, Sendable {
  private var keys: Set<UInt16>
  private var contacts: Set<Int32>
  private var slot: Int32

  public init(_ state: DeviceState) {
    keys = Set(state.keysDown)
    contacts = Set(state.slots.indices.filter { state.slots[$0].trackingID >= 0 }.map { Int32($0) })
    slot = state.currentSlot
  }

  public var isEmpty: Bool { keys.isEmpty && contacts.isEmpty }

  /// Takes a whole frame.
  public mutating func take(_ events: [InputEvent]) {
    for event in events {
      if event.type == EV.KEY, event.code == BTN.TOUCH, event.value == 0 {
        contacts.removeAll()  // no finger is left, though no -1 may ever come (rule 16)
      }
      switch (event.type, event.code) {
      case (EV.KEY, _): if event.value == 0 { keys.remove(event.code) } else { keys.insert(event.code) }
      case (EV.ABS, ABS.MT_SLOT): slot = event.value
      case (EV.ABS, ABS.MT_TRACKING_ID):
        if event.value < 0 { contacts.remove(slot) } else { contacts.insert(slot) }
      default: break
      }
    }
  }
}
