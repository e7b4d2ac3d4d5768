import Geometry

@testable import TouchInput

/// Devices as their drivers describe them.
enum Panels {
  /// Ten slots, 800x480, as capacitive controllers on I2C report.
  static let tenSlots = DeviceDescription(
    name: "Goodix Capacitive TouchScreen", busType: 0x18, vendor: 0x0416, product: 0x038f,
    properties: [INPUT_PROP.DIRECT], keys: [BTN.TOUCH],
    absoluteAxes: [
      ABS.X: AbsoluteAxis(minimum: 0, maximum: 799), ABS.Y: AbsoluteAxis(minimum: 0, maximum: 479),
      ABS.MT_SLOT: AbsoluteAxis(minimum: 0, maximum: 9),
      ABS.MT_POSITION_X: AbsoluteAxis(minimum: 0, maximum: 799),
      ABS.MT_POSITION_Y: AbsoluteAxis(minimum: 0, maximum: 479),
      ABS.MT_TRACKING_ID: AbsoluteAxis(minimum: 0, maximum: 65535),
    ])

  /// A resistive panel without INPUT_PROP_DIRECT.
  static let resistive = DeviceDescription(
    name: "ADS7846 Touchscreen", busType: 0x1c, keys: [BTN.TOUCH],
    absoluteAxes: [
      ABS.X: AbsoluteAxis(minimum: 0, maximum: 799), ABS.Y: AbsoluteAxis(minimum: 0, maximum: 479),
    ])

  static let touchpad = DeviceDescription(
    name: "SynPS/2 Synaptics TouchPad", keys: [BTN.TOUCH, BTN.TOOL_FINGER, BTN.LEFT],
    absoluteAxes: [
      ABS.X: AbsoluteAxis(minimum: 1266, maximum: 5676), ABS.Y: AbsoluteAxis(minimum: 1096, maximum: 4758),
    ])

  static let tablet = DeviceDescription(
    name: "Wacom Pen", properties: [INPUT_PROP.DIRECT], keys: [BTN.TOOL_PEN, BTN.TOUCH, BTN.STYLUS],
    absoluteAxes: [
      ABS.X: AbsoluteAxis(minimum: 0, maximum: 27648), ABS.Y: AbsoluteAxis(minimum: 0, maximum: 15552),
    ])

  static let mouse = DeviceDescription(name: "USB Mouse", keys: [BTN.LEFT], relativeAxes: [0, 1])

  static let keyboard = DeviceDescription(name: "AT Keyboard", keys: Set(1...120))

  /// What else a panel may report of a contact, in any protocol.
  static func reporting(_ axes: UInt16..., on device: DeviceDescription = tenSlots) -> DeviceDescription {
    var device = device
    for axis in axes { device.absoluteAxes[axis] = AbsoluteAxis(minimum: 0, maximum: 255) }
    return device
  }

  /// A touchscreen on an 800x480 screen, nothing held, and what it gives for frames.
  struct Player {
    var touchscreen: Touchscreen
    var ids = TouchIDs()
    /// Of the next frame, in milliseconds.
    var time: UInt64 = 1_000

    init(
      _ device: DeviceDescription, state: DeviceState = DeviceState(),
      settings: DeviceSettings = DeviceSettings(),
      screen: Screen = Screen(name: "screen", size: Size(width: 800, height: 480))
    ) throws {
      touchscreen = try Touchscreen(device, state: state, settings: settings, screen: screen)
    }

    /// Plays one frame of (type, code, value) and describes each touch as "began 1 (100,300)".
    mutating func frame(_ events: (UInt16, UInt16, Int32)...) -> [String] { frame(events) }

    mutating func frame(_ events: [(UInt16, UInt16, Int32)]) -> [String] {
      let events = events.map { InputEvent(type: $0.0, code: $0.1, value: $0.2) }
      return describe { $0.handle(events, at: $1, ids: &$2, into: &$3) }
    }

    mutating func resynchronize(_ state: DeviceState) -> [String] {
      describe { $0.resynchronize(state, at: $1, ids: &$2, into: &$3) }
    }

    mutating func cancelAll() -> [String] {
      describe { touchscreen, time, _, touches in touchscreen.cancelAll(at: time, into: &touches) }
    }

    mutating func pen(isNear: Bool) -> [String] {
      describe { touchscreen, time, _, touches in touchscreen.setPen(isNear: isNear, at: time, into: &touches)
      }
    }

    /// Lets so many milliseconds pass, with what becomes due in them.
    mutating func wait(_ milliseconds: UInt64) -> [String] {
      let end = time + milliseconds
      var all: [String] = []
      while let deadline = touchscreen.deadline, deadline <= end * 1000 {
        time = (deadline + 999) / 1000
        all += describe { touchscreen, time, _, touches in touchscreen.expire(at: time, into: &touches) }
      }
      time = end
      return all
    }

    mutating func describe(_ act: (inout Touchscreen, UInt64, inout TouchIDs, inout [Touch]) -> Void)
      -> [String]
    {
      var touches: [Touch] = []
      act(&touchscreen, time * 1000, &ids, &touches)
      return touches.map(Player.describe)
    }

    static func describe(_ touch: Touch) -> String {
      "\(touch.phase.rawValue) \(touch.id) (\(Int(touch.position.x.rounded())),\(Int(touch.position.y.rounded())))"
    }
  }
}

/// Events of protocol B, short enough for tables.
func slot(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.MT_SLOT, n) }
func id(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.MT_TRACKING_ID, n) }
func mtX(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.MT_POSITION_X, n) }
func mtY(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.MT_POSITION_Y, n) }
func pressure(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.MT_PRESSURE, n) }
func distance(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.MT_DISTANCE, n) }
func toolType(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.MT_TOOL_TYPE, n) }
func absX(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.X, n) }
func absY(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.Y, n) }
func touched(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.KEY, BTN.TOUCH, n) }
