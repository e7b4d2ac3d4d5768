import Desktop
import EventLoop
import Glibc

/// wvkbd, which is shown and hidden by signals, and says nothing.
///
/// All that run are told: one whose compositor is gone goes on, and does nothing (0.12).
final class Wvkbd: OnScreenKeyboard {
  static let name = "wvkbd"
  var onChange: (() -> Void)?
  let traits: KeyboardTraits?
  let isVisible: Bool? = nil
  var isPresent: Bool { processes.isRunning }

  private let processes: ProcessWatch

  init(on loop: EventLoop, traits: KeyboardTraits = KeyboardTraits()) throws(SystemError) {
    self.traits = traits
    processes = try ProcessWatch(
      ["wvkbd-mobintl", "wvkbd-deskintl", "wvkbd"], taking: [SIGUSR1, SIGUSR2], on: loop)
    processes.onChange = { [unowned self] in onChange?() }
  }

  func look() { processes.look() }

  func setVisible(_ visible: Bool) { processes.send(visible ? SIGUSR2 : SIGUSR1) }
}
