import Avoidance
import Geometry
import ResponderChain

// What a touch does, decided without doing it: `deliver` carries it out, `hitTest` tells of it.

/// Whose a touch is that begins at a point of a screen.
enum TouchTarget {
  case keyboard
  case scene(Scene)
  case nobody
}

extension Engine {
  /// The keyboard's, for it is nobody else's (rule 7), or that of the front-most scene.
  func target(of point: Point, on screen: String) -> TouchTarget {
    if keyboard.isShowing, screen == keyboardScreen, keyboard.frame.contains(point) { return .keyboard }
    return scene(at: point, on: screen).map { .scene($0) } ?? .nobody
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

  /// A touch as it begins; scene 0 and no responders if nothing is there.
  func delivery(of touch: Int, at point: Point, _ time: UInt64, to target: Scene?) -> TouchDelivery {
    guard let scene = target, let hit = scene.tree.hitTest(scene.convert(point)) else {
      return TouchDelivery(
        id: touch, scene: target?.id ?? 0, start: point, at: time, hit: nil, responders: [], scrollView: nil,
        isOutside: true, resigners: [])
    }
    let tree = scene.tree
    let responders = tree.responders(for: hit)
    let keeper = tree.focusKeeper(at: hit)
    let isWithin = isWithinFirstResponder(hit, of: scene)
    // Below a view that keeps the focus only what lies up to it may end it (rules 7 and 14).
    let resigners = keeper.flatMap { responders.firstIndex(of: $0) }.map { Array(responders[$0...]) }
    return TouchDelivery(
      id: touch, scene: scene.id, start: point, at: time, hit: tree.id(at: hit),
      responders: responders.map { tree.id(at: $0) },
      scrollView: tree.scrollView(around: hit).map { tree.id(at: $0) },
      isOutside: keeper == nil && !isWithin,
      resigners: isWithin ? [] : (resigners ?? responders).map { tree.id(at: $0) })
  }

  private func isWithinFirstResponder(_ hit: ViewTree.Index, of scene: Scene) -> Bool {
    guard let focused = scene.focused, let index = scene.tree.index(of: focused) else { return false }
    return scene.tree.ancestry(of: hit).contains(index)
  }

  /// The editable input that a tap asks the focus for (rule 9).
  func tappedInput(_ delivery: TouchDelivery) -> String? {
    guard let tree = scene(delivery.scene)?.tree else { return nil }
    return delivery.responders.last { id in
      tree.index(of: id).map { tree.canBecomeFirstResponder($0) } ?? false
    }
  }

  /// Why a touch makes a first responder of a scene resign: by a responder it reaches (rule 14), else by being
  /// outside (rule 13); nil if it does not.
  func resignReason(
    _ trigger: Trigger, _ delivery: TouchDelivery, of focused: Scene, on screen: String
  ) -> KeyboardReason? {
    if let tree = scene(delivery.scene)?.tree,
      delivery.resigners.contains(where: { id in tree.index(of: id).map { tree.resigns(at: $0) } == trigger })
    {
      return .responder
    }
    let isOutside =
      delivery.isOutside && focused.description.outsideTouch == trigger && focused.screen == screen
    return isOutside ? .outsideTouch : nil
  }

  /// Shown by hand, it goes by a tap outside, so that it is not left up when who asked for it is gone.
  func hidesShownKeyboard(_ trigger: Trigger, _ delivery: TouchDelivery, on screen: String) -> Bool {
    shownByRequest && trigger == .tap && delivery.isOutside && screen == keyboardScreen
  }

  /// Whether a drag that a scroll view takes over makes the first responder resign (rule 15).
  func dragResigns(_ scrollView: View) -> Bool { scrollView.dismissMode == .onDrag }

  /// Whether the keyboard follows such a drag that comes down over its top edge (rule 15).
  func dragPulls(_ scrollView: View) -> Bool {
    scrollView.kind == .scroll && scrollView.dismissMode == .interactive
  }
}
