/// What a device says that it can do: identity, properties, keys and axes.
public struct DeviceDescription: Codable, Equatable, Sendable {
  public var name: String
  public var busType: UInt16
  public var vendor: UInt16
  public var product: UInt16
  public var version: UInt16
  /// Where it is plugged in (EVIOCGPHYS), such as usb-0000:00:14.0-1/input0; empty if the driver does not say.
  public var physicalPath: String
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
    physicalPath: String = "", properties: Set<UInt16> = [], keys: Set<UInt16> = [],
    relativeAxes: Set<UInt16> = [],
    absoluteAxes: [UInt16: AbsoluteAxis] = [:], udevProperties: [String: String] = [:]
  ) {
    self.name = name
    self.busType = busType
    self.vendor = vendor
    self.product = product
    self.version = version
    self.physicalPath = physicalPath
    self.properties = properties
    self.keys = keys
    self.relativeAxes = relativeAxes
    self.absoluteAxes = absoluteAxes
    self.udevProperties = udevProperties
  }

  /// Whether both are parts of one panel, as a touchscreen and the pen on it are (touch-input, rule 18).
  ///
  /// By udev's LIBINPUT_DEVICE_GROUP, or the physical path up to its last part; by bus, vendor and product where
  /// neither is there to compare. libinput makes the group of product and path, so that the nodes of one panel may have
  /// different groups and one path.
  public func isOnSamePanel(as other: DeviceDescription) -> Bool {
    let group = "LIBINPUT_DEVICE_GROUP"
    let (mine, its) = (udevProperties[group], other.udevProperties[group])
    if let mine, mine == its { return true }
    if !physicalPath.isEmpty, !other.physicalPath.isEmpty { return socketPath == other.socketPath }
    if mine != nil, its != nil { return false }
    return busType == other.busType && vendor == other.vendor && product == other.product
      && (vendor != 0 || product != 0)
  }

  /// The physical path without the number of the input on it.
  private var socketPath: Substring {
    guard let slash = physicalPath.lastIndex(of: "/") else { return physicalPath[...] }
    return physicalPath[..<slash]
  }
}
