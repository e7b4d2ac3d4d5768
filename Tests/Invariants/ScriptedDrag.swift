import Geometry
import TouchInput

/// One finger of many frames on a panel of 480x800: down somewhere above, mostly downwards on the screen, then up.
struct ScriptedDrag {
  private let slot: Int32
  private let trackingID: Int32
  /// A frame's movement and the place, in shares of the screen as it is rotated.
  private let step: Double
  private var place: Point
  private var left: Int
  private var hasBegun = false

  init(_ random: inout some RandomNumberGenerator) {
    slot = .random(in: 0...2, using: &random)
    trackingID = .random(in: 1_000...60_000, using: &random)
    step = Double(Int.random(in: 1...150, using: &random)) / 1_000
    place = Point(
      x: Double(Int.random(in: 0...99, using: &random)) / 100,
      y: Double(Int.random(in: 0...60, using: &random)) / 100)
    left = .random(in: 2...16, using: &random)
  }

  var isOver: Bool { left == 0 }

  /// The events of the next frame.
  mutating func next(on rotation: Rotation, _ random: inout some RandomNumberGenerator) -> [InputEvent] {
    func event(_ code: UInt16, _ value: Int32) -> InputEvent {
      InputEvent(type: EV.ABS, code: code, value: value)
    }
    left -= 1
    if isOver { return [event(ABS.MT_SLOT, slot), event(ABS.MT_TRACKING_ID, -1)] }
    if hasBegun {
      let isUpwards = Int.random(in: 0..<5, using: &random) == 0
      place.y = min(max(0, place.y + (isUpwards ? -step : step)), 0.999)
    }
    hasBegun = true
    let back = Rotation(rawValue: (360 - rotation.rawValue) % 360) ?? .none
    let onPanel = back.matrix.apply(place)
    return [
      event(ABS.MT_SLOT, slot), event(ABS.MT_TRACKING_ID, trackingID),
      event(ABS.MT_POSITION_X, Int32(onPanel.x * 479)), event(ABS.MT_POSITION_Y, Int32(onPanel.y * 799)),
    ]
  }
}
