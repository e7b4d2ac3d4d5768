import Recording
import Varlink

extension Command {
  static let replay = Command(
    name: "replay", summary: "Run a recording through the core again, and say what differs",
    synopsis: "[--verbose] [--until LINE] [--state] FILE",
    details: """
        FILE          what keyliftctl record wrote; - reads standard input
        --verbose     each input with what the core decides now
        --until LINE  no further than this line of the file
        --state       at the end all that the core knows then, as a line of JSON

      It needs no daemon and touches nothing. At the first input after which the core
      decides otherwise than it did then, it says what differs, and ends.
      Exit status: 0 the same, 1 a difference, 2 the file cannot be replayed.
      """,
    options: [Option("verbose"), Option("until", takesArgument: true), Option("state")], operands: 1...1
  ) { arguments, _ in
    let until = try arguments["until"].map(line) ?? .max
    let file = InputFile(name: arguments.operands[0])
    let bytes = try file.contents(limit: 1 << 30, of: "a recording")
    do {
      var replay = try Replay(bytes)
      var difference: Replay.Step?
      while difference == nil, replay.line < until, let step = try replay.step() {
        if arguments.has("verbose") { try Output.write(step.text(since: replay.begin)) }
        if !step.differences.isEmpty { difference = step }
      }
      if arguments.has("state") { try Output.line(replay.state) }
      if let remark = replay.remark { Output.remark("\(printable(file.title)): \(printable(remark)).") }
      guard let difference else {
        guard !arguments.has("state") else { return }
        return try Output.line("\(replay.summary) replayed: the same")
      }
      try Output.write(difference.report(since: replay.begin))
      throw Failure.refused(
        "replay: \(file.title):\(difference.line): recorded by Keylift \(replay.version), decided otherwise now."
      )
    } catch let error as RecordingError {
      let column = error.column.map { ":\($0)" } ?? ""
      throw Failure.usage("replay: \(file.title):\(error.line)\(column): \(error.problem)")
    }
  }

  /// Throws: that it is no line.
  private static func line(_ text: String) throws(Failure) -> Int {
    guard let line = Int(text), line > 1 else {
      throw .usage("replay: --until: \"\(text)\" is no line. Give 2 or more; inputs begin in line 3.")
    }
    return line
  }
}

extension Replay {
  var summary: String { span(inputs, from: Int64(clamping: begin), to: Int64(clamping: time)) }
}

extension Replay.Step {
  private func when(since begin: UInt64) -> String {
    seconds(Int64(clamping: time) &- Int64(clamping: begin))
  }

  /// The input on a line, and each effect on one below it.
  func text(since begin: UInt64) -> String {
    let first = "\(when(since: begin))  line \(line)  \(input.words)\n"
    return effects.reduce(first) { $0 + "          -> \($1.words)\n" }
  }

  /// Where it happened, and what differs.
  func report(since begin: UInt64) -> String {
    let rows = differences.map { difference in
      [
        "  \(printable(difference.path)):", "expected \(difference.expected?.words ?? "nothing"),",
        "got \(difference.got?.words ?? "nothing")",
      ]
    }
    return "line \(line), at \(decimal(Double(time &- begin) / 1_000_000, places: 3)) s: \(input.words)\n"
      + table(rows)
  }
}

extension JSON {
  /// The value in one line for people; long lists as how many there are.
  var words: String { printable(words(isInner: false)) }

  private func words(isInner: Bool) -> String {
    switch self {
    case .null: return "nil"
    case .bool(let value): return value ? "yes" : "no"
    case .integer, .number: return encoded(self)
    case .string(let text): return text.isEmpty ? "\"\"" : text
    case .array(let elements):
      let isLong = elements.count > 8 || elements.contains { ($0.asMembers?.count ?? 0) > 4 }
      if isLong { return "(\(count(elements.count, "element")))" }
      return "[\(elements.map { $0.words(isInner: true) }.joined(separator: ", "))]"
    case .object(let members):
      switch members.map(\.key) {
      case ["x", "y"]: return point(self)
      case ["x", "y", "width", "height"]: return rect(self)
      case ["type", "code", "value"]:
        return members.map { encoded($0.value) }.joined(separator: " ")
      default: break
      }
      // An effect's only part has a name that says nothing more.
      if !isInner, members.count == 1, let parts = members[0].value.asMembers, parts.count == 1,
        case .object = parts[0].value
      {
        return "\(members[0].key) \(parts[0].value.words(isInner: true))"
      }
      let inner = members.filter { !$0.value.isNull }.map { member in
        member.value == .empty ? member.key : "\(member.key) \(member.value.words(isInner: true))"
      }.joined(separator: ", ")
      return isInner && members.count != 1 ? "{\(inner)}" : inner
    }
  }
}
