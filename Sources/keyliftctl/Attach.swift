import EventLoop
import KeyliftClient
import ResponderChain
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

      The first line has the scene's id, the others say what changed. When the daemon
      is restarted, the scene is attached again. To keep a scene attached:
      systemctl enable --now keylift-scene@NAME, for /etc/keylift/scenes/NAME.json.
      Exit status: 1 there is no daemon, 65 the scene is wrong.
      """,
    options: [Option("json"), Option("touches")], operands: 1...1
  ) { arguments, daemon in
    let file = SceneFile(name: arguments.operands[0])
    var isReady = false
    let scene: Scene
    do {
      let parameters = try file.read()
      scene = try Scene(json: .object(parameters), socket: daemon.socket)
    } catch let failure as Failure {
      throw Failure(status: .data, message: failure.message)
    } catch let error as SceneError {
      throw Failure(status: .data, message: "\(file.title): \(error).")
    }
    let watch = try Watch()
    var lines = AttachLines(start: EventLoop.now)
    scene.onState = { [unowned watch] state in
      if !isReady {
        notifyManager("READY=1\nSTATUS=Attached as \(state.scene) on the screen \(state.screen.name)")
        isReady = true
      }
      watch.attempt {
        if arguments.has("json") { return try Output.line(state.json) }
        for line in lines.lines(for: state.json, at: EventLoop.now) { try Output.line(line) }
      }
    }
    if arguments.has("touches") {
      scene.onTouch = { [unowned watch] touch in
        watch.attempt {
          if arguments.has("json") { return try Output.line(.object([.init("touch", touch.json)])) }
          try Output.line(lines.line(forTouch: touch.json, at: EventLoop.now))
        }
      }
    }
    try watch.follow(scene, doing: file.title, refusedAs: .data)
    try watch.run()
  }
}

/// A file with a scene, or standard input.
struct SceneFile {
  /// More than 20,000 views of a sensible length, in bytes.
  private static let limit = 4 * 1024 * 1024

  let name: String
  var title: String { InputFile(name: name).title }

  /// The members of its object.
  func read() throws(Failure) -> [JSON.Member] {
    try members(of: try InputFile(name: name).contents(limit: SceneFile.limit, of: "a scene"))
  }

  /// Throws: what is no JSON, and in which line and column; that it is no object.
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
