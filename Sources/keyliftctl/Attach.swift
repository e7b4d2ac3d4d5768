import EventLoop
import KeyliftClient
import KeyliftProtocol
import Varlink

extension Command {
  static let attach = Command(
    name: "attach", summary: "Register a scene from a file, and hold it until Ctrl-C",
    synopsis: "[--json] [--touches] FILE",
    details: """
        FILE       the parameters of io.keylift.Scene.Attach in JSON; - reads them
                   from standard input
        --touches  also print the touches that the scene's views get
        --json     one JSON object per line: the scene's state, or a "touch"

      The first line has the scene's id, the others say what changed.
      """,
    options: [Option("json"), Option("touches")], operands: 1...1
  ) { arguments, daemon in
    let file = SceneFile(name: arguments.operands[0])
    let parameters = try file.read()
    let client = try daemon.connect()
    try daemon.send("io.keylift.Scene.Attach", .more, on: client, subject: file.title) { writer in
      for member in parameters {
        writer.key(member.key)
        writer.value(member.value)
      }
    }
    let watch = try Watch()
    var lines = AttachLines(start: EventLoop.now)
    var touches: Client?
    try watch.follow(client, of: daemon, doing: file.title) { [unowned watch] state in
      if arguments.has("json") {
        try Output.line(state)
      } else {
        for line in lines.lines(for: state, at: EventLoop.now) { try Output.line(line) }
      }
      guard arguments.has("touches"), touches == nil else { return }
      let second = try daemon.connect()
      touches = second
      try daemon.send("io.keylift.Scene.Touches", .more, on: second, subject: "touches") { writer in
        writer.field("scene", state["scene"])
      }
      try watch.follow(second, of: daemon, doing: "touches") { reply in
        try Output.line(
          arguments.has("json") ? encoded(reply) : lines.line(forTouch: reply["touch"], at: EventLoop.now))
      }
    }
    try watch.run()
  }
}

/// A file with a scene, or standard input.
struct SceneFile {
  /// The most that a call of Attach may have, in bytes.
  static let limit = 256 * 1024

  let name: String
  var title: String { InputFile(name: name).title }

  /// The members of its object.
  func read() throws(Failure) -> [JSON.Member] {
    try members(of: try InputFile(name: name).contents(limit: 16 * SceneFile.limit, of: "a scene"))
  }

  /// Throws: what is no JSON, and in which line and column; that it is no object; that it is too long.
  func members(of bytes: [UInt8]) throws(Failure) -> [JSON.Member] {
    let value: JSON
    do {
      value = try JSON.parse(bytes, limits: JSON.Limits(depth: 64, containers: 1_000_000))
    } catch {
      throw .refused("\(title)\(problem(error, in: bytes))")
    }
    guard let members = value.asMembers else {
      throw .refused("\(title): this is no JSON object. Give the parameters of io.keylift.Scene.Attach.")
    }
    let length = encoded(value).utf8.count + 64
    guard length <= SceneFile.limit else {
      throw .refused(
        "\(title): \(length) bytes, but keyliftd takes \(SceneFile.limit). Attach fewer views, and update later."
      )
    }
    return members
  }

  /// With the colon before it.
  private func problem(_ error: JSONError, in bytes: [UInt8]) -> String {
    switch error {
    case .malformed(let offset):
      let before = bytes.prefix(offset)
      let line = 1 + before.count { $0 == UInt8(ascii: "\n") }
      let column = 1 + before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count { $0 & 0xC0 != 0x80 }
      let blank = bytes.allSatisfy { $0 <= 0x20 }
      let why =
        blank ? "there is nothing" : offset >= bytes.count ? "the JSON ends too early" : "this is no JSON"
      return ":\(line):\(column): \(why)."
    case .duplicateKey: return ": a key is twice in one object. Remove one of them."
    case .tooDeep: return ": too many levels of arrays and objects."
    case .tooMany: return ": too many arrays and objects."
    case .tooManyMarks: return ": over 30 combining marks on one character."
    case .noMemory: return ": out of memory."
    }
  }
}

func encoded(_ value: JSON) -> String {
  var writer = JSONWriter()
  writer.value(value)
  return String(decoding: writer.bytes, as: UTF8.self)
}
