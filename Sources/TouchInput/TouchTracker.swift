import Geometry

/// Turns one touchscreen's frames into touches: slots of protocol B, or a single touch.
///
/// Source: touch-input, rules 1 to 10, 12 and 16. Contacts of a device that is neither are not followed.
public struct TouchTracker: Equatable, Sendable {
  /// A finger's place on the device; a single-touch panel has one.
  private struct Slot: Equatable {
    /// The kernel's tracking id; -1 for none.
    var trackingID: Int32 = -1
    var x: Int32 = 0
    var y: Int32 = 0
    /// The living touch; 0 for none, as while a contact is silent.
    var touch = 0
    /// Where that touch was last said to be.
    var position = Point.zero
    /// A new position or a contact's change in this frame.
    var dirty = false
  }

  /// What happens to a slot's contact within a frame, in the kernel's order.
  private enum Step: Equatable {
    case begin(Int)
    case end(Int)
  }

  private var slots: [Slot]
  private let isMultitouch: Bool
  /// The button that says "touched" on a single-touch panel.
  private let button: UInt16
  /// -1 while the kernel's slot number is out of range (rule 8).
  private var current: Int
  private var steps: [Step] = []
  private var anyDirty = false
  private var released = false
  public var mapping: AxisMapping

  /// Contacts that `state` shows down stay silent until they lift (rule 9).
  public init(axes: TouchAxes, device: DeviceDescription, state: DeviceState, mapping: AxisMapping) {
    self.mapping = mapping
    button = [BTN.TOUCH, BTN.LEFT, BTN.ZERO].first { device.keys.contains($0) } ?? BTN.TOUCH
    switch axes.contacts {
    case .single:
      isMultitouch = false
      current = 0
      slots = [Slot(trackingID: state.keysDown.contains(button) ? 0 : -1, x: state.x, y: state.y)]
    case .slots(let count):
      isMultitouch = true
      slots = (0..<max(1, count)).map { place in
        guard place < state.slots.count else { return Slot() }
        let held = state.slots[place]
        return Slot(trackingID: held.trackingID < 0 ? -1 : held.trackingID, x: held.x, y: held.y)
      }
      current = (0..<slots.count).contains(Int(state.currentSlot)) ? Int(state.currentSlot) : -1
    }
  }

  /// The number of touches that live.
  public var livingTouches: Int { slots.reduce(0) { $1.touch == 0 ? $0 : $0 + 1 } }

  /// Takes one event; nothing comes of it before `report`.
  public mutating func handle(_ event: InputEvent) {
    if isMultitouch {
      handleMultitouch(event)
    } else {
      handleSingle(event)
    }
  }

  private mutating func handleMultitouch(_ event: InputEvent) {
    switch (event.type, event.code) {
    case (EV.ABS, ABS.MT_SLOT):
      current = event.value >= 0 && event.value < Int32(slots.count) ? Int(event.value) : -1
    case (EV.ABS, ABS.MT_POSITION_X) where current >= 0:
      slots[current].x = event.value
      touch(current)
    case (EV.ABS, ABS.MT_POSITION_Y) where current >= 0:
      slots[current].y = event.value
      touch(current)
    case (EV.ABS, ABS.MT_TRACKING_ID) where current >= 0:
      setContact(current, event.value < 0 ? -1 : event.value)
    case (EV.KEY, BTN.TOUCH):
      released = event.value == 0
    default: break
    }
  }

  private mutating func handleSingle(_ event: InputEvent) {
    switch (event.type, event.code) {
    case (EV.ABS, ABS.X):
      slots[0].x = event.value
      touch(0)
    case (EV.ABS, ABS.Y):
      slots[0].y = event.value
      touch(0)
    case (EV.KEY, button) where event.value == 0 || event.value == 1:
      setContact(0, event.value - 1)
    default: break
    }
  }

  private mutating func touch(_ slot: Int) {
    slots[slot].dirty = true
    anyDirty = true
  }

  /// An id that was there is nothing new (rule 7); another one ends the old contact first (rules 4 and 5).
  private mutating func setContact(_ slot: Int, _ id: Int32) {
    guard id != slots[slot].trackingID else { return }
    if slots[slot].trackingID >= 0 { steps.append(.end(slot)) }
    slots[slot].trackingID = id
    if id >= 0 { steps.append(.begin(slot)) }
  }

  /// Closes the frame at SYN_REPORT and appends what came of it.
  public mutating func report(ids: inout TouchIDs, into touches: inout [Touch]) {
    for step in steps {
      switch step {
      case .end(let slot): end(slot, .ended, into: &touches)
      case .begin(let slot): begin(slot, ids: &ids, into: &touches)
      }
    }
    steps.removeAll(keepingCapacity: true)
    if released {  // BTN_TOUCH 0 says that no finger is left, whatever the slots say (rule 16).
      released = false
      for slot in slots.indices where slots[slot].trackingID >= 0 {
        end(slot, .ended, into: &touches)
        slots[slot].trackingID = -1
      }
    }
    guard anyDirty else { return }
    anyDirty = false
    for slot in slots.indices where slots[slot].dirty {
      slots[slot].dirty = false
      move(slot, into: &touches)
    }
  }

  /// Plays the difference to what the kernel says after it dropped events (rule 3).
  public mutating func resynchronize(_ state: DeviceState, ids: inout TouchIDs, into touches: inout [Touch]) {
    steps.removeAll(keepingCapacity: true)
    released = false
    for slot in slots.indices {
      var held = SlotState()
      if isMultitouch {
        held = slot < state.slots.count ? state.slots[slot] : held
      } else {
        held = SlotState(trackingID: state.keysDown.contains(button) ? 0 : -1, x: state.x, y: state.y)
      }
      let id = held.trackingID < 0 ? -1 : held.trackingID
      let same = id == slots[slot].trackingID
      if !same { end(slot, .cancelled, into: &touches) }
      slots[slot].trackingID = id
      slots[slot].x = held.x
      slots[slot].y = held.y
      slots[slot].dirty = false
      if same {
        move(slot, into: &touches)
      } else if id >= 0 {
        begin(slot, ids: &ids, into: &touches)
      }
    }
    anyDirty = false
    if isMultitouch {
      current = (0..<slots.count).contains(Int(state.currentSlot)) ? Int(state.currentSlot) : -1
    }
  }

  /// Cancels every living touch, as when the device goes (rule 26); its contacts are silent until they lift.
  public mutating func cancelAll(into touches: inout [Touch]) {
    steps.removeAll(keepingCapacity: true)
    for slot in slots.indices { end(slot, .cancelled, into: &touches) }
  }

  private mutating func begin(_ slot: Int, ids: inout TouchIDs, into touches: inout [Touch]) {
    slots[slot].touch = ids.next()
    slots[slot].position = mapping.point(x: slots[slot].x, y: slots[slot].y)
    touches.append(Touch(id: slots[slot].touch, phase: .began, position: slots[slot].position))
  }

  private mutating func move(_ slot: Int, into touches: inout [Touch]) {
    guard slots[slot].touch != 0 else { return }
    let position = mapping.point(x: slots[slot].x, y: slots[slot].y)
    guard position != slots[slot].position else { return }
    slots[slot].position = position
    touches.append(Touch(id: slots[slot].touch, phase: .moved, position: position))
  }

  private mutating func end(_ slot: Int, _ phase: TouchPhase, into touches: inout [Touch]) {
    guard slots[slot].touch != 0 else { return }
    touches.append(Touch(id: slots[slot].touch, phase: phase, position: slots[slot].position))
    slots[slot].touch = 0
  }
}
