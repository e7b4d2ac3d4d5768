import Engine
import Geometry
import Glibc
import TouchInput

/// All that the configuration says, drop-ins taken in.
package struct Settings: Equatable {
  /// A screen as it is configured; without a size it takes the display's or the touchscreen's.
  struct ScreenSettings: Equatable {
    var name: String
    /// The panel's own, before rotation.
    var size: Size?
    var rotation = Rotation.none
  }

  /// A [Device MATCH] section.
  struct DeviceRule: Equatable {
    var match: String
    // nil where the section says nothing, so that what an earlier one says stays.
    var screen: String?
    var calibration: Matrix?
    var xRange: ClosedRange<Int32>?
    var yRange: ClosedRange<Int32>?
    var swapsAxes: Bool?
    var invertsX: Bool?
    var invertsY: Bool?
    var fuzz: Int32?
    var minimumPressure: Int32?
    var minimumTime: UInt64?
    var debounce: UInt64?
    var deadZones: [Rect]?
    var grabs: Bool?
    var countsAsKeyboard: Bool?
    var isIgnored: Bool?
  }

  package init() {}

  var screens: [ScreenSettings] = []
  var devices: [DeviceRule] = []
  var keyboardHeight = KeyboardHeight.fraction(0.4)
  var spacing = 10.0
  package var duration = 0.3
  var hardwareKeyboard = HardwareKeyboardPolicy.hide
  var autoFocus = AutoFocusPolicy.show
  /// How long each plugin may take to answer, and all together, in microseconds.
  package var pluginDeadline: UInt64 = 20_000
  package var pluginTotalDeadline: UInt64 = 50_000
  var access = Access()
  var logLevel = LogLevel.info
  /// All of it as it is written.
  var texts = SettingTexts()

  /// What the rules that match a device say, the later the stronger; nil to leave it alone.
  func settings(for device: DeviceIdentity) -> DeviceSettings? {
    var settings = DeviceSettings()
    var isIgnored = false
    for rule in devices where device.matches(rule.match) {
      rule.apply(to: &settings)
      isIgnored = rule.isIgnored ?? isIgnored
    }
    return isIgnored ? nil : settings
  }

  /// The MATCH of each section that matches a device, in their order.
  func sections(for device: DeviceIdentity) -> [String] { devices.map(\.match).filter(device.matches) }

  /// The core's configuration, given the size of the first display if there is one.
  package func configuration(displaySize: Size?) -> Configuration {
    let first = screens.first ?? ScreenSettings(name: "screen")
    let all = [first] + screens.dropFirst()
    let built = all.map { screen in
      let size = screen.size ?? displaySize ?? Size(width: 800, height: 480)
      return Screen(
        name: screen.name,
        size: screen.rotation.swapsAxes ? Size(width: size.height, height: size.width) : size,
        rotation: screen.rotation)
    }
    return Configuration(
      screens: built, adoptsTouchscreenSize: first.size == nil && displaySize == nil,
      keyboardHeight: keyboardHeight, spacing: spacing, duration: duration,
      hardwareKeyboard: hardwareKeyboard, autoFocus: autoFocus)
  }
}

extension Settings.DeviceRule {
  /// Sets what the section says, and leaves the rest.
  func apply(to settings: inout DeviceSettings) {
    settings.screen = screen ?? settings.screen
    settings.calibration = calibration ?? settings.calibration
    settings.xRange = xRange ?? settings.xRange
    settings.yRange = yRange ?? settings.yRange
    settings.swapsAxes = swapsAxes ?? settings.swapsAxes
    settings.invertsX = invertsX ?? settings.invertsX
    settings.invertsY = invertsY ?? settings.invertsY
    settings.fuzz = fuzz ?? settings.fuzz
    settings.minimumPressure = minimumPressure ?? settings.minimumPressure
    settings.minimumTime = minimumTime ?? settings.minimumTime
    settings.debounce = debounce ?? settings.debounce
    settings.deadZones = deadZones ?? settings.deadZones
    settings.grabs = grabs ?? settings.grabs
    settings.countsAsKeyboard = countsAsKeyboard ?? settings.countsAsKeyboard
  }
}

/// What a [Device MATCH] section can match a device by.
struct DeviceIdentity {
  var path: String
  var name: String
  var vendor: UInt16
  var product: UInt16
  var udevProperties: [String: String]

  /// Vendor and product as a section names them, such as 0416:038f.
  var id: String { "\(DeviceIdentity.hexadecimal(vendor)):\(DeviceIdentity.hexadecimal(product))" }

  private static func hexadecimal(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// By path (through symbolic links), vendor:product in hexadecimal, PROPERTY=value of udev, or name.
  func matches(_ match: String) -> Bool {
    if match.hasPrefix("/") { return match == path || DeviceIdentity.resolve(match) == path }
    if match == name { return true }
    let ids = match.split(separator: ":")
    if ids.count == 2, let vendor = UInt16(ids[0], radix: 16), let product = UInt16(ids[1], radix: 16) {
      return vendor == self.vendor && product == self.product
    }
    let property = match.split(separator: "=", maxSplits: 1)
    return property.count == 2 && udevProperties[String(property[0])] == String(property[1])
  }

  /// What a symbolic link such as /dev/input/by-path/... leads to; the path itself if it is none.
  static func resolve(_ path: String) -> String {
    // A node is not resolved for another reason too: umockdev 0.17's realpath spoils memory.
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
      let resolved = unsafe realpath(path, nil)
    else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
