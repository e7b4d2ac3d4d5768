/// One event of an input device, as the kernel delivers it.
public struct InputEvent: Equatable, Sendable {
  public var type: UInt16
  public var code: UInt16
  public var value: Int32

  public init(type: UInt16, code: UInt16, value: Int32) {
    self.type = type
    self.code = code
    self.value = value
  }
}

/// The range of an absolute axis and its value at the time of asking, in the device's own units.
public struct AbsoluteAxis: Equatable, Sendable {
  public var minimum: Int32
  public var maximum: Int32
  public var value: Int32
  public var fuzz: Int32
  public var resolution: Int32

  public init(minimum: Int32, maximum: Int32, value: Int32 = 0, fuzz: Int32 = 0, resolution: Int32 = 0) {
    self.minimum = minimum
    self.maximum = maximum
    self.value = value
    self.fuzz = fuzz
    self.resolution = resolution
  }
}

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

/// What a device says that it can do: identity, properties, keys and axes.
public struct DeviceDescription: Equatable, Sendable {
  public var name: String
  public var busType: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  /// INPUT_PROP_* numbers.
  public var properties: Set<UInt16>
  /// EV_KEY codes.
  public var keys: Set<UInt16>
  /// EV_REL codes.
  public var relativeAxes: Set<UInt16>
  /// EV_ABS codes with their ranges.
  public var absoluteAxes: [UInt16: AbsoluteAxis]
  /// The udev properties that concern input (ID_INPUT*, ID_SEAT, LIBINPUT_*), empty if there are none.
  public var udevProperties: [String: String]

  public init(
    name: String, busType: UInt16 = 0, vendor: UInt16 = 0, product: UInt16 = 0, version: UInt16 = 0,
    properties: Set<UInt16> = [], keys: Set<UInt16> = [], relativeAxes: Set<UInt16> = [],
    absoluteAxes: [UInt16: AbsoluteAxis] = [:], udevProperties: [String: String] = [:]
  ) {
    self.name = name
    self.busType = busType
    self.vendor = vendor
    self.product = product
    self.version = version
    self.properties = properties
    self.keys = keys
    self.relativeAxes = relativeAxes
    self.absoluteAxes = absoluteAxes
    self.udevProperties = udevProperties
  }
}
