import EventLoop
import Glibc
import Varlink

/// Standard output, or a terminal, written at once: whole lines, to whoever reads them.
enum Output {
  /// The reader has gone, as `head` does; nothing is wrong with that.
  enum Ending: Error {
    case readerGone
    case failed(SystemError)
  }

  static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws(Ending) {
    try write(Array(text.utf8), to: descriptor)
  }

  static func line(_ text: String) throws(Ending) { try write(text + "\n") }

  /// A JSON value on a line of its own.
  static func line(_ value: JSON) throws(Ending) {
    var writer = JSONWriter()
    writer.value(value)
    try write(writer.bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
  }

  /// - title: what an error calls it; else standard output or the terminal
  static func write(_ bytes: [UInt8], to descriptor: Int32, _ title: String? = nil) throws(Ending) {
    var rest = bytes[...]
    while !rest.isEmpty {
      waitForReader(of: descriptor)
      // What a pipe that is ready takes.
      let written = unsafe rest.prefix(Int(PIPE_BUF)).withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if written >= 0 {
        rest = rest.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR, EAGAIN: continue
      case EPIPE: throw .readerGone
      default:
        throw .failed(
          SystemError(errno, title ?? (descriptor == STDOUT_FILENO ? "standard output" : "the terminal")))
      }
    }
  }

  /// Signals that a loop has blocked are let through while nothing can be written; else a reader who stopped
  /// reading would keep the tool from ending.
  private static func waitForReader(of descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&entry, 1, 0) == 0 else { return }
    var none = sigset_t()
    var blocked = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigprocmask(SIG_SETMASK, &none, &blocked)
    unsafe _ = poll(&entry, 1, -1)
    unsafe sigprocmask(SIG_SETMASK, &blocked, nil)
  }

  /// What is wrong, on standard error.
  static func complain(_ message: String) { remark("keyliftctl: \(printable(message))") }

  /// What is said to a person beside the output, on standard error.
  static func remark(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    unsafe _ = bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
