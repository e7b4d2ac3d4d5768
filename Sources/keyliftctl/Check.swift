import EventLoop
import Glibc

extension Command {
  static let check = Command(
    name: "check", summary: "Say what is wrong with a configuration, and where", synopsis: "[FILE]",
    details: """
        FILE  the configuration, and after it FILE.d/*.conf; else all that keyliftd goes by:
              keylift.conf in /usr/lib/keylift, /run/keylift and /etc/keylift, and after
              them keylift.conf.d/*.conf of the three by name

      The three keylift.conf are merged, unlike systemd's own main files, of which one
      in /etc masks the others; a drop-in does mask one of its name, and by a link to
      /dev/null takes it away. All mistakes are told, by file and line.

      It is keyliftd --check that reads them, so that what is right here is right for
      keyliftd; none needs to run.
      Exit status: 0 nothing is wrong, 78 something is, as file:line: reason.
      """,
    operands: 0...1
  ) { arguments, _ in
    let daemon = try keyliftd(for: "check")
    let words = [daemon, "--check"] + arguments.operands.flatMap { ["--config", $0] }
    var vector = unsafe words.map { unsafe strdup($0) } + [nil]
    unsafe execv(daemon, &vector)
    throw Failure.refused("check: \(SystemError(errno, daemon)).")
  }

  /// The daemon that was installed with this tool: beside it.
  static func keyliftd(for command: String) throws(Failure) -> String {
    guard let tool = unsafe realpath("/proc/self/exe", nil) else {
      throw .refused("\(command): \(SystemError(errno, "/proc/self/exe")).")
    }
    defer { unsafe free(tool) }
    let path = unsafe String(cString: tool)
    return path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex) + "/keyliftd"
  }
}
