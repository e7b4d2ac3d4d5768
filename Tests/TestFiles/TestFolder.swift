import Glibc

/// A folder of Tests with files that are data.
public struct TestFolder: Sendable {
  private let path: String
  /// What its files end with.
  private let ending: String

  public static let devices = TestFolder("Devices")
  public static let rules = TestFolder("Rules")
  public static let scenarios = TestFolder("Scenarios")
  public static let recordings = TestFolder("Recordings", ending: ".keylift")

  private init(_ name: String, ending: String = ".json") {
    self.ending = ending
    path = #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/" + name
  }

  /// The names of its files, without their ending, in order.
  public var names: [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasSuffix(ending) { names.append(String(name.dropLast(ending.count))) }
    }
    return names.sorted()
  }

  /// Where one of them is; a name that has an ending keeps it.
  public func path(of name: String) -> String { "\(path)/\(name)" + (name.contains(".") ? "" : ending) }

  /// A file's bytes; none if it cannot be read.
  public static func contents(_ path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe _ = fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
