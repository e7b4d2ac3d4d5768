import Avoidance
import Geometry
import ResponderChain

/// Interactive dismissal: the keyboard follows the finger of a drag (focus-and-layout, rule 15).
///
/// Which finger leads is said by that touch's state alone; so the pull ends with the touch, however that ends.
extension Engine {
  /// Has the keyboard follow a drag that moved: further, or from when it comes down over the keyboard's top edge.
  mutating func pullKeyboard(_ place: Int) {
    switch deliveries[place].state {
    case .undecided, .moving: break
    case .dragging:
      let frame = keyboardMachine.state.frame
      guard deliveries[place].hasCrossed(frame.y), keyboardMachine.state.coveredFrom != nil,
        frame.x <= deliveries[place].position.x, deliveries[place].position.x < frame.maxX,
        mayPull(deliveries[place]), !deliveries.contains(where: { $0.state == .pulling })
      else { return }
      deliveries[place].pull()
      needsSettling = true
    case .pulling:
      if deliveries[place].pullsFurther { needsSettling = true }
    }
  }

  /// Whether a touch is a drag of an interactive scroll view on the keyboard's screen.
  private func mayPull(_ delivery: TouchDelivery) -> Bool {
    guard let scene = scene(delivery.scene), scene.screen == keyboardScreen,
      let view = delivery.scrollView.flatMap({ scene.tree.view($0) })
    else { return false }
    return dragPulls(view)
  }

  /// The y of the finger that has the keyboard; nil if none has, or there is no more reason to follow it.
  mutating func pull(of resting: KeyboardFrame) -> Double? {
    guard let place = deliveries.firstIndex(where: { $0.state == .pulling }) else { return nil }
    guard resting.docked, keyboardMachine.state.isShowing, mayPull(deliveries[place]) else {
      deliveries[place].letGo()
      return nil
    }
    return deliveries[place].position.y
  }

  /// Of a keyboard that goes, no finger has anything.
  mutating func letGoOfKeyboard() {
    for place in deliveries.indices { deliveries[place].letGo() }
  }

  /// The finger that had the keyboard is up: thrown down or past half of its height the keyboard goes.
  ///
  /// Nothing else is done for it to come back: it does if it is wanted still, also when the resigning was refused.
  mutating func dropKeyboard(_ delivery: TouchDelivery, _ time: UInt64, _ effects: inout [Effect]) {
    needsSettling = true
    guard let resting = keyboardFrame(on: screen(named: keyboardScreen)),
      resting.goes(liftedAt: delivery.position.y, velocity: delivery.velocity(at: time))
    else { return }
    wish(.drop(y: delivery.position.y), &effects)
  }

  /// Where a finger has dropped the keyboard, while plugins are asked whether it may go.
  package var dropped: Double? {
    guard !isTrial else { return nil }
    for case .drop(let y) in wishes { return y }
    return nil
  }

  /// Whether a driver reports its keyboard as the finger has it, which says nothing about where it rests.
  ///
  /// Such reports come late as well: from the first one on until it reports that it is back, or gone.
  func isPulled(_ frame: Rect, docked: Bool, by driver: Driver) -> Bool {
    guard driver.isPulled || (driver.name == drivers.last?.name && keyboardMachine.resting != nil),
      let resting = driver.frame
    else { return false }
    return docked && frame.isFinite && frame.y > resting.y && frame.x >= resting.x
      && frame.maxX <= resting.maxX && frame.maxY >= screen(named: keyboardScreen).size.height
  }
}
