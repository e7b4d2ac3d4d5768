import Desktop
import EventLoop

/// A keyboard of another kind, which shows as long as it runs.
final class Run: OnScreenKeyboard {
  static let name = "run"
  var onChange: (() -> Void)?
  let traits: KeyboardTraits?
  let isPresent = true
  var isVisible: Bool? { command != nil }

  private let line: String
  private let loop: EventLoop
  private let log: Log
  private var command: ShellCommand?
  /// Whether it is to run, of which an end of its own says nothing.
  private var wish = false

  init(_ line: String, traits: KeyboardTraits?, _ log: Log, on loop: EventLoop) {
    self.line = line
    self.traits = traits
    self.log = log
    self.loop = loop
  }

  func setVisible(_ visible: Bool) {
    wish = visible
    if let command {
      if !visible { command.end() }
    } else if visible {
      start()
    }
  }

  /// Ends it, and waits for that, as long as it may take.
  func close() {
    wish = false
    command?.end()
    command?.waitForEnd()
  }

  private func start() {
    do throws(SystemError) {
      command = try ShellCommand(line, on: loop) { [unowned self] in ended($0) }
    } catch {
      log.error("--run: \(error)")
    }
  }

  private func ended(_ end: ShellCommand.End) {
    let wasEnded = command?.isTold ?? false
    command = nil
    if wasEnded {
      // It was wished again while it was ending.
      if wish { start() }
    } else if end != .exited(status: 0) {
      log.warning("--run: the command \(end.text)")
    }
    onChange?()
  }
}
