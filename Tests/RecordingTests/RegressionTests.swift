import Glibc
import Testing

@testable import Recording

@Suite("Tests/Recordings, made with the daemon")
struct RegressionTests {
  @Test("the core decides now what it decided then", arguments: names)
  func same(name: String) throws {
    let result = try replay(RegressionTests.bytes(name))
    #expect(result.differences == [])
    #expect(result.inputs > 10)
  }

  @Test("there are as many as promised") func some() { #expect(RegressionTests.names.count >= 2) }

  private static let folder =
    "\(#filePath)".split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Recordings"

  private static let names: [String] = {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasSuffix(".keylift") { names.append(name) }
    }
    return names.sorted()
  }()

  private static func bytes(_ name: String) -> [UInt8] {
    guard let file = unsafe fopen("\(folder)/\(name)", "r") else { return [] }
    defer { unsafe _ = fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
