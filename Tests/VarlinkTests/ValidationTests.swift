import Testing

@testable import Varlink

@Suite struct ValidationTests {
  static let good = #""flag":true,"number":1,"views":[],"names":{}"#

  func validate(_ parameters: String, of name: String = "Everything") throws -> String? {
    let description = try InterfaceDescription(exampleText)
    return description.validate(parameters: try JSON(parameters), of: try #require(description.methods[name]))
  }

  @Test(
    "parameters that are as described",
    arguments: [
      good, good + #","free":null,"inline":null,"matrix":null"#,
      good + #","free":{"x":[1]},"inline":{"a":2.0,"b":"c"}"#,
      good + #","matrix":[null,[1,2.5]]"#,
      #""flag":false,"number":-3.0,"views":[{"id":"a","frame":{"x":1,"y":1e999},"mode":"two","order":null}],"names":{"any ":{"y":1,"x":2}}"#,
    ])
  func accepted(parameters: String) throws { #expect(try validate("{\(parameters)}") == nil) }

  @Test(
    "ipc rule 4: the path of the first that is not",
    arguments: [
      (#""number":1,"views":[],"names":{}"#, "flag"), (#""flag":1,"number":1,"views":[],"names":{}"#, "flag"),
      (#""flag":null,"number":1,"views":[],"names":{}"#, "flag"),
      (#""flag":true,"number":1.5,"views":[],"names":{}"#, "number"),
      (#""flag":true,"number":1e30,"views":[],"names":{}"#, "number"),
      (#""flag":true,"number":"1","views":[],"names":{}"#, "number"),
      (good + #","other":1"#, "other"), (good + #","matrix":[[1],[2,"3"]]"#, "matrix[1][1]"),
      (good + #","free":[]"#, "free"),
      (good + #","inline":{"a":1,"b":"e"}"#, "inline.b"), (good + #","inline":{}"#, "inline.a"),
      (good + #","inline":{"a":1,"z":2}"#, "inline.z"),
      (#""flag":true,"number":1,"names":{},"views":{}"#, "views"),
      (#""flag":true,"number":1,"names":{},"views":[null]"#, "views[0]"),
      (#""flag":true,"number":1,"names":{"k":{"x":1}},"views":[]"#, "names[k].y"),
      (#""views":[{"id":"a","frame":{"x":1,"y":1}},{"id":"a","frame":{"x":"1","y":1}}]"#, "views[1].frame.x"),
      (#""views":[{"id":"a","frame":{"x":1,"y":1},"mode":"three"}]"#, "views[0].mode"),
      (#""views":[{"frame":{"x":1,"y":1}}]"#, "views[0].id"),
    ])
  func refused(parameters: String, path: String) throws { #expect(try validate("{\(parameters)}") == path) }

  @Test("parameters that are no object") func noObject() throws { #expect(try validate("[]") == "") }

  @Test("a long name of the peer's is cut") func long() throws {
    let path = try validate("{\"\(String(repeating: "e\u{301}", count: 1000))\":1}")
    #expect((path?.utf8.count ?? .max) < 256)
  }

  @Test("an Attach of the project's own Scene") func scene() throws {
    let description = try InterfaceDescription(try ownText("Scene"))
    let attach = try #require(description.methods["Attach"])
    let view =
      #"{"id":"a","kind":"textInput","frame":{"x":0,"y":0,"width":10,"height":10.5},"purpose":"pin"}"#
    #expect(
      description.validate(parameters: try JSON(#"{"name":"a","views":[\#(view)]}"#), of: attach) == nil)
    #expect(
      description.validate(
        parameters: try JSON(
          #"{"name":"a","views":[\#(view),{"id":"b","frame":{"x":0,"y":0,"width":"w","height":1}}]}"#),
        of: attach)
        == "views[1].frame.width")
  }

  @Test("what a later version replies beside the rest is skipped by who asks for that") func laterVersion()
    throws
  {
    let description = try InterfaceDescription(exampleText)
    let echo = try #require(description.methods["Echo"])
    let reply = try JSON(#"{"text":"a","new":{"b":[1]}}"#)
    #expect(description.validate(reply: reply, of: echo) == "new")
    #expect(description.validate(reply: reply, of: echo, skipsUnknown: true) == nil)
    #expect(description.validate(reply: try JSON(#"{"new":1}"#), of: echo, skipsUnknown: true) == "text")
    #expect(
      description.validate(reply: try JSON(#"{"text":1,"new":1}"#), of: echo, skipsUnknown: true) == "text")
  }
}
