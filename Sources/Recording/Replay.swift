import Engine
import Varlink

/// Why a recording cannot be replayed, or not any further.
public struct RecordingError: Error, Equatable, Sendable {
  /// From 1.
  public var line: Int
  /// In bytes, from 1; nil where the whole line is meant.
  public var column: Int?
  /// What is wrong and what to do, with its full stop.
  public var problem: String
}

/// A recording's inputs, run again through the core, and what it decides otherwise now.
public struct Replay {
  /// The version of Keylift that recorded it.
  public let version: String
  /// Microseconds of CLOCK_MONOTONIC: as it began, and of the last input that was run.
  public let begin: UInt64
  public private(set) var time: UInt64
  public private(set) var engine: Engine
  /// The number of inputs that were run.
  public private(set) var inputs = 0
  /// What is to be known of how it ends; nil for nothing, or before the end.
  public private(set) var remark: String?

  /// The line of the file that was read last, from 1.
  public var line: Int { lines.number }
  /// All that the core knows now.
  public var state: JSON { .object([JSON.Member("state", JSON(encoding: engine))]) }

  private var lines: Lines

  /// An input that was run.
  public struct Step {
    /// Its line in the file, from 1.
    public var line: Int
    /// Microseconds of CLOCK_MONOTONIC.
    public var time: UInt64
    /// In the recording's own terms, as are the effects: what the core decided now.
    public var input: JSON
    public var effects: [JSON]
    /// Where now differs from then; empty if it is the same.
    public var differences: [Difference]
  }

  /// Reads what a recording begins with.
  /// Throws: why it is none, or cannot be replayed.
  public init(_ file: [UInt8]) throws(RecordingError) {
    lines = Lines(file)
    guard let header = try lines.next(), let format = header["recording"].asInteger else {
      throw RecordingError(
        line: 1, problem: "this is no recording of Keylift's. keyliftctl record makes one.")
    }
    version = header["keylift"].asString ?? "unknown"
    guard format == Recorder.format else {
      throw RecordingError(
        line: 1,
        problem: "the recording has format \(format), and this is for format \(Recorder.format). "
          + "Replay it with Keylift \(version).")
    }
    begin = try lines.decode(header["time"], at: "time")
    time = begin
    guard let first = try lines.next() else {
      throw RecordingError(
        line: 2, problem: "the recording ends before its first state is whole. Make it again.")
    }
    guard !first["state"].isNull else { throw lines.error("this is no state: the second line has to be it.") }
    engine = try Replay.engine(first["state"], lines)
  }

  /// The engine as it was; what the recording does not have since its version did not, is as at a start.
  private static func engine(_ state: JSON, _ lines: Lines) throws(RecordingError) -> Engine {
    let configuration: Configuration = try lines.decode(
      state["configuration"].completed(by: JSON(encoding: Configuration())), at: "state.configuration")
    guard !configuration.screens.isEmpty else {
      throw lines.error("state.configuration.screens: there is none. Record it again.")
    }
    let fresh = JSON(encoding: Engine(configuration: configuration))
    let engine: Engine = try lines.decode(state.completed(by: fresh), at: "state")
    if let problem = engine.unsoundness { throw lines.error("state.\(problem). Record it again.") }
    return engine
  }

  /// Runs the next input; nil at the end.
  public mutating func step() throws(RecordingError) -> Step? {
    guard let line = try lines.next() else {
      if lines.isTorn {
        remark =
          "its last line, \(lines.number + 1), is torn, as if the recording had been cut short; it is left out"
      }
      return nil
    }
    if let reason = line["ended"].asString {
      remark = "the recording ended by itself: \(reason)"
      return nil
    }
    guard !line["input"].isNull else { throw lines.error("there is no input in this line. Take it out.") }
    let input: Input = try lines.decode(line["input"], at: "input")
    time = try lines.decode(line["time"], at: "time")
    var effects: [Effect] = []
    engine.handle(input, at: time, into: &effects)
    inputs += 1
    var recorder = Recorder()
    recorder.add(input, at: time, effects, engine)
    var now = line
    var differences: [Difference] = []
    if !lines.lastLine.elementsEqual(recorder.bytes) {  // else there is nothing to look for
      now = (try? JSON.parse(recorder.bytes, limits: Lines.limits)) ?? .null
      for part in ["effects", "published"] {
        differences += Difference.between(line[part], now[part], at: part)
      }
    }
    return Step(
      line: lines.number, time: time, input: line["input"], effects: now["effects"].asArray ?? [],
      differences: differences)
  }
}

extension JSON {
  /// A value as Codable has it.
  init(encoding value: some Encodable) {
    var writer = JSONWriter()
    writer.value(encoding: value)
    self = (try? JSON.parse(writer.bytes, limits: Lines.limits)) ?? .null
  }

  /// The object, and objects in it, with the members that another has and it has not.
  ///
  /// Where they have nothing in common they are two cases of an enumeration, and it stays as it is.
  func completed(by other: JSON) -> JSON {
    guard case .object(var members) = self, case .object(let others) = other else {
      return isNull ? other : self
    }
    guard members.isEmpty || members.contains(where: { !other[$0.key].isNull }) else { return self }
    for place in members.indices {
      members[place].value = members[place].value.completed(by: other[members[place].key])
    }
    for member in others where !members.contains(where: { $0.key == member.key }) { members.append(member) }
    return .object(members)
  }
}
