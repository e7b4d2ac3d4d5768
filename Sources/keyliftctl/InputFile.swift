import EventLoop
import Glibc

/// A file that is named on the command line, or standard input.
struct InputFile {
  /// Its path; - is standard input.
  let name: String
  var title: String { name == "-" ? "standard input" : name }

  /// What is in it.
  ///
  /// - limit: in bytes, since a device such as /dev/zero has no end
  /// - of: what it ought to have, such as "a scene"
  func contents(limit: Int, of what: String) throws(Failure) -> [UInt8] {
    let descriptor = name == "-" ? dup(STDIN_FILENO) : unsafe open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .refused("\(title): \(SystemError.text(errno)).") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limit {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .refused("\(title): \(SystemError.text(errno)).")
      }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
    }
    throw .refused("\(title): far too long for \(what).")
  }
}
