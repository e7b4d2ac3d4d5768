import KeyliftClient

/// Why the tool ends without having done what it was asked for.
struct Failure: Error, Equatable {
  enum Status: Int32 {
    /// The daemon refused, or is not there.
    case refused = 1
    case usage = 2
    /// What was given is wrong, and is the next time: EX_DATAERR of sysexits.h.
    case data = 65
  }

  var status: Status
  /// As it stands after `keyliftctl: `, with its full stop.
  var message: String

  static func usage(_ message: String) -> Failure { Failure(status: .usage, message: message) }
  static func refused(_ message: String) -> Failure { Failure(status: .refused, message: message) }

  init(status: Status, message: String) {
    self.status = status
    self.message = message
  }

  init(_ error: DaemonError, status: Status = .refused) {
    self.init(status: status, message: error.description)
  }
}
