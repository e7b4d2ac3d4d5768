import DBus
import Desktop
import EventLoop

/// onboard, which is an object on the session bus and a window of X11.
final class Onboard: OnScreenKeyboard {
  static let name = "onboard"
  var onChange: (() -> Void)?
  private(set) var isVisible: Bool?
  let traits: KeyboardTraits? = KeyboardTraits(windowClass: "onboard")
  var isPresent: Bool { owner != nil }

  private static let busName = "org.onboard.Onboard"
  private static let path = "/org/onboard/Onboard/Keyboard"
  private static let interface = "org.onboard.Onboard.Keyboard"

  private let session: SessionBus
  private var calls = OnboardCalls()
  private var bus: Bus?
  private var owner: String?
  private var watch: Bus.NameWatch?
  private var changes: Bus.Subscription?
  private var question: Bus.Subscription?

  init(on session: SessionBus) {
    self.session = session
    session.use { [unowned self] in connect($0) }
  }

  func setVisible(_ visible: Bool) { call(calls.set(visible, word: isVisible)) }

  private func call(_ call: OnboardCalls.Call?) {
    if let call { bus?.call(Onboard.busName, Onboard.path, Onboard.interface, call.rawValue) }
  }

  private func connect(_ bus: Bus?) {
    self.bus = bus
    changes = try? bus?.match(
      "type='signal',sender='\(Onboard.busName)',path='\(Onboard.path)',"
        + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
    ) { [unowned self] _ in ask() }
    watch = try? bus?.watch(name: Onboard.busName) { [unowned self] in owned(by: $0) }
    if bus == nil { owned(by: nil) }
  }

  private func owned(by owner: String?) {
    self.owner = owner
    isVisible = nil
    calls = OnboardCalls()
    question = nil
    if owner != nil { ask() }
    onChange?()
  }

  private func ask() {
    question = bus?.get("Visible", of: Onboard.busName, Onboard.path, Onboard.interface) {
      [unowned self] answer in
      switch answer {
      case .success(let value):
        guard let visible = value.asBool, visible != isVisible else { return }
        isVisible = visible
        call(calls.said(visible))
        onChange?()
      case .failure(let error):
        // It has its name some seconds before it answers.
        if error.name == "org.freedesktop.DBus.Error.NoReply" { ask() }
      }
    }
  }
}
