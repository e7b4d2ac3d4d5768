import Testing

@testable import Varlink

@Suite struct CallMessageTests {
  func call(_ text: String) -> CallMessage? { CallMessage(Array(text.utf8).span) }

  @Test("ipc rule 1: a call has method, parameters and one flag") func fields() throws {
    let full = try #require(call(#"{"method":"a.b.C","parameters":{"x":1},"more":true,"oneway":false}"#))
    #expect(full.method == "a.b.C")
    #expect(full.parameters["x"] == .integer(1))
    #expect(full.flag == .more)
    #expect(call(#"{"method":"a.b.C","oneway":true}"#)?.flag == .oneway)
    #expect(call(#"{"method":"a.b.C","upgrade":true}"#)?.flag == .upgrade)
  }

  @Test(
    "ipc rule 1: absent, null and {} parameters are the same",
    arguments: [
      #"{"method":"a.b.C"}"#, #"{"method":"a.b.C","parameters":null}"#,
      #"{"method":"a.b.C","parameters":{}}"#,
    ])
  func noParameters(text: String) { #expect(call(text)?.parameters == .empty) }

  @Test(
    "ipc rule 1: more than one flag is no call",
    arguments: [
      #"{"method":"a.b.C","more":true,"oneway":true}"#, #"{"method":"a.b.C","upgrade":true,"more":true}"#,
      #"{"method":"a.b.C","upgrade":true,"more":true,"oneway":true}"#,
    ])
  func flags(text: String) { #expect(call(text) == nil) }

  @Test(
    "ipc rule 3: what is no call",
    arguments: [
      "", "x", "[]", "null", "1", "{}", #"{"parameters":{}}"#, #"{"method":null}"#, #"{"method":1}"#,
      #"{"method":"a.b.C","more":1}"#, #"{"method":"a.b.C","more":"true"}"#,
      #"{"method":"a.b.C","oneway":null}"#,
      #"{"method":"a.b.C","upgrade":0}"#, #"{"method":"a.b.C","other":1}"#,
      #"{"method":"a.b.C","method":"a.b.D"}"#,
      #"{"method":"a.b.C"} {}"#, #"{"method":"a.b.C","parameters":{"x":NaN}}"#,
    ])
  func noCall(text: String) { #expect(call(text) == nil) }

  @Test("ipc rule 3: an unknown key with a dot is let be") func extensions() {
    #expect(call(#"{"method":"a.b.C","org.example.trace":1}"#) != nil)
  }

  @Test("ipc rule 2: messages split and join across reads") func framing() {
    var framer = Framer(limit: 100)
    var found: [String] = []
    for byte in Array("{}\0[1]\0\0{\"a\"".utf8) {
      unsafe [byte].withUnsafeBytes { unsafe framer.append($0) }
      while let range = framer.next() { found.append(String(decoding: framer.bytes[range], as: UTF8.self)) }
    }
    #expect(found == ["{}", "[1]", ""])
    #expect(!framer.isEmpty)
    #expect(!framer.isOverLimit)
    unsafe [UInt8](repeating: 0x20, count: 100).withUnsafeBytes { unsafe framer.append($0) }
    #expect(framer.next() == nil)
    #expect(framer.isOverLimit)
  }
}
