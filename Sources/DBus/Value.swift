/// A basic value as D-Bus has it; a variant is what is in it.
public enum Value: Equatable, Sendable {
  case bool(Bool)
  case int(Int32)
  case uint(UInt32)
  case double(Double)
  case string(String)
  /// A variant of a basic value.
  indirect case variant(Value)
  /// An a{sv}, of which those entries are kept that are basic.
  case dictionary([String: Value])

  public var asBool: Bool? {
    switch self {
    case .bool(let value): value
    case .variant(let value): value.asBool
    default: nil
    }
  }

  public var asInt: Int? {
    switch self {
    case .int(let value): Int(value)
    case .uint(let value): Int(value)
    case .variant(let value): value.asInt
    default: nil
    }
  }

  public var asString: String? {
    switch self {
    case .string(let value): value
    case .variant(let value): value.asString
    default: nil
    }
  }

  /// The signature of what it is sent as.
  var signature: String {
    switch self {
    case .bool: "b"
    case .int: "i"
    case .uint: "u"
    case .double: "d"
    case .string: "s"
    case .variant: "v"
    case .dictionary: "a{sv}"
    }
  }
}
