import CSystemd
import EventLoop
import Glibc

/// A process of this user that is looked for by its name, and watched to its end (pidfd_open(2)).
@safe final class ProcessWatch {
  /// Called when it was found, or has ended.
  var onChange: (() -> Void)?
  /// The process; nil while there is none.
  private(set) var pid: Int32?

  /// How often is looked for it while there is none, in microseconds.
  private static let pause: UInt64 = 1_000_000

  private let loop: EventLoop
  private let names: [String]
  private let signals: [Int32]
  private var descriptor: Int32 = -1
  private var source: DescriptorSource?
  private var timer: TimerSource?

  /// - names: as /proc/PID/comm has them, at most 15 bytes of each
  /// - signals: which it has to take itself, since before that they would end it
  init(_ names: [String], handling signals: [Int32], on loop: EventLoop) throws(SystemError) {
    self.loop = loop
    self.names = names
    self.signals = signals
    timer = try loop.timer { [unowned self] in look() }
    look()
  }

  deinit { forget() }

  /// Sends it a signal, and no other process that has its number by now.
  func send(_ signal: Int32) {
    if descriptor >= 0 { pidfd_send_signal(descriptor, signal, nil, 0) }
  }

  /// Looks for it, if there is none.
  func look() {
    guard pid == nil else { return }
    for case let pid? in ((try? namesInDirectory("/proc")) ?? []).map({ Int32($0) }) {
      guard isIt(pid) else { continue }
      let descriptor = pidfd_open(pid, 0)
      // Asked again, since another may have its number by now.
      guard descriptor >= 0, isIt(pid),
        let source = try? loop.watch(descriptor, { [unowned self] _ in ended() })
      else {
        if descriptor >= 0 { Glibc.close(descriptor) }
        continue
      }
      (self.pid, self.descriptor, self.source) = (pid, descriptor, source)
      timer?.disarm()
      onChange?()
      return
    }
    timer?.arm(at: loop.now + ProcessWatch.pause)
  }

  private func isIt(_ pid: Int32) -> Bool {
    guard let name = processName(pid), names.contains(where: { $0.prefix(15) == name }) else { return false }
    var status = stat()
    guard unsafe stat("/proc/\(pid)", &status) == 0, status.st_uid == getuid() else { return false }
    let taken = takenSignals(of: pid)
    return signals.allSatisfy { taken & (1 << UInt64($0 - 1)) != 0 }
  }

  private func ended() {
    forget()
    onChange?()
    look()
  }

  private func forget() {
    source?.cancel()
    source = nil
    if descriptor >= 0 { Glibc.close(descriptor) }
    (pid, descriptor) = (nil, -1)
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
