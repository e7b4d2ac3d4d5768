import Glibc

/// Lines on standard error, with their priority before them where the journal reads it (sd-daemon(3)).
final class Log {
  private let isForJournal = unsafe getenv("JOURNAL_STREAM") != nil
  private let isVerbose: Bool

  init(isVerbose: Bool) { self.isVerbose = isVerbose }

  func error(_ text: String) { write(LOG_ERR, text) }
  func warning(_ text: String) { write(LOG_WARNING, text) }
  func info(_ text: String) { write(LOG_INFO, text) }
  func debug(_ text: @autoclosure () -> String) {
    if isVerbose { write(LOG_DEBUG, text()) }
  }

  private func write(_ priority: Int32, _ text: String) {
    // What others call themselves must not begin a line of its own.
    let line = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }
      .joined()
    plain((isForJournal ? "<\(priority)>" : "keylift-osk: ") + line + "\n")
  }

  /// The text as it is.
  func plain(_ line: String) {
    unsafe _ = line.withCString { text in unsafe Glibc.write(STDERR_FILENO, text, strlen(text)) }
  }
}
