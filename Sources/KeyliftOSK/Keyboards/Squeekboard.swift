import Desktop
import EventLoop

/// squeekboard and stevia (phosh-osk-stub), which share an interface on the session bus.
final class Squeekboard: OnScreenKeyboard {
  static let name = "squeekboard"
  var onChange: (() -> Void)?
  var isPresent: Bool { service.isThere }
  var isVisible: Bool? { service.isVisible }
  let traits: KeyboardTraits?

  private let service: BusService

  init(on session: SessionBus, traits: KeyboardTraits = KeyboardTraits()) throws(SystemError) {
    self.traits = traits
    service = try BusService(
      .init(name: "sm.puri.OSK0", path: "/sm/puri/OSK0", interface: "sm.puri.OSK0"), on: session)
    service.onOwner = { [unowned self] in onChange?() }
    service.onVisible = { [unowned self] _ in onChange?() }
  }

  func setVisible(_ visible: Bool) { service.call("SetVisible", .bool(visible)) }
}
