/// A screen's rotation, clockwise, in degrees.
public enum Rotation: Int, CaseIterable, Codable, Sendable {
  case none = 0
  case clockwise90 = 90
  case clockwise180 = 180
  case clockwise270 = 270

  /// The map of the unrotated unit square onto the rotated one, as in libinput's documentation.
  public var matrix: Matrix {
    switch self {
    case .none: .identity
    case .clockwise90: Matrix(0, -1, 1, 1, 0, 0)
    case .clockwise180: Matrix(-1, 0, 1, 0, -1, 1)
    case .clockwise270: Matrix(0, 1, 0, -1, 0, 1)
    }
  }

  /// True if width and height change places.
  public var swapsAxes: Bool { self == .clockwise90 || self == .clockwise270 }
}
