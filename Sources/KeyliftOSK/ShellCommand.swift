import CSystemd
import EventLoop
import Glibc

/// A command line that /bin/sh runs in a process group of its own, watched to its end (posix_spawn(3), pidfd_open(2)).
@safe final class ShellCommand {
  /// How it ended.
  enum End: Equatable {
    case exited(status: Int32)
    case killed(signal: Int32)

    /// For people, such as `exited with status 3`.
    var text: String {
      switch self {
      case .exited(let status): "exited with status \(status)"
      case .killed(let signal): "was ended by signal \(signal)"
      }
    }
  }

  /// How long it may take to end once it is told to, in microseconds.
  private static let patience: UInt64 = 2_000_000

  private let pid: pid_t
  private let descriptor: Int32
  private let loop: EventLoop
  private let onEnd: (End) -> Void
  private var source: DescriptorSource?
  private var timer: TimerSource?
  private var isOver = false
  /// Whether it was told to end.
  private(set) var isTold = false

  /// Starts it; `onEnd` is called from the loop once, when the shell has ended.
  /// Throws: what posix_spawn(3) and pidfd_open(2) say, such as EAGAIN or EMFILE.
  init(_ line: String, on loop: EventLoop, _ onEnd: @escaping (End) -> Void) throws(SystemError) {
    self.loop = loop
    self.onEnd = onEnd
    pid = try spawnShell(line)
    descriptor = pidfd_open(pid, 0)
    guard descriptor >= 0 else {
      throw SystemError(errno, "pidfd_open")  // deinit ends it
    }
    source = try loop.watch(descriptor) { [unowned self] _ in ended() }
  }

  deinit {
    if !isOver {
      killpg(pid, SIGKILL)
      _ = waitpid(pid, nil, 0)
    }
    source?.cancel()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Ends it and all that it has started, by SIGTERM, and SIGKILL if that is not enough.
  func end() {
    guard !isOver, !isTold else { return }
    isTold = true
    killpg(pid, SIGTERM)
    timer = try? loop.timer { [unowned self] in _ = killpg(pid, SIGKILL) }
    timer?.arm(at: loop.now + ShellCommand.patience)
    if timer == nil { killpg(pid, SIGKILL) }
  }

  /// Waits until it has ended, but for as long only as it may take, and kills it then; for the program's own end.
  func waitForEnd() {
    guard !isOver else { return }
    let latest = EventLoop.now + ShellCommand.patience
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while !isOver {
      let now = EventLoop.now
      let left = latest > now ? latest - now : 0
      if left == 0 { killpg(pid, SIGKILL) }
      // What is killed ends at once, but for what the kernel itself keeps.
      let result = unsafe poll(&ready, 1, left == 0 ? 500 : Int32(clamping: left / 1000 + 1))
      if result > 0 { ended() } else if left == 0 { return }
    }
  }

  private func ended() {
    var information = unsafe siginfo_t()
    guard unsafe waitid(P_PIDFD, id_t(descriptor), &information, WEXITED | WNOHANG | WNOWAIT) == 0,
      unsafe information._sifields._sigchld.si_pid == pid
    else { return }
    // Its number is its group's until it is reaped, and nobody else's.
    if isTold { killpg(pid, SIGKILL) }
    _ = waitid(P_PIDFD, id_t(descriptor), nil, WEXITED | WNOHANG)
    let status = unsafe information._sifields._sigchld.si_status
    source?.cancel()
    (source, timer, isOver) = (nil, nil, true)
    onEnd(
      unsafe information.si_code == CLD_EXITED ? .exited(status: status) : .killed(signal: status))
  }
}

/// Starts /bin/sh -c in a process group of its own, with no signal blocked or ignored and nothing to read.
private func spawnShell(_ line: String) throws(SystemError) -> pid_t {
  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  var all = sigset_t()
  unsafe sigemptyset(&none)
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  unsafe posix_spawnattr_setpgroup(&attributes, 0)
  unsafe posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  // What it prints goes where the log goes.
  unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)

  let words = ["/bin/sh", "-c", line]
  var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { unsafe arguments.forEach { unsafe free($0) } }
  var pid: pid_t = 0
  let code = unsafe posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, keylift_environ())
  guard code == 0 else { throw SystemError(code, "posix_spawn /bin/sh") }
  return pid
}
