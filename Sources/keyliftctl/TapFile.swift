import Geometry
import Varlink

/// Touches that were written down: in lines, or as `calibrate --json` prints them.
struct TapFile: Equatable {
  var taps: [Tap] = []
  /// nil unless the file says both the screen's size and the axes' ranges.
  var mapping: PanelMapping?
  var section: String?

  /// - title: the file as an error names it
  /// - Throws: what is wrong, and in which line.
  init(_ bytes: [UInt8], title: String) throws(Failure) {
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      try take(json: bytes, title)
    } else {
      try take(lines: String(decoding: bytes, as: UTF8.self), title)
    }
  }

  private mutating func take(json bytes: [UInt8], _ title: String) throws(Failure) {
    guard let json = try? JSON.parse(bytes, limits: JSON.Limits()) else {
      throw .refused("\(title): this is no JSON.")
    }
    for (index, tap) in (json["taps"].asArray ?? []).enumerated() {
      guard let x = tap["point"]["x"].asDouble, let y = tap["point"]["y"].asDouble,
        let rawX = tap["x"].asDouble, let rawY = tap["y"].asDouble
      else { throw .refused("\(title): taps[\(index)] has no point with x and y, or no x and y of its own.") }
      taps.append(Tap(point: Point(x: x, y: y), raw: Point(x: rawX, y: rawY)))
    }
    section = json["section"].asString
    if let section, section.contains("]") || printable(section) != section {
      throw .refused("\(title): section: \"\(section)\" cannot stand in [Device MATCH].")
    }
    guard !json["rangeX"].isNull || !json["width"].isNull else { return }
    guard let x = json["rangeX"].asRange, let y = json["rangeY"].asRange,
      let width = json["width"].asDouble, let height = json["height"].asDouble,
      (1...100_000).contains(width), (1...100_000).contains(height),
      let rotation = Rotation(rawValue: Int(clamping: json["rotation"].asInteger ?? 0))
    else { throw .refused("\(title): rangeX, rangeY, width, height or rotation is missing or wrong.") }
    mapping = PanelMapping(
      rangeX: x, rangeY: y, swapAxes: json["swapAxes"] == .bool(true),
      invertX: json["invertX"] == .bool(true), invertY: json["invertY"] == .bool(true),
      screen: Screen(
        name: json["screen"].asString ?? "screen", size: Size(width: width, height: height),
        rotation: rotation))
  }

  // MARK: Lines

  private mutating func take(lines text: String, _ title: String) throws(Failure) {
    var settings = Settings()
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first, first.first != "#", first.first != ";" else { continue }
      if let (key, value) = TapFile.entry(line) {
        guard settings.take(key, value) else {
          throw .refused(
            "\(title):\(index + 1): \"\(line)\" is no use. There are Size=800x480, Range=minX maxX minY maxY, "
              + "Rotation=, SwapAxes=, InvertX= and InvertY=, as in the configuration.")
        }
      } else if words.count == 2, let point = Point(words[0]), let raw = Point(words[1]) {
        taps.append(Tap(point: point, raw: raw))
      } else {
        throw .refused(
          "\(title):\(index + 1): \"\(line)\" is no touch. Give the screen point and the axes' values, such as "
            + "80,48 410,402.5.")
      }
    }
    guard settings != Settings() else { return }
    guard let mapping = settings.mapping else {
      throw .refused("\(title): give both Size= and Range=, or neither and keyliftd is asked.")
    }
    self.mapping = mapping
  }

  private static func entry(_ line: Substring) -> (key: Substring, value: Substring)? {
    guard let equals = line.firstIndex(of: "=") else { return nil }
    return (line[..<equals].trimmed, line[line.index(after: equals)...].trimmed)
  }

  private struct Settings: Equatable {
    /// The panel's own, before rotation, as the configuration has it.
    var size: Size?
    var rotation = Rotation.none
    var range: [Int32]?
    var swapAxes = false
    var invertX = false
    var invertY = false

    /// Returns: whether there is such a key and the value is one for it.
    mutating func take(_ key: Substring, _ value: Substring) -> Bool {
      switch key {
      case "Size":
        let sides = value.split(separator: "x").compactMap { Double($0) }
        guard sides.count == 2, sides.allSatisfy({ (1...100_000).contains($0) }) else { return false }
        size = Size(width: sides[0], height: sides[1])
      case "Range":
        let numbers = value.split(separator: " ").compactMap { Int32($0) }
        guard numbers.count == 4, numbers[0] < numbers[1], numbers[2] < numbers[3] else { return false }
        range = numbers
      case "Rotation":
        guard let rotation = Int(value).flatMap(Rotation.init) else { return false }
        self.rotation = rotation
      case "SwapAxes": return take(value, \.swapAxes)
      case "InvertX": return take(value, \.invertX)
      case "InvertY": return take(value, \.invertY)
      default: return false
      }
      return true
    }

    private mutating func take(_ value: Substring, _ member: WritableKeyPath<Settings, Bool>) -> Bool {
      let isOn = ["yes", "true", "on", "1"].contains(value)
      self[keyPath: member] = isOn
      return isOn || ["no", "false", "off", "0"].contains(value)
    }

    var mapping: PanelMapping? {
      guard let size, let range else { return nil }
      let turned = rotation.swapsAxes ? Size(width: size.height, height: size.width) : size
      return PanelMapping(
        rangeX: range[0]...range[1], rangeY: range[2]...range[3], swapAxes: swapAxes, invertX: invertX,
        invertY: invertY, screen: Screen(name: "screen", size: turned, rotation: rotation))
    }
  }
}

extension Substring {
  /// Without white space at both ends.
  fileprivate var trimmed: Substring {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    while text.first?.isWhitespace == true { text.removeFirst() }
    return text
  }
}
