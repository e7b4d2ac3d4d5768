import KeyliftClient

/// Why the tool ends without having done what it was asked for.
struct Failure: Error, Equatable {
  enum Status: Int32 {
    /// The daemon refused, or is not there.
    case refused = 1
    case usage = 2
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

  init(_ error: DaemonError) { self.init(status: .refused, message: error.description) }
}
