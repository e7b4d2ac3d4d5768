import Glibc

/// The names in a directory, sorted, without those that begin with a dot; none if it cannot be read.
func namesInDirectory(_ path: String) -> [String] {
  guard let handle = unsafe opendir(path) else { return [] }
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
