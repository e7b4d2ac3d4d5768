/// One pass over a text for what json-c takes even in strict mode though it is no JSON.
///
/// json-c 0.16 lets through NaN and Infinity, single-quoted keys, -01, 1., control characters in strings,
/// keys that it cuts at an escaped NUL, and integers that it clamps to 64 bits. The grammar of arrays and
/// objects is left to it.
struct JSONScan {
  /// How many members all objects have together; json-c's tree has fewer if a key was there twice.
  private(set) var members = 0
  /// Where integers end that do not fit 64 bits.
  private(set) var wideIntegers: [Int] = []

  private var containers = 0
  private var depth = 0
  private var at = 0
  private var keyWouldBeCut = false

  init(_ text: borrowing Span<UInt8>, limits: JSON.Limits) throws(JSONError) {
    while at < text.count {
      let byte = text[at]
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D:
        at += 1
        continue
      case UInt8(ascii: "\""):
        try string(text)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        containers += 1
        guard depth <= limits.depth else { throw .tooDeep }
        guard containers <= limits.containers else { throw .tooMany }
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        at += 1
      case UInt8(ascii: ":"):
        guard !keyWouldBeCut else { throw .malformed(at: at) }
        members += 1
        at += 1
      case UInt8(ascii: ","): at += 1
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(text)
      case UInt8(ascii: "t"): try word("true", text)
      case UInt8(ascii: "f"): try word("false", text)
      case UInt8(ascii: "n"): try word("null", text)
      default: throw .malformed(at: at)
      }
      keyWouldBeCut = false
    }
  }

  private mutating func string(_ text: borrowing Span<UInt8>) throws(JSONError) {
    keyWouldBeCut = false
    at += 1
    while at < text.count {
      let byte = text[at]
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): try escape(text)
      case 0..<0x20: throw .malformed(at: at - 1)
      default: break
      }
    }
    throw .malformed(at: at)
  }

  private mutating func escape(_ text: borrowing Span<UInt8>) throws(JSONError) {
    guard at < text.count else { throw .malformed(at: at) }
    switch text[at] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 1
    case UInt8(ascii: "u"):
      guard text.count - at > 4 else { throw .malformed(at: at) }
      var isNUL = true
      for offset in 1...4 {
        switch text[at + offset] {
        case UInt8(ascii: "0"): break
        case UInt8(ascii: "1")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          isNUL = false
        default: throw .malformed(at: at + offset)
        }
      }
      if isNUL { keyWouldBeCut = true }
      at += 5
    default: throw .malformed(at: at)
    }
  }

  private mutating func number(_ text: borrowing Span<UInt8>) throws(JSONError) {
    let negative = text[at] == UInt8(ascii: "-")
    if negative { at += 1 }
    let start = at
    let magnitude = digits(text)
    guard at > start, at == start + 1 || text[start] != UInt8(ascii: "0") else { throw .malformed(at: at) }
    var isInteger = true
    if at < text.count, text[at] == UInt8(ascii: ".") {
      isInteger = false
      at += 1
      let start = at
      _ = digits(text)
      guard at > start else { throw .malformed(at: at) }
    }
    if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      at += 1
      if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at += 1 }
      let start = at
      _ = digits(text)
      guard at > start else { throw .malformed(at: at) }
    }
    try delimiter(text)
    if isInteger {
      let most = negative ? Int64.min.magnitude : Int64.max.magnitude
      if magnitude.map({ $0 > most }) ?? true { wideIntegers.append(at) }
    }
  }

  /// Skips digits; nil if they do not fit.
  private mutating func digits(_ text: borrowing Span<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    var fits = true
    while at < text.count, case let byte = text[at], byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      let (product, high) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      if high || carry { fits = false }
      value = sum
      at += 1
    }
    return fits ? value : nil
  }

  private mutating func word(_ word: StaticString, _ text: borrowing Span<UInt8>) throws(JSONError) {
    let count = word.utf8CodeUnitCount
    guard text.count - at >= count else { throw .malformed(at: at) }
    for offset in 0..<count where unsafe text[at + offset] != word.utf8Start[offset] {
      throw .malformed(at: at + offset)
    }
    at += count
    try delimiter(text)
  }

  /// json-c reads on in a number or word where JSON has ended it.
  private func delimiter(_ text: borrowing Span<UInt8>) throws(JSONError) {
    guard at < text.count else { return }
    switch text[at] {
    case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return
    default: throw .malformed(at: at)
    }
  }
}
