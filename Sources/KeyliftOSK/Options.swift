import CGetopt
import Glibc
import KeyliftClient
import KeyliftProtocol

/// What the command line says.
struct Options {
  static let usage = """
    keylift-osk: shows and hides an on-screen keyboard as Keylift wants it, and tells Keylift where it is

      keylift-osk [--keyboard NAME] [--height HEIGHT] [--overlay]
      keylift-osk --show COMMAND --hide COMMAND [--height HEIGHT]
      keylift-osk --run COMMAND [--height HEIGHT]

      -k, --keyboard NAME    \(Keyboard.names.joined(separator: ", ")), or auto: whichever runs
      -H, --height HEIGHT    how high the keyboard is, in points of the screen or as 40%, in place of what can be learnt
      -o, --overlay          the keyboard lies above full-screen windows (a Wayland compositor's overlay layer)
      -s, --show COMMAND     for a keyboard of another kind: what shows it
      -i, --hide COMMAND     and what hides it
      -r, --run COMMAND      or what shows it as long as it runs, and is ended by SIGTERM
      -S, --socket PATH      the daemon's socket; $KEYLIFT_SOCKET, else /run/keylift/keylift.sock
      -v, --verbose          tell of each step
      -h, --help             this text
      -V, --version          the version

    Exit status: 0 done, 1 it cannot run, 2 wrong usage.

    """

  enum Keyboard {
    static let names = ["squeekboard", "wvkbd", "onboard", "matchbox", "maliit", "kwin"]
  }

  /// What to do instead of running: print this and exit.
  enum Early: Error, Equatable {
    case print(String)
    /// What is wrong; nil where getopt_long(3) has said it.
    case wrongUsage(String?)
  }

  var settings = Settings()

  private static let names: [(StaticString, Character, Bool)] = [
    ("keyboard", "k", true), ("height", "H", true), ("overlay", "o", false), ("show", "s", true),
    ("hide", "i", true), ("run", "r", true), ("socket", "S", true), ("verbose", "v", false),
    ("help", "h", false), ("version", "V", false),
  ]

  /// Reads the process's arguments; getopt_long(3) prints what is wrong with one.
  init() throws(Early) {
    var long = unsafe Options.names.map { name, letter, takesArgument in
      unsafe option(
        name: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
        has_arg: takesArgument ? required_argument : no_argument, flag: nil,
        val: Int32(letter.asciiValue ?? 0))
    }
    unsafe long.append(option())
    let letters = Options.names.map { "\($0.1)" + ($0.2 ? ":" : "") }.joined()
    while true {
      let letter = unsafe getopt_long(CommandLine.argc, CommandLine.unsafeArgv, letters, long, nil)
      if letter < 0 { break }
      let argument = unsafe keylift_optarg().map { unsafe String(cString: $0) } ?? ""
      guard let letter = UnicodeScalar(UInt32(bitPattern: letter)), letter != "?" else {
        throw .wrongUsage(nil)
      }
      try take(Character(letter), argument)
    }
    guard keylift_optind() >= CommandLine.argc else {
      throw .wrongUsage("there is no place for \"\(CommandLine.arguments[Int(keylift_optind())])\"")
    }
    try check()
  }

  private mutating func take(_ letter: Character, _ argument: String) throws(Early) {
    switch letter {
    case "k":
      guard argument == "auto" || Keyboard.names.contains(argument) else {
        throw .wrongUsage(
          "--keyboard=\(argument): none of auto, \(Keyboard.names.joined(separator: ", ")); "
            + "another is driven by --show and --hide, or --run")
      }
      settings.program = argument == "auto" ? nil : argument
    case "H":
      guard let frame = FixedFrame(argument) else {
        throw .wrongUsage("--height=\(argument): neither points, such as 280, nor a part, such as 40%")
      }
      settings.frame = frame
    case "o": settings.isOverlay = true
    case "s": settings.commands.show = try command(argument, of: "show")
    case "i": settings.commands.hide = try command(argument, of: "hide")
    case "r": settings.commands.run = try command(argument, of: "run")
    case "S": settings.socket = DaemonSocket(path: argument)
    case "v": settings.isVerbose = true
    case "V": throw .print("keylift-osk \(Keylift.version)\n")
    default: throw .print(Options.usage)
    }
  }

  private func command(_ line: String, of option: String) throws(Early) -> String {
    guard line.contains(where: { !$0.isWhitespace }) else {
      throw .wrongUsage("--\(option)=: no command")
    }
    return line
  }

  private func check() throws(Early) {
    let commands = settings.commands
    guard commands != Settings.Commands() else { return }
    guard settings.program == nil else {
      throw .wrongUsage("--keyboard=\(settings.program ?? ""): not together with --show, --hide or --run")
    }
    guard (commands.run == nil) == (commands.show != nil), (commands.show == nil) == (commands.hide == nil)
    else {
      throw .wrongUsage("either --show and --hide, or --run")
    }
  }
}
