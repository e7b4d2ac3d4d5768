import Varlink

/// A place where what was recorded and what is decided now are not the same.
public struct Difference: Equatable, Sendable {
  /// Such as `effects[0].touch.touch.position.x`.
  public var path: String
  /// nil where there is nothing.
  public var expected: JSON?
  public var got: JSON?

  /// The innermost differences, in order; what only the newer one has is none, since an older version did not tell it.
  static func between(_ expected: JSON, _ got: JSON, at path: String) -> [Difference] {
    switch (expected, got) {
    case _ where expected == got: return []
    case (.object(let then), .object(let now))
    where then.contains(where: { member in now.contains { $0.key == member.key } }):
      return then.flatMap { member in
        let inner = "\(path).\(member.key)"
        guard now.contains(where: { $0.key == member.key }) else {
          return member.value.isNull ? [] : [Difference(path: inner, expected: member.value, got: nil)]
        }
        return between(member.value, got[member.key], at: inner)
      }
    case (.array(let then), .array(let now)):
      return (0..<max(then.count, now.count)).flatMap { place in
        let inner = "\(path)[\(place)]"
        guard then.indices.contains(place), now.indices.contains(place) else {
          return [
            Difference(
              path: inner, expected: then.indices.contains(place) ? then[place] : nil,
              got: now.indices.contains(place) ? now[place] : nil)
          ]
        }
        return between(then[place], now[place], at: inner)
      }
    default:
      return [
        Difference(path: path, expected: expected.isNull ? nil : expected, got: got.isNull ? nil : got)
      ]
    }
  }
}
