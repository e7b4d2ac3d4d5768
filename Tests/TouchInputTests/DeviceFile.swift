import Glibc
import Testing
import TouchInput
import Varlink

/// A device of Tests/Devices, and what it must be taken for.
struct DeviceFile: Sendable, CustomTestStringConvertible {
  let name: String
  let description: DeviceDescription
  let kind: DeviceRole.Kind
  let touch: Bool
  let keys: Bool
  let isKeyboard: Bool
  let refusal: String?
  /// How its frames list fingers: slots, anonymous or single; nil if it is no touchscreen in use.
  let contacts: String?

  var testDescription: String { name }

  /// All of the folder by name; those that cannot be read come without a description, for a test to find.
  static let all: [Result<DeviceFile, DeviceFileError>] = names.map { name in
    Result { () throws(DeviceFileError) in try DeviceFile(name) }
  }

  static let readable = all.compactMap { try? $0.get() }

  private static let folder =
    "\(#filePath)".split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Devices"

  private static let names: [String] = {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasSuffix(".json") { names.append(String(name.dropLast(5))) }
    }
    return names.sorted()
  }()

  private init(_ name: String) throws(DeviceFileError) {
    let path = "\(DeviceFile.folder)/\(name).json"
    func wrong(_ what: String) -> DeviceFileError { DeviceFileError(description: "\(path): \(what)") }
    func require<Value>(_ value: Value?, _ what: String) throws(DeviceFileError) -> Value {
      guard let value else { throw wrong(what) }
      return value
    }
    let json: JSON
    do throws(JSONError) {
      json = try JSON.parse(fileContents(path))
    } catch {
      throw wrong("no JSON: \(error)")
    }

    func number(_ member: String) throws(DeviceFileError) -> UInt16 {
      try require(
        json[member].asString.flatMap { UInt16($0, radix: 16) }, "\(member) is no hexadecimal number")
    }
    func code(_ name: String) throws(DeviceFileError) -> UInt16 {
      try require(KernelNames.codes[name], "the kernel has no \(name)")
    }
    func codes(_ member: String) throws(DeviceFileError) -> Set<UInt16> {
      var codes: Set<UInt16> = []
      for element in json[member].asArray ?? [] {
        let ends = (element.asString ?? "").split(separator: ".").map(String.init)
        let first = try code(ends.first ?? "")
        let last = try code(ends.last ?? "")
        guard first <= last else { throw wrong("\(ends) is no range") }
        codes.formUnion(first...last)
      }
      return codes
    }
    func axes() throws(DeviceFileError) -> [UInt16: AbsoluteAxis] {
      var axes: [UInt16: AbsoluteAxis] = [:]
      for member in json["absolute"].asMembers ?? [] {
        let numbers = (member.value.asArray ?? []).compactMap { $0.asInteger.flatMap { Int32(exactly: $0) } }
        guard numbers.count == 5 else {
          throw wrong("\(member.key) is not [min, max, fuzz, flat, resolution]")
        }
        axes[try code(member.key)] = AbsoluteAxis(
          minimum: numbers[0], maximum: numbers[1], fuzz: numbers[2], resolution: numbers[4])
      }
      return axes
    }

    let expect = json["expect"]
    self.name = name
    kind = try require(
      DeviceRole.Kind(rawValue: expect["kind"].asString ?? ""), "expect.kind is no kind")
    touch = try require(expect["touch"].asBool, "expect.touch")
    keys = try require(expect["keys"].asBool, "expect.keys")
    isKeyboard = try require(expect["isKeyboard"].asBool, "expect.isKeyboard")
    refusal = expect["refusal"].asString
    contacts = expect["contacts"].asString
    var udev: [String: String] = [:]
    for member in json["udev"].asMembers ?? [] { udev[member.key] = member.value.asString }
    description = DeviceDescription(
      name: try require(json["name"].asString, "name"), busType: try code(json["bus"].asString ?? ""),
      vendor: try number("vendor"), product: try number("product"), version: try number("version"),
      properties: try codes("properties"), keys: try codes("keys"), relativeAxes: try codes("relative"),
      absoluteAxes: try axes(), udevProperties: udev)
    _ = try require(json["source"].asString, "source: where its capabilities are from")
  }
}

struct DeviceFileError: Error, CustomStringConvertible {
  let description: String
}

/// The kernel's names, from the headers that the C library brings.
enum KernelNames {
  static let codes: [String: UInt16] = {
    var codes: [String: UInt16] = [:]
    for header in ["input-event-codes.h", "input.h"] {
      let text = String(decoding: fileContents("/usr/include/linux/\(header)"), as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("#define") {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count >= 3 else { continue }
        // Another name for one that came before, or a number.
        let number = words[2].hasPrefix("0x") ? UInt16(words[2].dropFirst(2), radix: 16) : UInt16(words[2])
        codes[String(words[1])] = number ?? codes[String(words[2])]
      }
    }
    return codes
  }()
}

/// A file's bytes; none if it cannot be read.
private func fileContents(_ path: String) -> [UInt8] {
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
