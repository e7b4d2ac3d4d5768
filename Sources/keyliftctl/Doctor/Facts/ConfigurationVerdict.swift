import EventLoop
import Glibc

/// What `keyliftd --check` says of the configuration.
struct ConfigurationVerdict: Equatable, Sendable {
  /// Its exit status; nil if it could not be run, or did not end in time.
  var status: Int32?
  /// Its lines; or why there are none.
  var text: String

  /// In microseconds.
  private static let patience: UInt64 = 2_000_000

  /// That are told here.
  private static let mostMistakes = 3

  /// The user of keylift.service.
  private static let user = "keylift"

  /// - file: what the daemon was started with; nil for the default.
  /// - isSystem: whether it is the unit's daemon, so that its user must be able to read all of it.
  static func gather(file: String?, isSystem: Bool) -> ConfigurationVerdict {
    do throws(Failure) {
      let daemon = try Command.keyliftd(for: "doctor")
      let check = [daemon, "--check"] + (file.map { ["--config", $0] } ?? [])
      guard isSystem, geteuid() == 0, unsafe getpwnam(user) != nil else { return run(check) }
      let asUser = run(["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--init-groups"] + check)
      return [0, 78].contains(asUser.status) ? asUser : run(check)
    } catch {
      return ConfigurationVerdict(text: error.message)
    }
  }

  private static func run(_ words: [String]) -> ConfigurationVerdict {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      return ConfigurationVerdict(text: "\(SystemError(errno, "pipe"))")
    }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], output)
    }
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var environment = unsafe Files.strings("/proc/self/environ").map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, words[0], &actions, nil, &arguments, &environment)
    close(ends[1])
    guard code == 0 else { return ConfigurationVerdict(text: "\(SystemError(code, words[0]))") }
    let (output, isComplete) = read(ends[0])
    if !isComplete { kill(pid, SIGKILL) }
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    let mistakes = status >> 8 & 0xff == 78 ? lines.dropFirst(mostMistakes).count : 0
    let text =
      lines.dropLast(mistakes).joined(separator: "; ")
      + (mistakes > 0 ? "; and more, which keyliftctl check tells" : "")
    guard isComplete else { return ConfigurationVerdict(text: "keyliftd --check does not end") }
    // WIFEXITED and WEXITSTATUS, which are macros.
    return ConfigurationVerdict(status: status & 0x7f == 0 ? status >> 8 & 0xff : nil, text: text)
  }

  /// What comes until the other side has ended, if that is in time.
  private static func read(_ descriptor: Int32) -> (output: [UInt8], isComplete: Bool) {
    let end = EventLoop.now &+ patience
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let now = EventLoop.now
      guard now < end, output.count < 65_536 else { return (output, false) }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, Int32((end - now) / 1000 + 1)) > 0 else { continue }
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return (output, true) }
      output += buffer.prefix(count)
    }
  }
}
