import CSystemd
import EventLoop
import Glibc

/// The processes of this session that have a name, each watched to its end (pidfd_open(2)).
final class ProcessWatch {
  /// Called when one was found, or has ended.
  var onChange: (() -> Void)?
  /// Whether there is one.
  var isRunning: Bool { !running.isEmpty }

  /// After which is looked for one while there is none, in microseconds; after twice as long each time.
  private static let shortest: UInt64 = 500_000
  private static let longest: UInt64 = 60_000_000

  private struct Running {
    let descriptor: Int32
    let source: DescriptorSource
  }

  private let loop: EventLoop
  private let names: [String]
  private let signals: [Int32]
  private var running: [Int32: Running] = [:]
  private var timer: TimerSource?
  private var pause = ProcessWatch.shortest

  /// - names: as /proc/PID/comm has them, at most 15 bytes of each
  /// - signals: which it has to take itself, since before that they would end it
  init(_ names: [String], taking signals: [Int32], on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    self.names = names
    self.signals = signals
    timer = try loop.timer { [unowned self] in
      pause = min(pause * 2, ProcessWatch.longest)
      look()
    }
    look()
  }

  deinit {
    for process in running.values { forget(process) }
  }

  /// Sends all of them a signal; one that was started meanwhile is among them.
  func send(_ signal: Int32) {
    look()
    for process in running.values { pidfd_send_signal(process.descriptor, signal, nil, 0) }
  }

  /// Looks for those that are not known yet.
  func look() {
    for case let pid? in ((try? namesInDirectory("/proc")) ?? []).map({ Int32($0) }) {
      guard running[pid] == nil, isOne(pid) else { continue }
      let descriptor = pidfd_open(pid, 0)
      // Asked again, since another may have its number by now.
      guard descriptor >= 0, isOne(pid),
        let source = try? loop.watch(descriptor, { [unowned self] _ in ended(pid) })
      else {
        if descriptor >= 0 { close(descriptor) }
        continue
      }
      running[pid] = Running(descriptor: descriptor, source: source)
      onChange?()
    }
    if !isRunning { timer?.arm(at: loop.now + pause) }
  }

  private func isOne(_ pid: Int32) -> Bool {
    guard let name = processName(pid), names.contains(where: { $0.prefix(15) == name }) else { return false }
    var status = stat()
    guard unsafe stat("/proc/\(pid)", &status) == 0, status.st_uid == getuid() else { return false }
    let (own, other) = (
      environmentVariable("XDG_RUNTIME_DIR", of: getpid()), environmentVariable("XDG_RUNTIME_DIR", of: pid)
    )
    guard own == nil || own == other else { return false }  // the user's, in another session
    let taken = takenSignals(of: pid)
    return signals.allSatisfy { taken & (1 << UInt64($0 - 1)) != 0 }
  }

  private func ended(_ pid: Int32) {
    if let process = running.removeValue(forKey: pid) { forget(process) }
    pause = ProcessWatch.shortest
    onChange?()
    look()
  }

  private func forget(_ process: Running) {
    process.source.cancel()
    close(process.descriptor)
  }
}

/// Which signals a process takes itself, one bit each, from signal 1: those that it handles, or has blocked to read them
/// (proc(5), SigCgt and SigBlk); none if that cannot be read.
private func takenSignals(of pid: Int32) -> UInt64 {
  guard let file = unsafe fopen("/proc/\(pid)/status", "re") else { return 0 }
  defer { unsafe _ = fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  var taken: UInt64 = 0
  while unsafe fgets(&line, Int32(line.count), file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard text.hasPrefix("SigCgt:") || text.hasPrefix("SigBlk:") else { continue }
    taken |= UInt64(text.dropFirst(7).filter(\.isHexDigit), radix: 16) ?? 0
  }
  return taken
}

/// A variable of the environment that a process was started with (proc(5)); nil if it has none or that is not readable.
private func environmentVariable(_ name: String, of pid: Int32) -> String? {
  guard let file = unsafe fopen("/proc/\(pid)/environ", "re") else { return nil }
  defer { unsafe _ = fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 17)  // the kernel's limit for one variable
  let count = unsafe fread(&bytes, 1, bytes.count, file)
  let start = Array("\(name)=".utf8)
  return bytes.prefix(count).split(separator: 0).first { $0.starts(with: start) }
    .map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) }
}
