import Geometry

/// What a view does with touches; `view` passes them on to the next responder, the others keep them.
public enum Kind: String, CaseIterable, Codable, Sendable { case view, control, textInput, scroll }

/// When a touch that reaches a responder makes the first responder resign.
public enum Trigger: String, CaseIterable, Codable, Sendable { case never, began, tap }

/// How dragging a scroll view dismisses the keyboard.
public enum DismissMode: String, CaseIterable, Codable, Sendable { case none, onDrag, interactive }

/// What the return key does in a text input.
public enum ReturnKey: String, CaseIterable, Codable, Sendable { case none, next, done }

/// The kind of text that an input takes, for the keyboard's layout.
public enum Purpose: String, CaseIterable, Codable, Sendable {
  case normal, digits, number, phone, url, email, name, password, pin, date, time, datetime, terminal
}

/// A view as an application registers it, defaults resolved (io.keylift.Scene, type View).
public struct View: Codable, Equatable, Sendable {
  public var id: String
  /// The containing view's id; nil for a view directly in the scene.
  public var parent: String?
  public var kind: Kind
  /// In the parent's coordinates, points; inside a scroll view in its content's.
  public var frame: Rect
  public var hidden: Bool
  /// 0...1; below 0.01 the view is not hit.
  public var alpha: Double
  public var interactive: Bool
  public var forwardsTouches: Bool
  public var resigns: Trigger
  public var keepsFocus: Bool
  public var editable: Bool
  public var purpose: Purpose
  public var returnKey: ReturnKey
  /// The id of the view whose bottom must clear the keyboard; nil for the input itself.
  public var keepsVisible: String?
  /// Points between that bottom and the keyboard; nil for the configured spacing.
  public var spacing: Double?
  /// In the view's own coordinates.
  public var caret: Rect?
  /// The position for next and previous; nil for by place.
  public var order: Int?
  public var contentSize: Size
  public var contentOffset: Point
  public var dismissMode: DismissMode

  /// Absent arguments take the defaults of io.keylift.Scene, which depend on the kind.
  public init(
    id: String, parent: String? = nil, kind: Kind = .view, frame: Rect, hidden: Bool = false,
    alpha: Double = 1, interactive: Bool = true, forwardsTouches: Bool? = nil, resigns: Trigger = .never,
    keepsFocus: Bool? = nil, editable: Bool? = nil, purpose: Purpose = .normal,
    returnKey: ReturnKey = .none, keepsVisible: String? = nil, spacing: Double? = nil, caret: Rect? = nil,
    order: Int? = nil, contentSize: Size? = nil, contentOffset: Point = .zero,
    dismissMode: DismissMode = .none
  ) {
    self.id = id
    self.parent = parent
    self.kind = kind
    self.frame = frame
    self.hidden = hidden
    self.alpha = alpha
    self.interactive = interactive
    self.forwardsTouches = forwardsTouches ?? (kind == .view)
    self.resigns = resigns
    self.keepsFocus = keepsFocus ?? (kind == .control || kind == .textInput)
    self.editable = editable ?? (kind == .textInput)
    self.purpose = purpose
    self.returnKey = returnKey
    self.keepsVisible = keepsVisible
    self.spacing = spacing
    self.caret = caret
    self.order = order
    self.contentSize = contentSize ?? frame.size
    self.contentOffset = contentOffset
    self.dismissMode = dismissMode
  }
}

extension View {
  /// Throws: `invalidScene` with what is wrong with it, wherever it lies: its id, or a number.
  package func check() throws(SceneError) {
    func refuse(_ what: String) -> SceneError { .invalidScene(view: id, problem: what) }
    guard !id.isEmpty else { throw refuse("its id is empty") }
    guard ViewTree.isName(id) else {
      throw .invalidScene(
        view: nil, problem: "an id is over \(ViewTree.longestName) bytes or has control characters")
    }
    guard frame.isFinite else { throw refuse("its frame is not finite") }
    guard frame.width >= 0, frame.height >= 0 else { throw refuse("its frame is negative") }
    guard alpha.isFinite else { throw refuse("its alpha is not finite") }
    guard contentSize.isFinite else { throw refuse("its contentSize is not finite") }
    guard contentOffset.isFinite else { throw refuse("its contentOffset is not finite") }
    guard spacing?.isFinite ?? true else { throw refuse("its spacing is not finite") }
    guard caret?.isFinite ?? true else { throw refuse("its caret is not finite") }
    // Sums of what is finite stay finite below this.
    let limit = 1e9
    let numbers = [
      frame.x, frame.y, frame.width, frame.height, contentOffset.x,
      contentOffset.y, spacing ?? 0, caret?.x ?? 0, caret?.y ?? 0,
      caret?.width ?? 0, caret?.height ?? 0,
    ]
    guard numbers.allSatisfy({ abs($0) <= limit }) else { throw refuse("a length is over 1e9 points") }
  }
}

/// How a scene keeps the focused input visible.
public enum AvoidanceMode: String, CaseIterable, Codable, Sendable { case pan, scroll, resize, none }

/// What an application says about a scene when it attaches it, without the views.
public struct SceneDescription: Codable, Equatable, Sendable {
  public var name: String
  /// The screen's name; nil for the first.
  public var screen: String?
  /// In screen points; nil for the whole screen.
  public var frame: Rect?
  public var level: Int
  public var avoidance: AvoidanceMode
  public var outsideTouch: Trigger
  public var safeArea: Insets

  public init(
    name: String, screen: String? = nil, frame: Rect? = nil, level: Int = 0,
    avoidance: AvoidanceMode = .pan, outsideTouch: Trigger = .tap, safeArea: Insets = .zero
  ) {
    self.name = name
    self.screen = screen
    self.frame = frame
    self.level = level
    self.avoidance = avoidance
    self.outsideTouch = outsideTouch
    self.safeArea = safeArea
  }
}
