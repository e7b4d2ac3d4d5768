import Varlink

/// What a check has found out, and what to do about it.
struct Finding: Equatable, Sendable {
  enum State: String, CaseIterable, Sendable {
    case ok
    /// Worth knowing; nothing is wrong.
    case note
    /// It could not be found out, and the text says what would help.
    case unknown
    /// Something to look at.
    case warning
    /// It does not work, or will not after the next start.
    case failure
  }

  /// The id of the check.
  var check = ""
  var state: State
  /// A sentence or two, without a full stop at the end.
  var text: String
  /// Commands to type, lines for the configuration, or short sentences; in this order.
  var remedy: [String] = []
  /// What it was judged by, for programs.
  var facts: [JSON.Member] = []

  static func ok(_ text: String, facts: [JSON.Member] = []) -> Finding {
    Finding(state: .ok, text: text, facts: facts)
  }

  static func note(_ text: String, _ remedy: String..., facts: [JSON.Member] = []) -> Finding {
    Finding(state: .note, text: text, remedy: remedy, facts: facts)
  }

  static func unknown(_ text: String, _ remedy: String..., facts: [JSON.Member] = []) -> Finding {
    Finding(state: .unknown, text: text, remedy: remedy, facts: facts)
  }

  static func warning(_ text: String, _ remedy: String..., facts: [JSON.Member] = []) -> Finding {
    Finding(state: .warning, text: text, remedy: remedy, facts: facts)
  }

  static func failure(_ text: String, _ remedy: String..., facts: [JSON.Member] = []) -> Finding {
    Finding(state: .failure, text: text, remedy: remedy, facts: facts)
  }

  /// As it is to be judged by when it last happened: what is an hour ago is a note.
  ///
  /// - seconds: since then; null if that is not known
  func ofLast(_ seconds: JSON) -> Finding {
    guard let seconds = seconds.asDouble else { return self }
    var finding = self
    finding.text += ", the last \(duration(seconds)) ago"
    if seconds > 3600, state == .warning { finding.state = .note }
    return finding
  }

  var json: JSON {
    .object([
      .init("check", .string(check)), .init("state", .string(state.rawValue)), .init("text", .string(text)),
      .init("remedy", .array(remedy.map(JSON.string))), .init("facts", .object(facts)),
    ])
  }
}

extension [Finding] {
  /// The worst state of all; what is not known is not bad.
  var worst: Finding.State {
    [.failure, .warning].first { state in contains { $0.state == state } } ?? .ok
  }

  /// 0, 1 for a warning, 3 for a failure: 2 is wrong usage.
  var exitStatus: Int32 {
    switch worst {
    case .failure: 3
    case .warning: 1
    default: 0
    }
  }
}
