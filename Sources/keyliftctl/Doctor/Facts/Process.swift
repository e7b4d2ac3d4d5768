import EventLoop
import Glibc

/// A process of this machine, as proc(5) has it.
struct Process: Equatable, Sendable {
  var pid: Int
  var uid: UInt32 = 0
  /// At most 15 characters.
  var name: String
  /// R, S, T for stopped, Z for one that has ended.
  var state: Character = "S"
  var groups: [UInt32] = []
  /// Empty for a kernel thread.
  var arguments: [String] = []
  /// Where it works, for paths among its arguments; nil if that may not be seen.
  var directory: String?
  /// What QT_IM_MODULE says; nil if it says nothing or may not be read.
  var inputMethod: String?

  /// The last part of the program's path, which is not cut off as the name is.
  var program: String {
    let path = arguments.first?.split(separator: " ").first ?? ""
    let last = path.split(separator: "/").last ?? ""
    // A script is run by what its first line names.
    return last.hasPrefix(name) && !last.isEmpty ? String(last) : name
  }

  /// Everyone that may be seen; where proc is mounted with hidepid, a user sees his own alone.
  static func gatherAll() -> [Process] {
    ((try? namesInDirectory("/proc")) ?? []).compactMap { Int($0) }.compactMap(gather)
  }

  private static func gather(_ pid: Int) -> Process? {
    let status = Files.lines("/proc/\(pid)/status").map { $0.split(separator: ":", maxSplits: 1) }
    func value(_ key: String) -> Substring? {
      status.first { $0.first == key[...] }?.last?.drop { $0 == "\t" || $0 == " " }
    }
    guard let name = value("Name") else { return nil }
    func numbers(_ key: String) -> [UInt32] {
      (value(key) ?? "").split { $0 == "\t" || $0 == " " }.compactMap { UInt32($0) }
    }
    let arguments = Files.strings("/proc/\(pid)/cmdline")
    let module = "QT_IM_MODULE="
    let environment = arguments.isEmpty ? [] : Files.strings("/proc/\(pid)/environ")
    return Process(
      pid: pid, uid: numbers("Uid").first ?? 0, name: String(name), state: value("State")?.first ?? "?",
      groups: numbers("Gid") + numbers("Groups"), arguments: arguments,
      directory: name == "keyliftd" ? Files.target("/proc/\(pid)/cwd") : nil,
      inputMethod: environment.first { $0.hasPrefix(module) }.map { String($0.dropFirst(module.count)) })
  }

  /// The path that an option gives, from the root.
  func path(_ name: String, _ letter: String) -> String? {
    guard let path = option(name, letter) else { return nil }
    guard let directory, !path.hasPrefix("/") else { return path }
    return "\(directory)/\(path)"
  }

  /// The value of an option, as `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`.
  func option(_ name: String, _ letter: String) -> String? {
    for (place, word) in arguments.enumerated() {
      if word == name || word == letter { return arguments.dropFirst(place + 1).first }
      if word.hasPrefix("\(name)=") { return String(word.dropFirst(name.count + 1)) }
      if word.hasPrefix(letter) { return String(word.dropFirst(letter.count)) }
    }
    return nil
  }
}
