import Geometry

/// Turns one touchscreen's frames into touches: slots of protocol B, or a single touch.
///
/// Source: touch-input, rules 1 to 10, 12, 14 and 16 to 19. Protocol A comes as protocol B, see `TouchAxes.Contacts`.
/// A contact is what the device reports; a touch is what is told of it. A contact is no touch while it hovers, and
/// none for as long as it lasts if it is silent. Between frames nothing is half done: each is taken by `handle` event
/// by event and closed by `report`.
struct TouchTracker: Codable, Equatable, Sendable {
  /// How long after a pen has left contacts are still silent, in microseconds (rule 18).
  static let penHold: UInt64 = 90_000

  /// What happens to a slot's contact within a frame, in the kernel's order.
  private enum Step: Codable, Equatable {
    case came(Int)
    /// A palm that goes has touched nothing.
    case went(Int, wasPalm: Bool)

    enum CameCodingKeys: String, CodingKey { case _0 = "slot" }
    enum WentCodingKeys: String, CodingKey {
      case _0 = "slot"
      case wasPalm
    }
  }

  private let contacts: TouchAxes.Contacts
  /// The button that says "touched"; on a multitouch panel no other than BTN_TOUCH.
  private let button: UInt16
  private(set) var rules: ContactRules

  private var slots: [Contact]
  /// -1 while the kernel's slot number is out of range (rule 8).
  private var current: Int
  private var steps: [Step] = []
  private var isPressed: Bool
  private var wasReleased = false
  /// Contacts of protocol A of which it is not known whether they are new, until none is left.
  private var ignoresContacts = false
  /// The pen of this node itself, and whether another node of the panel has one near.
  private var pen: PenProximity
  private var otherPenIsNear = false
  private var penWasNear: Bool
  private var penCame: UInt64 = 0
  private var penLeft: UInt64?

  /// Contacts that `state` shows down stay silent until they lift (rule 9).
  ///
  /// - fuzz: movement within half of it is none, in the device's units; 0 where the kernel filters (rule 19).
  init(
    axes: TouchAxes, device: DeviceDescription, state: DeviceState, mapping: AxisMapping,
    minimumPressure: Int32 = 1, fuzz: Int32 = 0
  ) {
    rules = ContactRules(
      leastPressure: axes.hasPressure && minimumPressure > 0 ? minimumPressure : nil, fuzz: max(0, fuzz),
      mapping: mapping)
    contacts = axes.contacts
    let buttons = axes.contacts == .single ? [BTN.TOUCH, BTN.LEFT, BTN.ZERO] : []
    button = buttons.first { device.keys.contains($0) } ?? BTN.TOUCH
    isPressed = state.keysDown.contains(button)
    slots = Array(repeating: Contact(), count: axes.slotCount)
    current = 0
    pen = PenProximity(state)
    penWasNear = pen.isNear
    for slot in slots.indices {
      slots[slot].take(held(in: slot, state))
      slots[slot].isSilent = true
    }
    startSlot(state)
    if contacts == .anonymous { ignoresContacts = isPressed }
  }

  /// Whether every slot that it speaks of is there, of which a decoded one need not take care.
  var isSound: Bool {
    !slots.isEmpty && (-1..<slots.count).contains(current)
      && steps.allSatisfy { step in
        switch step {
        case .came(let slot), .went(let slot, _): slots.indices.contains(slot)
        }
      }
  }

  var mapping: AxisMapping {
    get { rules.mapping }
    set { rules.mapping = newValue }
  }

  /// The number of touches that live.
  var livingTouches: Int { slots.reduce(0) { $1.touch == 0 ? $0 : $0 + 1 } }

  /// The axes' values of a living touch, in the device's units; nil if none has that id.
  func contact(of touch: Int) -> (x: Int32, y: Int32)? {
    guard touch != 0, let slot = slots.first(where: { $0.touch == touch }) else { return nil }
    return (slot.shownX, slot.shownY)
  }

  private func held(in slot: Int, _ state: DeviceState) -> SlotState {
    switch contacts {
    case .single:
      SlotState(
        trackingID: isPressed ? 0 : -1, x: state.x, y: state.y, pressure: state.pressure,
        distance: state.distance)
    case .slots: slot < state.slots.count ? state.slots[slot] : SlotState()
    case .anonymous: SlotState()
    }
  }

  private mutating func startSlot(_ state: DeviceState) {
    guard case .slots = contacts else { return current = 0 }
    current = slots.indices.contains(Int(state.currentSlot)) ? Int(state.currentSlot) : -1
  }

  // MARK: A frame

  /// Takes one event; nothing comes of it before `report`.
  mutating func handle(_ event: InputEvent) {
    switch event.type {
    case EV.ABS: handleAxis(event.code, event.value)
    case EV.KEY: handleButton(event.code, event.value)
    default: break
    }
  }

  private mutating func handleAxis(_ code: UInt16, _ value: Int32) {
    // A multitouch panel's ABS_X and the like are emulation, and a single touch has no slots (rule 12).
    guard (code >= ABS.MT_SLOT) == (contacts != .single) else { return }
    if code == ABS.MT_SLOT {
      current = value >= 0 && Int(value) < slots.count ? Int(value) : -1
    } else if current >= 0 {
      if code == ABS.MT_TRACKING_ID {
        setContact(current, max(-1, value))
      } else {
        slots[current].take(code, value)
      }
    }
  }

  private mutating func handleButton(_ code: UInt16, _ value: Int32) {
    pen.handle(code, value)
    guard code == button, value == 0 || value == 1 else { return }
    isPressed = value == 1
    if contacts == .single {
      setContact(0, value - 1)
    } else {
      wasReleased = value == 0
    }
  }

  /// An id that was there is nothing new (rule 7); another one ends the old contact first (rules 4 and 5).
  private mutating func setContact(_ slot: Int, _ id: Int32) {
    guard id != slots[slot].trackingID else { return }
    if slots[slot].isDown { steps.append(.went(slot, wasPalm: slots[slot].isPalm)) }
    slots[slot].setTrackingID(id)
    if id >= 0 { steps.append(.came(slot)) }
  }

  /// Closes the frame at SYN_REPORT and appends what came of it.
  ///
  /// - time: the frame's, in microseconds.
  mutating func report(at time: UInt64, ids: inout TouchIDs, into touches: inout [Touch]) {
    followPen(at: time, into: &touches)
    if !steps.isEmpty { takeSteps(at: time, ids: &ids, into: &touches) }
    if wasReleased {  // BTN_TOUCH 0 says that no finger is left, whatever the slots say (rule 16).
      wasReleased = false
      ignoresContacts = false
      for slot in slots.indices where slots[slot].isDown { slots[slot].lift(into: &touches) }
    }
    for slot in slots.indices where slots[slot].isDirty {
      slots[slot].settle(isPressed: isPressed, rules, ids: &ids, into: &touches)
    }
    if ignoresContacts, !slots.contains(where: \.isDown) { ignoresContacts = false }
  }

  private mutating func takeSteps(at time: UInt64, ids: inout TouchIDs, into touches: inout [Touch]) {
    let isSilent = ignoresContacts || !acceptsContacts(at: time)
    for step in steps {
      switch step {
      case .went(let slot, let wasPalm): slots[slot].end(wasPalm ? .cancelled : .ended, into: &touches)
      case .came(let slot): slots[slot].arrive(isSilent: isSilent, rules, ids: &ids, into: &touches)
      }
    }
    steps.removeAll(keepingCapacity: true)
  }

  // MARK: Lost events and other devices

  /// Plays the difference to what the kernel says after it dropped events (rule 3).
  ///
  /// Of protocol A it says nothing, so that all touches are cancelled, and what is down then stays silent. The kernel
  /// releases BTN_TOUCH on suspend and leaves the slots as they are: their touches are cancelled too (rule 27).
  mutating func resynchronize(
    _ state: DeviceState, at time: UInt64, ids: inout TouchIDs, into touches: inout [Touch]
  ) {
    let wasPressed = isPressed
    isPressed = state.keysDown.contains(button)
    pen = PenProximity(state)
    followPen(at: time, into: &touches)
    if contacts == .anonymous {
      for slot in slots.indices {
        slots[slot].end(.cancelled, into: &touches)
        slots[slot] = Contact()
      }
      ignoresContacts = isPressed
    } else {
      let isSilent = !acceptsContacts(at: time)
      for slot in slots.indices {
        slots[slot].resynchronize(
          held(in: slot, state), isPressed: isPressed, isReleased: wasPressed && !isPressed,
          isSilent: isSilent,
          rules, ids: &ids, into: &touches)
      }
    }
    startSlot(state)
  }

  /// Cancels every living touch, as when the device goes (rule 26); its contacts are silent until they lift.
  mutating func cancelAll(into touches: inout [Touch]) {
    for slot in slots.indices { slots[slot].cancel(into: &touches) }
  }

  /// A pen of another node of this panel comes near, or leaves: touches are cancelled, and work again 90 ms after
  /// it left (rule 18).
  mutating func setPen(isNear: Bool, at time: UInt64, into touches: inout [Touch]) {
    otherPenIsNear = isNear
    followPen(at: time, into: &touches)
  }

  private mutating func followPen(at time: UInt64, into touches: inout [Touch]) {
    let isNear = pen.isNear || otherPenIsNear
    guard isNear != penWasNear else { return }
    penWasNear = isNear
    if isNear {
      penCame = time
      cancelAll(into: &touches)
    } else {
      penLeft = time
    }
  }

  /// Whether a contact that begins now can be a touch, as far as a pen allows.
  ///
  /// A pen's node may be read before its panel's, so that what began while it was near comes after it has left.
  private func acceptsContacts(at time: UInt64) -> Bool {
    guard !penWasNear, let penLeft else { return !penWasNear }
    return time >= penLeft &+ TouchTracker.penHold || time < penCame
  }
}
