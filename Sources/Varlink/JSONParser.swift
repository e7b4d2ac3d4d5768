import CJSON
import Glibc

extension JSON {
  /// Parses one JSON text, all of it, by json-c in strict mode.
  ///
  /// Integers beyond 64 bits become numbers, numbers beyond a double infinite, lone surrogates U+FFFD.
  public static func parse(_ text: [UInt8], limits: Limits = Limits()) throws(JSONError) -> JSON {
    try parse(text.span, limits: limits)
  }

  /// Parses one JSON text in place.
  public static func parse(_ text: borrowing Span<UInt8>, limits: Limits = Limits()) throws(JSONError) -> JSON
  {
    let scan = try JSONScan(text, limits: limits)
    if !scan.wideIntegers.isEmpty {
      // json-c would clamp them; with a fraction it reads them as doubles.
      var widened: [UInt8] = []
      widened.reserveCapacity(text.count + 2 * scan.wideIntegers.count)
      var start = 0
      for end in scan.wideIntegers {
        for index in start..<end { widened.append(text[index]) }
        widened.append(UInt8(ascii: "."))
        widened.append(UInt8(ascii: "0"))
        start = end
      }
      for index in start..<text.count { widened.append(text[index]) }
      return try JSONTree(widened.span, limits: limits).value(expecting: scan.members)
    }
    return try JSONTree(text, limits: limits).value(expecting: scan.members)
  }
}

/// json-c's own tree of a text, freed with this.
@safe private struct JSONTree: ~Copyable {
  private let root: OpaquePointer?

  init(_ text: borrowing Span<UInt8>, limits: JSON.Limits) throws(JSONError) {
    // One more, since json-c counts what is within the innermost array as a level.
    guard let count = Int32(exactly: text.count), let depth = Int32(exactly: limits.depth),
      let tokener = unsafe json_tokener_new_ex(depth &+ 1)
    else { throw .noMemory }
    defer { unsafe json_tokener_free(tokener) }
    unsafe json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8)
    var root = unsafe text.withUnsafeBytes { bytes in
      unsafe json_tokener_parse_ex(tokener, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
    }
    var status = unsafe json_tokener_get_error(tokener)
    let endsEarly = status == json_tokener_continue
    if endsEarly {
      // A number at the end is only known to have ended when a NUL follows.
      unsafe root = json_tokener_parse_ex(tokener, "", 1)
      status = unsafe json_tokener_get_error(tokener)
    }
    guard status == json_tokener_success else {
      unsafe json_object_put(root)
      if status == json_tokener_error_depth { throw .tooDeep }
      throw .malformed(at: endsEarly ? text.count : unsafe json_tokener_get_parse_end(tokener))
    }
    unsafe self.root = root
  }

  deinit { unsafe json_object_put(root) }

  func value(expecting members: Int) throws(JSONError) -> JSON {
    var found = 0
    let value = try unsafe convert(root, &found)
    guard found == members else { throw .duplicateKey }
    return value
  }
}

/// Recurses no deeper than the tokener's depth.
private func convert(_ object: OpaquePointer?, _ members: inout Int) throws(JSONError) -> JSON {
  switch unsafe json_object_get_type(object) {
  case json_type_boolean: return .bool(unsafe json_object_get_boolean(object) != 0)
  case json_type_int: return .integer(unsafe json_object_get_int64(object))
  case json_type_double: return .number(unsafe json_object_get_double(object))
  case json_type_string:
    return .string(
      try unsafe string(json_object_get_string(object), Int(json_object_get_string_len(object))))
  case json_type_array:
    let count = unsafe json_object_array_length(object)
    var elements: [JSON] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      elements.append(try unsafe convert(json_object_array_get_idx(object, index), &members))
    }
    return .array(elements)
  case json_type_object:
    var list: [JSON.Member] = []
    list.reserveCapacity(unsafe Int(json_object_object_length(object)))
    var iterator = unsafe json_object_iter_begin(object)
    var end = unsafe json_object_iter_end(object)
    while unsafe json_object_iter_equal(&iterator, &end) == 0 {
      let name = unsafe json_object_iter_peek_name(&iterator)
      let key = try unsafe string(name, name.map { unsafe strlen($0) } ?? 0)
      let value = unsafe json_object_iter_peek_value(&iterator)
      list.append(JSON.Member(key, try unsafe convert(value, &members)))
      unsafe json_object_iter_next(&iterator)
    }
    members += list.count
    return .object(list)
  default: return .null
  }
}

/// json-c's own validation takes overlong forms, surrogates and what lies beyond U+10FFFF.
private func string(_ start: UnsafePointer<CChar>?, _ count: Int) throws(JSONError) -> String {
  guard count > 0, let start = unsafe start else { return "" }
  let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
  guard let string = unsafe String(validating: bytes, as: UTF8.self) else { throw .malformed(at: 0) }
  guard isStreamSafe(string) else { throw .tooManyMarks }
  return string
}

/// Whether no character has more than 30 combining marks, as in the Stream-Safe Text Format (UAX #15).
///
/// Comparing and hashing sort the marks of a character, in a time that grows with the square of their number.
private func isStreamSafe(_ text: String) -> Bool {
  var marks = 0
  for scalar in text.unicodeScalars {
    // No mark comes before U+0300.
    guard scalar.value >= 0x300, scalar.properties.canonicalCombiningClass != .notReordered else {
      marks = 0
      continue
    }
    marks += 1
    if marks > 30 { return false }
  }
  return true
}
