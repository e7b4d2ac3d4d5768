import Geometry
import TouchInput

/// What must hold of touches, whatever the frames were that they came of: each began once and has one end, their
/// ids are never used again, and they are on the screen.
public struct TouchLedger: Sendable {
  /// The living touches, and where each was last said to be.
  public private(set) var living: [Int: Point] = [:]
  private var seen: Set<Int> = []

  public init() {}

  /// Enters one frame's touches. Returns: what is wrong with them, nil for nothing.
  public mutating func enter(_ touches: [Touch], on size: Size) -> String? {
    for touch in touches {
      if let problem = enter(touch, on: size) { return "\(problem): \(touch)" }
    }
    return nil
  }

  private mutating func enter(_ touch: Touch, on size: Size) -> String? {
    let before = living[touch.id]
    switch touch.phase {
    case .began:
      guard touch.id > 0, seen.insert(touch.id).inserted else { return "an id that was used before" }
      living[touch.id] = touch.position
    case .moved:
      guard before != nil else { return "moved, and does not live" }
      living[touch.id] = touch.position
    case .ended, .cancelled:
      guard before != nil else { return "an end, and it does not live" }
      living[touch.id] = nil
      if touch.position == before { return nil }  // which may have been on the screen before it was turned
    }
    let isInside =
      touch.position.x >= 0 && touch.position.x < size.width && touch.position.y >= 0
      && touch.position.y < size.height
    return isInside ? nil : "not on the screen of \(size.width) x \(size.height)"
  }
}
