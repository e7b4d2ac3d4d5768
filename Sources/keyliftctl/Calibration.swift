import Geometry

/// A touch on a known place: where it was meant to be, and what the axes said.
struct Tap: Equatable {
  /// In points of the screen as it is turned.
  var point: Point
  /// Of the axes, in the device's units.
  var raw: Point
}

/// How a panel's axis values become points, but for the matrix (touch-input, "Mapping to points").
struct PanelMapping: Equatable {
  /// Minimum and maximum in the device's units, as they are in effect.
  var rangeX: ClosedRange<Int32>
  var rangeY: ClosedRange<Int32>
  var swapAxes = false
  var invertX = false
  var invertY = false
  /// With the size in points after rotation.
  var screen: Screen

  /// Axis values in the unit square, swapped and inverted: what the matrix is applied to.
  func unit(_ raw: Point) -> Point {
    var unit = Point(
      x: PanelMapping.share(raw.x, rangeX), y: PanelMapping.share(raw.y, rangeY))
    if swapAxes { unit = Point(x: unit.y, y: unit.x) }
    if invertX { unit.x = 1 - unit.x }
    if invertY { unit.y = 1 - unit.y }
    return unit
  }

  private static func share(_ value: Double, _ range: ClosedRange<Int32>) -> Double {
    (value - Double(range.lowerBound)) / (Double(range.upperBound) - Double(range.lowerBound) + 1)
  }

  /// A screen point in the unit square before the rotation: what the matrix is to give.
  func target(_ point: Point) -> Point {
    let back = Rotation(rawValue: (360 - screen.rotation.rawValue) % 360) ?? .none
    return back.matrix.apply(Point(x: point.x / screen.size.width, y: point.y / screen.size.height))
  }

  /// Where axis values come to lie by a matrix, in points, without the clamping.
  func point(_ raw: Point, by matrix: Matrix) -> Point {
    let unit = matrix.followed(by: screen.rotation.matrix).apply(unit(raw))
    return Point(x: unit.x * screen.size.width, y: unit.y * screen.size.height)
  }
}

/// Why no matrix can be computed.
enum CalibrationError: Error, Equatable {
  case tooFew(Int)
  /// The places that were to be touched lie on one line, or almost.
  case placesOnLine
  /// What the axes said does; the panel does not tell the places apart.
  case valuesOnLine
  case notFinite

  var description: String {
    switch self {
    case .tooFew(let count):
      "\(count == 1 ? "1 touch is" : "\(count) touches are") too few. "
        + "Give \(Calibration.fewest) or more, since any three fit exactly and say nothing of the error."
    case .placesOnLine:
      "the places lie on one line, or almost. Take some well apart from it, such as corners."
    case .valuesOnLine:
      "the axes said nearly the same for places that lie apart. Is this the panel that was touched, and in "
        + "the right order? keyliftctl touches shows what it says."
    case .notFinite: "a number is not finite or far too large."
    }
  }
}

/// The matrix that suits taps best, and how well it does.
struct Calibration: Equatable {
  /// Of the unit square before the screen's rotation, as the configuration's Matrix= has it; to six places.
  var matrix: Matrix
  /// The distance of each tap from its place, in points.
  var errors: [Double]
  /// The same without any matrix.
  var plainErrors: [Double]

  static let fewest = 4
  /// What unit squares' points deviate from a line at least, as a standard deviation.
  private static let leastBreadth = 0.02

  /// The affine map of least squares.
  init(_ taps: [Tap], on panel: PanelMapping) throws(CalibrationError) {
    guard taps.count >= Calibration.fewest else { throw .tooFew(taps.count) }
    let values = taps.map { panel.unit($0.raw) }
    let targets = taps.map { panel.target($0.point) }
    guard (values + targets).allSatisfy({ abs($0.x) < 1e6 && abs($0.y) < 1e6 }) else { throw .notFinite }
    guard Spread(targets).breadth > Calibration.leastBreadth else { throw .placesOnLine }
    let spread = Spread(values)
    guard spread.breadth > Calibration.leastBreadth else { throw .valuesOnLine }

    let (a, b, c) = spread.plane(through: targets.map(\.x), over: values)
    let (d, e, f) = spread.plane(through: targets.map(\.y), over: values)
    let rounded = [a, b, c, d, e, f].map { ($0 * 1e6).rounded() / 1e6 + 0 }
    guard let matrix = Matrix(rounded), matrix.isFinite else { throw .notFinite }
    guard matrix.determinant != 0 else { throw .valuesOnLine }
    self.matrix = matrix
    errors = Calibration.errors(taps, panel, matrix)
    plainErrors = Calibration.errors(taps, panel, .identity)
  }

  static func errors(_ taps: [Tap], _ panel: PanelMapping, _ matrix: Matrix) -> [Double] {
    taps.map { panel.point($0.raw, by: matrix).squaredDistance(to: $0.point).squareRoot() }
  }

  /// The root of the mean of squares.
  static func rootMeanSquare(_ errors: [Double]) -> Double {
    errors.isEmpty ? 0 : (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
  }

  var error: Double { Calibration.rootMeanSquare(errors) }
  var worst: Double { errors.max() ?? 0 }
  var plainError: Double { Calibration.rootMeanSquare(plainErrors) }

  /// Whether the panel is as good without a matrix; a matrix fits a finger's own inaccuracy a little too.
  var isUnneeded: Bool { plainError <= max(2, error * 1.5) }

  /// Errors above it, in points, come of a touch beside its cross or of a panel that no matrix makes straight.
  static func acceptable(on screen: Screen) -> Double {
    max(5, min(screen.size.width, screen.size.height) * 0.015)
  }
}

/// How points lie around their middle.
private struct Spread {
  let middle: Point
  /// The sums of squares and products of the distances from the middle, by their number.
  let xx, xy, yy: Double

  init(_ points: [Point]) {
    let count = Double(max(1, points.count))
    let sum = points.reduce(.zero, +)
    let middle = Point(x: sum.x / count, y: sum.y / count)
    let apart = points.map { $0 - middle }
    self.middle = middle
    xx = apart.reduce(0) { $0 + $1.x * $1.x } / count
    xy = apart.reduce(0) { $0 + $1.x * $1.y } / count
    yy = apart.reduce(0) { $0 + $1.y * $1.y } / count
  }

  private var determinant: Double { xx * yy - xy * xy }

  /// The standard deviation across the line that suits the points best; 0 if they are on it.
  var breadth: Double {
    let half = (xx + yy) / 2
    let distance = ((xx - yy) * (xx - yy) / 4 + xy * xy).squareRoot()
    return max(0, half - distance).squareRoot()
  }

  /// The factors of x and y and the constant of the plane of least squares through heights over points, which are
  /// this spread's.
  func plane(through heights: [Double], over points: [Point]) -> (Double, Double, Double) {
    let count = Double(max(1, heights.count))
    let mean = heights.reduce(0, +) / count
    var (xh, yh) = (0.0, 0.0)
    for (height, point) in zip(heights, points) {
      xh += (height - mean) * (point.x - middle.x) / count
      yh += (height - mean) * (point.y - middle.y) / count
    }
    let a = (xh * yy - yh * xy) / determinant
    let b = (yh * xx - xh * xy) / determinant
    return (a, b, mean - a * middle.x - b * middle.y)
  }
}
