import Glibc

/// Small files of /proc and /sys; nothing is thrown, since what cannot be read is not known.
enum Files {
  /// At most so many bytes from the file's beginning; nil if it cannot be opened.
  static func bytes(_ path: String, atMost limit: Int = 65_536) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while result.count < limit {
      let count = unsafe read(descriptor, &buffer, min(buffer.count, limit - result.count))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      result += buffer.prefix(count)
    }
    return result
  }

  static func lines(_ path: String) -> [String] {
    (bytes(path) ?? []).split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Texts that end with NUL each, as proc(5) has command lines and environments.
  static func strings(_ path: String) -> [String] {
    (bytes(path) ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Where a path leads when all links are followed; nil if it leads nowhere, or that may not be seen.
  static func target(_ path: String) -> String? {
    guard let target = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(target) }
    return unsafe String(cString: target)
  }
}
