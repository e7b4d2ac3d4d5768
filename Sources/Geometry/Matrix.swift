/// An affine map of the unit square, in libinput's row order: x' = ax + by + c, y' = dx + ey + f.
public struct Matrix: Codable, Equatable, Sendable {
  public var a, b, c: Double
  public var d, e, f: Double

  public static let identity = Matrix(1, 0, 0, 0, 1, 0)

  public init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
    (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
  }

  /// Six numbers between spaces, in libinput's order; nil if the text is anything else or a number is not finite.
  public init?(parsing text: String) {
    let words = text.split(separator: " ")
    let numbers = words.compactMap { Double($0) }
    guard words.count == 6, numbers.allSatisfy(\.isFinite) else { return nil }
    self.init(numbers)
  }

  /// The coefficients a to f; nil unless there are six.
  public init?(_ coefficients: [Double]) {
    guard coefficients.count == 6 else { return nil }
    self.init(
      coefficients[0], coefficients[1], coefficients[2], coefficients[3], coefficients[4], coefficients[5])
  }

  /// From a to f, in libinput's order.
  public var coefficients: [Double] { [a, b, c, d, e, f] }

  public var isFinite: Bool {
    a.isFinite && b.isFinite && c.isFinite && d.isFinite && e.isFinite && f.isFinite
  }

  /// The image of a point.
  @inlinable public func apply(_ point: Point) -> Point {
    Point(x: a * point.x + b * point.y + c, y: d * point.x + e * point.y + f)
  }

  /// How many times larger an area becomes, negative if mirrored; 0 if the square falls onto a line.
  public var determinant: Double { a * e - b * d }

  /// The map that applies this one first and `next` after it.
  public func followed(by next: Matrix) -> Matrix {
    Matrix(
      next.a * a + next.b * d, next.a * b + next.b * e, next.a * c + next.b * f + next.c,
      next.d * a + next.e * d, next.d * b + next.e * e, next.d * c + next.e * f + next.f)
  }
}
