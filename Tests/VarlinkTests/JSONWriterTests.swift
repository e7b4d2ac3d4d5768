import Testing

@testable import Varlink

@Suite struct JSONWriterTests {
  func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(
    "doubles: three decimals, no trailing zeros, no -0, never NaN",
    arguments: [
      (0, "0"), (-0.0, "0"), (-0.0004, "0"), (1, "1"), (-1, "-1"), (0.5, "0.5"), (-0.5, "-0.5"),
      (0.001, "0.001"),
      (-0.001, "-0.001"), (1.0006, "1.001"), (0.9996, "1"), (12.34, "12.34"), (12.305, "12.305"),
      (100, "100"), (1e9, "1000000000"),
      (0x1p40 - 1, "1099511627775"), (0x1p40, "1099511627776"), (-0x1p41, "-2199023255552"), (1e20, "1e+20"),
      (.nan, "null"), (.infinity, "null"), (-.infinity, "null"), (.leastNonzeroMagnitude, "0"),
    ] as [(Double, String)])
  func doubles(value: Double, text: String) { #expect(written { $0.value(value) } == text) }

  @Test(
    "what came is passed on as it was, and so is what is written exactly",
    arguments: [
      (1.000123456, "1.000123456"), (-0.0001, "-0.0001"), (1e-7, "1e-07"), (2, "2"), (.nan, "null"),
      (.infinity, "null"),
    ] as [(Double, String)])
  func exactDoubles(value: Double, text: String) {
    #expect(written { $0.value(exactly: value) } == text)
    #expect(written { $0.value(JSON.array([.number(value), .null])) } == "[\(text),null]")
  }

  @Test(
    "integers",
    arguments: [
      (0, "0"), (7, "7"), (10, "10"), (-120, "-120"), (.max, "9223372036854775807"),
      (.min, "-9223372036854775808"),
    ] as [(Int64, String)])
  func integers(value: Int64, text: String) { #expect(written { $0.value(value) } == text) }

  @Test(
    "strings read back as they were",
    arguments: ["", "a", "\"\\/", "\0\u{1}\u{1f}\n\t\r", "é😀\u{7f}", "a,b:{"])
  func strings(text: String) throws { #expect(try JSON(written { $0.value(text) }) == .string(text)) }

  @Test("commas come of themselves") func nesting() {
    let text = written { writer in
      writer.object { writer in
        writer.field("a", 1)
        writer.field("b", nil as String?)
        writer.field("c", true)
        writer.array("d") { writer in
          writer.value(1.5)
          writer.array { _ in }
          writer.object { $0.field("x", "[") }
          writer.value("{")
          writer.value(2)
        }
        writer.object("e") { _ in }
        writer.field("f", ["x", "y"])
        writer.field("g", encoded: Array("[1]".utf8))
        writer.null("h")
        writer.field("i", JSON.object([.init("k\"", .array([.null, .bool(false)]))]))
      }
    }
    #expect(
      text
        == #"{"a":1,"b":null,"c":true,"d":[1.5,[],{"x":"["},"{",2],"e":{},"f":["x","y"],"g":[1],"h":null,"i":{"k\"":[null,false]}}"#
    )
  }

  @Test("a buffer is kept") func reuse() {
    var message = Message(capacity: 64)
    message.encode(continues: true) { $0.field("a", 1) }
    let first = unsafe message.bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    message.encode(continues: false) { $0.field("b", 2) }
    let second = unsafe message.bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    #expect(first == second)
    #expect(String(decoding: message.bytes, as: UTF8.self) == "{\"parameters\":{\"b\":2}}\0")
  }
}
