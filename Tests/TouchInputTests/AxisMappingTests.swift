import Geometry
import Testing

@testable import TouchInput

private let x = AbsoluteAxis(minimum: 0, maximum: 799)
private let y = AbsoluteAxis(minimum: 0, maximum: 479)

private func close(_ a: Point, _ b: Point, _ tolerance: Double = 1e-9) -> Bool {
  abs(a.x - b.x) <= tolerance && abs(a.y - b.y) <= tolerance
}

@Test(
  "touch-input, mapping to points: raw (100,300) under each rotation",
  arguments: [
    (Rotation.none, Size(width: 800, height: 480), Point(x: 100, y: 300)),
    (.clockwise90, Size(width: 480, height: 800), Point(x: 180, y: 100)),
    (.clockwise180, Size(width: 800, height: 480), Point(x: 700, y: 180)),
    (.clockwise270, Size(width: 480, height: 800), Point(x: 300, y: 700)),
  ])
func rotation(rotation: Rotation, size: Size, expected: Point) {
  let mapping = AxisMapping(x: x, y: y, calibration: .identity, rotation: rotation, size: size)
  #expect(close(mapping.point(x: 100, y: 300), expected))
}

@Test("touch-input, mapping to points: calibration comes before the rotation")
func calibration() {
  let mirror = Matrix(-1, 0, 1, 0, 1, 0)
  let flat = AxisMapping(
    x: x, y: y, calibration: mirror, rotation: .none, size: Size(width: 800, height: 480))
  #expect(close(flat.point(x: 100, y: 300), Point(x: 700, y: 300)))
  let turned = AxisMapping(
    x: x, y: y, calibration: mirror, rotation: .clockwise90, size: Size(width: 480, height: 800))
  #expect(close(turned.point(x: 100, y: 300), Point(x: 180, y: 700)))
}

@Test("touch-input, mapping to points: a range that does not begin at 0")
func range() {
  let mapping = AxisMapping(
    x: AbsoluteAxis(minimum: 10000, maximum: 20000), y: AbsoluteAxis(minimum: -2000, maximum: 2000),
    calibration: .identity, rotation: .none, size: Size(width: 800, height: 480))
  #expect(close(mapping.point(x: 12000, y: -1000), Point(x: 159.98, y: 119.97), 0.005))
}

@Test(
  "touch-input rule 22: what is out of range lands on the edge",
  arguments: [
    (Int32(499), Int32(-3616), Point(x: 499, y: 0)),
    (Int32.max, Int32.min, Point(x: 799.999, y: 0)),
    (Int32.min, Int32.max, Point(x: 0, y: 479.999)),
  ])
func clamped(rawX: Int32, rawY: Int32, expected: Point) {
  let mapping = AxisMapping(
    x: x, y: y, calibration: .identity, rotation: .none, size: Size(width: 800, height: 480))
  #expect(close(mapping.point(x: rawX, y: rawY), expected))
}

@Test("touch-input, mapping to points: raw (0,0) at 90 clockwise is just below 480")
func corner() {
  let mapping = AxisMapping(
    x: x, y: y, calibration: .identity, rotation: .clockwise90, size: Size(width: 480, height: 800))
  #expect(mapping.point(x: 0, y: 0) == Point(x: 479.999, y: 0), "below 480 with three decimals too")
}
