import Geometry

/// Turns one touchscreen's frames into touches: slots of protocol B, or a single touch.
///
/// Source: touch-input, rules 1 to 10, 12, 14 and 16 to 19. Protocol A comes as protocol B, see `TouchAxes.Contacts`.
/// A contact is what the device reports; a touch is what is told of it. A contact is no touch while it hovers, and
/// none for as long as it lasts if it is silent. Between frames nothing is half done: each is taken by `handle` event
/// by event and closed by `report`.
struct TouchTracker: Equatable, Sendable {
  /// How long after a pen has left contacts are still silent, in microseconds (rule 18).
  static let penHold: UInt64 = 90_000

  /// A finger's place on the device; a single-touch panel has one.
  private struct Slot: Equatable {
    /// The kernel's tracking id; -1 for no contact.
    var trackingID: Int32 = -1
    var x: Int32 = 0
    var y: Int32 = 0
    var pressure: Int32 = 0
    var distance: Int32 = 0
    /// ABS_MT_TOOL_TYPE, which goes on into the slot's next contact.
    var toolType = MT_TOOL.FINGER
    /// This contact gives no touch until another takes its slot.
    var isSilent = false
    /// BTN_TOUCH said that no finger is left, though the contact was not ended (rule 16).
    var isLifted = false
    /// Something of it came in this frame.
    var isDirty = false
    /// The living touch; 0 for none.
    var touch = 0
    /// The axes' values that `position` is of.
    var shownX: Int32 = 0
    var shownY: Int32 = 0
    /// Where the touch was last said to be.
    var position = Point.zero

    init() {}

    init(_ state: SlotState) {
      self.take(state)
      isSilent = trackingID >= 0
    }

    mutating func take(_ state: SlotState) {
      trackingID = max(-1, state.trackingID)
      x = state.x
      y = state.y
      pressure = state.pressure
      distance = state.distance
      toolType = state.toolType
    }
  }

  /// What happens to a slot's contact within a frame, in the kernel's order.
  private enum Step: Equatable {
    case began(Int)
    /// A palm that ends has touched nothing.
    case ended(Int, wasPalm: Bool)
  }

  private let contacts: TouchAxes.Contacts
  /// The button that says "touched"; on a multitouch panel no other than BTN_TOUCH.
  private let button: UInt16
  /// Less is hover; nil where the pressure says nothing.
  private let leastPressure: Int32?
  private let fuzz: Int32
  var mapping: AxisMapping

  private var slots: [Slot]
  /// -1 while the kernel's slot number is out of range (rule 8).
  private var current: Int
  private var steps: [Step] = []
  private var anyDirty = false
  private var isPressed: Bool
  private var wasReleased = false
  /// Contacts of protocol A of which it is not known whether they are new, until none is left.
  private var ignoresContacts = false
  /// The pen of this node itself, and whether another node of the panel has one near.
  private var pen: PenProximity
  private var otherPenIsNear = false
  private var penWasNear: Bool
  private var penLeft: UInt64?

  /// Contacts that `state` shows down stay silent until they lift (rule 9).
  ///
  /// - fuzz: movement within half of it is none, in the device's units; 0 where the kernel filters (rule 19).
  init(
    axes: TouchAxes, device: DeviceDescription, state: DeviceState, mapping: AxisMapping,
    minimumPressure: Int32 = 1, fuzz: Int32 = 0
  ) {
    self.mapping = mapping
    contacts = axes.contacts
    leastPressure = axes.hasPressure ? minimumPressure : nil
    self.fuzz = max(0, fuzz)
    let buttons = axes.contacts == .single ? [BTN.TOUCH, BTN.LEFT, BTN.ZERO] : []
    button = buttons.first { device.keys.contains($0) } ?? BTN.TOUCH
    isPressed = state.keysDown.contains(button)
    slots = Array(repeating: Slot(), count: axes.slotCount)
    current = 0
    pen = PenProximity(state)
    penWasNear = pen.isNear
    for slot in slots.indices { slots[slot] = Slot(held(in: slot, state)) }
    startSlot(state)
    if contacts == .anonymous { ignoresContacts = isPressed }
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
    if event.type == EV.ABS {
      if contacts == .single {
        handleSingle(event.code, event.value)
      } else {
        handleSlots(event.code, event.value)
      }
    } else if event.type == EV.KEY {
      handleButton(event.code, event.value)
    }
  }

  private mutating func handleSlots(_ code: UInt16, _ value: Int32) {
    if code == ABS.MT_SLOT {
      current = value >= 0 && Int(value) < slots.count ? Int(value) : -1
      return
    }
    guard current >= 0 else { return }
    switch code {
    case ABS.MT_POSITION_X: slots[current].x = value
    case ABS.MT_POSITION_Y: slots[current].y = value
    case ABS.MT_PRESSURE: slots[current].pressure = value
    case ABS.MT_DISTANCE: slots[current].distance = value
    case ABS.MT_TOOL_TYPE: slots[current].toolType = value
    case ABS.MT_TRACKING_ID: setContact(current, max(-1, value))
    default: return
    }
    slots[current].isDirty = true
    anyDirty = true
  }

  private mutating func handleSingle(_ code: UInt16, _ value: Int32) {
    switch code {
    case ABS.X: slots[0].x = value
    case ABS.Y: slots[0].y = value
    case ABS.PRESSURE: slots[0].pressure = value
    case ABS.DISTANCE: slots[0].distance = value
    default: return
    }
    slots[0].isDirty = true
    anyDirty = true
  }

  private mutating func handleButton(_ code: UInt16, _ value: Int32) {
    pen.handle(code, value)
    guard code == button, value == 0 || value == 1 else { return }
    isPressed = value == 1
    if contacts == .single {
      setContact(0, value - 1)
      slots[0].isDirty = true
      anyDirty = true
    } else {
      wasReleased = value == 0
    }
  }

  /// An id that was there is nothing new (rule 7); another one ends the old contact first (rules 4 and 5).
  private mutating func setContact(_ slot: Int, _ id: Int32) {
    guard id != slots[slot].trackingID else { return }
    if slots[slot].trackingID >= 0 {
      steps.append(.ended(slot, wasPalm: slots[slot].toolType == MT_TOOL.PALM))
    }
    slots[slot].trackingID = id
    if id >= 0 { steps.append(.began(slot)) }
  }

  /// Closes the frame at SYN_REPORT and appends what came of it.
  ///
  /// - time: the frame's, in microseconds.
  mutating func report(at time: UInt64, ids: inout TouchIDs, into touches: inout [Touch]) {
    followPen(at: time, into: &touches)
    if !steps.isEmpty {
      let isSilent = ignoresContacts || !acceptsContacts(at: time)
      for step in steps {
        switch step {
        case .ended(let slot, let wasPalm): end(slot, wasPalm ? .cancelled : .ended, into: &touches)
        case .began(let slot):
          slots[slot].isSilent = isSilent || slots[slot].toolType == MT_TOOL.PALM
          slots[slot].isLifted = false
          if isTouch(slots[slot], contactEnds: true) { begin(slot, ids: &ids, into: &touches) }
        }
      }
      steps.removeAll(keepingCapacity: true)
    }
    if wasReleased {  // BTN_TOUCH 0 says that no finger is left, whatever the slots say (rule 16).
      wasReleased = false
      ignoresContacts = false
      for slot in slots.indices where slots[slot].trackingID >= 0 {
        end(slot, .ended, into: &touches)
        slots[slot].isLifted = true
        slots[slot].isSilent = false  // what goes on under this id is another finger's
      }
    }
    guard anyDirty else { return }
    anyDirty = false
    for slot in slots.indices where slots[slot].isDirty {
      slots[slot].isDirty = false
      settle(slot, ids: &ids, into: &touches)
    }
    if ignoresContacts, slots.allSatisfy({ $0.trackingID < 0 }) { ignoresContacts = false }
  }

  /// Whether a contact is a touch now: neither silent nor above the screen (rule 14).
  ///
  /// - contactEnds: whether one that has ended within the frame counts too (rule 6).
  private func isTouch(_ slot: Slot, contactEnds: Bool = false) -> Bool {
    guard slot.trackingID >= 0 || contactEnds, !slot.isSilent, !slot.isLifted, slot.distance <= 0 else {
      return false
    }
    return leastPressure.map { slot.pressure >= $0 } ?? true
  }

  /// Brings a slot's touch in line with its contact.
  private mutating func settle(_ slot: Int, ids: inout TouchIDs, into touches: inout [Touch]) {
    guard slots[slot].trackingID >= 0 else { return }
    // Silent until a new id, even if it becomes a finger again (rule 17).
    if slots[slot].toolType == MT_TOOL.PALM {
      slots[slot].isSilent = true
      return end(slot, .cancelled, into: &touches)
    }
    if isPressed { slots[slot].isLifted = false }
    let isTouch = isTouch(slots[slot])
    if slots[slot].touch != 0 {
      if isTouch { move(slot, into: &touches) } else { end(slot, .ended, into: &touches) }
    } else if isTouch {
      begin(slot, ids: &ids, into: &touches)
    }
  }

  // MARK: Lost events and other devices

  /// Plays the difference to what the kernel says after it dropped events (rule 3).
  ///
  /// Of protocol A it says nothing, so that all touches are cancelled, and what is down then stays silent.
  mutating func resynchronize(
    _ state: DeviceState, at time: UInt64, ids: inout TouchIDs, into touches: inout [Touch]
  ) {
    isPressed = state.keysDown.contains(button)
    pen = PenProximity(state)
    followPen(at: time, into: &touches)
    if contacts == .anonymous {
      for slot in slots.indices {
        end(slot, .cancelled, into: &touches)
        slots[slot] = Slot()
      }
      ignoresContacts = isPressed
    } else {
      for slot in slots.indices { resynchronize(slot, held(in: slot, state), at: time, &ids, &touches) }
    }
    startSlot(state)
  }

  private mutating func resynchronize(
    _ slot: Int, _ state: SlotState, at time: UInt64, _ ids: inout TouchIDs, _ touches: inout [Touch]
  ) {
    let isSame = max(-1, state.trackingID) == slots[slot].trackingID
    if !isSame {
      end(slot, .cancelled, into: &touches)
      slots[slot].isSilent = state.toolType == MT_TOOL.PALM || !acceptsContacts(at: time)
      slots[slot].isLifted = false
    }
    slots[slot].take(state)
    // A finger that was lifted off a device that goes on reporting it is a lift that was not seen: cancelled.
    if !isTouch(slots[slot]) { end(slot, .cancelled, into: &touches) }
    settle(slot, ids: &ids, into: &touches)
  }

  /// Cancels every living touch, as when the device goes (rule 26); its contacts are silent until they lift.
  mutating func cancelAll(into touches: inout [Touch]) {
    for slot in slots.indices {
      end(slot, .cancelled, into: &touches)
      slots[slot].isSilent = true
    }
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
    if isNear { cancelAll(into: &touches) } else { penLeft = time }
  }

  /// Whether a contact that begins now can be a touch, as far as a pen allows.
  private func acceptsContacts(at time: UInt64) -> Bool {
    guard !penWasNear, let penLeft else { return !penWasNear }
    return time >= penLeft &+ TouchTracker.penHold || time < penLeft
  }

  // MARK: Touches

  private mutating func begin(_ slot: Int, ids: inout TouchIDs, into touches: inout [Touch]) {
    slots[slot].touch = ids.next()
    slots[slot].shownX = slots[slot].x
    slots[slot].shownY = slots[slot].y
    slots[slot].position = mapping.point(x: slots[slot].x, y: slots[slot].y)
    touches.append(Touch(id: slots[slot].touch, phase: .began, position: slots[slot].position))
  }

  private mutating func move(_ slot: Int, into touches: inout [Touch]) {
    let x = TouchTracker.defuzz(slots[slot].x, slots[slot].shownX, fuzz)
    let y = TouchTracker.defuzz(slots[slot].y, slots[slot].shownY, fuzz)
    guard x != slots[slot].shownX || y != slots[slot].shownY else { return }
    slots[slot].shownX = x
    slots[slot].shownY = y
    let position = mapping.point(x: x, y: y)
    guard position != slots[slot].position else { return }
    slots[slot].position = position
    touches.append(Touch(id: slots[slot].touch, phase: .moved, position: position))
  }

  private mutating func end(_ slot: Int, _ phase: TouchPhase, into touches: inout [Touch]) {
    guard slots[slot].touch != 0 else { return }
    touches.append(Touch(id: slots[slot].touch, phase: phase, position: slots[slot].position))
    slots[slot].touch = 0
  }

  /// Smooths a value as the kernel does for an axis with fuzz: no movement within half of it, less within twice
  /// (rule 19).
  static func defuzz(_ value: Int32, _ old: Int32, _ fuzz: Int32) -> Int32 {
    guard fuzz > 0 else { return value }
    let (new, old, fuzz) = (Int64(value), Int64(old), Int64(fuzz))
    let distance = abs(new - old)
    if distance <= fuzz / 2 { return Int32(clamping: old) }
    if distance < fuzz { return Int32(clamping: (old * 3 + new) / 4) }
    return distance < fuzz * 2 ? Int32(clamping: (old + new) / 2) : value
  }
}
