import KeyliftProtocol
import KeyliftClient

/// A subcommand: how it is called, and what it does.
struct Command: Sendable {
  let name: String
  /// A line in the tool's own help.
  let summary: String
  /// What follows the name, such as `[--json] FILE`.
  let synopsis: String
  /// What it does and what its options mean, in lines of 80 columns at most.
  let details: String
  var options: [Option] = []
  /// How many operands it takes.
  var operands: ClosedRange<Int> = 0...0
  let run: @Sendable (Arguments, Daemon) throws -> Void

  static let all = [
    status, devices, touches, calibrate, rotate, monitor, attach, tree, plugins, clients, stats, focus,
    resign, show, hide, inject, reload, check, doctor, record, replay,
  ]

  var help: String {
    """
    Usage: keyliftctl \(name)\(synopsis.isEmpty ? "" : " " + synopsis)

    \(summary).\(details.isEmpty ? "" : "\n\n" + details)

    """
  }

  /// Runs it with the words after its name.
  func run(_ words: [String], socket: String?) throws {
    let common = [Option("help"), Option("socket", takesArgument: true)]
    let program = "keyliftctl \(name)"
    let arguments = try Arguments(words, of: program, options: options + common)
    if arguments.has("help") { return try Output.write(help) }
    if arguments.operands.count < operands.lowerBound {
      throw Failure.usage("\(name): something is missing: \(program) \(synopsis). See \(program) --help.")
    }
    if arguments.operands.count > operands.upperBound {
      let surplus = arguments.operands[operands.upperBound]
      throw Failure.usage("\(name): there is no place for \"\(surplus)\". See \(program) --help.")
    }
    try run(arguments, Daemon(socket: DaemonSocket(path: arguments["socket"] ?? socket)))
  }
}

/// The tool itself, before a subcommand.
enum Tool {

  static var help: String {
    let commands = table(Command.all.map { ["  \($0.name)", $0.summary] })
    return """
      Usage: keyliftctl [--socket PATH] COMMAND [OPTION...] [ARGUMENT...]

      Asks keyliftd, the on-screen keyboard's focus daemon, and tells it what to do.

      Commands:
      \(commands)
      Options:
        --socket PATH  the daemon's socket; else $KEYLIFT_SOCKET,
                       else \(DaemonSocket.defaultPath)
        --help         this text, or a command's: keyliftctl COMMAND --help
        --version      the version of this tool

      Exit status: 0 done, 1 not done, as when the daemon refuses or is not there,
      2 wrong usage. For attach, check, doctor and replay see their own help.

      """
  }

  static func run(_ words: [String]) throws {
    let known = [Option("help"), Option("version"), Option("socket", takesArgument: true)]
    let arguments = try Arguments(words, of: "keyliftctl", options: known, inOrder: true)
    if arguments.has("help") { return try Output.write(help) }
    if arguments.has("version") { return try Output.line("keyliftctl \(Keylift.version)") }
    guard let name = arguments.operands.first else {
      throw Failure.usage("no command: nothing to do. See keyliftctl --help.")
    }
    guard let command = Command.all.first(where: { $0.name == name }) else {
      throw Failure.usage("\(name): no such command. See keyliftctl --help.")
    }
    try command.run(Array(arguments.operands.dropFirst()), socket: arguments["socket"])
  }
}
