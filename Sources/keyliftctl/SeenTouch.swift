import Geometry
import KeyliftProtocol
import TouchInput
import Varlink

/// A change of a touch, as io.keylift.Control.Touches tells it.
struct SeenTouch: Equatable {
  var device: String
  var screen: String
  var id: Int
  var phase: TouchPhase
  /// In microseconds of CLOCK_MONOTONIC.
  var time: UInt64
  /// In screen points.
  var position: Point
  /// What the axes said, in the device's units; nil once the contact has gone.
  var raw: Point?
}

extension SeenTouch {
  /// nil for a reply without a touch, which the first one is.
  init?(_ reply: JSON) {
    let touch = reply["touch"]
    guard let id = touch["id"].asInteger, let phase = touch["phase"].asString.flatMap(TouchPhase.init)
    else { return nil }
    self.init(
      device: touch["device"].asString ?? "", screen: touch["screen"].asString ?? "",
      id: Int(clamping: id), phase: phase, time: UInt64(clamping: touch["time"].asInteger ?? 0),
      position: Point(touch["position"]),
      raw: touch["x"].asDouble.flatMap { x in touch["y"].asDouble.map { Point(x: x, y: $0) } })
  }
}

/// A point as `400,300.5`, to one place.
func text(_ point: Point) -> String { "\(decimal(point.x, places: 1)),\(decimal(point.y, places: 1))" }
