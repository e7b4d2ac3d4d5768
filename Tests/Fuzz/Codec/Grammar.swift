/// Whether a text is JSON by the grammar of RFC 8259, whatever its depth; written apart from the codec, to compare with.
struct Grammar {
  private let text: [UInt8]
  private var at = 0

  static func accepts(_ text: [UInt8]) -> Bool {
    guard String(validating: text, as: UTF8.self) != nil else { return false }
    var grammar = Grammar(text: text)
    guard grammar.value() else { return false }
    grammar.skip(\.isSpace)
    return grammar.at == text.count
  }

  private init(text: [UInt8]) { self.text = text }

  /// NUL after the end, which the grammar has nowhere.
  private var next: UInt8 { at < text.count ? text[at] : 0 }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    at += 1
    return true
  }

  /// Returns: how many bytes were skipped.
  @discardableResult
  private mutating func skip(_ isSkipped: (UInt8) -> Bool) -> Int {
    let start = at
    while at < text.count, isSkipped(text[at]) { at += 1 }
    return at - start
  }

  private mutating func value() -> Bool {
    skip(\.isSpace)
    switch next {
    case UInt8(ascii: "{"): return list("}") { $0.member() }
    case UInt8(ascii: "["): return list("]") { $0.value() }
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return word("true")
    case UInt8(ascii: "f"): return word("false")
    case UInt8(ascii: "n"): return word("null")
    default: return number()
    }
  }

  private mutating func list(_ end: Unicode.Scalar, _ element: (inout Grammar) -> Bool) -> Bool {
    at += 1
    skip(\.isSpace)
    if take(end) { return true }
    repeat {
      skip(\.isSpace)
      guard element(&self) else { return false }
      skip(\.isSpace)
    } while take(",")
    return take(end)
  }

  private mutating func member() -> Bool {
    guard string() else { return false }
    skip(\.isSpace)
    return take(":") && value()
  }

  private mutating func word(_ word: StaticString) -> Bool {
    for offset in 0..<word.utf8CodeUnitCount {
      guard unsafe next == word.utf8Start[offset] else { return false }
      at += 1
    }
    return true
  }

  private mutating func number() -> Bool {
    _ = take("-")
    guard take("0") || skip(\.isDigit) > 0 else { return false }
    if take("."), skip(\.isDigit) == 0 { return false }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      return skip(\.isDigit) > 0
    }
    return true
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while at < text.count {
      if take("\"") { return true }
      if take("\\") {
        if take("u") {
          for _ in 0..<4 {
            guard next.isHexadecimal else { return false }
            at += 1
          }
        } else {
          guard "\"\\/bfnrt".utf8.contains(next) else { return false }
          at += 1
        }
      } else {
        guard next >= 0x20 else { return false }
        at += 1
      }
    }
    return false
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
  fileprivate var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  fileprivate var isHexadecimal: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }
}
