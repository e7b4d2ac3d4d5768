import Varlink

extension Command {
  static let record = Command(
    name: "record", summary: "Write down what keyliftd sees and decides, for replay; for root",
    synopsis: "[--seconds N] [--force] FILE",
    details: """
        FILE         where to; - is standard output
        --seconds N  end that long after it began, else by Ctrl-C
        --force      write over a FILE that is there

      It begins with all that keyliftd knows at that moment, so that a fault can be
      recorded whenever it shows: start it, do what goes wrong, press Ctrl-C. Then see
      with keyliftctl replay FILE whether it goes the same way again.
      In the FILE are devices, scenes with their views, and where fingers were; no key
      codes, and no text that was typed. Only its owner may read it.
      """,
    options: [Option("seconds", takesArgument: true), Option("force")], operands: 1...1
  ) { arguments, daemon in
    let duration = try arguments["seconds"].map(microseconds)
    let control = Daemon(socket: daemon.socket.control)
    let client = try control.connect()
    try control.send("io.keylift.Control.Record", .more, on: client, subject: "record")
    let watch = try Watch()
    var lines = RecordedLines()
    // Not before there is something to write, so that a refusal leaves nothing behind.
    var file: OutputFile?
    try watch.follow(client, of: control, doing: "record") { [unowned watch] reply in
      // For its owner alone to read.
      let new = try file ?? OutputFile(arguments.operands[0], replaces: arguments.has("force"), mode: 0o600)
      file = new
      let hadBegun = lines.hasBegun
      try new.write(lines.whole(reply["text"].asString ?? ""))
      if lines.hasBegun, !hadBegun {
        Output.remark("recording to \(printable(new.title))\(duration == nil ? "; Ctrl-C ends it" : "")")
        if let duration { try watch.after(duration) { [unowned watch] in watch.end() } }
      }
    }
    defer {
      if let file {
        Output.remark("\(lines.summary), \(file.written) bytes in \(printable(file.title))")
      }
    }
    do {
      try watch.run()
    } catch  where lines.hasEnded {
      throw Failure.refused("record: keyliftd ended it; the last line of the file says why.")
    }
    guard lines.hasBegun else {
      throw Failure.refused("record: ended before keyliftd had said what it begins with.")
    }
  }

  /// Throws: that it is no time.
  private static func microseconds(_ text: String) throws(Failure) -> UInt64 {
    guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
      throw .usage("record: --seconds: \"\(text)\" is no time. Give seconds, such as 2.5.")
    }
    return UInt64(seconds * 1_000_000)
  }
}

/// A recording's lines, of pieces that may end anywhere.
struct RecordedLines {
  /// What came of a line that is not whole yet.
  private var rest: [UInt8] = []
  private var count = 0
  private var firstTime: Int64?
  private var lastTime: Int64?
  /// Whether its last line says why there are no more.
  private(set) var hasEnded = false

  /// Whether the state that it begins with is there, without which the rest is of no use.
  var hasBegun: Bool { count > 1 }

  /// Takes a piece. Returns: the lines that are whole with it.
  mutating func whole(_ piece: String) -> [UInt8] {
    let bytes = Array(piece.utf8)
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
      rest += bytes
      return []
    }
    let lines = rest + bytes[...end]
    rest = Array(bytes[(end + 1)...])
    for line in lines.split(separator: UInt8(ascii: "\n")) { note(line) }
    return lines
  }

  private mutating func note(_ line: ArraySlice<UInt8>) {
    count += 1
    if line.starts(with: #"{"ended":"#.utf8) {
      hasEnded = true
      count -= 1
    }
    if count == 1, let header = try? JSON.parse(Array(line)) { firstTime = header["time"].asInteger }
    if let time = RecordedLines.time(line) { lastTime = time }
  }

  /// The time that an input's line begins with.
  private static func time(_ line: ArraySlice<UInt8>) -> Int64? {
    let key = #"{"time":"#.utf8
    guard line.starts(with: key) else { return nil }
    let digits = line.dropFirst(key.count).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int64(String(decoding: digits, as: UTF8.self))
  }

  /// Such as `12 inputs over 3.4 s`; the header and the state are none.
  var summary: String { span(max(0, count - 2), from: firstTime ?? 0, to: lastTime ?? firstTime ?? 0) }
}

/// Such as `12 inputs over 3.4 s`, of times in microseconds.
func span(_ inputs: Int, from first: Int64, to last: Int64) -> String {
  let seconds = Double(last.subtractingReportingOverflow(first).partialValue) / 1_000_000
  return "\(count(inputs, "input")) over \(decimal(max(0, seconds), places: 3)) s"
}
