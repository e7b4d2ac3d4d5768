import Glibc

/// The names in a directory, sorted, without those that begin with a dot.
/// Throws: what opendir(3) says, such as ENOENT or EACCES.
public func namesInDirectory(_ path: String) throws(SystemError) -> [String] {
  guard let handle = unsafe opendir(path) else { throw SystemError(errno, "opendir \(path)") }
  defer { unsafe _ = closedir(handle) }
  var names: [String] = []
  while let entry = unsafe readdir(handle) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names.sorted()
}
