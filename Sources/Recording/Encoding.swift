import Varlink

// Codable to JSON's bytes, as they go into a recording.
//
// Containers write straight into the one writer, with no tree of values between: a state of 20,000 views is long. They
// have no end of their own in Codable, so that one ends when something is written outside of it.

extension JSONWriter {
  /// A value as Codable has it.
  ///
  /// Numbers are exact; what is not finite is the text inf, -inf or nan, and an integer beyond 64 bits signed is its
  /// digits as text.
  ///
  /// - writesNil: whether what is nil is written as null, and not left out
  mutating func value(encoding value: some Encodable, writesNil: Bool = false) {
    let sink = Sink(writesNil: writesNil)
    swap(&self, &sink.writer)  // so that what is written already is not copied
    // Nothing of the core's throws as it is encoded.
    try? sink.write(value, [])
    sink.close(to: 0)
    swap(&self, &sink.writer)
  }
}

extension JSONWriter {
  /// A number that reads back to the bit; as text where JSON has no such number, and its integers no -0.
  fileprivate mutating func value(bits value: Double) {
    if !value.isFinite || value == 0 && value.sign == .minus {
      self.value(value.description)
    } else {
      self.value(exactly: value)
    }
  }
}

private final class Sink {
  var writer = JSONWriter(capacity: 0)
  let writesNil: Bool
  /// Of the containers that are open, from outside in, whether each is an object.
  private var open: [Bool] = []

  init(writesNil: Bool) { self.writesNil = writesNil }

  /// Begins a container. Returns: its depth.
  func begin(isObject: Bool) -> Int {
    if isObject { writer.beginObject() } else { writer.beginArray() }
    open.append(isObject)
    return open.count
  }

  /// Ends what was begun within a container of that depth.
  func close(to depth: Int) {
    while open.count > depth, let isObject = open.popLast() {
      if isObject { writer.endObject() } else { writer.endArray() }
    }
  }

  func write<T: Encodable>(_ value: T, _ path: [any CodingKey]) throws {
    let depth = open.count
    // The size first, since it costs nothing and most values are longer or shorter.
    if MemoryLayout<T>.size == MemoryLayout<Set<Int>>.size, let unordered = value as? any Unordered {
      unordered.encodeSorted(on: self)
    } else {
      try value.encode(to: ValueEncoder(sink: self, codingPath: path))
    }
    close(to: depth)
  }
}

extension Sink {
  /// A value as a text of its own.
  fileprivate func text(of value: some Encodable) -> [UInt8] {
    var writer = JSONWriter(capacity: 64)
    writer.value(encoding: value, writesNil: writesNil)
    return writer.bytes
  }
}

/// What has no order of its own, and gets one, so that the same value is the same bytes.
private protocol Unordered {
  func encodeSorted(on sink: Sink)
}

extension Set: Unordered where Element: Encodable {
  fileprivate func encodeSorted(on sink: Sink) {
    let depth = sink.begin(isObject: false)
    for text in map({ sink.text(of: $0) }).sorted(by: isBefore) { sink.writer.value(encoded: text) }
    sink.close(to: depth - 1)
  }
}

/// As Swift has it: an object if the keys are strings, else an array of keys and values by turns.
extension Dictionary: Unordered where Key: Encodable, Value: Encodable {
  fileprivate func encodeSorted(on sink: Sink) {
    let isObject = Key.self == String.self
    let depth = sink.begin(isObject: isObject)
    let members = map {
      (name: $0.key as? String ?? "", key: sink.text(of: $0.key), value: sink.text(of: $0.value))
    }
    for member in members.sorted(by: { isBefore($0.key, $1.key) }) {
      if isObject { sink.writer.key(member.name) } else { sink.writer.value(encoded: member.key) }
      sink.writer.value(encoded: member.value)
    }
    sink.close(to: depth - 1)
  }
}

/// The shorter text first, so that natural numbers are in their order.
private func isBefore(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
}

private struct ValueEncoder: Encoder {
  let sink: Sink
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      ObjectContainer(sink: sink, depth: sink.begin(isObject: true), codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ArrayContainer(sink: sink, depth: sink.begin(isObject: false), codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ScalarContainer(sink: sink, codingPath: codingPath)
  }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let sink: Sink
  let depth: Int
  let codingPath: [any CodingKey]

  private func begin(_ key: some CodingKey) {
    sink.close(to: depth)
    sink.writer.key(key.stringValue)
  }

  func encodeNil(forKey key: Key) {
    begin(key)
    sink.writer.null()
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    begin(key)
    try sink.write(value, codingPath)
  }

  // What views have most of, without the way round through a container of its own.

  func encode(_ value: Bool, forKey key: Key) {
    begin(key)
    sink.writer.value(value)
  }

  func encode(_ value: String, forKey key: Key) {
    begin(key)
    sink.writer.value(value)
  }

  func encode(_ value: Double, forKey key: Key) {
    begin(key)
    sink.writer.value(bits: value)
  }

  private func optional<T: Encodable>(_ value: T?, _ key: Key) throws {
    if let value { try encode(value, forKey: key) } else if sink.writesNil { encodeNil(forKey: key) }
  }

  // Of each type, since Codable's own for it would be taken before one for all, and leaves out what is nil.

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try optional(value, key) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  {
    begin(key)
    return ValueEncoder(sink: sink, codingPath: codingPath).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    begin(key)
    return ValueEncoder(sink: sink, codingPath: codingPath).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { superEncoder(named: "super") }
  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

  private func superEncoder(named name: String) -> any Encoder {
    sink.close(to: depth)
    sink.writer.key(name)
    return ValueEncoder(sink: sink, codingPath: codingPath)
  }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
  let sink: Sink
  let depth: Int
  let codingPath: [any CodingKey]
  private(set) var count = 0

  init(sink: Sink, depth: Int, codingPath: [any CodingKey]) {
    self.sink = sink
    self.depth = depth
    self.codingPath = codingPath
  }

  private mutating func begin() {
    sink.close(to: depth)
    count += 1
  }

  mutating func encodeNil() {
    begin()
    sink.writer.null()
  }

  mutating func encode<T: Encodable>(_ value: T) throws {
    begin()
    try sink.write(value, codingPath)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type)
    -> KeyedEncodingContainer<Nested>
  {
    begin()
    return ValueEncoder(sink: sink, codingPath: codingPath).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    begin()
    return ValueEncoder(sink: sink, codingPath: codingPath).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    begin()
    return ValueEncoder(sink: sink, codingPath: codingPath)
  }
}

private struct ScalarContainer: SingleValueEncodingContainer {
  let sink: Sink
  let codingPath: [any CodingKey]

  func encodeNil() { sink.writer.null() }
  func encode(_ value: Bool) { sink.writer.value(value) }
  func encode(_ value: String) { sink.writer.value(value) }
  func encode(_ value: Float) { encode(Double(value)) }
  func encode(_ value: Int) { integer(value) }
  func encode(_ value: Int8) { integer(value) }
  func encode(_ value: Int16) { integer(value) }
  func encode(_ value: Int32) { integer(value) }
  func encode(_ value: Int64) { integer(value) }
  func encode(_ value: UInt) { integer(value) }
  func encode(_ value: UInt8) { integer(value) }
  func encode(_ value: UInt16) { integer(value) }
  func encode(_ value: UInt32) { integer(value) }
  func encode(_ value: UInt64) { integer(value) }
  func encode<T: Encodable>(_ value: T) throws { try sink.write(value, codingPath) }

  func encode(_ value: Double) { sink.writer.value(bits: value) }

  private func integer(_ value: some FixedWidthInteger) {
    if let value = Int64(exactly: value) {
      sink.writer.value(value)
    } else {
      sink.writer.value(value.description)
    }
  }
}
