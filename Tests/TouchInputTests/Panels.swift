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

  /// A tracker on an 800x480 screen, nothing held, and what it gives for frames.
  struct Player {
    var tracker: TouchTracker
    var ids = TouchIDs()
    /// Of the next frame, in microseconds.
    var time: UInt64 = 1_000_000

    init(_ device: DeviceDescription, state: DeviceState = DeviceState()) throws {
      let axes = try TouchAxes(device)
      let mapping = AxisMapping(
        x: axes.x, y: axes.y, calibration: .identity, rotation: .none, size: Size(width: 800, height: 480))
      tracker = TouchTracker(axes: axes, device: device, state: state, mapping: mapping)
    }

    /// Plays one frame of (type, code, value) and describes each touch as "began 1 (100,300)".
    mutating func frame(_ events: (UInt16, UInt16, Int32)...) -> [String] {
      for event in events { tracker.handle(InputEvent(type: event.0, code: event.1, value: event.2)) }
      var touches: [Touch] = []
      tracker.report(at: time, ids: &ids, into: &touches)
      return touches.map(Player.describe)
    }

    mutating func resynchronize(_ state: DeviceState) -> [String] {
      var touches: [Touch] = []
      tracker.resynchronize(state, at: time, ids: &ids, into: &touches)
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
func absX(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.X, n) }
func absY(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.ABS, ABS.Y, n) }
func touched(_ n: Int32) -> (UInt16, UInt16, Int32) { (EV.KEY, BTN.TOUCH, n) }
