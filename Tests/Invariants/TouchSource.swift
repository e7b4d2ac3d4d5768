import Geometry
import TouchInput

/// Touchscreens and their events that a row of bytes stands for.
struct TouchSource {
  private var bytes: Bytes

  init(_ bytes: [UInt8]) { self.bytes = Bytes(bytes) }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func below(_ count: Int) -> Int { bytes.below(count) }
  mutating func chance(_ of: Int) -> Bool { bytes.chance(of) }

  // MARK: The device

  /// A panel that speaks protocol B, A, or that knows one touch; with and without pressure and distance.
  mutating func device() -> DeviceDescription {
    let (x, y) = (axis(), axis())
    var device = DeviceDescription(
      name: "Made up", properties: [INPUT_PROP.DIRECT],
      keys: [bytes.pick([BTN.TOUCH, BTN.TOUCH, BTN.TOUCH, BTN.LEFT, BTN.ZERO])],
      absoluteAxes: [ABS.X: x, ABS.Y: y])
    let kind = bytes.below(4)
    if kind < 3 {
      device.absoluteAxes[ABS.MT_POSITION_X] = x
      device.absoluteAxes[ABS.MT_POSITION_Y] = y
    }
    if kind < 2 {
      let last: Int32 = bytes.pick([0, 1, 4, 9, 9, 9, 99, 255, 256, .max, -1])
      device.absoluteAxes[ABS.MT_SLOT] = AbsoluteAxis(minimum: 0, maximum: last)
      device.absoluteAxes[ABS.MT_TRACKING_ID] = AbsoluteAxis(minimum: 0, maximum: 65535)
    }
    for code in [ABS.PRESSURE, ABS.MT_PRESSURE, ABS.DISTANCE, ABS.MT_DISTANCE] where bytes.chance(3) {
      device.absoluteAxes[code] = AbsoluteAxis(minimum: 0, maximum: bytes.pick([255, 0, 1]))
    }
    return device
  }

  private mutating func axis() -> AbsoluteAxis {
    let ends: [(Int32, Int32)] = [
      (0, 799), (0, 479), (0, 32767), (-2000, 2000), (0, 1), (0, 0), (5, 4), (0, 1 << 30), (.min, .min + 1),
      (.min, .max),
    ]
    let (minimum, maximum) = bytes.pick(ends)
    return AbsoluteAxis(minimum: minimum, maximum: maximum, fuzz: bytes.chance(4) ? bytes.value() : 0)
  }

  mutating func settings() -> DeviceSettings {
    guard !bytes.chance(2) else { return DeviceSettings() }
    var settings = DeviceSettings(
      xRange: bytes.chance(4) ? .min ... .max : nil, yRange: bytes.chance(4) ? -5...1000 : nil,
      swapsAxes: bytes.chance(3), invertsX: bytes.chance(3), invertsY: bytes.chance(3),
      fuzz: bytes.chance(2) ? bytes.value() : nil, minimumPressure: bytes.pick([1, 0, 50, -1, .max]),
      minimumTime: bytes.pick([0, 0, 15_000, 100_000]), debounce: bytes.pick([0, 0, 15_000, 100_000]))
    if bytes.chance(3) {
      settings.deadZones = [
        Rect(x: 0, y: 0, width: 40, height: 40), Rect(x: -9, y: 470, width: 1e9, height: 1),
      ]
    }
    if bytes.chance(3) {
      settings.calibration = Matrix((0..<6).map { _ in bytes.pick([0, 1, -1, 0.5, 1e9, -1e308]) })
    }
    return settings
  }

  mutating func screen() -> Screen {
    let sides: [Double] = [800, 480, 1, 1920, 1e9]
    return Screen(
      name: "screen", size: Size(width: bytes.pick(sides), height: bytes.pick(sides)),
      rotation: bytes.pick(Rotation.allCases))
  }

  mutating func state() -> DeviceState {
    guard !bytes.chance(2) else { return DeviceState() }
    let slots = (0..<bytes.below(13)).map { _ in
      SlotState(
        trackingID: bytes.value(), x: bytes.value(), y: bytes.value(), pressure: bytes.value(),
        distance: bytes.value(), toolType: bytes.value())
    }
    return DeviceState(
      currentSlot: bytes.value(), slots: slots, x: bytes.value(), y: bytes.value(), pressure: bytes.value(),
      distance: bytes.value(), keysDown: [BTN.TOUCH, BTN.LEFT, BTN.TOOL_PEN].filter { _ in bytes.chance(3) })
  }

  // MARK: Its events

  private static let codes: [(type: UInt16, code: UInt16)] = [
    (EV.ABS, ABS.MT_SLOT), (EV.ABS, ABS.MT_TRACKING_ID), (EV.ABS, ABS.MT_TRACKING_ID),
    (EV.ABS, ABS.MT_POSITION_X), (EV.ABS, ABS.MT_POSITION_Y), (EV.ABS, ABS.MT_TOOL_TYPE),
    (EV.ABS, ABS.MT_PRESSURE), (EV.ABS, ABS.MT_DISTANCE), (EV.ABS, ABS.X), (EV.ABS, ABS.Y),
    (EV.ABS, ABS.PRESSURE), (EV.ABS, ABS.DISTANCE), (EV.KEY, BTN.TOUCH), (EV.KEY, BTN.LEFT),
    (EV.KEY, BTN.ZERO), (EV.KEY, BTN.TOOL_PEN), (EV.KEY, BTN.TOOL_AIRBRUSH), (EV.SYN, SYN.MT_REPORT),
  ]

  /// One of a kind that means something.
  mutating func likelyEvent() -> InputEvent {
    let (type, code) = bytes.pick(TouchSource.codes)
    let value = bytes.value()
    return InputEvent(type: type, code: code, value: type == EV.KEY ? value & 3 : value)
  }

  mutating func anyEvent() -> InputEvent {
    InputEvent(type: bytes.word(), code: bytes.word(), value: bytes.value())
  }

  /// Microseconds.
  mutating func wait() -> UInt64 { UInt64(bytes.byte()) * 1_000 }
}
