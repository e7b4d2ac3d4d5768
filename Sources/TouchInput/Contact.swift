import Geometry

/// What makes a touch of a contact, for all contacts of a panel.
struct ContactRules: Codable, Equatable, Sendable {
  /// Less is hover, in the device's units; nil where the pressure says nothing (rule 14).
  var leastPressure: Int32?
  /// Movement within half of it is none, in the device's units (rule 19).
  var fuzz: Int32
  var mapping: AxisMapping
}

/// A finger's place on the device, a slot of protocol B or the only one of a single touch: the contact that the device
/// reports there, and the touch that is told of it.
struct Contact: Codable, Equatable, Sendable {
  /// The kernel's tracking id; -1 for no contact.
  private(set) var trackingID: Int32 = -1
  private(set) var x: Int32 = 0
  private(set) var y: Int32 = 0
  private(set) var pressure: Int32 = 0
  private(set) var distance: Int32 = 0
  /// ABS_MT_TOOL_TYPE, which goes on into the slot's next contact (rule 17).
  private(set) var toolType = MT_TOOL.FINGER
  /// This contact gives no touch until another takes its slot.
  var isSilent = false
  /// BTN_TOUCH said that no finger is left, though the contact was not ended (rule 16).
  var isLifted = false
  /// Something of it came in this frame.
  var isDirty = false
  /// The living touch; 0 for none.
  private(set) var touch = 0
  /// The axes' values that `position` is of.
  private(set) var shownX: Int32 = 0
  private(set) var shownY: Int32 = 0
  /// Where the touch was last said to be.
  private var position = Point.zero

  var isDown: Bool { trackingID >= 0 }
  var isPalm: Bool { toolType == MT_TOOL.PALM }

  /// Takes all values as the kernel has them; what is down then is this contact or another.
  mutating func take(_ state: SlotState) {
    trackingID = max(-1, state.trackingID)
    x = state.x
    y = state.y
    pressure = state.pressure
    distance = state.distance
    toolType = state.toolType
  }

  /// Takes an axis' value, by its code of multitouch or of single touch.
  mutating func take(_ code: UInt16, _ value: Int32) {
    switch code {
    case ABS.MT_POSITION_X, ABS.X: x = value
    case ABS.MT_POSITION_Y, ABS.Y: y = value
    case ABS.MT_PRESSURE, ABS.PRESSURE: pressure = value
    case ABS.MT_DISTANCE, ABS.DISTANCE: distance = value
    case ABS.MT_TOOL_TYPE: toolType = value
    default: return
    }
    isDirty = true
  }

  /// Another contact, or none, is at this place.
  mutating func setTrackingID(_ id: Int32) {
    trackingID = id
    isDirty = true
  }

  /// Whether it would be a touch, were it down: neither silent nor above the screen (rule 14).
  private func touches(_ rules: ContactRules) -> Bool {
    guard !isSilent, !isLifted, distance <= 0 else { return false }
    return rules.leastPressure.map { pressure >= $0 } ?? true
  }

  /// Starts anew as a contact that has just come, though it may have gone within the frame (rule 6).
  mutating func arrive(
    isSilent: Bool, _ rules: ContactRules, ids: inout TouchIDs, into touches: inout [Touch]
  ) {
    self.isSilent = isSilent || isPalm
    isLifted = false
    if self.touches(rules) { begin(rules, ids: &ids, into: &touches) }
  }

  /// Brings the touch in line with the contact.
  ///
  /// - isPressed: whether BTN_TOUCH is.
  mutating func settle(
    isPressed: Bool, _ rules: ContactRules, ids: inout TouchIDs, into touches: inout [Touch]
  ) {
    isDirty = false
    guard isDown else { return }
    // Silent until a new id, even if it becomes a finger again (rule 17).
    if isPalm { return cancel(into: &touches) }
    if isPressed { isLifted = false }
    if !self.touches(rules) {
      end(.ended, into: &touches)
    } else if touch == 0 {
      begin(rules, ids: &ids, into: &touches)
    } else {
      move(rules, into: &touches)
    }
  }

  /// Plays the difference to what the kernel says after it dropped events (rule 3).
  ///
  /// - isReleased: whether BTN_TOUCH was pressed before and is not now: what goes on was lifted (rule 16).
  /// - isSilent: whether a contact that was not there before is.
  mutating func resynchronize(
    _ state: SlotState, isPressed: Bool, isReleased: Bool, isSilent: Bool, _ rules: ContactRules,
    ids: inout TouchIDs, into touches: inout [Touch]
  ) {
    if max(-1, state.trackingID) != trackingID {
      end(.cancelled, into: &touches)
      self.isSilent = isSilent || state.toolType == MT_TOOL.PALM
      isLifted = false
    } else if isReleased, isDown {
      end(.cancelled, into: &touches)
      isLifted = true
      self.isSilent = false
    }
    take(state)
    // One that is above the screen now was lifted, and that was not seen: cancelled.
    if !isDown || !self.touches(rules) { end(.cancelled, into: &touches) }
    settle(isPressed: isPressed, rules, ids: &ids, into: &touches)
  }

  /// Cancels the touch; the contact is silent from now on.
  mutating func cancel(into touches: inout [Touch]) {
    end(.cancelled, into: &touches)
    isSilent = true
  }

  /// BTN_TOUCH says that no finger is left: what goes on under this id is another finger's (rule 16).
  mutating func lift(into touches: inout [Touch]) {
    end(.ended, into: &touches)
    isLifted = true
    isSilent = false
  }

  mutating func end(_ phase: TouchPhase, into touches: inout [Touch]) {
    guard touch != 0 else { return }
    touches.append(Touch(id: touch, phase: phase, position: position))
    touch = 0
  }

  private mutating func begin(_ rules: ContactRules, ids: inout TouchIDs, into touches: inout [Touch]) {
    touch = ids.next()
    shownX = x
    shownY = y
    position = rules.mapping.point(x: x, y: y)
    touches.append(Touch(id: touch, phase: .began, position: position))
  }

  private mutating func move(_ rules: ContactRules, into touches: inout [Touch]) {
    let x = Contact.defuzz(x, shownX, rules.fuzz)
    let y = Contact.defuzz(y, shownY, rules.fuzz)
    guard x != shownX || y != shownY else { return }
    shownX = x
    shownY = y
    let point = rules.mapping.point(x: x, y: y)
    guard point != position else { return }
    position = point
    touches.append(Touch(id: touch, phase: .moved, position: point))
  }

  /// Smooths a value as the kernel does for an axis with fuzz: no movement within half of it, less within twice
  /// (rule 19).
  private static func defuzz(_ value: Int32, _ old: Int32, _ fuzz: Int32) -> Int32 {
    guard fuzz > 0 else { return value }
    let (new, old, fuzz) = (Int64(value), Int64(old), Int64(fuzz))
    let distance = abs(new - old)
    if distance <= fuzz / 2 { return Int32(clamping: old) }
    if distance < fuzz { return Int32(clamping: (old * 3 + new) / 4) }
    return distance < fuzz * 2 ? Int32(clamping: (old + new) / 2) : value
  }
}
