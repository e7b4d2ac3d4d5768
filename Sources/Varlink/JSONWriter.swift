/// Appends JSON to a byte buffer, field by field; the buffer is reused, so that writing allocates nothing.
///
/// Commas come of themselves. That what is written nests properly is the caller's business.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8]

  public init(capacity: Int = 512) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Empties the buffer and keeps its memory.
  public mutating func reset() { bytes.removeAll(keepingCapacity: true) }

  // MARK: Values

  public mutating func null() {
    separate()
    append("null")
  }

  public mutating func value(_ value: Bool) {
    separate()
    append(value ? "true" : "false")
  }

  public mutating func value(_ value: Int64) {
    separate()
    append(value)
  }

  public mutating func value(_ value: Int) { self.value(Int64(value)) }

  /// Rounded to three decimals below 2^40, the shortest that reads back the same above; null if not finite.
  public mutating func value(_ value: Double) {
    separate()
    append(value)
  }

  public mutating func value(_ value: String) {
    separate()
    append(quoted: value)
  }

  /// A JSON text that is complete already.
  public mutating func value(encoded: [UInt8]) {
    separate()
    bytes.append(contentsOf: encoded)
  }

  public mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): self.value(value)
    case .string(let value): self.value(value)
    case .array(let elements): array { writer in for element in elements { writer.value(element) } }
    case .object(let members):
      object { writer in
        for member in members {
          writer.key(member.key)
          writer.value(member.value)
        }
      }
    }
  }

  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    beginObject()
    body(&self)
    endObject()
  }

  public mutating func array(_ body: (inout JSONWriter) -> Void) {
    beginArray()
    body(&self)
    endArray()
  }

  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

  public mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  // MARK: Keys and fields

  /// A key that needs no escaping.
  public mutating func key(_ key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(key)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  @_disfavoredOverload
  public mutating func key(_ key: String) {
    separate()
    append(quoted: key)
    bytes.append(UInt8(ascii: ":"))
  }

  public mutating func field(_ key: StaticString, _ value: Bool) {
    self.key(key)
    self.value(value)
  }

  public mutating func field(_ key: StaticString, _ value: Int64) {
    self.key(key)
    self.value(value)
  }

  public mutating func field(_ key: StaticString, _ value: Int) {
    self.key(key)
    self.value(value)
  }

  public mutating func field(_ key: StaticString, _ value: Double) {
    self.key(key)
    self.value(value)
  }

  public mutating func field(_ key: StaticString, _ value: String) {
    self.key(key)
    self.value(value)
  }

  /// A string, or null.
  public mutating func field(_ key: StaticString, _ value: String?) {
    self.key(key)
    if let value { self.value(value) } else { null() }
  }

  public mutating func field(_ key: StaticString, _ value: JSON) {
    self.key(key)
    self.value(value)
  }

  public mutating func field(_ key: StaticString, _ values: [String]) {
    self.key(key)
    beginArray()
    for value in values { self.value(value) }
    endArray()
  }

  public mutating func field(_ key: StaticString, encoded: [UInt8]) {
    self.key(key)
    value(encoded: encoded)
  }

  public mutating func null(_ key: StaticString) {
    self.key(key)
    null()
  }

  public mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
    self.key(key)
    object(body)
  }

  public mutating func array(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
    self.key(key)
    array(body)
  }
}

extension JSONWriter {
  /// The NUL that ends a message.
  mutating func terminate() { bytes.append(0) }

  /// A comma, unless something begins here.
  private mutating func separate() {
    switch bytes.last {
    case nil, 0, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  private mutating func append(_ text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func append(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    append(value.magnitude)
  }

  private mutating func append(_ value: UInt64) {
    let start = bytes.count
    var rest = value
    repeat {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var low = start
    var high = bytes.count - 1
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  private mutating func append(_ value: Double) {
    guard value.isFinite else { return append("null") }
    guard value.magnitude < 0x1p40 else {
      let text = value.description.utf8
      for byte in text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text[...] {
        bytes.append(byte)
      }
      return
    }
    let thousandths = Int64((value * 1000).rounded())
    if thousandths < 0 { bytes.append(UInt8(ascii: "-")) }
    append(thousandths.magnitude / 1000)
    var fraction = UInt16(truncatingIfNeeded: thousandths.magnitude % 1000)
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    while fraction > 0 {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 100))
      fraction = fraction % 100 &* 10
    }
  }

  private mutating func append(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        append("\\u00")
        bytes.append(UInt8(ascii: "0") &+ byte >> 4)
        bytes.append(JSONWriter.hexadecimal(byte & 15))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10
  }
}
