import Glibc

/// What a process is called now, as proc(5) has it in /proc/PID/comm.
/// Returns: nil if there is no such process, or it is hidden from the caller's user.
public func processName(_ pid: Int32) -> String? {
  guard let file = unsafe fopen("/proc/\(pid)/comm", "re") else { return nil }
  defer { unsafe _ = fclose(file) }
  var buffer = [CChar](repeating: 0, count: 64)
  guard unsafe fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
  return String(
    decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
