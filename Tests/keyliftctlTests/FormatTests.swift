import Testing
import Varlink

@testable import keyliftctl

@Suite struct FormatTests {
  @Test(arguments: [
    (JSON.integer(-270), "-270"), (.number(0.3), "0.3"), (.number(-162.0), "-162"),
    (.number(1.23456), "1.235"),
    (.number(-0.0001), "0"), (.null, "?"),
  ])
  func numbers(value: JSON, expected: String) { #expect(number(value) == expected) }

  @Test func rectangles() throws {
    #expect(rect(try json(#"{"x":0,"y":-270.5,"width":800,"height":192}"#)) == "0,-270.5 800x192")
  }

  @Test(arguments: [(0, "   0.000"), (1_234_567, "   1.234"), (3_600_000_000, "3600.000"), (-5, "   0.000")])
  func times(microseconds: Int64, expected: String) { #expect(seconds(microseconds) == expected) }

  @Test(
    "Others' names do not steer the terminal",
    arguments: [
      ("\u{1B}[2Jform", "\\u{1b}[2Jform"), ("a\nb", "a\\u{a}b"), ("Straße", "Straße"),
      ("a\u{9B}b", "a\\u{9b}b"),
      ("a\u{202E}b", "a\\u{202e}b"),
    ])
  func names(name: String, expected: String) { #expect(printable(name) == expected) }

  @Test func columns() {
    #expect(table([["a", "bbb", ""], ["aaaa", "b", "c"]]) == "a     bbb\naaaa  b    c\n")
  }
}

/// One after the other, since getopt has its state in variables of the process.
@Suite(.serialized) struct OptionTests {
  private let known = [Option("json"), Option("count", takesArgument: true), Option("counter")]

  private func parse(_ words: [String], inOrder: Bool = false) throws(Failure) -> Arguments {
    try Arguments(words, of: "tool", options: known, inOrder: inOrder)
  }

  @Test func optionsAndOperandsInAnyOrder() throws {
    let arguments = try parse(["a", "--count", "3", "b", "--json", "--", "--json"])
    #expect(arguments == Arguments(options: ["json": "", "count": "3"], operands: ["a", "b", "--json"]))
    #expect(try parse(["--count=4"])["count"] == "4")
    #expect(try parse(["-h"]).has("help"))
    #expect(try parse(["-"]).operands == ["-"])
  }

  @Test func operandEndsOptions() throws {
    let arguments = try parse(["--json", "monitor", "--other"], inOrder: true)
    #expect(arguments == Arguments(options: ["json": ""], operands: ["monitor", "--other"]))
  }

  @Test(arguments: [
    (["--jsom"], "--jsom: no such option, or the beginning of several"),
    (["a", "--jsom", "b"], "--jsom: no such option, or the beginning of several"),
    (["--cou"], "--cou: no such option, or the beginning of several"),
    (["-x"], "-x: no such option"), (["--count"], "--count: needs a value"),
    (["--json=1"], "--json=1: takes no value"),
  ])
  func refusals(words: [String], why: String) {
    let failure = #expect(throws: Failure.self) { try parse(words) }
    #expect(failure == .usage("\(why). See tool --help."))
  }

  @Test func monitorsOptions() throws {
    let arguments = Arguments(options: ["only": "focusChanged,sceneGone", "count": "2", "timeout": "0.5"])
    let request = try MonitorRequest(arguments)
    #expect(request.only == [.focusChanged, .sceneGone])
    #expect(request.count == 2)
    #expect(request.timeout == 500_000)
  }

  @Test(arguments: [
    ("only", "focus"), ("only", ","), ("count", "0"), ("count", "x"), ("timeout", "-1"), ("timeout", "nan"),
    ("timeout", "inf"),
  ])
  func monitorsRefusals(option: String, value: String) {
    let failure = #expect(throws: Failure.self) { try MonitorRequest(Arguments(options: [option: value])) }
    #expect(failure?.status == .usage)
  }
}
