import Glibc
import Testing

@testable import Varlink

@Suite struct InterfaceDescriptionTests {
  @Test("the language, all of it") func language() throws {
    let text = """
      # a comment
      interface org.varlink.certi-fication2
      type Interface (foo: ?[]?[string](foo, bar, baz), anon: (foo: bool, bar: bool)) # behind
      type MyType (object: object, enum: (one, two), map: [string]string, set: [string](), next: ?MyType, any: any)
      type Empty ()
      method Test10(client_id: string, mytype: MyType)->(string: string) method End () -> ()
      error ClientIdError ()
      error CertificationError (wants: object,
        # inside
        got: object)
      """
    let description = try InterfaceDescription(text)
    #expect(description.text == text)
    #expect(description.name == "org.varlink.certi-fication2")
    #expect(description.methods.keys.sorted() == ["End", "Test10"])
    #expect(description.methods["Test10"]?.input.map(\.name) == ["client_id", "mytype"])
    #expect(description.errors["CertificationError"]?.map(\.name) == ["wants", "got"])
    guard case .structure(let fields)? = description.type("Interface"),
      case .nullable(.array(.nullable(.map(.enumeration(let names))))) = fields[0].type
    else {
      Issue.record("not as described")
      return
    }
    #expect(names == ["foo", "bar", "baz"])
  }

  @Test(
    "what is no description is refused, with its line",
    arguments: [
      ("", 1), ("interface foo", 1), ("interface org..foo", 1), ("interface 1.a", 1), ("interface a.-b", 1),
      ("interface a.b\ntype a (x: int)", 2), ("interface a.b\ntype A (x: int, x: int)", 2),
      ("interface a.b\ntype A (x: int, y)", 2), ("interface a.b\ntype A (x: ??int)", 2),
      ("interface a.b\ntype A (x: B)", 2),
      ("interface a.b\ntype A (x: [int]int)", 2), ("interface a.b\nmethod A()", 2),
      ("interface a.b\nmethod A(a, b) -> ()", 2),
      ("interface a.b\n\ntype A (a)\nmethod A() -> ()", 4), ("interface a.b\ntype A (a_: int)", 2),
      ("interface a.b\ntype A (a__b: int)", 2), ("interface a.b\ntype A (_a: int)", 2),
      ("interface a.b\ntype A (a: int", 2),
      ("interface a.b\nfoo", 2), ("interface a.b\ntype A (a,)", 2),
    ])
  func refused(text: String, line: Int) {
    let error = #expect(throws: DescriptionError.self) { try InterfaceDescription(text) }
    #expect(error?.line == line, "\(error?.description ?? "")")
  }

  @Test("a text that nests without end is refused") func depth() {
    let text = "interface a.b\ntype A (a: " + String(repeating: "[]", count: 100_000) + "int)"
    #expect(throws: DescriptionError.self) { try InterfaceDescription(text) }
    let inline = "interface a.b\ntype A " + String(repeating: "(a: ", count: 100_000)
    #expect(throws: DescriptionError.self) { try InterfaceDescription(inline) }
  }

  @Test("the project's own interfaces", arguments: ["Keyboard", "Monitor", "Plugin", "Scene"])
  func own(name: String) throws {
    let description = try InterfaceDescription(try ownText(name))
    #expect(description.name == "io.keylift.\(name)")
    #expect(!description.methods.isEmpty)
  }

  @Test("org.varlink.service") func service() throws {
    let description = try InterfaceDescription(InterfaceDescription.serviceText)
    #expect(description.errors.count == 6)
    #expect(description.methods.count == 2)
  }
}

func ownText(_ name: String) throws -> String {
  let root = String(#filePath.split(separator: "/").dropLast(3).joined(separator: "/"))
  let file = unsafe fopen("/\(root)/Sources/KeyliftProtocol/Interfaces/io.keylift.\(name).varlink", "r")
  let stream = unsafe try #require(file)
  defer { unsafe fclose(stream) }
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = unsafe fread(&bytes, 1, bytes.count, stream)
  return String(decoding: bytes[..<count], as: UTF8.self)
}
