import Geometry

/// Maps raw axis values to screen points: range, calibration, then the screen's rotation.
///
/// Source: touch-input, "Mapping to points". Matrices are libinput's.
public struct AxisMapping: Codable, Equatable, Sendable {
  private let originX, originY: Double
  private let extentX, extentY: Double
  private let matrix: Matrix
  private let size: Size
  private let limit: Point

  /// The least that is told of a position, so that one just below the edge is below it on the socket too.
  static let published = 0.001

  /// - calibration: of the unit square, applied before the rotation.
  /// - size: the screen's, after rotation, in points; sides below 1 count as 1.
  public init(x: AbsoluteAxis, y: AbsoluteAxis, calibration: Matrix, rotation: Rotation, size: Size) {
    originX = Double(x.minimum)
    originY = Double(y.minimum)
    extentX = max(1, Double(x.maximum) - originX + 1)
    extentY = max(1, Double(y.maximum) - originY + 1)
    matrix = calibration.followed(by: rotation.matrix)
    self.size = Size(width: max(1, size.width), height: max(1, size.height))
    limit = Point(
      x: self.size.width - AxisMapping.published, y: self.size.height - AxisMapping.published)
  }

  /// The point for raw values, clamped to [0, width) and [0, height) (rule 22).
  public func point(x: Int32, y: Int32) -> Point {
    let unit = matrix.apply(Point(x: (Double(x) - originX) / extentX, y: (Double(y) - originY) / extentY))
    return Point(
      x: min(max(0, unit.x * size.width), limit.x), y: min(max(0, unit.y * size.height), limit.y))
  }
}
