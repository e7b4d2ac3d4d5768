import EventLoop

/// An X server, as Xorg and Xwayland are.
public final class XDesktop: Desktop {
  public var onChange: (() -> Void)?
  public var onLost: ((String) -> Void)?

  /// - display: as in DISPLAY
  public init(display: String, on loop: EventLoop) throws(SystemError) { throw SystemError(38, "X11") }

  public func sight(of keyboard: KeyboardTraits) -> Sight { .unknown }
}
