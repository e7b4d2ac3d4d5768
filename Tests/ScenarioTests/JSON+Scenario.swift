import Varlink

extension JSON {
  /// The member of that name, null or not; nil if there is none.
  func member(_ key: String) -> JSON? { asMembers?.first { $0.key == key }?.value }

  /// A list's strings.
  var strings: [String] { (asArray ?? []).compactMap(\.asString) }

  /// An object with its members replaced by another one's.
  func merging(_ other: JSON) -> JSON {
    let changed = other.asMembers ?? []
    let kept = (asMembers ?? []).filter { member in !changed.contains { $0.key == member.key } }
    return .object(kept + changed)
  }

  /// As a person writes it.
  var plain: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): value == value.rounded() ? "\(Int64(clamping: Int(value)))" : "\(value)"
    case .string(let value): value
    case .array(let values): "[" + values.map(\.plain).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\($0.key): \($0.value.plain)" }.joined(separator: ", ") + "}"
    }
  }

  /// In what this differs from what is expected, each with its place; nothing if it is as expected.
  ///
  /// Of an object only the expected members count, of an array all elements; null is also what is absent. A number
  /// may be off by what the wire rounds, or expected as {"over": a, "under": b}.
  func differences(from expected: JSON, at place: String) -> [String] {
    switch expected {
    case .object(let members)
    where !members.isEmpty && members.allSatisfy { ["over", "under"].contains($0.key) }:
      let least = expected["over"].asDouble ?? -.infinity
      let most = expected["under"].asDouble ?? .infinity
      if let number = asDouble, number > least, number < most { return [] }
    case .object(let members):
      guard case .object = self else { break }
      return members.flatMap { self[$0.key].differences(from: $0.value, at: "\(place).\($0.key)") }
    case .array(let elements):
      guard case .array(let mine) = self, mine.count == elements.count else { break }
      return elements.indices.flatMap { mine[$0].differences(from: elements[$0], at: "\(place)[\($0)]") }
    default:
      if let number = expected.asDouble, let mine = asDouble, abs(mine - number) <= 0.001 { return [] }
      if self == expected { return [] }
    }
    return ["\(place) is \(plain), not \(expected.plain)"]
  }
}
