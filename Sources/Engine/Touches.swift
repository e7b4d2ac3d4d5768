import Avoidance
import Geometry
import ResponderChain
import TouchInput

extension Engine {
  /// Delivers one change of a touch to the responders it belongs to, and draws the consequences for the focus.
  mutating func deliver(
    _ touch: Touch, on screen: String?, _ time: UInt64, _ effects: inout [Effect]
  ) {
    let screen = screen ?? screens[0].name
    if touch.phase == .began {
      begin(touch, on: screen, time, &effects)
      return
    }
    guard let place = deliveries.firstIndex(where: { $0.id == touch.id }) else { return }
    switch touch.phase {
    case .began: break
    case .moved:
      if deliveries[place].move(to: touch.position, at: time) == .dragBegan {
        dragBegan(place, time, &effects)
      }
      emitMoved(place, time, &effects)
      pullKeyboard(place)
    case .cancelled:
      let delivery = deliveries.remove(at: place)
      emit(delivery, .cancelled, time, &effects)
      if delivery.state == .pulling { needsSettling = true }
    case .ended:
      let delivery = deliveries.remove(at: place)
      emit(delivery, .ended, time, &effects)
      lastTouchEnd = time
      switch delivery.state {
      case .undecided: wish(.touch(.tap, delivery, screen: screen), &effects)
      case .moving, .dragging: break
      case .pulling: dropKeyboard(delivery, time, &effects)
      }
    }
  }

  /// As `emit`, for what comes most often: reads the delivery where it lies, since all of it is much to copy.
  private func emitMoved(_ place: Int, _ time: UInt64, _ effects: inout [Effect]) {
    guard deliveries[place].scene != 0 else { return }
    effects.append(
      .touch(
        DeliveredTouch(
          scene: deliveries[place].scene, id: deliveries[place].id, phase: .moved, time: time,
          position: deliveries[place].position, view: deliveries[place].hit,
          responders: deliveries[place].responders)))
  }

  private func emit(
    _ delivery: TouchDelivery, _ phase: TouchPhase, _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard delivery.scene != 0 else { return }
    effects.append(
      .touch(
        DeliveredTouch(
          scene: delivery.scene, id: delivery.id, phase: phase, time: time, position: delivery.position,
          view: delivery.hit, responders: delivery.responders)))
  }

  /// Takes the living touches from a scene, which stays.
  mutating func cancelDeliveries(to scene: SceneID, _ time: UInt64, _ effects: inout [Effect]) {
    for delivery in deliveries where delivery.scene == scene { emit(delivery, .cancelled, time, &effects) }
    deliveries.removeAll { $0.scene == scene }
  }

  /// Hit-tests scenes from the front to the back; a touch on the keyboard is nobody else's (rule 7).
  private mutating func begin(
    _ touch: Touch, on screen: String, _ time: UInt64, _ effects: inout [Effect]
  ) {
    let delivery: TouchDelivery
    switch target(of: touch.position, on: screen) {
    case .keyboard: return
    case .scene(let scene): delivery = self.delivery(of: touch.id, at: touch.position, time, to: scene)
    case .nobody: delivery = self.delivery(of: touch.id, at: touch.position, time, to: nil)
    }
    deliveries.append(delivery)
    emit(delivery, .began, time, &effects)
    wish(.touch(.began, delivery, screen: screen), &effects)
  }

  /// The scroll view takes the touch over: cancelled for the views below it, on for itself (rule 6).
  private mutating func dragBegan(_ place: Int, _ time: UInt64, _ effects: inout [Effect]) {
    guard let scene = scene(deliveries[place].scene), let id = deliveries[place].scrollView,
      let index = scene.tree.index(of: id)
    else { return }
    let tree = scene.tree
    let onwards = tree.responders(for: index).map { tree.id(at: $0) }
    let before = deliveries[place]
    let below = deliveries[place].takeOver(by: onwards)
    if !below.responders.isEmpty { emit(below, .cancelled, time, &effects) }
    let fresh = deliveries[place].takenOver(from: before)
    if !fresh.responders.isEmpty { emit(fresh, .began, time, &effects) }
    if dragResigns(tree.view(at: index)) { wish(.drag, &effects) }
  }

  /// A tap on an editable input asks for focus (rule 9), one elsewhere may resign it (rules 13 and 14).
  mutating func tapEnded(_ delivery: TouchDelivery, on screen: String) {
    if let input = tappedInput(delivery) {
      becomeFirstResponder(input, in: delivery.scene, .focus)
      return
    }
    triggerResign(.tap, delivery, on: screen)
  }

  /// Lets the first responder resign by a responder that the touch reaches, else by a touch outside of it.
  mutating func triggerResign(_ trigger: Trigger, _ delivery: TouchDelivery, on screen: String) {
    guard let focusedScene, let focused = scene(focusedScene) else {
      if hidesShownKeyboard(trigger, delivery, on: screen) {
        withdrawRequest(.outsideTouch)
      }
      return
    }
    if let reason = resignReason(trigger, delivery, of: focused, on: screen) { resignFirstResponder(reason) }
  }
}
