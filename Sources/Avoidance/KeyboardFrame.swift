import Geometry

/// A frame that the keyboard should have, cut to the screen.
public struct KeyboardFrame: Codable, Equatable, Sendable {
  public private(set) var rect: Rect
  public let docked: Bool
  /// The screen's name.
  public let screen: String

  /// nil for what counts as hidden: empty, negative, not finite, or off the screen (focus-and-layout, rule 21).
  public init?(_ rect: Rect, docked: Bool, on screen: Screen) {
    guard rect.isFinite, !rect.isEmpty else { return nil }
    let cut = rect.intersection(screen.bounds)
    guard !cut.isEmpty else { return nil }
    self.rect = cut
    self.docked = docked && cut.maxY >= screen.bounds.maxY
    self.screen = screen.name
  }

  /// What a keyboard that goes goes to.
  init(hidden edge: Rect, screen: String) {
    rect = edge
    docked = true
    self.screen = screen
  }
}

/// What a drag makes of a docked keyboard (focus-and-layout, rule 15).
extension KeyboardFrame {
  /// Points per second downwards over which a lifted finger throws the keyboard off the screen.
  public static let dismissingVelocity = 300.0

  /// The frame with its top at a finger's y: no higher than it rests, no lower than the screen's bottom edge.
  public func pulled(to y: Double) -> KeyboardFrame {
    var pulled = self
    pulled.rect.y = min(max(y, rect.y), rect.maxY)
    pulled.rect.height = rect.maxY - pulled.rect.y
    return pulled
  }

  /// Whether it goes if a finger that has it lifts here: past half of its height, or moving down fast.
  ///
  /// Above where the keyboard rests a finger does not have it, however fast it moves.
  public func goes(liftedAt y: Double, velocity: Double) -> Bool {
    y - rect.y > rect.height / 2 || (y > rect.y && velocity > KeyboardFrame.dismissingVelocity)
  }
}
