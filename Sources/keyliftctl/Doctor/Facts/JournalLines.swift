import CSystemd
import EventLoop
import Glibc
import KeyliftProtocol

/// What the journal has of the daemon, as sd-journal(3) reads it.
struct JournalLines: Equatable, Sendable {
  /// Lines that were looked at; 0 where the journal may not be read, or has none.
  var lines = 0
  /// How many say that the kernel lost events.
  var drops = 0
  /// The newest line of priority error or worse.
  var lastError: String?
  /// How many of those there are.
  var errors = 0
  /// Whether there is a journal, and this user may read it.
  var isReadable = true

  /// How far back, in microseconds.
  private static let span: UInt64 = 86_400_000_000
  private static let mostLines = 5000
  /// For all of it, in microseconds.
  private static let patience: UInt64 = 300_000

  /// The newest lines of a day, as many as there is time for; nil where there is no journal.
  static func gather() -> JournalLines? {
    var handle: OpaquePointer?
    guard unsafe sd_journal_open(&handle, Int32(SD_JOURNAL_LOCAL_ONLY | SD_JOURNAL_SYSTEM)) >= 0,
      let journal = unsafe handle
    else { return nil }
    defer { unsafe sd_journal_close(journal) }
    var found = JournalLines()
    found.isReadable = unsafe hasFiles(journal)
    let match = Array("_SYSTEMD_UNIT=keylift.service".utf8)
    unsafe _ = match.withUnsafeBytes { unsafe sd_journal_add_match(journal, $0.baseAddress, $0.count) }
    guard unsafe sd_journal_seek_tail(journal) >= 0 else { return found }
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    // A machine without a clock of its own begins in 1970.
    let microseconds = UInt64(clamping: now.tv_sec) &* 1_000_000
    let oldest = microseconds - min(microseconds, span)
    let end = EventLoop.now &+ patience
    while found.lines < mostLines, EventLoop.now < end, unsafe sd_journal_previous(journal) > 0 {
      var time: UInt64 = 0
      unsafe sd_journal_get_realtime_usec(journal, &time)
      guard time >= oldest else { break }
      found.take(
        unsafe field("MESSAGE", of: journal), priority: unsafe field("PRIORITY", of: journal),
        id: unsafe field("MESSAGE_ID", of: journal))
    }
    return found
  }

  mutating func take(_ message: String, priority: String, id: String = "") {
    lines += 1
    if id == LogEvent.eventsLost.rawValue { drops += 1 }
    if let priority = Int(priority), priority <= 3 {
      errors += 1
      lastError = lastError ?? message
    }
  }

  /// Whether any file of the journal could be opened; opening it succeeds without.
  @unsafe private static func hasFiles(_ journal: OpaquePointer) -> Bool {
    var usage: UInt64 = 0
    return unsafe sd_journal_get_usage(journal, &usage) >= 0 && usage > 0
  }

  @unsafe private static func field(_ name: String, of journal: OpaquePointer) -> String {
    var data: UnsafeRawPointer?
    var length = 0
    guard unsafe sd_journal_get_data(journal, name, &data, &length) >= 0, let data = unsafe data else {
      return ""
    }
    let bytes = unsafe UnsafeRawBufferPointer(start: data, count: length)
    return unsafe String(decoding: bytes.dropFirst(name.utf8.count + 1), as: UTF8.self)
  }
}
