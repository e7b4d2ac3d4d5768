import Geometry

/// A compositor or an X server, by which keyboards are seen from outside.
///
/// Implementations: WaylandDesktop, XDesktop. They never wait, and tell of a loss by `onLost`; whoever holds one lets it
/// go then and tries for a new one.
public protocol Desktop: AnyObject {
  /// Called from the loop whenever what `sight` or `hiddenBy` say may have changed.
  var onChange: (() -> Void)? { get set }
  /// Called once, from the loop, when the compositor or server is gone, with the reason.
  var onLost: ((String) -> Void)? { get set }

  /// Where a keyboard is now.
  ///
  /// Where only what is missing of outputs is known, it may be missing of several: then the one counts that has the
  /// screen's name, else the one that has its shape, else the first.
  /// - screen: the name of the screen that it is to be on; empty if none is known
  /// - size: that screen's; nil if none is known
  func sight(of keyboard: KeyboardTraits, on screen: String, sized size: Size?) -> Sight
  /// How large all of it is, in the units of what programs say of their windows; nil if that is not known.
  var size: Size? { get }

  /// The keyboard is known to be hidden by now: what is missing of the screen is not its.
  func keyboardIsHidden()
  /// A keyboard that says nothing was told to hide, and has had the time to.
  func keyboardShouldBeHidden()
}

extension Desktop {
  /// Where a keyboard is now, whatever screen it is to be on.
  public func sight(of keyboard: KeyboardTraits) -> Sight { sight(of: keyboard, on: "", sized: nil) }
  public var size: Size? { nil }
  public func keyboardIsHidden() {}
  public func keyboardShouldBeHidden() {}
}

/// How a keyboard is told from all else on a desktop.
public struct KeyboardTraits: Hashable, Sendable {
  /// The class that its X11 window has (WM_CLASS, either part, whatever the case); empty for none.
  public var windowClass: String
  /// The title that its X11 window has where it has no class.
  public var windowTitle: String
  /// Whether it lies above full-screen windows of a Wayland compositor.
  public var isOverlay: Bool

  /// Whether it is known by an X11 window.
  public var hasWindow: Bool { !windowClass.isEmpty || !windowTitle.isEmpty }

  public init(windowClass: String = "", windowTitle: String = "", isOverlay: Bool = false) {
    self.windowClass = windowClass
    self.windowTitle = windowTitle
    self.isOverlay = isOverlay
  }
}

/// What a desktop sees of a keyboard.
public enum Sight: Equatable, Sendable {
  /// It cannot tell: there is no such window yet, or it has no means.
  case unknown
  case hidden
  case seen(Place)

  /// Where a keyboard is, in points of one output.
  public struct Place: Equatable, Sendable {
    /// Such as HDMI-A-1; empty if it has no name.
    public var output: String
    /// The output's size, in the units of `frame`, after its rotation and scale.
    public var size: Size
    /// Within the output.
    public var frame: Rect
    /// The title of the window that lies above all of it; nil if none does.
    public var coveredBy: String?

    public init(output: String, size: Size, frame: Rect, coveredBy: String? = nil) {
      self.output = output
      self.size = size
      self.frame = frame
      self.coveredBy = coveredBy
    }
  }
}

extension [Sight.Place] {
  /// The one on the output with a screen's name, else the one on an output of its shape, else the first.
  func preferred(on screen: String, sized size: Size?) -> Sight.Place? {
    first { !screen.isEmpty && $0.output == screen } ?? first { size.map($0.size.hasShape(of:)) ?? false }
      ?? first
  }
}

extension Size {
  /// Whether it is the other one, larger or smaller, to within a fiftieth.
  public func hasShape(of other: Size) -> Bool {
    let product = width * other.height
    return abs(product - height * other.width) <= product / 50
  }
}
