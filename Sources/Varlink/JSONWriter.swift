/// Appends JSON to a byte buffer, field by field; the buffer is reused, so that writing allocates nothing.
///
/// Commas come of themselves. That what is written nests properly is the caller's business.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8]
  /// A value ended here, so that a comma comes before the next.
  private var needsComma = false

  public init(capacity: Int = 512) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Empties the buffer and keeps its memory.
  public mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Ends a text, so that the next one is on a line of its own.
  public mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  // MARK: Values

  public mutating func null() { word("null") }

  public mutating func value(_ value: Bool) { word(value ? "true" : "false") }

  public mutating func value(_ value: Int64) { write(nil, value) }

  public mutating func value(_ value: Int) { write(nil, Int64(value)) }

  /// Rounded to three decimals below 2^40, the shortest that reads back the same above; null if not finite.
  public mutating func value(_ value: Double) { write(nil, value) }

  /// The shortest that reads back the same; null if not finite. For what three decimals would spoil.
  public mutating func value(exactly value: Double) {
    let text = value.isFinite ? value.description : "null"
    let digits = text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...]
    write(nil, capacity: digits.count) { output in for byte in digits { output.append(byte) } }
  }

  public mutating func value(_ value: String) { write(nil, value) }

  /// A value that is put together from fragments, with one check for room; for what is written very often.
  ///
  /// The closure may append at most `capacity` bytes, and what it appends must be one JSON value.
  public mutating func value(capacity: Int, _ fragments: (inout OutputSpan<UInt8>) -> Void) {
    write(nil, capacity: capacity, fragments)
  }

  /// A JSON text that is complete already.
  public mutating func value(encoded: [UInt8]) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: encoded)
    needsComma = true
  }

  /// A value as it came: its numbers are not rounded.
  public mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): self.value(exactly: value)
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

  public mutating func beginObject() { begin(UInt8(ascii: "{")) }

  public mutating func endObject() { end(UInt8(ascii: "}")) }

  public mutating func beginArray() { begin(UInt8(ascii: "[")) }

  public mutating func endArray() { end(UInt8(ascii: "]")) }

  // MARK: Keys and fields

  /// A key that needs no escaping.
  public mutating func key(_ key: StaticString) {
    write(key, capacity: 0) { _ in }
    needsComma = false
  }

  @_disfavoredOverload
  public mutating func key(_ key: String) {
    value(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func field(_ key: StaticString, _ value: Bool) {
    self.key(key)
    self.value(value)
  }

  public mutating func field(_ key: StaticString, _ value: Int64) { write(key, value) }

  public mutating func field(_ key: StaticString, _ value: Int) { write(key, Int64(value)) }

  public mutating func field(_ key: StaticString, _ value: Double) { write(key, value) }

  public mutating func field(_ key: StaticString, _ value: String) { write(key, value) }

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
  mutating func terminate() {
    bytes.append(0)
    needsComma = false
  }

  private mutating func begin(_ bracket: UInt8) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func word(_ word: StaticString) {
    write(nil, capacity: word.utf8CodeUnitCount) { $0.append(json: word) }
  }

  /// Appends a comma where one is due, a key and what the closure appends, with one check for room.
  @inline(__always)
  private mutating func write(
    _ key: StaticString?, capacity: Int, _ body: (inout OutputSpan<UInt8>) -> Void
  ) {
    let needsComma = needsComma
    self.needsComma = true
    bytes.append(addingCapacity: (key?.utf8CodeUnitCount ?? 0) + 4 + capacity) { output in
      if needsComma { output.append(UInt8(ascii: ",")) }
      if let key {
        output.append(UInt8(ascii: "\""))
        output.append(json: key)
        output.append(UInt8(ascii: "\""))
        output.append(UInt8(ascii: ":"))
      }
      body(&output)
    }
  }

  private mutating func write(_ key: StaticString?, _ value: Int64) {
    write(key, capacity: 20) { $0.append(integer: value) }
  }

  private mutating func write(_ key: StaticString?, _ value: Double) {
    guard value.magnitude < 0x1p40 else {
      if let key { self.key(key) }
      return self.value(exactly: value)
    }
    write(key, capacity: 20) { $0.append(number: value) }
  }

  private mutating func write(_ key: StaticString?, _ text: String) {
    write(key, capacity: OutputSpan<UInt8>.quotedCapacity(text)) { $0.append(quoted: text) }
  }
}
