import CSystemd
import EventLoop
import Glibc

/// Appends values to a message (sd_bus_message_append_basic(3)).
func append(_ values: [Value], to message: OpaquePointer) throws(SystemError) {
  for value in values { unsafe try append(value, to: message) }
}

private func append(_ value: Value, to message: OpaquePointer) throws(SystemError) {
  switch value {
  case .bool(let value):
    var number: Int32 = value ? 1 : 0
    unsafe try check(sd_bus_message_append_basic(message, code("b"), &number))
  case .int(var number): unsafe try check(sd_bus_message_append_basic(message, code("i"), &number))
  case .uint(var number): unsafe try check(sd_bus_message_append_basic(message, code("u"), &number))
  case .double(var number): unsafe try check(sd_bus_message_append_basic(message, code("d"), &number))
  case .string(let text): unsafe try check(sd_bus_message_append_basic(message, code("s"), text))
  case .variant(let inner):
    unsafe try check(sd_bus_message_open_container(message, code("v"), inner.signature))
    unsafe try append(inner, to: message)
    unsafe try check(sd_bus_message_close_container(message))
  case .dictionary(let entries):
    unsafe try check(sd_bus_message_open_container(message, code("a"), "{sv}"))
    for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
      unsafe try check(sd_bus_message_open_container(message, code("e"), "sv"))
      unsafe try append(.string(key), to: message)
      unsafe try append(.variant(entry), to: message)
      unsafe try check(sd_bus_message_close_container(message))
    }
    unsafe try check(sd_bus_message_close_container(message))
  }
}

/// The values of a message up to the first that is none of `Value`.
func values(of message: OpaquePointer) -> [Value] {
  var values: [Value] = []
  while let value = unsafe read(message) { values.append(value) }
  return values
}

private func read(_ message: OpaquePointer) -> Value? {
  var type: CChar = 0
  var contents: UnsafePointer<CChar>?
  guard unsafe sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
  switch UInt8(bitPattern: type) {
  case UInt8(ascii: "b"):
    return unsafe basic(message, type, Int32(0)).map { .bool($0 != 0) }
  case UInt8(ascii: "i"): return unsafe basic(message, type, Int32(0)).map(Value.int)
  case UInt8(ascii: "u"): return unsafe basic(message, type, UInt32(0)).map(Value.uint)
  case UInt8(ascii: "d"): return unsafe basic(message, type, Double(0)).map(Value.double)
  case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(message, type, &text) > 0, let text = unsafe text else {
      return nil
    }
    return .string(unsafe String(cString: text))
  case UInt8(ascii: "v"):
    guard unsafe sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
    let inner = unsafe read(message)
    if inner == nil { unsafe _ = sd_bus_message_skip(message, nil) }
    guard unsafe sd_bus_message_exit_container(message) >= 0 else { return nil }
    return inner.map { .variant($0) }
  default: return nil
  }
}

private func basic<T: BitwiseCopyable>(_ message: OpaquePointer, _ type: CChar, _ empty: T) -> T? {
  var value = empty
  return unsafe sd_bus_message_read_basic(message, type, &value) > 0 ? value : nil
}

private func code(_ character: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: character.value) }

private func check(_ result: Int32) throws(SystemError) {
  guard result >= 0 else { throw SystemError(result, "a message to the bus") }
}
