import CSystemd
import Glibc

extension DeviceMonitor {
  /// An event node as udev describes it.
  public struct Node: Equatable, Sendable {
    /// The node, such as /dev/input/event3.
    public var path: String
    /// The device's place in sysfs, which names it as long as it is plugged in.
    public var systemPath: String
    /// The device's name, absent if it has none.
    public var name: String?
    /// What the node must be when it is opened.
    public var deviceNumber: dev_t
    /// The udev properties that concern input, by name.
    public var udevProperties: [String: String]
    /// Whether udev is done with it; before that it has neither properties nor, perhaps, its group.
    public var isInitialized: Bool

    public init(
      path: String, systemPath: String, name: String? = nil, deviceNumber: dev_t,
      udevProperties: [String: String] = [:], isInitialized: Bool = true
    ) {
      self.path = path
      self.systemPath = systemPath
      self.name = name
      self.deviceNumber = deviceNumber
      self.udevProperties = udevProperties
      self.isInitialized = isInitialized
    }

    /// The seat, seat0 if none is set.
    public var seat: String {
      guard let seat = udevProperties["ID_SEAT"], !seat.isEmpty else { return "seat0" }
      return seat
    }

    /// Whether udev's rules say that input is not to be taken from it, as libinput reads LIBINPUT_IGNORE_DEVICE.
    public var isIgnored: Bool { udevProperties["LIBINPUT_IGNORE_DEVICE"].map { $0 != "0" } ?? false }

    /// Why udev's word is against using it, and what to do; nil if it is not (rule 25).
    ///
    /// - seat: the seat that is served.
    public func refusal(seat served: String = "seat0") -> String? {
      if !isInitialized {
        return
          "udev has not initialised it yet; it is used once udev has (udevadm trigger --action=add \(path))"
      }
      if isIgnored {
        return "udev has LIBINPUT_IGNORE_DEVICE for it; it is used once no udev rule sets that"
      }
      if seat != served {
        return
          "udev's ID_SEAT gives it to \(seat), and \(served) is served; loginctl attach \(served) \(systemPath)"
      }
      return nil
    }

    /// Whether a udev property concerns input.
    static func isRelevant(_ property: String) -> Bool {
      property.hasPrefix("ID_INPUT") || property.hasPrefix("LIBINPUT_")
        || ["ID_SEAT", "ID_VENDOR_ID", "ID_MODEL_ID", "ID_PATH", "WL_OUTPUT"].contains(property)
    }
  }
}

extension DeviceMonitor.Node {
  /// Whether the device number still belongs to this place in sysfs.
  var isCurrent: Bool {
    var device: OpaquePointer?
    guard unsafe sd_device_new_from_devnum(&device, CChar(bitPattern: UInt8(ascii: "c")), deviceNumber) >= 0,
      let device = unsafe device
    else { return false }
    defer { unsafe _ = sd_device_unref(device) }
    return unsafe Self.text(device, sd_device_get_syspath) == systemPath
  }

  /// Reads a device; nil unless it is an event node.
  ///
  /// - hasUdev: whether there is a udev that initialises devices; without one all are as good as initialised.
  init?(_ device: OpaquePointer, hasUdev: Bool) {
    guard let systemPath = unsafe Self.text(device, sd_device_get_syspath),
      let name = unsafe Self.text(device, sd_device_get_sysname), name.hasPrefix("event"),
      let path = unsafe Self.text(device, sd_device_get_devname)
    else { return nil }
    var number = dev_t()
    guard unsafe sd_device_get_devnum(device, &number) >= 0 else { return nil }
    self.init(
      path: path, systemPath: systemPath, name: unsafe Self.name(device), deviceNumber: number,
      udevProperties: unsafe Self.properties(device),
      isInitialized: unsafe !hasUdev || sd_device_get_is_initialized(device) > 0)
  }

  @unsafe private static func text(
    _ device: OpaquePointer,
    _ get: (OpaquePointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Int32
  ) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe get(device, &value) >= 0, let value = unsafe value else { return nil }
    return unsafe String(cString: value)
  }

  /// The name is the parent's: inputN has it, its eventN not.
  @unsafe private static func name(_ device: OpaquePointer) -> String? {
    var parent: OpaquePointer?
    guard unsafe sd_device_get_parent(device, &parent) >= 0, let parent = unsafe parent else { return nil }
    return unsafe text(parent) { unsafe sd_device_get_sysattr_value($0, "name", $1) }
  }

  @unsafe private static func properties(_ device: OpaquePointer) -> [String: String] {
    var properties: [String: String] = [:]
    var value: UnsafePointer<CChar>?
    var property = unsafe sd_device_get_property_first(device, &value)
    while let name = unsafe property {
      let name = unsafe String(cString: name)
      if Self.isRelevant(name), let value = unsafe value { properties[name] = unsafe String(cString: value) }
      unsafe property = sd_device_get_property_next(device, &value)
    }
    return properties
  }
}
