import Avoidance
import Geometry
import ResponderChain
import TouchInput

extension Engine {
  public func scene(_ id: SceneID) -> Scene? { scenes.first { $0.id == id } }

  package var firstResponder: Responder? {
    guard let focusedScene, let view = scene(focusedScene)?.focused else { return nil }
    return Responder(scene: focusedScene, view: view)
  }

  /// Makes an input the first responder; the old one's focus ends with it, without a hide between (rule 11).
  mutating func becomeFirstResponder(_ view: String, in id: SceneID, _ reason: KeyboardReason) {
    guard let place = scenes.firstIndex(where: { $0.id == id }) else { return }
    if let old = focusedScene, old != id, let before = scenes.firstIndex(where: { $0.id == old }) {
      scenes[before].focused = nil
    }
    scenes[place].focused = view
    focusedScene = id
    shownByRequest = false
    hiddenByDriver = false  // tapped again, it comes back (rule 12)
    self.reason = reason
    needsSettling = true
  }

  /// Takes the focus away, and with it the keyboard.
  mutating func resignFirstResponder(_ reason: KeyboardReason) {
    guard let focusedScene, let place = scenes.firstIndex(where: { $0.id == focusedScene }) else { return }
    scenes[place].focused = nil
    self.focusedScene = nil
    hiddenByDriver = false
    shownByRequest = false
    self.reason = reason
    needsSettling = true
  }

  /// A first responder that went, was hidden or disabled loses the focus without being asked (rule 10).
  mutating func dropLostFocus() {
    guard let responder = firstResponder, let scene = scene(responder.scene) else { return }
    let index = scene.tree.index(of: responder.view)
    if index.map({ scene.tree.canBecomeFirstResponder($0) }) != true { resignFirstResponder(.client) }
  }

  // MARK: Keys

  /// Escape and Back resign, Tab moves on, Enter does as the input's returnKey says (rule 16).
  mutating func perform(_ command: KeyCommand) {
    switch command {
    case .dismiss:
      if shownByRequest {
        shownByRequest = false
        reason = .dismissKey
        needsSettling = true
      }
      resignFirstResponder(.dismissKey)
    case .next: moveFocus(backwards: false)
    case .previous: moveFocus(backwards: true)
    case .enter: returnPressed()
    }
  }

  private mutating func moveFocus(backwards: Bool) {
    guard let responder = firstResponder, let scene = scene(responder.scene),
      let next = scene.tree.nextInput(after: responder.view, backwards: backwards)
    else { return }
    becomeFirstResponder(next, in: scene.id, .focus)
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
