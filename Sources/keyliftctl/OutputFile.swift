import EventLoop
import Glibc

/// A file that is named on the command line to be written, or standard output.
struct OutputFile {
  /// Its path; - is standard output.
  let name: String

  /// Writes it anew.
  func write(_ text: String) throws {
    if name == "-" { return try Output.write(text) }
    let descriptor = unsafe open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure.refused("\(name): \(SystemError.text(errno)).") }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        throw Failure.refused("\(name): \(SystemError.text(errno)).")
      }
      rest = rest.dropFirst(written)
    }
  }
}
