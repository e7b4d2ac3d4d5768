import Geometry

/// What the configuration, and after it udev, say about one device (touch-input, rules 19, 20, 23 and 28).
public struct DeviceSettings: Codable, Equatable, Sendable {
  /// The screen's name; nil for the first.
  public var screen: String?
  /// Ranges in place of the device's own, in its own units.
  public var xRange: ClosedRange<Int32>?
  public var yRange: ClosedRange<Int32>?
  /// Whether X and Y change places, before anything is inverted.
  public var swapsAxes: Bool
  public var invertsX: Bool
  public var invertsY: Bool
  /// Of the unit square, after swapping and inverting, before the screen's rotation; nil for none.
  public var calibration: Matrix?
  /// Movement within half of it is none, in the device's units; nil for none. Where the kernel filters, it is unused.
  public var fuzz: Int32?
  /// The least pressure of a touch, where the device reports pressure, in its units; 0 disregards the pressure.
  public var minimumPressure: Int32
  /// How long a contact lasts at least, in microseconds; a shorter one is no touch.
  public var minimumTime: UInt64
  /// How long a lift lasts at least, in microseconds; after a shorter one the touch goes on.
  public var debounce: UInt64
  /// Where no touch can begin, in points of the screen before its rotation.
  public var deadZones: [Rect]
  /// Whether its events are kept from everybody else.
  public var grabs: Bool
  /// Whether it counts as a hardware keyboard if it has the letter keys.
  public var countsAsKeyboard: Bool

  public init(
    screen: String? = nil, xRange: ClosedRange<Int32>? = nil, yRange: ClosedRange<Int32>? = nil,
    swapsAxes: Bool = false, invertsX: Bool = false, invertsY: Bool = false, calibration: Matrix? = nil,
    fuzz: Int32? = nil, minimumPressure: Int32 = 1, minimumTime: UInt64 = 0, debounce: UInt64 = 0,
    deadZones: [Rect] = [], grabs: Bool = false, countsAsKeyboard: Bool = true
  ) {
    self.screen = screen
    self.xRange = xRange
    self.yRange = yRange
    self.swapsAxes = swapsAxes
    self.invertsX = invertsX
    self.invertsY = invertsY
    self.calibration = calibration
    self.fuzz = fuzz
    self.minimumPressure = minimumPressure
    self.minimumTime = minimumTime
    self.debounce = debounce
    self.deadZones = deadZones
    self.grabs = grabs
    self.countsAsKeyboard = countsAsKeyboard
  }

  /// Swapping, inverting and calibration in one map of the unit square.
  public var orientation: Matrix {
    var map = swapsAxes ? Matrix(0, 1, 0, 1, 0, 0) : .identity
    if invertsX { map = map.followed(by: Matrix(-1, 0, 1, 0, 1, 0)) }
    if invertsY { map = map.followed(by: Matrix(1, 0, 0, 0, -1, 1)) }
    return map.followed(by: calibration ?? .identity)
  }
}

extension DeviceSettings {
  /// Fills in what the configuration leaves open with udev's properties: LIBINPUT_CALIBRATION_MATRIX, LIBINPUT_FUZZ_*,
  /// and WL_OUTPUT where a screen has that name.
  ///
  /// LIBINPUT_FUZZ_* is there because libinput's own udev rules set a touchscreen's fuzz in the kernel to 0 and leave
  /// the number to whoever reads the device. Returns: the settings, and what is wrong with a property that is not used.
  public func completed(by device: DeviceDescription, screens: [String]) -> (
    settings: DeviceSettings, problem: String?
  ) {
    var settings = self
    var problem: String?
    let properties = device.udevProperties
    if screen == nil, let output = properties["WL_OUTPUT"], screens.contains(output) {
      settings.screen = output
    }
    if calibration == nil, let text = properties["LIBINPUT_CALIBRATION_MATRIX"] {
      if let matrix = Matrix(parsing: text), matrix.determinant != 0, matrix.determinant.isFinite {
        settings.calibration = matrix
      } else {
        problem =
          "LIBINPUT_CALIBRATION_MATRIX is \"\(text)\", no six numbers such as 1 0 0 0 1 0 that map a plane; it is "
          + "not used"
      }
    }
    if fuzz == nil {
      let values = ["LIBINPUT_FUZZ_35", "LIBINPUT_FUZZ_36", "LIBINPUT_FUZZ_00", "LIBINPUT_FUZZ_01"]
      settings.fuzz = values.lazy.compactMap { properties[$0].flatMap { Int32($0) } }.first { $0 > 0 }
    }
    return (settings, problem)
  }
}

extension DeviceDescription {
  /// The description with the axes' ranges as the settings have them, if they do.
  public func replacingRanges(by settings: DeviceSettings) -> DeviceDescription {
    var device = self
    for (range, codes) in [
      (settings.xRange, [ABS.X, ABS.MT_POSITION_X]), (settings.yRange, [ABS.Y, ABS.MT_POSITION_Y]),
    ] {
      guard let range else { continue }
      for code in codes {
        device.absoluteAxes[code]?.minimum = range.lowerBound
        device.absoluteAxes[code]?.maximum = range.upperBound
      }
    }
    return device
  }
}
