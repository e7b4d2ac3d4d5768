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
      if deliveries[place].move(to: touch.position) == .dragBegan {
        dragBegan(place, time, &effects)
      }
      emitMoved(place, time, &effects)
    case .cancelled:
      let delivery = deliveries.remove(at: place)
      emit(delivery, .cancelled, time, &effects)
    case .ended:
      let delivery = deliveries.remove(at: place)
      emit(delivery, .ended, time, &effects)
      lastTouchEnd = time
      if delivery.isTap { wish(.touch(.tap, delivery, screen: screen), &effects) }
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

  /// Hit-tests scenes from the front to the back; a touch on the keyboard is nobody else's (rule 7).
  private mutating func begin(
    _ touch: Touch, on screen: String, _ time: UInt64, _ effects: inout [Effect]
  ) {
    if keyboard.isShowing, screen == keyboardScreen, keyboard.frame.contains(touch.position) { return }
    var delivery = TouchDelivery(
      id: touch.id, scene: 0, start: touch.position, hit: nil, responders: [], scrollView: nil,
      isOutside: true, resigners: [])
    if let scene = scene(at: touch.position, on: screen) {
      delivery = self.delivery(of: touch, to: scene)
    }
    deliveries.append(delivery)
    emit(delivery, .began, time, &effects)
    wish(.touch(.began, delivery, screen: screen), &effects)
  }

  /// The front-most scene at a screen point: the higher level, then the one attached later (rule 1).
  private func scene(at point: Point, on screen: String) -> Scene? {
    var found: Scene?
    for scene in scenes where scene.screen == screen && scene.visibleFrame.contains(point) {
      if let found, found.description.level > scene.description.level { continue }
      found = scene
    }
    return found
  }

  private func delivery(of touch: Touch, to scene: Scene) -> TouchDelivery {
    let tree = scene.tree
    guard let hit = tree.hitTest(scene.convert(touch.position)) else {
      return TouchDelivery(
        id: touch.id, scene: scene.id, start: touch.position, hit: nil, responders: [], scrollView: nil,
        isOutside: true, resigners: [])
    }
    let responders = tree.responders(for: hit)
    let keeper = tree.focusKeeper(at: hit)
    let isWithin = isWithinFirstResponder(hit, of: scene)
    // Below a view that keeps the focus only what lies up to it may end it (rules 7 and 14).
    let resigners = keeper.map { keeper in
      responders.filter { tree.ancestry(of: $0).contains(keeper) }
    }
    return TouchDelivery(
      id: touch.id, scene: scene.id, start: touch.position, hit: tree.view(at: hit).id,
      responders: responders.map { tree.view(at: $0).id },
      scrollView: tree.scrollView(around: hit).map { tree.view(at: $0).id },
      isOutside: keeper == nil && !isWithin,
      resigners: isWithin ? [] : (resigners ?? responders).map { tree.view(at: $0).id })
  }

  private func isWithinFirstResponder(_ hit: ViewTree.Index, of scene: Scene) -> Bool {
    guard let focused = scene.focused, let index = scene.tree.index(of: focused) else { return false }
    return scene.tree.ancestry(of: hit).contains(index)
  }

  /// The scroll view takes the touch over: cancelled for the views below it, on for itself (rule 6).
  private mutating func dragBegan(_ place: Int, _ time: UInt64, _ effects: inout [Effect]) {
    guard let scene = scene(deliveries[place].scene), let id = deliveries[place].scrollView,
      let index = scene.tree.index(of: id)
    else { return }
    let tree = scene.tree
    let onwards = tree.responders(for: index).map { tree.view(at: $0).id }
    let before = deliveries[place]
    let below = deliveries[place].takeOver(by: onwards)
    if !below.responders.isEmpty { emit(below, .cancelled, time, &effects) }
    let fresh = deliveries[place].takenOver(from: before)
    if !fresh.responders.isEmpty { emit(fresh, .began, time, &effects) }
    if tree.view(at: index).dismissMode == .onDrag { wish(.drag, &effects) }
  }

  /// A tap on an editable input asks for focus (rule 9), one elsewhere may resign it (rules 13 and 14).
  mutating func tapEnded(_ delivery: TouchDelivery, on screen: String) {
    if let scene = scene(delivery.scene),
      let input = delivery.responders.last(where: { id in
        scene.tree.index(of: id).map { scene.tree.canBecomeFirstResponder($0) } ?? false
      })
    {
      becomeFirstResponder(input, in: scene.id, .focus)
      return
    }
    triggerResign(.tap, delivery, on: screen)
  }

  /// Lets the first responder resign by a responder that the touch reaches, else by a touch outside of it.
  mutating func triggerResign(_ trigger: Trigger, _ delivery: TouchDelivery, on screen: String) {
    guard let focusedScene, let focused = scene(focusedScene) else {
      // Shown by hand, it goes by a tap outside, so that it is not left up when who asked for it is gone.
      if shownByRequest, trigger == .tap, delivery.isOutside, screen == keyboardScreen {
        shownByRequest = false
        reason = .outsideTouch
        needsSettling = true
      }
      return
    }
    let tree = scene(delivery.scene)?.tree
    if delivery.resigners.contains(where: { tree?.view($0)?.resigns == trigger }) {
      resignFirstResponder(.responder)
    } else if delivery.isOutside, focused.description.outsideTouch == trigger, focused.screen == screen {
      resignFirstResponder(.outsideTouch)
    }
  }
}
