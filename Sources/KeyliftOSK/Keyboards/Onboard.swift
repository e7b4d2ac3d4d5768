import Desktop
import EventLoop

/// onboard, which is an object on the session bus and a window of X11.
final class Onboard: OnScreenKeyboard {
  static let name = "onboard"
  var onChange: (() -> Void)?
  var isPresent: Bool { service.isThere }
  var isVisible: Bool? { service.isVisible }
  let traits: KeyboardTraits? = KeyboardTraits(windowClass: "onboard")

  private let service: BusService
  private var calls = OnboardCalls()

  init(on session: SessionBus) throws(SystemError) {
    service = try BusService(
      .init(
        name: "org.onboard.Onboard", path: "/org/onboard/Onboard/Keyboard",
        interface: "org.onboard.Onboard.Keyboard"), on: session)
    service.onOwner = { [unowned self] in
      calls = OnboardCalls()
      onChange?()
    }
    service.onVisible = { [unowned self] visible in
      call(calls.said(visible))
      onChange?()
    }
  }

  func setVisible(_ visible: Bool) { call(calls.set(visible, word: isVisible)) }

  private func call(_ call: OnboardCalls.Call?) {
    if let call { service.call(call.rawValue) }
  }
}
