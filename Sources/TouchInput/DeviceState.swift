/// What one multitouch slot held when the device was asked.
public struct SlotState: Equatable, Sendable {
  /// The tracking id of the contact, -1 for none.
  public var trackingID: Int32
  public var x: Int32
  public var y: Int32

  public init(trackingID: Int32 = -1, x: Int32 = 0, y: Int32 = 0) {
    self.trackingID = trackingID
    self.x = x
    self.y = y
  }
}

/// What is down and where at one moment, asked of the kernel at open and after SYN_DROPPED.
public struct DeviceState: Equatable, Sendable {
  /// The slot that the next event belongs to; the kernel may never send it.
  public var currentSlot: Int32
  /// One entry for each slot; empty on a device without slots.
  public var slots: [SlotState]
  /// ABS_X and ABS_Y, for a device without slots.
  public var x: Int32
  public var y: Int32
  /// Codes of the keys and buttons that are held.
  public var keysDown: [UInt16]

  public init(
    currentSlot: Int32 = 0, slots: [SlotState] = [], x: Int32 = 0, y: Int32 = 0, keysDown: [UInt16] = []
  ) {
    self.currentSlot = currentSlot
    self.slots = slots
    self.x = x
    self.y = y
    self.keysDown = keysDown
  }
}
