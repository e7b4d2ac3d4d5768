import Desktop

/// matchbox-keyboard as a daemon (-d), which is told by a message to X11's root window, and says nothing.
///
/// It needs a window manager: without one it never comes (_NET_SUPPORTING_WM_CHECK).
final class Matchbox: OnScreenKeyboard {
  static let name = "matchbox"
  var onChange: (() -> Void)?
  private(set) var isPresent = false
  let isVisible: Bool? = nil
  var traits: KeyboardTraits? { window }

  /// Numbers of _MB_IM_INVOKER_COMMAND.
  private enum Command: UInt32 {
    case show = 1
    case hide = 2
  }

  private let window = KeyboardTraits(windowTitle: "Keyboard")
  private let desktops: Desktops

  init(on desktops: Desktops) {
    self.desktops = desktops
    desktops.use { [unowned self] in find() }
    find()
  }

  func setVisible(_ visible: Bool) {
    desktops.x11?.sendToRoot("_MB_IM_INVOKER_COMMAND", (visible ? Command.show : .hide).rawValue)
  }

  /// It is there as long as its window is, shown or not.
  private func find() {
    let isThere = desktops.x11.map { $0.sight(of: window) != .unknown } ?? false
    guard isThere != isPresent else { return }
    isPresent = isThere
    onChange?()
  }
}
