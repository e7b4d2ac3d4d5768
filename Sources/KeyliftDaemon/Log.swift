import EventLoop
import Glibc
import KeyliftProtocol

/// How much is logged; each level holds those above it.
package enum LogLevel: String, CaseIterable, Comparable {
  case error, warning, info, debug

  /// The priority of syslog(3).
  var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug: 7
    }
  }

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.priority < b.priority }
}

/// A line of the log, before it is known where it goes.
struct LogLine {
  var level: LogLevel
  var subject: LogSubject
  var event: LogEvent?
  var text: String
}

/// Writes lines: to the journal with fields where standard error is the journal, and else to standard error as they are.
///
/// Lines about a device, a client or a plugin are limited (`LineLimits`), but for those of level debug.
package final class Log {
  var level: LogLevel
  /// How many lines were left out, since there were many like them.
  private(set) var unlogged = 0

  private let descriptor: Int32
  private let isJournal: Bool
  private var limits = LineLimits()
  private var timer: TimerSource?

  package init(level: LogLevel = .info, to descriptor: Int32 = STDERR_FILENO) {
    self.level = level
    self.descriptor = descriptor
    isJournal = Journal.isBehind(descriptor)
  }

  /// Has the loop say how many lines were left out, when it is time.
  func sumUp(on loop: EventLoop) throws(SystemError) {
    timer = try loop.timer { [unowned self] in
      for line in limits.sums(at: EventLoop.now) { write(line) }
      if let deadline = limits.deadline { timer?.arm(at: deadline) }
    }
  }

  /// Says how many lines were left out until now, as nothing comes after.
  func sumUpAtEnd() {
    for line in limits.sums(at: EventLoop.now, isEnd: true) { write(line) }
  }

  func error(
    _ subject: LogSubject, _ text: @autoclosure () -> String, _ event: LogEvent? = nil,
    file: String = #fileID,
    line: UInt = #line
  ) { write(.error, subject, text, event, LineLimits.Place(file: file, line: line)) }

  func warning(
    _ subject: LogSubject, _ text: @autoclosure () -> String, _ event: LogEvent? = nil,
    file: String = #fileID,
    line: UInt = #line
  ) { write(.warning, subject, text, event, LineLimits.Place(file: file, line: line)) }

  func info(
    _ subject: LogSubject, _ text: @autoclosure () -> String, file: String = #fileID, line: UInt = #line
  ) { write(.info, subject, text, nil, LineLimits.Place(file: file, line: line)) }

  func debug(
    _ subject: LogSubject, _ text: @autoclosure () -> String, file: String = #fileID, line: UInt = #line
  ) { write(.debug, subject, text, nil, LineLimits.Place(file: file, line: line)) }

  /// Says why the daemon cannot start.
  ///
  /// Without fields: of a process that ends at once the journal may not know the unit, but it does of standard error.
  func fatal(_ text: String) { writePlainly(LogLine(level: .error, subject: .keylift, text: text)) }

  private func write(
    _ level: LogLevel, _ subject: LogSubject, _ text: () -> String, _ event: LogEvent?,
    _ place: LineLimits.Place
  ) {
    guard level <= self.level else { return }
    let line = LogLine(level: level, subject: subject, event: event, text: Log.printable(text()))
    let deadline = limits.deadline
    guard level == .debug || limits.take(line, at: place, EventLoop.now) else {
      unlogged &+= 1
      if let next = limits.deadline, next != deadline { timer?.arm(at: next) }
      return
    }
    write(line)
  }

  /// A line stays one line, whatever a device or a client calls itself.
  private static func printable(_ text: String) -> String {
    String(text.map { $0.isNewline || $0.asciiValue.map { $0 < 32 || $0 == 127 } ?? false ? "?" : $0 })
  }

  private func write(_ line: LogLine) {
    if isJournal, Journal.send(line) { return }
    writePlainly(line)
  }

  private func writePlainly(_ line: LogLine) {
    var text = (isJournal ? "<\(line.level.priority)>" : "keyliftd: ") + Log.printable(line.text) + "\n"
    text.withUTF8 { bytes in
      _ = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
  }
}
