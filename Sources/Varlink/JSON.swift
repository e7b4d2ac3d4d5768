/// A JSON value as it came from a peer.
///
/// An object keeps its members in the order of the text; no two of them have the same key.
public enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  public struct Member: Equatable, Sendable {
    public var key: String
    public var value: JSON

    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }

  /// An object without members.
  public static let empty = JSON.object([])
}

extension JSON {
  /// The member of that name; null if it is absent or if this is no object.
  public subscript(key: String) -> JSON {
    guard case .object(let members) = self else { return .null }
    for member in members where member.key == key { return member.value }
    return .null
  }

  /// The element at that index; null if it is out of range or if this is no array.
  public subscript(index: Int) -> JSON {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
    return elements[index]
  }

  public var isNull: Bool { self == .null }

  public var asBool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// An integer, or a number without a fraction that fits one.
  public var asInteger: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// A number or an integer; infinite if the text was beyond the range of a double, such as 1e999.
  public var asDouble: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  public var asString: String? {
    if case .string(let value) = self { value } else { nil }
  }

  public var asArray: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  public var asMembers: [Member]? {
    if case .object(let value) = self { value } else { nil }
  }
}

/// Why a text is not taken for JSON.
public enum JSONError: Error, Equatable, Sendable {
  /// No JSON by RFC 8259 at this offset in bytes.
  case malformed(at: Int)
  /// A key twice in one object, which RFC 8259 leaves undefined.
  case duplicateKey
  /// More levels of arrays and objects than the limits allow.
  case tooDeep
  /// More arrays and objects than the limits allow.
  case tooMany
  /// A string with more combining marks on one character than any writing has.
  case tooManyMarks
  case noMemory
}

extension JSON {
  /// What a peer may cost: levels of nesting, and how many arrays and objects there are in all.
  ///
  /// json-c takes up to a kilobyte for an object however short its text is, so the text's length bounds nothing.
  public struct Limits: Sendable {
    public var depth: Int
    public var containers: Int

    public init(depth: Int = 16, containers: Int = 16_384) {
      self.depth = depth
      self.containers = containers
    }
  }
}
