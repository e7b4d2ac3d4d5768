import Testing

@testable import Varlink

@Suite struct JSONTests {
  @Test(
    "values of every type",
    arguments: [
      ("null", JSON.null), ("true", .bool(true)), (" [ ] ", .array([])), ("{}", .object([])),
      ("-0", .integer(0)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("1.5e2", .number(150)), ("1E5", .number(100000)), ("\"a\"", .string("a")),
      ("[1,2]", .array([.integer(1), .integer(2)])),
      ("{\"a\":{\"b\":[]}}", .object([.init("a", .object([.init("b", .array([]))]))])),
      ("[\"\\u00e9\\n\\\"\\/\\ud83d\\ude00\"]", .array([.string("é\n\"/😀")])),
      ("\"a\\u0000b\"", .string("a\0b")),
    ])
  func values(text: String, value: JSON) throws { #expect(try JSON(text) == value) }

  @Test("integers beyond 64 bits are numbers, numbers beyond a double infinite")
  func wide() throws {
    #expect(
      try JSON("[9223372036854775808,1,-99999999999999999999]")
        == .array([.number(0x1p63), .integer(1), .number(-1e20)]))
    #expect(try JSON("1e999").asDouble == .infinity)
    #expect(try JSON("1e999").asInteger == nil)
    #expect(try JSON("5.0").asInteger == 5)
  }

  @Test(
    "what json-c takes though it is no JSON is refused",
    arguments: [
      "NaN", "[NaN]", "[Infinity]", "[-Infinity]", "{'a':1}", "['a']", "[-01]", "[01]", "[1.]", "[.5]",
      "[+1]", "[1e]",
      "[0x10]", "[1-2]", "[1.2.3]", "[\"\t\"]", "[\"\n\"]", "[\"\\x\"]", "[\"\\u12\"]", "[TRUE]", "[nul]",
      "[truex]",
      "[1]/*c*/", "/**/[1]", "// a\n[1]", "[1,]", "{\"a\":1,}", "[,1]", "[1 2]", "{\"a\" 1}", "{1:2}",
      "{\"a\":}", "{} x",
      "{}{}", "[1]]", "[", "{", "\"a", "-", "", "  ", "[\u{b}1]", "\u{feff}{}", "{\"a\\u0000b\":1}",
      "{\"a\\u0000\" :1}",
      "[}", "{\"a\":1]", ":", ",", "[\"a\":1]",
    ])
  func refused(text: String) { #expect(throws: JSONError.self) { try JSON(text) } }

  @Test(
    "bytes that are no UTF-8 are refused",
    arguments: [
      [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x80],
    ] as [[UInt8]])
  func encoding(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSON.parse([0x22] + bytes + [0x22]) }
    #expect(throws: JSONError.self) { try JSON.parse(Array("{\"".utf8) + bytes + Array("\":1}".utf8)) }
  }

  @Test("an embedded NUL is refused") func embedded() {
    #expect(throws: JSONError.self) { try JSON("[1\0]") }
    #expect(throws: JSONError.self) { try JSON("[\"\0\"]") }
  }

  @Test("a key twice is refused, at any level") func duplicates() throws {
    #expect(throws: JSONError.duplicateKey) { try JSON("{\"a\":1,\"a\":2}") }
    #expect(throws: JSONError.duplicateKey) { try JSON("[{\"a\":{\"b\":1,\"\\u0062\":2}}]") }
    _ = try JSON("{\"a\":{\"a\":1},\"b\":\"a:a\"}")
  }

  @Test("ipc rule 3: 16 levels and no more") func depth() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
    }
    _ = try JSON(nested(16))
    #expect(throws: JSONError.tooDeep) { try JSON(nested(17)) }
    #expect(throws: JSONError.tooDeep) { try JSON(String(repeating: "{\"a\":", count: 100_000)) }
  }

  @Test("the number of containers is bounded") func containers() throws {
    let many = "[" + Array(repeating: "{}", count: 16_383).joined(separator: ",") + "]"
    _ = try JSON(many)
    #expect(throws: JSONError.tooMany) { try JSON("[" + many + "]") }
  }

  @Test("over 30 marks on one character, which take long to compare, are refused") func marks() throws {
    func text(_ count: Int) -> [UInt8] {
      Array("\"e\(String(repeating: "\u{323}\u{301}", count: count / 2))a\"".utf8)
    }
    #expect(try JSON.parse(text(30)).asString?.unicodeScalars.count == 32)
    #expect(throws: JSONError.tooManyMarks) { try JSON.parse(text(32)) }
  }

  @Test("256 KiB are parsed in a moment") func speed() throws {
    let view =
      "{\"id\":\"view\",\"parent\":\"root\",\"frame\":{\"x\":0.5,\"y\":10,\"width\":100,\"height\":20}}"
    let text = Array(("[" + Array(repeating: view, count: 3000).joined(separator: ",") + "]").utf8)
    let clock = ContinuousClock()
    let time = clock.measure { _ = try? JSON.parse(text) }
    #expect(time < .seconds(1), "\(text.count) bytes took \(time)")
    let quotes = Array(String(repeating: "\"", count: 262_144).utf8)
    #expect(clock.measure { _ = try? JSON.parse(quotes) } < .seconds(1))
    let keys = Array(("{" + (0..<20_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}").utf8)
    #expect(clock.measure { _ = try? JSON.parse(keys) } < .seconds(1))
  }

  @Test("whatever bytes come, nothing but an error comes of them") func noise() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("{}[]:,\"\\u0012eE+-.truefalsn \n\u{e9}".utf8)
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      guard let value = try? JSON.parse(text) else { continue }
      var writer = JSONWriter()
      writer.value(value)
      #expect((try? JSON.parse(writer.bytes)) != nil, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test("accessors") func accessors() throws {
    let value = try JSON("{\"a\":[1,true,\"x\",2.5],\"b\":null}")
    #expect(value["a"][0].asInteger == 1)
    #expect(value["a"][1].asBool == true)
    #expect(value["a"][2].asString == "x")
    #expect(value["a"][3].asDouble == 2.5)
    #expect(value["a"][0].asDouble == 1)
    #expect(value["a"][4] == .null)
    #expect(value["a"][-1] == .null)
    #expect(value["b"].isNull)
    #expect(value["c"]["d"].isNull)
    #expect(value.asMembers?.map(\.key) == ["a", "b"])
  }
}
