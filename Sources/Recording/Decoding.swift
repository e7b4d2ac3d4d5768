import Varlink

/// What is wrong with a recording: where in its line, and what.
struct DecodingProblem: Error, Equatable {
  /// Such as `state.scenes[0].frame`.
  var path: String
  var problem: String
}

extension JSON {
  /// The value as Codable has it, of what `JSONWriter.value(encoding:)` wrote.
  ///
  /// Members that it does not know are no error.
  ///
  /// - at: the path of this value, for errors
  func decoded<T: Decodable>(as _: T.Type = T.self, at path: String) throws(DecodingProblem) -> T {
    do {
      return try T(from: ValueDecoder(json: self, codingPath: []))
    } catch let error as DecodingError {
      throw DecodingProblem(error, below: path)
    } catch {
      throw DecodingProblem(path: path, problem: "\(error)")
    }
  }
}

extension DecodingProblem {
  fileprivate init(_ error: DecodingError, below path: String) {
    let keys: [any CodingKey]
    switch error {
    case .keyNotFound(let key, let context):
      keys = context.codingPath + [key]
      problem = "it is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      keys = context.codingPath
      problem = context.debugDescription
    @unknown default:
      keys = []
      problem = "\(error)"
    }
    self.path = keys.reduce(path) { path, key in
      key.intValue.map { "\(path)[\($0)]" } ?? (path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)")
    }
  }
}

/// An element's place in an array.
private struct Place: CodingKey {
  let intValue: Int?
  var stringValue: String { intValue.map(String.init) ?? "" }

  init(_ place: Int) { intValue = place }
  init(intValue: Int) { self.intValue = intValue }
  init?(stringValue: String) { nil }
}

private struct ValueDecoder: Decoder {
  let json: JSON
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = json.asMembers else { throw mismatch(Key.self, "object") }
    return KeyedDecodingContainer(ObjectContainer(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = json.asArray else { throw mismatch([JSON].self, "array") }
    return ArrayContainer(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { ScalarContainer(decoder: self) }

  func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
    .typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: "it is no \(wanted)"))
  }
}

private struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [JSON.Member]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

  private func member(_ name: String) -> JSON? { members.first { $0.key == name }?.value }

  private func decoder(_ key: some CodingKey) throws -> ValueDecoder {
    guard let value = member(key.stringValue) else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "it is missing"))
    }
    return ValueDecoder(json: value, codingPath: codingPath + [key])
  }

  func contains(_ key: Key) -> Bool { member(key.stringValue) != nil }
  func decodeNil(forKey key: Key) -> Bool { member(key.stringValue)?.isNull ?? true }

  func decode<T: Decodable>(_: T.Type, forKey key: Key) throws -> T { try T(from: decoder(key)) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { try decoder(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(json: member("super") ?? .null, codingPath: codingPath)
  }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct ArrayContainer: UnkeyedDecodingContainer {
  let elements: [JSON]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [JSON], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private mutating func next() throws -> ValueDecoder {
    let path = codingPath + [Place(currentIndex)]
    guard elements.indices.contains(currentIndex) else {
      throw DecodingError.valueNotFound(
        JSON.self, DecodingError.Context(codingPath: path, debugDescription: "it is missing"))
    }
    defer { currentIndex += 1 }
    return ValueDecoder(json: elements[currentIndex], codingPath: path)
  }

  mutating func decodeNil() -> Bool {
    guard elements.indices.contains(currentIndex), elements[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_: T.Type) throws -> T { try T(from: next()) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}

private struct ScalarContainer: SingleValueDecodingContainer {
  let decoder: ValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  private var json: JSON { decoder.json }

  init(decoder: ValueDecoder) { self.decoder = decoder }

  func decodeNil() -> Bool { json.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard let value = json.asBool else { throw decoder.mismatch(type, "boolean") }
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    guard let value = json.asString else { throw decoder.mismatch(type, "string") }
    return value
  }

  func decode(_ type: Double.Type) throws -> Double {
    // What is not finite comes as text.
    guard let value = json.asDouble ?? json.asString.flatMap({ Double($0) }) else {
      throw decoder.mismatch(type, "number")
    }
    return value
  }

  func decode(_: Float.Type) throws -> Float { Float(try decode(Double.self)) }
  func decode(_: Int.Type) throws -> Int { try integer() }
  func decode(_: Int8.Type) throws -> Int8 { try integer() }
  func decode(_: Int16.Type) throws -> Int16 { try integer() }
  func decode(_: Int32.Type) throws -> Int32 { try integer() }
  func decode(_: Int64.Type) throws -> Int64 { try integer() }
  func decode(_: UInt.Type) throws -> UInt { try integer() }
  func decode(_: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_: UInt64.Type) throws -> UInt64 { try integer() }
  func decode<T: Decodable>(_: T.Type) throws -> T { try T(from: decoder) }

  private func integer<T: FixedWidthInteger>() throws -> T {
    guard let value = json.asInteger.flatMap({ T(exactly: $0) }) ?? json.asString.flatMap({ T($0) }) else {
      throw decoder.mismatch(T.self, "\(T.isSigned ? "integer" : "natural number") of \(T.bitWidth) bits")
    }
    return value
  }
}
