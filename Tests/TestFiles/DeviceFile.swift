import TouchInput
import Varlink

/// A device of Tests/Devices, and what it must be taken for.
public struct DeviceFile: Sendable {
  public let name: String
  public let description: DeviceDescription
  public let kind: DeviceRole.Kind
  public let touch: Bool
  public let keys: Bool
  public let isKeyboard: Bool
  public let refusal: String?
  /// How its frames list fingers: slots, anonymous or single; nil if it is no touchscreen in use.
  public let contacts: String?

  /// All of the folder by name; those that cannot be read come without a description, for a test to find.
  public static let all: [Result<DeviceFile, DeviceFileError>] = TestFolder.devices.names.map { name in
    Result { () throws(DeviceFileError) in try DeviceFile(name) }
  }

  public static let readable = all.compactMap { try? $0.get() }

  /// - name: the file's, without its ending.
  public init(_ name: String) throws(DeviceFileError) {
    let path = TestFolder.devices.path(of: name)
    func wrong(_ what: String) -> DeviceFileError { DeviceFileError(description: "\(path): \(what)") }
    func require<Value>(_ value: Value?, _ what: String) throws(DeviceFileError) -> Value {
      guard let value else { throw wrong(what) }
      return value
    }
    let json: JSON
    do throws(JSONError) {
      json = try JSON.parse(TestFolder.contents(path))
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

public struct DeviceFileError: Error, CustomStringConvertible {
  public let description: String
}
