import Geometry

/// How high the keyboard is when no driver says otherwise.
public enum KeyboardHeight: Codable, Equatable, Sendable {
  case points(Double)
  /// Of the screen's height, 0...1.
  case fraction(Double)

  public func points(on screen: Size) -> Double {
    switch self {
    case .points(let points): points
    case .fraction(let fraction): screen.height * fraction
    }
  }
}

/// What a hardware keyboard means for the one on the screen (focus-and-layout, rule 17).
public enum HardwareKeyboardPolicy: String, CaseIterable, Codable, Sendable { case hide, ignore }

/// Whether the focus that a client sets shows the keyboard though no touch asked for it (focus-and-layout, rule 18).
public enum AutoFocusPolicy: String, CaseIterable, Codable, Sendable { case show, wait }

/// What the core goes by, from the start or from `Input.reconfigure` on; every member has the default that Config/keylift.conf states.
public struct Configuration: Codable, Equatable, Sendable {
  /// At least one; the first is where what names no screen goes.
  public var screens: [Screen]
  /// Whether the first screen takes its size from the first touchscreen's axes.
  public var adoptsTouchscreenSize: Bool
  public var keyboardHeight: KeyboardHeight
  /// Points between the view that stays in sight and the keyboard.
  public var spacing: Double
  /// Seconds that the keyboard takes to show or hide, and a scene to move.
  public var duration: Double
  public var hardwareKeyboard: HardwareKeyboardPolicy
  public var autoFocus: AutoFocusPolicy

  public init(
    screens: [Screen] = [], adoptsTouchscreenSize: Bool = true,
    keyboardHeight: KeyboardHeight = .fraction(0.4), spacing: Double = 10, duration: Double = 0.3,
    hardwareKeyboard: HardwareKeyboardPolicy = .hide, autoFocus: AutoFocusPolicy = .show
  ) {
    let fallback = Screen(name: "screen", size: Size(width: 800, height: 480))
    self.screens = screens.isEmpty ? [fallback] : screens
    self.adoptsTouchscreenSize = adoptsTouchscreenSize
    self.keyboardHeight = keyboardHeight
    self.spacing = spacing
    self.duration = duration
    self.hardwareKeyboard = hardwareKeyboard
    self.autoFocus = autoFocus
  }
}

extension KeyboardHeight {
  enum PointsCodingKeys: String, CodingKey { case _0 = "value" }
  enum FractionCodingKeys: String, CodingKey { case _0 = "value" }
}
