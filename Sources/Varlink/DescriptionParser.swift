/// Reads the interface definition language, as varlink.org's grammar has it.
struct DescriptionParser {
  private(set) var name = ""
  private(set) var methods: [String: InterfaceDescription.Method] = [:]
  private(set) var errors: [String: [InterfaceDescription.Field]] = [:]
  private(set) var typeNumbers: [String: Int] = [:]
  /// By number; nil while a type is only mentioned.
  private(set) var definitions: [InterfaceDescription.DataType?] = []

  private let text: [UInt8]
  private var at = 0
  private var line = 1
  private var members: Set<String> = []
  private var mentions: [Int: Int] = [:]

  /// No description nests types deeper; a peer's text must not exhaust the stack.
  private static let maximumDepth = 32

  init(_ text: String) { self.text = Array(text.utf8) }

  mutating func parse() throws(DescriptionError) {
    skipSpace()
    try keyword("interface")
    name = try interfaceName()
    while true {
      skipSpace()
      guard at < text.count else { break }
      let keyword = word()
      skipSpace()
      switch keyword {
      case "type":
        let name = try memberName()
        let number = self.number(of: name)
        definitions[number] = try braces(depth: 0)
      case "method":
        let name = try memberName()
        let input = try fields()
        skipSpace()
        guard take("-"), take(">") else { throw error("-> expected") }
        methods[name] = .init(name: name, input: input, output: try fields())
      case "error":
        let name = try memberName()
        errors[name] = try fields()
      default: throw error("type, method or error expected")
      }
    }
    for (number, line) in mentions where definitions[number] == nil {
      let name = typeNumbers.first { $0.value == number }?.key ?? ""
      throw DescriptionError(line: line, problem: "no type \(name)")
    }
  }

  // MARK: Types

  private mutating func type(depth: Int) throws(DescriptionError) -> InterfaceDescription.DataType {
    guard depth < DescriptionParser.maximumDepth else { throw error("types nest too deep") }
    if take("?") {
      if at < text.count, text[at] == UInt8(ascii: "?") { throw error("?? is no type") }
      return .nullable(try type(depth: depth + 1))
    }
    if take("[") {
      if take("]") { return .array(try type(depth: depth + 1)) }
      guard word() == "string", take("]") else { throw error("[] or [string] expected") }
      return .map(try type(depth: depth + 1))
    }
    if at < text.count, text[at] == UInt8(ascii: "(") { return try braces(depth: depth + 1) }
    let name = word()
    switch name {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    case "any": return .any
    default:
      guard DescriptionParser.isMemberName(name) else { throw error("a type expected") }
      let number = self.number(of: name)
      if mentions[number] == nil { mentions[number] = line }
      return .named(number)
    }
  }

  /// A structure, (name: type, ...), or an enumeration, (name, ...).
  private mutating func braces(depth: Int) throws(DescriptionError) -> InterfaceDescription.DataType {
    skipSpace()
    guard take("(") else { throw error("( expected") }
    skipSpace()
    if take(")") { return .structure([]) }
    var fields: [InterfaceDescription.Field] = []
    var names: [String] = []
    var seen: Set<String> = []
    repeat {
      skipSpace()
      let name = word()
      guard DescriptionParser.isFieldName(name) else { throw error("a field's name expected") }
      guard seen.insert(name).inserted else { throw error("\(name) twice") }
      skipSpace()
      if take(":") {
        skipSpace()
        fields.append(.init(name: name, type: try type(depth: depth)))
        skipSpace()
      } else {
        names.append(name)
      }
      guard fields.isEmpty || names.isEmpty else { throw error("fields with types and without") }
    } while take(",")
    guard take(")") else { throw error(") expected") }
    return fields.isEmpty ? .enumeration(names) : .structure(fields)
  }

  private mutating func fields() throws(DescriptionError) -> [InterfaceDescription.Field] {
    guard case .structure(let fields) = try braces(depth: 0) else {
      throw error("fields with types expected")
    }
    return fields
  }

  private mutating func number(of name: String) -> Int {
    if let number = typeNumbers[name] { return number }
    definitions.append(nil)
    typeNumbers[name] = definitions.count - 1
    return definitions.count - 1
  }

  // MARK: Names

  private mutating func memberName() throws(DescriptionError) -> String {
    let name = word()
    guard DescriptionParser.isMemberName(name) else { throw error("a name with a capital expected") }
    guard members.insert(name).inserted else { throw error("\(name) twice") }
    return name
  }

  /// At least two parts of letters, digits and inner hyphens, joined by dots; the first begins with a letter.
  private mutating func interfaceName() throws(DescriptionError) -> String {
    let start = at
    while at < text.count, DescriptionParser.isAlphanumeric(text[at]) || text[at] == 0x2D || text[at] == 0x2E
    {
      at += 1
    }
    let bytes = text[start..<at]
    let parts = bytes.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count > 1, let first = bytes.first, DescriptionParser.isLetter(first),
      parts.allSatisfy({ part in
        guard let first = part.first, let last = part.last else { return false }
        return first != 0x2D && last != 0x2D
      })
    else { throw error("an interface's name expected, such as org.example.name") }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isMemberName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
      return false
    }
    return name.utf8.allSatisfy(isAlphanumeric)
  }

  /// A letter, then letters, digits and single underscores, none at the end.
  private static func isFieldName(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first), name.utf8.last != UInt8(ascii: "_") else {
      return false
    }
    return !name.contains("__")
  }

  // MARK: Text

  private func error(_ problem: String) -> DescriptionError { DescriptionError(line: line, problem: problem) }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard at < text.count, text[at] == UInt8(ascii: byte) else { return false }
    at += 1
    return true
  }

  private mutating func word() -> String {
    let start = at
    while at < text.count, DescriptionParser.isAlphanumeric(text[at]) || text[at] == UInt8(ascii: "_") {
      at += 1
    }
    return String(decoding: text[start..<at], as: UTF8.self)
  }

  private mutating func keyword(_ keyword: String) throws(DescriptionError) {
    guard word() == keyword else { throw error("\(keyword) expected") }
    skipSpace()
  }

  /// White space and comments, which go from # to the end of the line.
  private mutating func skipSpace() {
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\n"): line += 1
      case 0x20, 0x09, 0x0D: break
      case UInt8(ascii: "#"):
        while at < text.count, text[at] != UInt8(ascii: "\n") { at += 1 }
        continue
      default: return
      }
      at += 1
    }
  }
}
