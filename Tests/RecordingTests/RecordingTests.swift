import Avoidance
import Engine
import Geometry
import Invariants
import ResponderChain
import Testing
import TouchInput
import Varlink

@testable import Recording

/// A recording of made-up inputs, begun after some others.
func recording(seed: UInt64, before: Int, inputs: Int) -> [UInt8] {
  var play = EnginePlay(SeededChances(seed: seed))
  for _ in 0..<before { _ = play.step() }
  let tape = Tape()
  tape.recorder.begin(play.engine, version: "1.2.3", made: 1_700_000_000, time: play.time)
  play.observer = { input, time, effects, engine in tape.recorder.add(input, at: time, effects, engine) }
  for _ in 0..<inputs { _ = play.step() }
  return tape.recorder.bytes
}

private final class Tape { var recorder = Recorder() }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Replays to the end or the first difference. Throws: what is wrong with the file.
@discardableResult
func replay(_ bytes: [UInt8]) throws -> (inputs: Int, differences: [Difference], remark: String?) {
  var replay = try Replay(bytes)
  while let step = try replay.step() {
    if !step.differences.isEmpty { return (replay.inputs, step.differences, replay.remark) }
  }
  return (replay.inputs, [], replay.remark)
}

@Suite("A recording, replayed")
struct ReplayTests {
  @Test(
    "is the same, in whatever state it begins: what is half done goes on",
    arguments: (0..<12).map { SeededChances.seedOfRun &+ $0 })
  func same(seed: UInt64) throws {
    for before in [0, 7, 60, 400] {
      let file = recording(seed: seed, before: before, inputs: 200)
      let result = try replay(file)
      #expect(result.differences == [], "seed \(seed), after \(before)")
      #expect(result.inputs >= 200)
      #expect(result.remark == nil)
    }
  }

  @Test("has the same bytes again", arguments: (0..<10).map { SeededChances.seedOfRun &+ $0 })
  func bytes(seed: UInt64) throws {
    let file = recording(seed: seed, before: 100, inputs: 100)
    let lines = file.split(separator: UInt8(ascii: "\n")).dropFirst(2).map(Array.init)
    var replay = try Replay(file)
    for line in lines {
      let json = try JSON.parse(line, limits: Lines.limits)
      let input: Input = try json["input"].decoded(at: "")
      let time: UInt64 = try json["time"].decoded(at: "")
      _ = try replay.step()
      var recorder = Recorder()
      let effects: [Effect] = try json["effects"].decoded(at: "")
      recorder.add(input, at: time, effects, replay.engine)
      #expect(text(recorder.bytes) == text(line + [UInt8(ascii: "\n")]))
    }
  }

  @Test("an edited number is found and named, and nothing else")
  func difference() throws {
    let lines = try touched()
    let place = try #require(lines.firstIndex { $0.contains(#""frame":{"x":0,"y":288"#) })
    var edited = lines
    edited[place].replace(
      #""frame":{"x":0,"y":288"#, with: #""frame":{"x":0,"y":290"#, maxReplacements: 1)
    var replay = try Replay(Array(edited.joined(separator: "\n").utf8))
    var found: Replay.Step?
    while found == nil, let step = try replay.step() { if !step.differences.isEmpty { found = step } }
    let step = try #require(found)
    #expect(step.line == place + 1)
    #expect(
      step.differences
        == [Difference(path: "published.keyboard.frame.y", expected: .integer(290), got: .integer(288))])
  }

  @Test("an effect that is missing, one too many and another one are each told")
  func effects() throws {
    let then = try JSON.parse(Array(#"[{"a":{"x":1,"n":null}},{"b":{}},{"c":{}}]"#.utf8))
    let now = try JSON.parse(Array(#"[{"a":{"x":1,"new":5}},{"d":{}}]"#.utf8))
    let object = { (key: String) in JSON.object([JSON.Member(key, .empty)]) }
    #expect(
      Difference.between(then, now, at: "effects") == [
        Difference(path: "effects[1]", expected: object("b"), got: object("d")),
        Difference(path: "effects[2]", expected: object("c"), got: nil),
      ])
    #expect(
      Difference.between(now, then, at: "effects").map(\.path)
        == ["effects[0].a.new", "effects[1]", "effects[2]"])
  }

  @Test("a state of an older version, which had less, begins with what a fresh engine has")
  func grown() throws {
    let lines = try touched()
    for member in [#""keyboardScreen":"screen","#, #""touchBuffer":[],"#, #""spacing":10,"#] {
      var older = lines
      #expect(older[1].contains(member), "\(member)")
      older[1].replace(member, with: "", maxReplacements: 1)
      #expect(try replay(Array(older.joined(separator: "\n").utf8)).differences == [])
    }
    var newer = lines
    newer[1].replace(#""driveOrder":"#, with: #""flux":{"a":1},"driveOrder":"#)
    #expect(try replay(Array(newer.joined(separator: "\n").utf8)).differences == [])
  }

  /// A tap on an input as a recording: the keyboard comes, and has come.
  private func touched() throws -> [String] {
    var engine = Engine()
    var recorder = Recorder()
    recorder.begin(engine, version: "1.2.3", made: 0, time: 0)
    func take(_ input: Input, _ time: UInt64) {
      var effects: [Effect] = []
      engine.handle(input, at: time, into: &effects)
      recorder.add(input, at: time, effects, engine)
    }
    let field = View(id: "field", kind: .textInput, frame: Rect(x: 0, y: 400, width: 100, height: 40))
    take(.attach(1, SceneDescription(name: "form"), [field]), 1000)
    take(.focus(2, 1, view: "field"), 2000)
    take(.timer, 302_000)
    let lines = text(recorder.bytes).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(try replay(recorder.bytes).inputs == 3)
    return lines
  }
}
