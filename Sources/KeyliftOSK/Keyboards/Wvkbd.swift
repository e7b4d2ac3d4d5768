import Desktop
import EventLoop
import Glibc

/// wvkbd, which is shown and hidden by signals, and says nothing.
final class Wvkbd: OnScreenKeyboard {
  static let name = "wvkbd"
  var onChange: (() -> Void)?
  let traits: KeyboardTraits?
  let isVisible: Bool? = nil
  var isPresent: Bool { process.pid != nil }

  private let process: ProcessWatch

  init(on loop: EventLoop, traits: KeyboardTraits = KeyboardTraits()) throws(SystemError) {
    self.traits = traits
    process = try ProcessWatch(
      ["wvkbd-mobintl", "wvkbd-deskintl", "wvkbd"], handling: [SIGUSR1, SIGUSR2], on: loop)
    process.onChange = { [unowned self] in onChange?() }
  }

  func setVisible(_ visible: Bool) { process.send(visible ? SIGUSR2 : SIGUSR1) }
}
