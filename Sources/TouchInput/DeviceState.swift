/// What one multitouch slot held when the device was asked.
public struct SlotState: Codable, Equatable, Sendable {
  /// The tracking id of the contact, -1 for none.
  public var trackingID: Int32
  public var x: Int32
  public var y: Int32
  /// ABS_MT_PRESSURE, ABS_MT_DISTANCE and ABS_MT_TOOL_TYPE; 0 where the device has none.
  public var pressure: Int32
  public var distance: Int32
  public var toolType: Int32

  public init(
    trackingID: Int32 = -1, x: Int32 = 0, y: Int32 = 0, pressure: Int32 = 0, distance: Int32 = 0,
    toolType: Int32 = MT_TOOL.FINGER
  ) {
    self.trackingID = trackingID
    self.x = x
    self.y = y
    self.pressure = pressure
    self.distance = distance
    self.toolType = toolType
  }
}

/// What is down and where at one moment, asked of the kernel at open and after SYN_DROPPED.
public struct DeviceState: Codable, Equatable, Sendable {
  /// The slot that the next event belongs to; the kernel may never send it.
  public var currentSlot: Int32
  /// One entry for each slot; empty on a device without slots.
  public var slots: [SlotState]
  /// ABS_X, ABS_Y, ABS_PRESSURE and ABS_DISTANCE, for a device without slots.
  public var x: Int32
  public var y: Int32
  public var pressure: Int32
  public var distance: Int32
  /// Codes of the keys and buttons that are held.
  public var keysDown: [UInt16]

  public init(
    currentSlot: Int32 = 0, slots: [SlotState] = [], x: Int32 = 0, y: Int32 = 0, pressure: Int32 = 0,
    distance: Int32 = 0, keysDown: [UInt16] = []
  ) {
    self.currentSlot = currentSlot
    self.slots = slots
    self.x = x
    self.y = y
    self.pressure = pressure
    self.distance = distance
    self.keysDown = keysDown
  }
}
