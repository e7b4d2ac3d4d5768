import Glibc

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

/// Writes lines, to standard error by default, with the priority that sd-daemon(3) names where the journal reads them.
package final class Log {
  var level: LogLevel
  private let descriptor: Int32
  private let isJournal: Bool

  package init(level: LogLevel = .info, to descriptor: Int32 = STDERR_FILENO) {
    self.level = level
    self.descriptor = descriptor
    isJournal = unsafe getenv("JOURNAL_STREAM") != nil
  }

  func error(_ text: @autoclosure () -> String) { write(.error, text) }
  func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
  func info(_ text: @autoclosure () -> String) { write(.info, text) }
  func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

  private func write(_ level: LogLevel, _ text: () -> String) {
    guard level <= self.level else { return }
    // A line stays one line, whatever a device or a client calls itself.
    let printable = text().map {
      $0.isNewline || $0.asciiValue.map { $0 < 32 || $0 == 127 } ?? false ? "?" : $0
    }
    let line = (isJournal ? "<\(level.priority)>" : "keyliftd: ") + String(printable) + "\n"
    var copy = line
    copy.withUTF8 { bytes in
      _ = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
  }
}
