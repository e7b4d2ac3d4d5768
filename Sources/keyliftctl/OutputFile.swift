import EventLoop
import Glibc

/// A file that is named on the command line and written bit by bit, or standard output.
final class OutputFile {
  /// Its path; - is standard output.
  private let name: String
  private let descriptor: Int32
  /// In bytes.
  private(set) var written = 0
  var title: String { name == "-" ? "standard output" : name }

  /// Makes the file.
  ///
  /// - replaces: whether one that is there is written over
  /// - mode: who may do what with a new one, less what the umask takes
  init(_ name: String, replaces: Bool = true, mode: mode_t = 0o666) throws(Failure) {
    self.name = name
    // Not blocking: for the reader of a FIFO it would wait, deaf to Ctrl-C.
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (replaces ? O_TRUNC : O_EXCL)
    descriptor = name == "-" ? STDOUT_FILENO : unsafe open(name, flags, mode)
    guard descriptor >= 0 else {
      if errno == EEXIST { throw .refused("\(name): it is there already. --force writes over it.") }
      throw .refused("\(name): \(SystemError.text(errno)).")
    }
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  func write(_ bytes: [UInt8]) throws {
    try Output.write(bytes, to: descriptor, title)
    written += bytes.count
  }
}
