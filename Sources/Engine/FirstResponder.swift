import Avoidance
import Geometry
import ResponderChain
import TouchInput

/// What came of a wish to move the focus.
enum FocusChange: Equatable {
  case made
  case refused(by: String)
  /// Somebody is being asked.
  case undecided

  init(_ decision: Decision?) {
    switch decision {
    case nil: self = .undecided
    case let decision?: self = decision.isAllowed ? .made : .refused(by: decision.by)
    }
  }
}

extension Engine {
  /// How many inputs one press of Tab asks for, all of which may be refused.
  static let mostRefusals = 16

  public func scene(_ id: SceneID) -> Scene? { scenes.first { $0.id == id } }

  package var firstResponder: Responder? {
    guard let focusedScene, let view = scene(focusedScene)?.focused else { return nil }
    return Responder(scene: focusedScene, view: view)
  }

  /// Makes an input the first responder, if nobody refuses; undecided if that is not known yet.
  ///
  /// May the old one end, may the new one begin: both are asked before anything changes (rule 9).
  @discardableResult
  mutating func becomeFirstResponder(
    _ view: String, in id: SceneID, _ reason: KeyboardReason, keyboardWaits: Bool = false
  ) -> FocusChange {
    let new = Responder(scene: id, view: view)
    let change = mayChange(to: new, reason)
    guard change == .made else { return change }
    moveFocus(to: new, reason)
    if keyboardWaits, !keyboard.isShowing { keyboardIsAway = true }
    return .made
  }

  private mutating func mayChange(to new: Responder, _ reason: KeyboardReason) -> FocusChange {
    guard firstResponder != new else { return .made }  // tapped again
    let mayEnd = mayEndEditing(reason)
    guard mayEnd == .made else { return mayEnd }
    return FocusChange(decision(on: .beginEditing, of: new, reason))
  }

  private mutating func mayEndEditing(_ reason: KeyboardReason) -> FocusChange {
    guard let old = firstResponder else { return .made }
    return FocusChange(decision(on: .endEditing, of: old, reason))
  }

  /// The old one's focus ends with it, without a hide between (rule 11).
  private mutating func moveFocus(to new: Responder, _ reason: KeyboardReason) {
    guard let place = scenes.firstIndex(where: { $0.id == new.scene }) else { return }
    if let old = focusedScene, old != new.scene, let before = scenes.firstIndex(where: { $0.id == old }) {
      scenes[before].focused = nil
    }
    scenes[place].focused = new.view
    focusedScene = new.scene
    shownByRequest = false
    keyboardIsAway = false  // tapped again, it comes back (rule 12)
    self.reason = reason
    needsSettling = true
  }

  /// Takes the focus away, and with it the keyboard, if nobody refuses.
  @discardableResult
  mutating func resignFirstResponder(_ reason: KeyboardReason) -> FocusChange {
    let change = mayEndEditing(reason)
    if change == .made { loseFirstResponder(reason) }
    return change
  }

  /// Takes the focus away without asking.
  mutating func loseFirstResponder(_ reason: KeyboardReason) {
    guard let focusedScene, let place = scenes.firstIndex(where: { $0.id == focusedScene }) else { return }
    scenes[place].focused = nil
    self.focusedScene = nil
    keyboardIsAway = false
    shownByRequest = false
    self.reason = reason
    needsSettling = true
  }

  /// A first responder that went, was hidden or disabled loses the focus without being asked (rule 10).
  mutating func dropLostFocus() {
    guard let responder = firstResponder, let scene = scene(responder.scene) else { return }
    let index = scene.tree.index(of: responder.view)
    if index.map({ scene.tree.canBecomeFirstResponder($0) }) != true { loseFirstResponder(.client) }
  }

  // MARK: Keys

  /// Escape and Back resign, Tab moves on, Enter does as the input's returnKey says (rule 16).
  mutating func perform(_ command: KeyCommand) {
    switch command {
    case .dismiss:
      if shownByRequest { withdrawRequest(.dismissKey) }
      resignFirstResponder(.dismissKey)
    case .next: moveFocus(backwards: false)
    case .previous: moveFocus(backwards: true)
    case .enter: returnPressed()
    }
  }

  /// Goes to the next input that nobody refuses; each is asked once, and after `mostRefusals` the focus stays.
  private mutating func moveFocus(backwards: Bool) {
    guard let responder = firstResponder, let scene = scene(responder.scene) else { return }
    var candidate = responder.view
    for _ in 0..<Engine.mostRefusals {
      guard let next = scene.tree.nextInput(after: candidate, backwards: backwards), next != responder.view,
        mayEndEditing(.focus) == .made, case .refused = becomeFirstResponder(next, in: scene.id, .focus)
      else { return }
      candidate = next
    }
  }

  private mutating func returnPressed() {
    guard let responder = firstResponder, let view = scene(responder.scene)?.tree.view(responder.view)
    else { return }
    switch view.returnKey {
    case .none: break
    case .next: moveFocus(backwards: false)
    case .done: resignFirstResponder(.returnKey)
    }
  }
}
