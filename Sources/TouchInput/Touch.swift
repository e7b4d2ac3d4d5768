import Geometry

/// The phase of a touch.
public enum TouchPhase: String, CaseIterable, Codable, Sendable { case began, moved, ended, cancelled }

/// One change of one finger on a screen.
public struct Touch: Codable, Equatable, Sendable {
  /// Unique among all devices while the touch lives, never reused; counts up from 1.
  public var id: Int
  public var phase: TouchPhase
  /// In screen points, within the screen.
  public var position: Point

  public init(id: Int, phase: TouchPhase, position: Point) {
    self.id = id
    self.phase = phase
    self.position = position
  }
}

/// Gives out touch ids, one after the other, for all devices together.
public struct TouchIDs: Codable, Equatable, Sendable {
  /// How many were given out, which is the last one too.
  public private(set) var last = 0

  public init() {}

  public mutating func next() -> Int {
    last &+= 1
    return last
  }
}
