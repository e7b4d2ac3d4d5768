import DBus
import Desktop
import EventLoop
import Geometry

/// Maliit under X11: maliit-server, which says where its keyboard is, or maliit-keyboard alone, which does not (2.3).
///
/// A property on the session bus has the address of a bus of its own. There this is one of its clients, of which the one
/// that was activated last is listened to, told of the keyboard, and sent the text. An application that is a client of its
/// own shows the keyboard itself, and needs the text: so it is left to it until the keyboard is to hide.
final class Maliit: OnScreenKeyboard {
  static let name = "maliit"
  var onChange: (() -> Void)?
  private(set) var isVisible: Bool?
  private(set) var frame: Rect?
  // Its window is as large as the screen, whatever part of it is drawn.
  let traits: KeyboardTraits? = nil
  var isPresent: Bool { server != nil }

  private static let busName = "org.maliit.server"
  private static let serverPath = "/com/meego/inputmethod/uiserver1"
  private static let server = "com.meego.inputmethod.uiserver1"
  private static let contextPath = "/com/meego/inputmethod/inputcontext"
  private static let context = "com.meego.inputmethod.inputcontext1"

  private let session: SessionBus
  private let log: Log
  private let loop: EventLoop
  private var bus: Bus?
  private var watch: Bus.NameWatch?
  private var question: Bus.Subscription?
  private var server: Bus?
  private var calls: Bus.Subscription?
  private var order: Bus.Subscription?
  /// Whether no other client was activated since this was.
  private var isActive = false
  private var timer: TimerSource?

  /// How long after it said that it shows it may say where, in microseconds.
  private static let patience: UInt64 = 300_000

  init(on session: SessionBus, _ log: Log, on loop: EventLoop) throws(SystemError) {
    self.session = session
    self.log = log
    self.loop = loop
    timer = try loop.timer { [unowned self] in shows(true, in: nil) }
    session.use { [unowned self] in connect($0) }
  }

  func setVisible(_ visible: Bool) {
    if visible {
      guard isActive else { return }
    } else {
      activate()
    }
    order = server?.call(
      nil, Maliit.serverPath, Maliit.server, visible ? "showInputMethod" : "hideInputMethod"
    ) { [unowned self] answer in
      guard case .success = answer, isActive, isVisible != visible else { return }
      if visible { timer?.arm(at: loop.now + Maliit.patience) } else { shows(false, in: nil) }
    }
  }

  private func activate() {
    guard !isActive else { return }
    server?.call(nil, Maliit.serverPath, Maliit.server, "activateContext")
    isActive = true
  }

  private func connect(_ bus: Bus?) {
    self.bus = bus
    watch = try? bus?.watch(name: Maliit.busName) { [unowned self] in owned(by: $0) }
    if bus == nil { owned(by: nil) }
  }

  private func owned(by owner: String?) {
    forget()
    question =
      owner == nil
      ? nil
      : bus?.get("address", of: Maliit.busName, "/org/maliit/server/address", "org.maliit.Server.Address") {
        [unowned self] answer in
        if case .success(let value) = answer, let address = value.asString { connect(to: address) }
      }
    onChange?()
  }

  private func connect(to address: String) {
    guard !address.isEmpty else {
      return log.error(
        "maliit: it listens nowhere, as it does without a folder /tmp/maliit-server that its user may write; "
          + "make it, and start maliit again")
    }
    guard address.hasPrefix("unix:"), !address.contains(";") else {
      return log.error("maliit: \(address) is no socket of this machine")
    }
    do throws(SystemError) {
      let server = try Bus(peerAt: address, on: loop)
      server.onDisconnect = { [unowned self] in
        forget()
        onChange?()
      }
      calls = try server.onCall(of: Maliit.context, at: Maliit.contextPath) { [unowned self] in called($0, $1)
      }
      self.server = server
      activate()
      isVisible = false  // it hides whenever a client comes
    } catch {
      log.error("maliit: \(error)")
    }
    onChange?()
  }

  private func forget() {
    timer?.disarm()
    (calls, order, server, isActive, isVisible, frame) = (nil, nil, nil, false, nil, nil)
  }

  private func called(_ method: String, _ values: [Value]) {
    switch method {
    case "updateInputMethodArea":
      let numbers = values.compactMap(\.asInt).map(Double.init)
      guard numbers.count == 4 else { return }
      let area = Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      if area.width <= 0 || area.height <= 0 { shows(false, in: nil) } else { shows(true, in: area) }
    case "imInitiatedHide": shows(false, in: nil)
    case "activationLostEvent":
      isActive = false
      shows(nil, in: nil)
    default: break
    }
  }

  private func shows(_ visible: Bool?, in frame: Rect?) {
    timer?.disarm()
    guard (visible, frame) != (isVisible, self.frame) else { return }
    (isVisible, self.frame) = (visible, frame)
    onChange?()
  }
}
