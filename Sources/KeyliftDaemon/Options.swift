import CGetopt
import Glibc
import EngineCoding
import KeyliftProtocol

/// What the command line says.
struct Options {
  static let usage = """
    keyliftd: focus, keyboard and layout for touchscreens, from evdev to a Varlink socket

      keyliftd [--config FILE] [--runtime-directory DIR]
      keyliftd --check [--config FILE]

      -c, --config FILE            the configuration, and after it FILE.d/*.conf, in place of keylift.conf and
                                   keylift.conf.d/*.conf in /usr/lib/keylift, /run/keylift and /etc/keylift
      -r, --runtime-directory DIR  where the sockets are; $RUNTIME_DIRECTORY, else /run/keylift
      -C, --check                  only say what is wrong with the configuration, and where
      -h, --help                   this text
      -V, --version                the version

    Exit status: 0 done, 1 it cannot run, 64 wrong usage, 78 the configuration is wrong.

    """

  var configuration: String?
  var runtimeDirectory: String
  /// Whether to read the configuration and end.
  var checks = false

  /// What to do instead of running: print this and exit.
  enum Early: Error {
    case print(String)
    case wrongUsage(String? = nil)
  }

  /// Reads the arguments; getopt_long(3) prints what is wrong with one.
  init() throws(Early) {
    let fromSystemd = unsafe getenv("RUNTIME_DIRECTORY").map { unsafe String(cString: $0) }
    runtimeDirectory = fromSystemd?.split(separator: ":").first.map(String.init) ?? "/run/keylift"
    let names: [(StaticString, Int32, UInt8)] = [
      ("config", required_argument, UInt8(ascii: "c")),
      ("runtime-directory", required_argument, UInt8(ascii: "r")),
      ("check", no_argument, UInt8(ascii: "C")), ("help", no_argument, UInt8(ascii: "h")),
      ("version", no_argument, UInt8(ascii: "V")),
    ]
    var long = unsafe names.map { name, argument, letter in
      unsafe option(
        name: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), has_arg: argument,
        flag: nil, val: Int32(letter))
    }
    unsafe long.append(option())
    while true {
      let letter = unsafe getopt_long(CommandLine.argc, CommandLine.unsafeArgv, "c:r:ChV", long, nil)
      if letter < 0 { break }
      let argument = unsafe keylift_optarg().map { unsafe String(cString: $0) } ?? ""
      switch UInt8(truncatingIfNeeded: letter) {
      case UInt8(ascii: "c"): configuration = argument
      case UInt8(ascii: "r"): runtimeDirectory = argument
      case UInt8(ascii: "C"): checks = true
      case UInt8(ascii: "h"): throw .print(Options.usage)
      case UInt8(ascii: "V"): throw .print("keyliftd \(Keylift.version)\n")
      default: throw .wrongUsage()
      }
    }
    guard keylift_optind() >= CommandLine.argc else {
      throw .wrongUsage("there is no place for \"\(CommandLine.arguments[Int(keylift_optind())])\"")
    }
  }
}
