import Avoidance
import Geometry
import ResponderChain

/// What a touch would do that began at a point of a screen now, and why.
public struct HitTest: Equatable, Sendable {
  /// A view at or above the hit one.
  public struct Responder: Equatable, Sendable {
    public var view: View
    /// Whether the touch is delivered to it: all below it forward.
    public var isReached: Bool
    /// Whether its `resigns` counts for this touch.
    public var mayResign: Bool
  }

  /// A view in front of what is hit that is not, by ids.
  public struct Obstacle: Equatable, Sendable {
    public var view: String
    public var reason: PassedOver.Reason
    public var cause: String
  }

  public var screen: String
  public var position: Point
  /// It is the keyboard's, and nobody else's (focus-and-layout, rule 7).
  public var isOnKeyboard = false
  /// The front-most scene there; nil if there is none, or it is the keyboard's.
  public var scene: SceneID?
  /// The scenes below that one, from the front.
  public var below: [SceneID] = []
  /// The hit view and those around it, from inside out; none if no view is hit.
  public var chain: [Responder] = []
  /// In order of delivery.
  public var responders: [String] = []
  /// The one that takes the touch over once it is a drag.
  public var scrollView: String?
  /// The innermost view at or above the hit one that keeps the focus.
  public var focusKeeper: String?
  /// Whether it is a touch outside of what keeps the focus, and of the first responder.
  public var isOutside = false
  /// Why the first responder resigns as the touch begins, ends as a tap, or becomes a drag; nil if it does not.
  ///
  /// Without a first responder, why one elsewhere in this scene would.
  public var began: KeyboardReason?
  public var tap: KeyboardReason?
  public var drag: KeyboardReason?
  /// Whether the keyboard follows the finger of a drag that comes down over its top edge.
  public var pullsKeyboard = false
  /// The input that a tap asks the focus for.
  public var input: String?
  /// The front-most first, at most `mostPassedOver`.
  public var passedOver: [Obstacle] = []

  public static let mostPassedOver = 16
}

extension Engine {
  /// What a touch at a point would do, by what decides it for real touches; nothing is changed.
  ///
  /// - screen: its name; nil for the first. Returns: nil if there is no such screen.
  public func hitTest(_ point: Point, on name: String?) -> HitTest? {
    guard let screen = name.map({ name in screens.first { $0.name == name } }) ?? screens.first else {
      return nil
    }
    var result = HitTest(screen: screen.name, position: point)
    let target = target(of: point, on: screen.name)
    if case .keyboard = target {
      result.isOnKeyboard = true
      return result
    }
    var hitScene: Scene?
    if case .scene(let scene) = target { hitScene = scene }
    let delivery = delivery(of: 0, at: point, 0, to: hitScene)
    result.isOutside = delivery.isOutside
    let focused = focusedScene.flatMap { scene($0) } ?? hitScene
    result.input = tappedInput(delivery)
    if let focused {
      result.began = resignReason(.began, delivery, of: focused, on: screen.name)
      // The first to resign leaves nothing for the second, and an input that is tapped takes the focus over.
      if result.began == nil, result.input == nil {
        result.tap = resignReason(.tap, delivery, of: focused, on: screen.name)
      }
    }
    if focusedScene == nil, shownByRequest {
      result.began = nil
      result.tap = hidesShownKeyboard(.tap, delivery, on: screen.name) ? .outsideTouch : nil
    }
    guard let scene = hitScene else { return result }
    result.scene = scene.id
    result.below = scenes.enumerated()
      .filter { $1.id != scene.id && $1.screen == screen.name && $1.visibleFrame.contains(point) }
      .sorted { ($0.element.description.level, $0.offset) > ($1.element.description.level, $1.offset) }
      .map(\.element.id)
    let tree = scene.tree
    let hit = delivery.hit.flatMap { tree.index(of: $0) }
    result.responders = delivery.responders
    result.scrollView = delivery.scrollView
    if let view = delivery.scrollView.flatMap({ tree.view($0) }) {
      if dragResigns(view) { result.drag = .drag }
      result.pullsKeyboard = dragPulls(view)
    }
    if let hit {
      result.focusKeeper = tree.focusKeeper(at: hit).map { tree.id(at: $0) }
      result.chain = tree.ancestry(of: hit).map { tree.view(at: $0) }.map { view in
        HitTest.Responder(
          view: view, isReached: delivery.responders.contains(view.id),
          mayResign: delivery.resigners.contains(view.id))
      }
    }
    result.passedOver = tree.passedOver(
      at: scene.convert(point), inFrontOf: hit, limit: HitTest.mostPassedOver
    ).map {
      HitTest.Obstacle(
        view: tree.id(at: $0.view), reason: $0.reason, cause: tree.id(at: $0.cause))
    }
    return result
  }
}
