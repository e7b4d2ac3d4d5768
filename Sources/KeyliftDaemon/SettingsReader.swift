import Engine
import EventLoop
import Geometry
import Glibc

extension Settings {
  /// Bytes of all files together, and sections that have names: reading them keeps the daemon from all else.
  static let longest = 262_144
  static let mostSections = 256

  /// Reads files one after the other; a later entry wins.
  ///
  /// Throws: the first mistake, and how many more there are; nothing of a wrong configuration is used.
  package static func read(_ files: [String]) throws(ConfigurationError) -> Settings {
    var mistakes = Mistakes()
    let settings = read(files, &mistakes)
    guard var first = mistakes.all.first else { return settings }
    first.others = mistakes.count - 1
    throw first
  }

  /// The same, with all that is wrong told by file and line; if there is anything, the settings are no use.
  static func read(_ files: [String], _ mistakes: inout Mistakes) -> Settings {
    var settings = Settings()
    var screenEntries: [String: (file: String, line: Int)] = [:]  // by the match of their [Device MATCH]
    var rest = longest
    var isWrongSection = false
    for file in files where rest >= 0 {
      var found = FileMistakes()
      let entries = INIFile.read(file, upTo: &rest, &found)
      isWrongSection = isWrongSection || found.count > 0
      settings.take(entries, of: file, &screenEntries, &found, &isWrongSection)
      mistakes.take(found, by: files)
    }
    // With a screen's section misspelt, everything on that screen would be wrong too.
    if !isWrongSection {
      mistakes.take(settings.missingScreens(screenEntries, files.last ?? ""), by: files)
    }
    return settings
  }

  private mutating func take(
    _ entries: [INIEntry], of file: String, _ screenEntries: inout [String: (file: String, line: Int)],
    _ found: inout FileMistakes, _ isWrongSection: inout Bool
  ) {
    var wrong = 0
    // What stands below a section that there is not would be wrong too, line by line.
    var skips = false
    for entry in entries where screens.count + devices.count <= Settings.mostSections {
      if entry.name == nil { skips = false }
      guard !skips else { continue }
      do throws(ValueError) {
        try take(entry)
        guard screens.count + devices.count <= Settings.mostSections else {
          throw ValueError(reason: "over \(Settings.mostSections) sections of screens and devices")
        }
        let section = Settings.parts(of: entry.section)
        let name = section.argument.isEmpty ? section.kind : "\(section.kind) \(section.argument)"
        texts.take(String(name), entry.name, entry.value.trimmed)
        if section.kind == "Device", entry.name == "Screen" {
          screenEntries[section.argument] = (file, entry.line)
        }
      } catch {
        if entry.name == nil {
          skips = true
          isWrongSection = true
        }
        wrong += 1
        if wrong <= Mistakes.most {
          found.take(ConfigurationError(file: file, line: entry.line, reason: error.reason))
        } else {
          found.count += 1
        }
      }
    }
  }

  /// Devices on screens that there are not.
  private func missingScreens(_ entries: [String: (file: String, line: Int)], _ last: String) -> FileMistakes
  {
    var found = FileMistakes()
    for rule in devices {
      guard let screen = rule.screen, !screens.contains(where: { $0.name == screen }),
        !(screens.isEmpty && screen == "screen")
      else { continue }
      let reason = "[Device \(rule.match)] names Screen=\(screen), and there is no [Screen \(screen)]"
      let entry = entries[rule.match] ?? (last, 0)
      found.take(ConfigurationError(file: entry.file, line: entry.line, reason: reason))
    }
    return found
  }

  /// A section's kind, and what follows it.
  private static func parts(of section: String) -> (kind: Substring, argument: String) {
    let words = section.split(separator: " ", maxSplits: 1)
    return (words.first ?? "", words.count > 1 ? String(words[1]).trimmed : "")
  }

  private mutating func take(_ entry: INIEntry) throws(ValueError) {
    let (kind, argument) = Settings.parts(of: entry.section)
    let value = Value(key: entry.name ?? "", text: entry.value.trimmed)
    switch kind {
    case "Screen": try takeScreen(argument, entry.name, value)
    case "Device": try takeDevice(argument, entry.name, value)
    case "Keyboard" where argument.isEmpty: try takeKeyboard(entry.name, value)
    case "Plugins" where argument.isEmpty: try takePlugins(entry.name, value)
    case "Access" where argument.isEmpty: try takeAccess(entry.name, value)
    case "Log" where argument.isEmpty: try takeLog(entry.name, value)
    case "": throw ValueError(reason: "\(entry.name ?? "[]") stands before any [Section]")
    default:
      throw ValueError(
        reason:
          "there is no section [\(entry.section)]; there are [Screen NAME], [Device MATCH], [Keyboard], [Plugins], [Access], [Log]"
      )
    }
  }

  private mutating func takeScreen(_ name: String, _ key: String?, _ value: Value) throws(ValueError) {
    guard !name.isEmpty else { throw ValueError(reason: "[Screen] needs a name, such as [Screen main]") }
    if !screens.contains(where: { $0.name == name }) { screens.append(ScreenSettings(name: name)) }
    guard let place = screens.firstIndex(where: { $0.name == name }) else { return }
    switch key {
    case nil: break
    case "Size": screens[place].size = try value.size()
    case "Rotation": screens[place].rotation = try value.rotation()
    case let key?: throw Settings.unknown(key, "Screen", ["Size", "Rotation"])
    }
  }

  private mutating func takeDevice(_ match: String, _ key: String?, _ value: Value) throws(ValueError) {
    guard !match.isEmpty else {
      throw ValueError(reason: "[Device] needs a path, a vendor:product, a PROPERTY=value or a name")
    }
    if !devices.contains(where: { $0.match == match }) { devices.append(DeviceRule(match: match)) }
    guard let place = devices.firstIndex(where: { $0.match == match }) else { return }
    switch key {
    case nil: break
    case "Screen": devices[place].screen = value.text
    case "Matrix": devices[place].calibration = try value.matrix()
    case "Range":
      let (x, y) = try value.ranges()
      devices[place].xRange = x
      devices[place].yRange = y
    case "SwapAxes": devices[place].swapsAxes = try value.flag()
    case "InvertX": devices[place].invertsX = try value.flag()
    case "InvertY": devices[place].invertsY = try value.flag()
    case "Fuzz": devices[place].fuzz = Int32(try value.number(in: 0...10_000))
    case "MinimumPressure": devices[place].minimumPressure = Int32(try value.number(in: 0...1_000_000))
    case "MinimumTime": devices[place].minimumTime = try value.microseconds()
    case "Debounce": devices[place].debounce = try value.microseconds()
    case "DeadZone": devices[place].deadZones = try value.rects()
    case "Grab": devices[place].grabs = try value.flag()
    case "Ignore": devices[place].isIgnored = try value.flag()
    case "Keyboard": devices[place].countsAsKeyboard = try value.flag()
    case let key?: throw Settings.unknown(key, "Device", Settings.deviceKeys)
    }
  }

  static let deviceKeys = [
    "Screen", "Matrix", "Range", "SwapAxes", "InvertX", "InvertY", "Fuzz", "MinimumPressure", "MinimumTime",
    "Debounce", "DeadZone", "Grab", "Ignore", "Keyboard",
  ]

  private mutating func takeKeyboard(_ key: String?, _ value: Value) throws(ValueError) {
    switch key {
    case nil: break
    case "Height": keyboardHeight = try value.height()
    case "Spacing": spacing = try value.number(in: -10_000...10_000)
    case "Duration": duration = try value.number(in: 0...10)
    case "Hardware":
      guard let policy = HardwareKeyboardPolicy(rawValue: value.text) else {
        throw ValueError(reason: "Hardware=\(value.text) is neither hide nor ignore")
      }
      hardwareKeyboard = policy
    case "AutoFocus":
      guard let policy = AutoFocusPolicy(rawValue: value.text) else {
        throw ValueError(reason: "AutoFocus=\(value.text) is neither show nor wait")
      }
      autoFocus = policy
    case let key?:
      throw Settings.unknown(key, "Keyboard", ["Height", "Spacing", "Duration", "Hardware", "AutoFocus"])
    }
  }

  private mutating func takePlugins(_ key: String?, _ value: Value) throws(ValueError) {
    switch key {
    case nil: break
    case "Deadline": pluginDeadline = try value.microseconds(upTo: 10)
    case "TotalDeadline": pluginTotalDeadline = try value.microseconds(upTo: 10)
    case let key?: throw Settings.unknown(key, "Plugins", ["Deadline", "TotalDeadline"])
    }
  }

  private mutating func takeAccess(_ key: String?, _ value: Value) throws(ValueError) {
    switch key {
    case nil: break
    case "Monitor": access.monitor = try value.users()
    case "Keyboard": access.keyboard = try value.users()
    case "Levels": access.levels = try value.users()
    case "Connections": access.connections = Int(try value.number(in: 1...100_000))
    case "ConnectionsPerUser": access.connectionsPerUser = Int(try value.number(in: 1...100_000))
    case "ViewsPerUser": access.viewsPerUser = Int(try value.number(in: 1...10_000_000))
    case let key?: throw Settings.unknown(key, "Access", Settings.accessKeys)
    }
  }

  static let accessKeys = [
    "Monitor", "Keyboard", "Levels", "Connections", "ConnectionsPerUser", "ViewsPerUser",
  ]

  private mutating func takeLog(_ key: String?, _ value: Value) throws(ValueError) {
    switch key {
    case nil: break
    case "Level":
      guard let level = LogLevel(rawValue: value.text) else {
        throw ValueError(
          reason:
            "Level=\(value.text) is none of \(LogLevel.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      logLevel = level
    case let key?: throw Settings.unknown(key, "Log", ["Level"])
    }
  }

  private static func unknown(_ key: String, _ section: String, _ keys: [String]) -> ValueError {
    ValueError(reason: "[\(section)] has no \(key); it has \(keys.joined(separator: ", "))")
  }
}

/// The text of a value and what it can be read as.
private struct Value {
  let key: String
  let text: String

  func number(in range: ClosedRange<Double>) throws(ValueError) -> Double {
    guard let number = Double(text), number.isFinite, range.contains(number) else {
      throw ValueError(
        reason: "\(key)=\(text) is not a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }
    return number
  }

  /// Names or numbers between spaces, or * for everybody; nobody for an empty text.
  func users() throws(ValueError) -> Users {
    if text == "*" { return .all }
    var users: Set<UInt32> = []
    for word in text.split(separator: " ") {
      if let number = UInt32(word) {
        users.insert(number)
      } else if let entry = unsafe getpwnam(String(word)) {
        users.insert(unsafe entry.pointee.pw_uid)
      } else {
        throw ValueError(
          reason: "\(key)=\(text): there is no user \(word); names or numbers with spaces between, or * alone"
        )
      }
    }
    return .only(users)
  }

  func flag() throws(ValueError) -> Bool {
    switch text {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default: throw ValueError(reason: "\(key)=\(text) is neither yes nor no")
    }
  }

  func size() throws(ValueError) -> Size {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1], (1...100_000).contains(width),
      (1...100_000).contains(height)
    else { throw ValueError(reason: "\(key)=\(text) is not a size such as 800x480") }
    return Size(width: width, height: height)
  }

  func rotation() throws(ValueError) -> Rotation {
    guard let degrees = Int(text), let rotation = Rotation(rawValue: degrees) else {
      throw ValueError(reason: "\(key)=\(text) is not a rotation: 0, 90, 180 or 270, clockwise")
    }
    return rotation
  }

  func height() throws(ValueError) -> KeyboardHeight {
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (1...100).contains(percent) else {
        throw ValueError(reason: "\(key)=\(text) is not a share of the screen's height from 1% to 100%")
      }
      return .fraction(percent / 100)
    }
    guard let points = Double(text), (1...100_000).contains(points) else {
      throw ValueError(reason: "\(key)=\(text) is not a height such as 192 (points) or 40%")
    }
    return .points(points)
  }

  func matrix() throws(ValueError) -> Matrix {
    guard let matrix = Matrix(parsing: text) else {
      throw ValueError(reason: "\(key)=\(text) is not a matrix of six finite numbers such as 1 0 0 0 1 0")
    }
    guard matrix.determinant != 0 else {
      throw ValueError(reason: "\(key)=\(text) puts all touches on one line")
    }
    guard matrix.determinant.isFinite else {
      throw ValueError(reason: "\(key)=\(text) has numbers that are far too large")
    }
    return matrix
  }

  /// Seconds of at most so many.
  func microseconds(upTo most: Int = 1) throws(ValueError) -> UInt64 {
    guard let seconds = Double(text), (0...Double(most)).contains(seconds) else {
      throw ValueError(reason: "\(key)=\(text) is not a number of seconds from 0 to \(most), such as 0.02")
    }
    return UInt64((seconds * 1_000_000).rounded())
  }

  /// Rectangles of four numbers each, between commas; none for an empty text.
  func rects() throws(ValueError) -> [Rect] {
    var rects: [Rect] = []
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      let numbers = words.compactMap { Double($0) }.filter { (-100_000...100_000).contains($0) }
      guard words.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else {
        throw ValueError(
          reason:
            "\(key)=\(text) is not made of rectangles such as 0 0 40 40 (x y width height), with commas between"
        )
      }
      rects.append(Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
    }
    return rects
  }

  func ranges() throws(ValueError) -> (ClosedRange<Int32>, ClosedRange<Int32>) {
    let numbers = text.split(separator: " ").compactMap { Int32($0) }
    guard numbers.count == 4, numbers[0] < numbers[1], numbers[2] < numbers[3] else {
      throw ValueError(reason: "\(key)=\(text) is not a range of four numbers: minX maxX minY maxY")
    }
    guard [0, 2].allSatisfy({ Int64(numbers[$0 + 1]) - Int64(numbers[$0]) <= 1 << 30 }) else {
      throw ValueError(reason: "\(key)=\(text) has a range over 2^30, which no panel has")
    }
    return (numbers[0]...numbers[1], numbers[2]...numbers[3])
  }
}

extension String {
  /// Without spaces at both ends.
  fileprivate var trimmed: String {
    var text = Substring(self)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    return String(text)
  }
}
