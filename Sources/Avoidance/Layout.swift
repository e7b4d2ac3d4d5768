import Geometry

/// How far one scroll view must scroll, and how much of its bottom stays covered.
public struct ScrollAdjustment: Codable, Equatable, Sendable {
  public var view: String
  public var contentOffset: Point
  public var insetBottom: Double

  public init(view: String, contentOffset: Point, insetBottom: Double) {
    self.view = view
    self.contentOffset = contentOffset
    self.insetBottom = insetBottom
  }
}

/// How a scene's views must move (io.keylift.Scene, type Layout).
public struct Layout: Codable, Equatable, Sendable {
  /// Added to the scene's own origin; x is 0, y is 0 or less.
  public var offset: Point
  public var scrolls: [ScrollAdjustment]
  /// How much of the scene's bottom the keyboard covers before the offset, in points.
  public var overlap: Double
  /// Seconds that the movement takes; 0 for at once.
  public var duration: Double

  public init(
    offset: Point = .zero, scrolls: [ScrollAdjustment] = [], overlap: Double = 0, duration: Double = 0
  ) {
    self.offset = offset
    self.scrolls = scrolls
    self.overlap = overlap
    self.duration = duration
  }

  /// Whether something has to move from one to the other; how long that takes is no difference.
  public func differs(from other: Layout) -> Bool {
    offset != other.offset || scrolls != other.scrolls || overlap != other.overlap
  }
}

/// What must stay in sight, in screen points as they are while nothing is lifted.
public struct Focus: Codable, Equatable, Sendable {
  /// The top of what is edited: the caret's, else the input's.
  public var top: Double
  /// The bottom that must clear the keyboard.
  public var bottom: Double
  /// Points between that bottom and the keyboard; may be negative.
  public var spacing: Double

  public init(top: Double, bottom: Double, spacing: Double) {
    self.top = top
    self.bottom = bottom
    self.spacing = spacing
  }
}

/// A scroll view around a focus.
public struct ScrollRoom: Equatable, Sendable {
  /// Its top in screen points while nothing is lifted; infinite for one that must not move.
  public var top: Double
  /// How far it is scrolled, in points.
  public var position: Double

  public init(top: Double, position: Double) {
    self.top = top
    self.position = position
  }
}

/// How far scenes move out of the keyboard's way, and how much of them it covers.
public enum Avoid {
  /// How far a scene must move for its focus to clear a keyboard: min(0, keyboardTop - (bottom + spacing)).
  ///
  /// Never so far that the top of what is edited leaves the safe area, whose top is given in screen points too.
  /// Source: focus-and-layout, rules 24 to 31.
  public static func panOffset(keyboardTop: Double, focus: Focus, safeTop: Double) -> Double {
    let needed = keyboardTop - (focus.bottom + focus.spacing)
    guard needed < 0 else { return 0 }
    let most = max(0, focus.top - safeTop)
    return most == 0 ? 0 : max(needed, -most)
  }

  /// How far the scroll views around a focus must scroll for it to clear a keyboard, and what is left to the scene.
  ///
  /// From inside out each takes what it can, which is until the top of what is edited reaches its top or that of the
  /// safe area; the scene moves by the rest, its `panOffset`. One that is scrolled past that top already goes back to it.
  /// Source: focus-and-layout, rule 33.
  /// - scrollViews: from inside out.
  /// - Returns: how much further each scrolls, and where the focus is after that.
  public static func reveal(
    keyboardTop: Double, focus: Focus, safeTop: Double, scrollViews: [ScrollRoom]
  ) -> (scrolls: [Double], focus: Focus) {
    var focus = focus
    let scrolls = scrollViews.map { scrollView in
      let room = focus.top - max(scrollView.top, safeTop)
      let needed = focus.bottom + focus.spacing - keyboardTop
      let given = room < 0 ? -min(-room, max(0, scrollView.position)) : min(max(0, needed), room)
      guard given.isFinite, scrollView.top.isFinite else { return 0.0 }
      focus.top -= given
      focus.bottom -= given
      return given
    }
    return (scrolls, focus)
  }

  /// How much of a scene's bottom the keyboard covers while the scene is not lifted (rules 30 and 35).
  public static func overlap(of scene: Rect, keyboard: KeyboardState) -> Double {
    guard let top = keyboard.coveredFrom, keyboard.frame.x < scene.maxX, keyboard.frame.maxX > scene.x
    else { return 0 }
    return min(max(0, scene.maxY - top), max(0, scene.height))
  }
}
