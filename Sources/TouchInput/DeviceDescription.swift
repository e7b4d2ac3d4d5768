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
