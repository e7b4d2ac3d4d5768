import Geometry
import Glibc
import Varlink

/// A touchscreen that keyliftd uses, as io.keylift.Control.Devices tells of it.
struct Panel: Equatable {
  let node: JSON

  var path: String { node["path"].asString ?? "" }
  var name: String { node["name"].asString ?? "" }
  var id: String { node["id"].asString ?? "" }
  var screen: String { node["screen"].asString ?? "" }
  /// As people read it.
  var title: String { "\(printable(name)) (\(printable(path)))" }

  /// Whether a [Device MATCH] section of that text is for it.
  func matches(_ match: String) -> Bool {
    if match == path || match == name { return true }
    let numbers = Panel.numbers(match)
    if !numbers.isEmpty, numbers == Panel.numbers(id) { return true }
    // A link to its node, such as /dev/input/by-path/...
    if match.hasPrefix("/"), let node = unsafe realpath(match, nil) {
      defer { unsafe free(node) }
      return unsafe String(cString: node) == path
    }
    return (node["udev"].asArray ?? []).contains { $0.asString == match && match.contains("=") }
  }

  /// Vendor and product of a text such as 416:38f; none of any other.
  private static func numbers(_ id: String) -> [UInt16] {
    let words = id.split(separator: ":")
    let numbers = words.compactMap { UInt16($0, radix: 16) }
    return words.count == 2 && numbers.count == 2 ? numbers : []
  }

  /// How its axis values become points on its screen; nil if keyliftd does not say.
  func mapping(on screens: [Screen]) -> PanelMapping? {
    let mapping = node["mapping"]
    guard let x = mapping["rangeX"].asRange, let y = mapping["rangeY"].asRange,
      let screen = screens.first(where: { $0.name == self.screen })
    else { return nil }
    return PanelMapping(
      rangeX: x, rangeY: y, swapAxes: mapping["swapAxes"] == .bool(true),
      invertX: mapping["invertX"] == .bool(true), invertY: mapping["invertY"] == .bool(true), screen: screen)
  }

  /// The matrix in effect; nil if there is none.
  var matrix: Matrix? {
    let mapping = node["mapping"]
    guard !mapping["matrixFrom"].isNull else { return nil }
    return Matrix((mapping["matrix"].asArray ?? []).compactMap(\.asDouble))
  }
}

extension [Panel] {
  /// The touchscreens among Control's nodes.
  /// Throws: that there is none, and what keeps those from being used that look like one.
  init(_ nodes: [JSON], for command: String) throws(Failure) {
    self = nodes.filter { $0["used"] == .bool(true) && $0["touch"] == .bool(true) }.map(Panel.init)
    guard isEmpty else { return }
    let unused = nodes.filter { ["touchscreen", "unknown"].contains($0["kind"].asString) }
    let reasons = unused.map { "\(text($0["path"])) (\(text($0["name"]))): \(text($0["why"]))" }
    throw .refused(
      "\(command): keyliftd uses no touchscreen. "
        + (reasons.isEmpty
          ? "None is there; keyliftctl devices lists what is." : reasons.joined(separator: "; "))
    )
  }

  /// Those that a [Device MATCH] section of that text would be for.
  /// Throws: that there is none.
  func matching(_ match: String, for command: String) throws(Failure) -> [Panel] {
    let found = filter { $0.matches(match) }
    guard found.isEmpty else { return found }
    throw .refused("\(command): no touchscreen \"\(match)\". There is: \(list).")
  }

  var list: String { map { "\($0.title), \($0.id)" }.joined(separator: "; ") }
}

extension Screen {
  /// `main 800x480, rotated by 90`
  var title: String {
    "\(printable(name)) \(decimal(size.width, places: 1))x\(decimal(size.height, places: 1))"
      + (rotation == .none ? "" : ", rotated by \(rotation.rawValue)")
  }
}

extension JSON {
  /// Two integers, the first below the second.
  var asRange: ClosedRange<Int32>? {
    guard let low = self[0].asInteger.flatMap({ Int32(exactly: $0) }),
      let high = self[1].asInteger.flatMap({ Int32(exactly: $0) }), low < high
    else { return nil }
    return low...high
  }
}

extension Daemon {
  /// The touchscreens that are used; over the control socket, and so for root.
  func panels(for command: String) throws(Failure) -> [Panel] {
    let answer = try Daemon(socket: socket.control).call("io.keylift.Control.Devices", subject: command)
    return try [Panel](answer["devices"].asArray ?? [], for: command)
  }
}
