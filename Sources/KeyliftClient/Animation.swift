import Geometry

/// A layout's offset on its way to where it must be; times are in seconds, of any clock.
public struct Animation: Equatable, Sendable {
  public private(set) var from = Point.zero
  public private(set) var to = Point.zero
  private var start = 0.0
  private var duration = 0.0

  public init() {}

  /// Turns towards the state's offset, from wherever it is now.
  public mutating func animate(_ state: SceneState, at now: Double) {
    let layout = state.layout
    guard layout.offset != to else { return }
    (from, to, start, duration) = (offset(at: now), layout.offset, now, layout.duration)
  }

  /// Where the offset is: ease-in-out, the cubic Bezier curve (0.42, 0) (0.58, 1).
  public func offset(at now: Double) -> Point {
    guard duration > 0, now < start + duration else { return to }
    guard now > start else { return from }
    let eased = Animation.eased((now - start) / duration)
    return Point(x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased)
  }

  /// How far along at a part of the time: the curve's y where its x is that part, found by halving.
  private static func eased(_ part: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<30 {
      let middle = (low + high) / 2
      if bezier(middle, 0.42, 0.58) < part { low = middle } else { high = middle }
    }
    return bezier(low, 0, 1)
  }

  /// One coordinate of a cubic Bezier curve from 0 to 1 with two control points.
  private static func bezier(_ t: Double, _ first: Double, _ second: Double) -> Double {
    let rest = 1 - t
    return 3 * rest * rest * t * first + 3 * rest * t * t * second + t * t * t
  }
}
