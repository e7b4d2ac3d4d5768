import Geometry

/// Where the keyboard is in its life.
public enum KeyboardPhase: String, CaseIterable, Codable, Sendable { case hidden, willShow, shown, willHide }

/// Why the keyboard last changed.
public enum KeyboardReason: String, CaseIterable, Codable, Sendable {
  case none, focus, client, outsideTouch, responder, drag, returnKey, dismissKey, hardwareKeyboard
  case driver, plugin, sceneGone
}

/// The keyboard as it is published (io.keylift.Scene, type Keyboard).
public struct KeyboardState: Codable, Equatable, Sendable {
  public var phase: KeyboardPhase
  /// Where it is once the transition is over, in screen points; of height 0 at the bottom edge while hidden.
  public var frame: Rect
  /// Where it was as the transition began.
  public var previousFrame: Rect
  /// False for one that floats, is split or does not reach the bottom edge: it covers nothing.
  public var docked: Bool
  /// Seconds; 0 for at once.
  public var duration: Double
  public var reason: KeyboardReason
  /// The name of the screen that it is on, or was last.
  public var screen: String

  /// The curve's name on the wire.
  public static let curve = "easeInOut"

  /// True while it is on the screen or on its way there.
  public var isShowing: Bool { phase == .shown || phase == .willShow }

  /// Where its top is, if it is showing and covers anything; nil if it covers nothing.
  public var coveredFrom: Double? { isShowing && docked && !frame.isEmpty ? frame.y : nil }

  public init(
    phase: KeyboardPhase = .hidden, frame: Rect = .zero, previousFrame: Rect = .zero, docked: Bool = true,
    duration: Double = 0, reason: KeyboardReason = .none, screen: String = ""
  ) {
    self.phase = phase
    self.frame = frame
    self.previousFrame = previousFrame
    self.docked = docked
    self.duration = duration
    self.reason = reason
    self.screen = screen
  }
}

/// What the keyboard does, as it is told to subscribers.
public enum KeyboardNotification: String, CaseIterable, Sendable {
  case keyboardWillChangeFrame, keyboardWillShow, keyboardDidChangeFrame, keyboardDidShow
  case keyboardWillHide, keyboardDidHide
}

/// The keyboard's state machine: hidden, willShow, shown, willHide, changes of frame, and following a finger.
///
/// Its methods return what to publish, in order; whether and when `settle` is due is in `deadline`.
/// Source: focus-and-layout, rules 15 and 19 to 23.
public struct Keyboard: Codable, Equatable, Sendable {
  public private(set) var state: KeyboardState
  /// When the running transition is over, in microseconds; nil while none runs.
  public private(set) var deadline: UInt64?
  private var started: UInt64 = 0
  /// Where a transition began that is not over yet, for turning it round.
  private var origin: Rect
  /// Where it would rest, while it follows a finger; nil while it follows none.
  public private(set) var resting: KeyboardFrame?

  /// The top of what it covers once no finger pulls it; nil if that is nothing.
  public var restingTop: Double? { resting?.rect.y ?? state.coveredFrom }

  /// Hidden, below a screen.
  public init(on screen: Screen) {
    origin = Keyboard.hiddenFrame(on: screen)
    state = KeyboardState(frame: origin, previousFrame: origin, screen: screen.name)
  }

  /// Where a hidden keyboard is: of height 0 at the screen's bottom edge.
  private static func hiddenFrame(on screen: Screen) -> Rect {
    Rect(x: 0, y: screen.size.height, width: screen.size.width, height: 0)
  }

  /// Shows it, or moves it to another frame; nothing if it is there already.
  public mutating func show(
    _ target: KeyboardFrame, duration: Double, reason: KeyboardReason, at time: UInt64
  ) -> [KeyboardNotification] {
    let wasShowing = state.isShowing
    resting = nil
    guard
      !wasShowing || state.frame != target.rect || state.docked != target.docked
        || state.screen != target.screen
    else { return [] }
    let phase: KeyboardPhase = state.phase == .shown ? .shown : .willShow
    begin(phase, target, duration: duration, reason: reason, at: time)
    let will: [KeyboardNotification] =
      wasShowing ? [.keyboardWillChangeFrame] : [.keyboardWillChangeFrame, .keyboardWillShow]
    return will + settle(at: time)
  }

  /// Hides it towards a screen's bottom edge; nothing if it is hidden or going already.
  public mutating func hide(on screen: Screen, duration: Double, reason: KeyboardReason, at time: UInt64)
    -> [KeyboardNotification]
  {
    let edge = Keyboard.hiddenFrame(on: screen)
    resting = nil
    guard state.isShowing else {
      if state.phase == .hidden, state.frame != edge {  // the screen changed while it was hidden
        state.frame = edge
        state.previousFrame = edge
      }
      if state.phase == .hidden { state.screen = screen.name }
      return []
    }
    begin(
      .willHide, KeyboardFrame(hidden: edge, screen: screen.name), duration: duration, reason: reason,
      at: time)
    return [.keyboardWillChangeFrame, .keyboardWillHide] + settle(at: time)
  }

  /// Brings its top to a finger's y, as far as it can be pulled; nothing if it is there, or is not showing.
  ///
  /// A transition that runs ends there, also that of showing: it is shown as far as the finger lets it.
  /// - resting: where it is to come back to by `show`.
  public mutating func follow(_ y: Double, from resting: KeyboardFrame, at time: UInt64)
    -> [KeyboardNotification]
  {
    guard state.isShowing else { return [] }
    self.resting = resting
    let pulled = resting.pulled(to: y)
    guard deadline != nil || state.frame != pulled.rect else { return [] }
    begin(state.phase, pulled, duration: 0, reason: .drag, at: time)
    return [.keyboardWillChangeFrame] + settle(at: time)
  }

  /// Ends a transition whose time is over, and says so; nothing before then.
  public mutating func settle(at time: UInt64) -> [KeyboardNotification] {
    guard let deadline, time >= deadline else { return [] }
    self.deadline = nil
    switch state.phase {
    case .willShow:
      state.phase = .shown
      return [.keyboardDidChangeFrame, .keyboardDidShow]
    case .willHide:
      state.phase = .hidden
      return [.keyboardDidChangeFrame, .keyboardDidHide]
    case .shown, .hidden:
      return [.keyboardDidChangeFrame]
    }
  }

  /// Starts a transition from where the keyboard is now, which is between two frames if one is running.
  private mutating func begin(
    _ phase: KeyboardPhase, _ target: KeyboardFrame, duration: Double, reason: KeyboardReason, at time: UInt64
  ) {
    origin = currentFrame(at: time)
    started = time
    state = KeyboardState(
      phase: phase, frame: target.rect, previousFrame: origin, docked: target.docked, duration: duration,
      reason: reason, screen: target.screen)
    deadline = time &+ UInt64(min(max(0, duration), 3600) * 1_000_000)
  }

  /// Where the keyboard is on its way, by the ease-in-out curve 3t² - 2t³.
  public func currentFrame(at time: UInt64) -> Rect {
    guard let deadline, deadline > started, time < deadline else { return state.frame }
    let t = time <= started ? 0 : Double(time - started) / Double(deadline - started)
    let eased = t * t * (3 - 2 * t)
    func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * eased }
    return Rect(
      x: between(origin.x, state.frame.x), y: between(origin.y, state.frame.y),
      width: between(origin.width, state.frame.width), height: between(origin.height, state.frame.height))
  }
}
