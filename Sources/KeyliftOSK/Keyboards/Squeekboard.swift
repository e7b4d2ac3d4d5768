import DBus
import Desktop
import EventLoop

/// squeekboard and stevia (phosh-osk-stub), which share an interface, sm.puri.OSK0 on the session bus.
final class Squeekboard: OnScreenKeyboard {
  static let name = "squeekboard"
  var onChange: (() -> Void)?
  private(set) var isVisible: Bool?
  let traits: KeyboardTraits?
  var isPresent: Bool { owner != nil }

  private static let busName = "sm.puri.OSK0"
  private static let path = "/sm/puri/OSK0"
  private static let interface = "sm.puri.OSK0"

  private let session: SessionBus
  private var bus: Bus?
  private var owner: String?
  private var watch: Bus.NameWatch?
  private var changes: Bus.Subscription?
  private var question: Bus.Subscription?

  init(on session: SessionBus, traits: KeyboardTraits = KeyboardTraits()) {
    self.session = session
    self.traits = traits
    session.use { [unowned self] in connect($0) }
  }

  func setVisible(_ visible: Bool) {
    bus?.call(Squeekboard.busName, Squeekboard.path, Squeekboard.interface, "SetVisible", [.bool(visible)])
  }

  private func connect(_ bus: Bus?) {
    self.bus = bus
    changes = try? bus?.match(
      "type='signal',sender='\(Squeekboard.busName)',path='\(Squeekboard.path)',"
        + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
    ) { [unowned self] _ in ask() }
    watch = try? bus?.watch(name: Squeekboard.busName) { [unowned self] in owned(by: $0) }
    if bus == nil { owned(by: nil) }
  }

  private func owned(by owner: String?) {
    self.owner = owner
    isVisible = nil
    question = nil
    if owner != nil { ask() }
    onChange?()
  }

  private func ask() {
    question = bus?.get("Visible", of: Squeekboard.busName, Squeekboard.path, Squeekboard.interface) {
      [unowned self] answer in
      guard case .success(let value) = answer, let visible = value.asBool, visible != isVisible else {
        return
      }
      isVisible = visible
      onChange?()
    }
  }
}
