/// What a JSON value is put together from where it is written very often; see `JSONWriter.value(capacity:_:)`.
extension OutputSpan<UInt8> {
  /// JSON as it stands; left out if there is no room.
  @inline(__always)
  public mutating func append(json text: StaticString) {
    let count = text.utf8CodeUnitCount
    unsafe withUnsafeMutableBufferPointer { buffer, initialized in
      guard count <= buffer.count - initialized, let start = buffer.baseAddress else { return }
      unsafe (start + initialized).initialize(from: text.utf8Start, count: count)
      initialized += count
    }
  }

  /// At most 20 bytes.
  public mutating func append(integer value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(decimal: value.magnitude)
  }

  /// Rounded to three decimals, at most 20 bytes; null if it is not finite or not below 2^40.
  public mutating func append(number value: Double) {
    guard value.magnitude < 0x1p40 else { return append(json: "null") }
    let thousandths = Int64((value * 1000).rounded())
    if thousandths < 0 { append(UInt8(ascii: "-")) }
    append(decimal: thousandths.magnitude / 1000)
    var fraction = UInt16(truncatingIfNeeded: thousandths.magnitude % 1000)
    guard fraction > 0 else { return }
    append(UInt8(ascii: "."))
    while fraction > 0 {
      append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 100))
      fraction = fraction % 100 &* 10
    }
  }

  /// A string in its quotes, at most `quotedCapacity` of it.
  public mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    let bytes = text.utf8Span.span
    var plain = 0
    while plain < bytes.count, !bytes[plain].isEscaped { plain += 1 }
    append(bytes.extracting(first: plain))
    for index in plain..<bytes.count { append(escaping: bytes[index]) }
    append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { source in
      unsafe withUnsafeMutableBufferPointer { buffer, initialized in
        guard source.count <= buffer.count - initialized, let from = source.baseAddress,
          let start = buffer.baseAddress
        else { return }
        unsafe (start + initialized).initialize(from: from, count: source.count)
        initialized += source.count
      }
    }
  }

  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      append(UInt8(ascii: "\\"))
      append(byte)
    case 0..<0x20:
      append(json: "\\u00")
      append(UInt8(ascii: "0") &+ byte >> 4)
      let low = byte & 15
      append(low < 10 ? UInt8(ascii: "0") &+ low : UInt8(ascii: "a") &+ low &- 10)
    default: append(byte)
    }
  }

  /// The bytes that a quoted string takes at the most.
  public static func quotedCapacity(_ text: String) -> Int { text.utf8.count * 6 + 2 }

  private mutating func append(decimal value: UInt64) {
    // 20 digits hold the largest.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = 20
    var rest = value
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    append(digits.span.extracting(start..<20))
  }
}

extension UInt8 {
  /// Whether JSON has it behind a backslash within a string.
  fileprivate var isEscaped: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }
}
