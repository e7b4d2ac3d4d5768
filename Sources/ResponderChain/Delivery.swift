import Geometry

extension ViewTree {
  /// The responders that an event on a hit view is delivered to, in the order in which they handle it.
  ///
  /// The event goes up from the hit view as far as each responder forwards; one that forwards hands it on before
  /// it handles it itself. So root > scroll (forwards) > label is root, scroll, label; without forwards on the
  /// scroll view it is scroll, label. Source: focus-and-layout, rule 5.
  public func responders(for hit: Index) -> [Index] {
    var upwards: [Index] = []
    for index in ancestry(of: hit) {
      upwards.append(index)
      if !views[Int(index)].forwardsTouches { break }
    }
    return upwards.reversed()
  }

  /// The scroll view that takes over a touch on the hit view when it becomes a drag; nil if none does.
  ///
  /// The innermost one at or above the hit view, unless a control lies between (focus-and-layout, rule 6).
  public func scrollView(around hit: Index) -> Index? {
    for index in ancestry(of: hit) {
      switch views[Int(index)].kind {
      case .scroll: return index
      case .control: return nil
      case .view, .textInput: continue
      }
    }
    return nil
  }

  /// The innermost view at or above the hit view that keeps the focus (focus-and-layout, rule 7).
  ///
  /// A touch there is no touch outside, and what lies above that view resigns nothing; a view's own `resigns`
  /// counts up to and with it, so that a Done button may dismiss (rule 14).
  public func focusKeeper(at hit: Index) -> Index? {
    ancestry(of: hit).first { views[Int($0)].keepsFocus }
  }
}

/// One finger's way from began to ended or cancelled, as a state machine.
///
///     undecided --beyond the slop--> moving                 no scroll view has it
///     undecided --beyond the slop--> dragging               the scroll view takes it over
///     dragging --over the keyboard's top edge--> pulling    the keyboard follows it
///     pulling --let go--> dragging                          it follows no more, and the finger is still down
public struct TouchDelivery: Codable, Sendable {
  public enum State: Codable, Equatable, Sendable {
    /// Within the slop so far: a tap if it ends here, at any speed (rule 8).
    case undecided
    /// Beyond the slop, and no scroll view has taken it.
    case moving
    /// A scroll view has taken it over.
    case dragging
    /// The keyboard follows it as well (rule 15).
    case pulling
  }

  /// How far a finger may move and still be a tap, in points (focus-and-layout, rule 6).
  public static let slop = 10.0

  public let id: Int
  /// The scene's number in the engine.
  public let scene: Int
  public let start: Point
  public private(set) var position: Point
  public private(set) var state: State = .undecided
  /// The view that was hit as the touch began; it stays for the whole touch (rule 4).
  public private(set) var hit: String?
  /// In order of delivery.
  public private(set) var responders: [String]
  public private(set) var scrollView: String?
  /// Whether it is a touch outside of what keeps the focus, and of the first responder (rule 7).
  public let isOutside: Bool
  /// The responders whose `resigns` counts for this touch.
  public private(set) var resigners: [String]
  /// Where the last movement came from; the slop is part of a drag's first.
  private var previousY: Double
  private var velocityTracker: VelocityTracker

  public init(
    id: Int, scene: Int, start: Point, at time: UInt64, hit: String?, responders: [String],
    scrollView: String?, isOutside: Bool, resigners: [String]
  ) {
    self.id = id
    self.scene = scene
    self.start = start
    position = start
    self.hit = hit
    self.responders = responders
    self.scrollView = scrollView
    self.isOutside = isOutside
    self.resigners = resigners
    previousY = start.y
    velocityTracker = VelocityTracker(y: start.y, at: time)
  }

  /// What a movement makes of the touch.
  public enum Movement: Equatable, Sendable {
    case moved
    /// The scroll view takes it over: it is cancelled for the views below.
    case dragBegan
  }

  /// Takes a new position, at a time in microseconds; a touch that left the slop stays out of it.
  public mutating func move(to point: Point, at time: UInt64) -> Movement {
    if state != .undecided { previousY = position.y }
    position = point
    velocityTracker.add(y: point.y, at: time)
    guard state == .undecided, point.squaredDistance(to: start) > TouchDelivery.slop * TouchDelivery.slop
    else { return .moved }
    state = scrollView == nil ? .moving : .dragging
    return scrollView == nil ? .moved : .dragBegan
  }

  // MARK: A drag that pulls the keyboard (rule 15)

  /// Whether a drag's last movement came down over a horizontal edge, in screen points.
  public func hasCrossed(_ edge: Double) -> Bool {
    state == .dragging && previousY < edge && position.y >= edge
  }

  /// Whether the last movement of a finger that pulls was one up or down.
  public var pullsFurther: Bool { state == .pulling && position.y != previousY }

  /// Has the keyboard follow a drag; nothing for any other touch.
  public mutating func pull() {
    if state == .dragging { state = .pulling }
  }

  /// The keyboard follows no more; over its edge once more, and it does again.
  public mutating func letGo() {
    if state == .pulling { state = .dragging }
  }

  /// How fast the finger moves down, in points per second over the last tenth of a second; 0 for one that rests.
  public func velocity(at time: UInt64) -> Double { velocityTracker.velocity(at: time) }

  // MARK: Those it is delivered to

  /// Hands the touch to the scroll view and those it forwards to; gives back the one that the others lose.
  public mutating func takeOver(by responders: [String]) -> TouchDelivery {
    var lost = self
    lost.responders.removeAll { responders.contains($0) }
    self.responders = responders
    return lost
  }

  /// The touch as it begins for those who had no part in it before the scroll view took it over.
  public func takenOver(from before: TouchDelivery) -> TouchDelivery {
    var fresh = self
    fresh.responders.removeAll { before.responders.contains($0) }
    return fresh
  }

  /// Forgets views that are gone, so that nothing is delivered to them.
  public mutating func forget(_ isGone: (String) -> Bool) {
    responders.removeAll(where: isGone)
    resigners.removeAll(where: isGone)
    if let hit, isGone(hit) { self.hit = nil }
    if let scrollView, isGone(scrollView) { self.scrollView = nil }
  }
}
