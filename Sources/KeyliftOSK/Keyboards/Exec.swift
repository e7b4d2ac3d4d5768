import Desktop
import EventLoop

/// A keyboard of another kind, which is shown by one command and hidden by another.
///
/// Only one of them runs at a time; of what is wished meanwhile, the newest comes next.
final class Exec: OnScreenKeyboard {
  static let name = "exec"
  var onChange: (() -> Void)?
  let traits: KeyboardTraits?
  let isPresent = true

  /// Not yet what a command under way will make it, and not shown where that failed; nothing is known else.
  var isVisible: Bool? {
    if let running { return !(wish ?? running.visible) }
    return last?.visible == true && last?.succeeded == false ? false : nil
  }

  /// How long a command may take, in microseconds.
  private static let patience: UInt64 = 5_000_000

  private let show: String
  private let hide: String
  private let loop: EventLoop
  private let log: Log
  private var timer: TimerSource?
  private var running: (visible: Bool, command: ShellCommand)?
  /// Which of them is to be run next.
  private var wish: Bool?
  /// Which of them was the last to end, and when.
  private var last: (visible: Bool, succeeded: Bool, at: UInt64)?

  init(
    show: String, hide: String, traits: KeyboardTraits?, _ log: Log, on loop: EventLoop
  ) throws(SystemError) {
    self.show = show
    self.hide = hide
    self.traits = traits
    self.log = log
    self.loop = loop
    timer = try loop.timer { [unowned self] in tooLong() }
  }

  func setVisible(_ visible: Bool) {
    wish = visible
    next()
  }

  /// Waits for what is still to be done, as long as that may take.
  func close() {
    while let running {
      running.command.waitForEnd()
      if self.running?.command === running.command { return }
    }
  }

  private func next() {
    guard running == nil, let visible = wish else { return }
    wish = nil
    // What succeeded is not done twice because it is not seen yet.
    if let last, last.visible == visible, last.succeeded,
      loop.now < last.at + Performance.keyboardPatience
    {
      return
    }
    do throws(SystemError) {
      running = (
        visible, try ShellCommand(visible ? show : hide, on: loop) { [unowned self] in ended($0, visible) }
      )
      timer?.arm(at: loop.now + Exec.patience)
    } catch {
      last = (visible, false, loop.now)
      log.error("\(option(visible)): \(error)")
    }
  }

  private func ended(_ end: ShellCommand.End, _ visible: Bool) {
    running = nil
    timer?.disarm()
    last = (visible, end == .exited(status: 0), loop.now)
    if end != .exited(status: 0) {
      log.error("\(option(visible)): the command \(end.text)")
    }
    next()
    onChange?()
  }

  private func tooLong() {
    guard let running else { return }
    log.error(
      "\(option(running.visible)): the command runs for more than \(Exec.patience / 1_000_000) s, and is ended; "
        + "one that is to stay belongs into --run")
    running.command.end()
  }

  private func option(_ visible: Bool) -> String { visible ? "--show" : "--hide" }
}
