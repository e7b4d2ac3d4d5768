import CSystemd
import Glibc

/// systemd's journal, as sd_journal_sendv(3) writes to it.
enum Journal {
  /// Whether what is written to a descriptor goes to the journal, as systemd.exec(5) has it of $JOURNAL_STREAM.
  static func isBehind(_ descriptor: Int32) -> Bool {
    guard let stream = unsafe getenv("JOURNAL_STREAM").map({ unsafe String(cString: $0) }) else {
      return false
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// Writes a line with its fields. Returns: whether the journal takes it.
  static func send(_ line: LogLine) -> Bool {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for (name, value) in fields(of: line) {
      bytes += "\(name)=\(value)".utf8
      ends.append(bytes.count)
    }
    return unsafe bytes.withUnsafeMutableBytes { bytes in
      var begin = 0
      let entries = unsafe ends.map { end in
        defer { begin = end }
        return unsafe iovec(iov_base: bytes.baseAddress.map { unsafe $0 + begin }, iov_len: end - begin)
      }
      return unsafe sd_journal_sendv(entries, Int32(entries.count)) >= 0
    }
  }

  /// Documentation/operation.md explains them.
  static func fields(of line: LogLine) -> [(name: String, value: String)] {
    let subject = line.subject
    let fields: [(String, String?)] = [
      ("MESSAGE", line.text),
      ("PRIORITY", "\(line.level.priority)"),
      ("MESSAGE_ID", line.event?.rawValue),
      ("SYSLOG_IDENTIFIER", "keyliftd"),
      ("KEYLIFT_BLAME", subject.blame.rawValue),
      ("KEYLIFT_DEVICE", subject.device),
      ("KEYLIFT_SCENE", subject.scene),
      ("KEYLIFT_CLIENT_PID", subject.peer.map { "\($0.pid)" }),
      ("KEYLIFT_CLIENT_UID", subject.peer.map { "\($0.uid)" }),
      ("KEYLIFT_PLUGIN", subject.plugin?.name),
      ("KEYLIFT_FILE", subject.file),
      ("KEYLIFT_LINE", subject.line > 0 ? "\(subject.line)" : nil),
    ]
    return fields.compactMap { name, value in value.map { (name, $0) } }
  }
}
