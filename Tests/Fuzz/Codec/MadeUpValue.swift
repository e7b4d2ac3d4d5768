import Varlink

/// Makes up values of the types of an interface: the ends of ranges often, and at times what is not as described.
struct MadeUpValue<Chances: RandomNumberGenerator> {
  var random: Chances
  /// One value in so many is not as described; 0 for none.
  var mistakes = 0
  /// One scalar in so many is at the end of its range, or beyond what is sensible; 0 for none.
  var extremes = 6
  /// What strings of a field are mostly, by the field's name.
  var names: [String: [String]] = [:]

  /// How many values may still be made for the present parameters.
  private var rest = 0

  private static var deepest: Int { 12 }

  init(_ random: Chances) { self.random = random }

  mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  /// An object for the parameters of a method, of an error or of a reply; nil if its types do not end.
  mutating func parameters(_ fields: [InterfaceDescription.Field], in description: InterfaceDescription)
    -> JSON?
  {
    rest = 500
    return structure(fields, description, 1)
  }

  private mutating func structure(
    _ fields: [InterfaceDescription.Field], _ description: InterfaceDescription, _ depth: Int
  ) -> JSON? {
    var members: [JSON.Member] = []
    for field in fields {
      if case .nullable = field.type, chance(2) { continue }
      if mistakes > 0, chance(mistakes * 2) { continue }
      guard let value = value(field.type, named: field.name, description, depth) else { return nil }
      members.append(JSON.Member(field.name, value))
    }
    if mistakes > 0, chance(mistakes * 2) { members.append(JSON.Member("unknown", .null)) }
    return .object(members)
  }

  private mutating func value(
    _ type: InterfaceDescription.DataType, named name: String, _ description: InterfaceDescription,
    _ depth: Int
  ) -> JSON? {
    rest -= 1
    if mistakes > 0, chance(mistakes) { return any() }
    switch type {
    case .bool: return .bool(chance(2))
    case .int: return integer(named: name)
    case .float: return chance(8) ? integer(named: name) : .number(number())
    case .string: return .string(string(named: name))
    case .object: return chance(2) ? .empty : .object([JSON.Member("a", any())])
    case .any: return chance(2) ? .bool(true) : .string("")
    case .structure(let fields): return hasRoom(depth) ? structure(fields, description, depth + 1) : nil
    case .enumeration(let names): return .string(pick(names))
    case .nullable(let type):
      return chance(4) ? .null : value(type, named: name, description, depth) ?? .null
    case .array(let type):
      guard hasRoom(depth) else { return .array([]) }
      let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        value(type, named: name, description, depth + 1)
      }
      return .array(elements.compactMap(\.self))
    case .map(let type):
      guard hasRoom(depth), let element = value(type, named: name, description, depth + 1) else {
        return .empty
      }
      return .object([JSON.Member(string(named: name), element)])
    case .named(let number): return value(description.definitions[number], named: name, description, depth)
    }
  }

  private func hasRoom(_ depth: Int) -> Bool { depth < Self.deepest && rest > 0 }

  // MARK: Scalars

  private mutating func isExtreme() -> Bool { extremes > 0 && chance(extremes) }

  private mutating func integer(named name: String) -> JSON {
    if name == "rotation" { return .integer(pick([0, 90, 180, 270, 270, 1])) }
    return .integer(
      isExtreme() ? pick([.min, -1, 0, 1 << 31, 1 << 53, .max]) : Int64.random(in: 0...40, using: &random))
  }

  private mutating func number() -> Double {
    isExtreme()
      ? pick([-1e9, -500, -0.001, 0.1, 1e9, 1e300, -1e300, 1e-300])
      : Double.random(in: 0...900, using: &random).rounded()
  }

  private mutating func string(named name: String) -> String {
    if let names = names[name], !names.isEmpty, !isExtreme() { return pick(names) }
    return pick([
      "", "a", "name", "\"\\/", "\u{1}", "\u{7f}", "\u{0}", "ä",
      "e" + String(repeating: "\u{301}", count: 30),
      String(repeating: "x", count: 256), String(repeating: "x", count: 257), "scene-1", "\u{1F600}",
    ])
  }

  private mutating func any() -> JSON {
    pick([
      .null, .bool(false), .integer(1), .number(0.5), .string("a"), .array([]), .empty, .array([.null]),
      .object([JSON.Member("a", .array([.empty]))]),
    ])
  }
}
