import Engine
import Invariants
import Testing
import Varlink

@testable import Recording

@Suite(
  "A recording that was torn, changed or made up is refused or replayed, and never the end of the replay")
struct HostileRecordingTests {
  static let file = recording(seed: 5, before: 40, inputs: 12)

  @Test("cut anywhere: the whole lines are replayed, the last says that it is torn")
  func cut() throws {
    let file = HostileRecordingTests.file
    let ends = file.indices.filter { file[$0] == UInt8(ascii: "\n") }
    let second = ends[1]
    for end in stride(from: 0, to: file.count, by: 31) {
      let part = Array(file[..<end])
      if end <= second {
        #expect(throws: RecordingError.self) { try replay(part) }
      } else {
        let result = try replay(part)
        #expect(result.inputs == ends.count { $0 < end } - 2)
        #expect(result.differences == [])
        #expect((result.remark != nil) == (part.last != UInt8(ascii: "\n")))
      }
    }
  }

  @Test("any byte changed", arguments: (0..<4).map { SeededChances.seedOfRun &+ $0 })
  func flipped(seed: UInt64) {
    var chances = SeededChances(seed: seed)
    for _ in 0..<150 {
      var file = HostileRecordingTests.file
      for _ in 0..<Int.random(in: 1...3, using: &chances) {
        let place = Int.random(in: file.indices, using: &chances)
        file[place] =
          [
            UInt8.random(in: 0...255, using: &chances),
            UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &chances),
          ].randomElement(using: &chances) ?? 0
      }
      _ = try? replay(file)
    }
  }

  @Test(
    "any number put in place of another: the ends of ranges, what is not finite, other kinds",
    arguments: (0..<4).map { SeededChances.seedOfRun &+ $0 })
  func numbers(seed: UInt64) throws {
    var chances = SeededChances(seed: seed)
    let odd = [
      "-1", "0", "1", "256", "9223372036854775807", "-9223372036854775808", "\"18446744073709551615\"",
      "\"nan\"",
      "\"inf\"", "1e308", "-1e308", "1e999", "null", "[]", "{}", "true", "\"\"", "4294967296", "65536",
    ].map { Array($0.utf8) }
    let file = HostileRecordingTests.file
    var numbers: [Range<Int>] = []
    var place = file.startIndex
    while place < file.endIndex {
      let end =
        file[place...].firstIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? file.endIndex
      if end > place, place > 0,
        [UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: ",")].contains(file[place - 1])
      {
        numbers.append(place..<end)
      }
      place = end + 1
    }
    for _ in 0..<150 {
      var changed = file
      let number = numbers.randomElement(using: &chances) ?? 0..<0
      changed.replaceSubrange(number, with: odd.randomElement(using: &chances) ?? [])
      _ = try? replay(changed)
    }
  }

  @Test(
    "says the line, where in it, and what to do",
    arguments: [
      ("", 1, nil, "no recording"), ("hello\n", 1, 1, "no JSON"), ("{}\n", 1, nil, "no recording"),
      (#"{"recording":2,"keylift":"9.9"}"# + "\n", 1, nil, "Replay it with Keylift 9.9"),
      (#"{"recording":1,"time":5}"# + "\n", 2, nil, "before its first state"),
      (#"{"recording":1,"time":5}"# + "\n" + #"{"input":{}}"# + "\n", 2, nil, "no state"),
      (
        #"{"recording":1,"time":5}"# + "\n" + #"{"state":{"configuration":{"screens":[]}}}"# + "\n", 2, nil,
        "screens"
      ),
      (
        #"{"recording":1,"time":5}"# + "\n" + #"{"state":{"scenes":[{"id":1}]}}"# + "\n", 2, nil,
        "state.scenes[0].description: it is missing"
      ),
      (
        #"{"recording":1,"time":5}"# + "\n" + #"{"state":{"screens":5}}"# + "\n", 2, nil,
        "state.screens: it is no array"
      ),
      (
        #"{"recording":1,"time":5}"# + "\n" + #"{"state":{"devices":[]}}"# + "\n"
          + #"{"time":6,"input":{"dance":{}}}"#
          + "\n", 3, nil, "input"
      ),
      (
        #"{"recording":1,"time":5}"# + "\n" + #"{"state":{"devices":[]}}"# + "\n"
          + #"{"time":6,"input":{"keys":{"commands":["enter","a"]}}}"# + "\n", 3, nil,
        "input.keys.commands[1]"
      ),
    ] as [(String, Int, Int?, String)])
  func told(file: String, line: Int, column: Int?, words: String) throws {
    let error = #expect(throws: RecordingError.self) { try replay(Array(file.utf8)) }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.problem.contains(words) == true, "\(error?.problem ?? "")")
  }
}
