import KeyliftClient
import KeyliftProtocol
import Varlink

extension Command {
  static let monitor = Command(
    name: "monitor", summary: "What happens, as it happens: a line per notification",
    synopsis: "[--json] [--only NAME[,NAME...]] [--count N] [--timeout SECONDS]",
    details: """
        --json             one JSON object per line: the whole state, and the names
                           of the notifications that it stands for
        --only NAMES       these notifications alone: focusChanged, layoutChanged,
                           keyboardWillShow, keyboardDidHide, sceneAttached, ...
        --count N          end after N states
        --timeout SECONDS  end after that time; with status 1 if N did not come

      The first state is a snapshot, whatever is asked for, and it counts: to wait for
      the next focus, for ten seconds at most:

        keyliftctl monitor --json --only focusChanged --count 2 --timeout 10

      When the daemon is restarted, another snapshot follows.
      """,
    options: [
      Option("json"), Option("only", takesArgument: true), Option("count", takesArgument: true),
      Option("timeout", takesArgument: true),
    ]
  ) { arguments, daemon in
    let request = try MonitorRequest(arguments)
    let monitor = try Monitor(request.only, socket: daemon.socket)
    let watch = try Watch()
    var lines = MonitorLines()
    var rest = request.count
    monitor.onState = { [unowned watch] state in
      if rest == 0 { return }
      watch.attempt {
        if request.json {
          try Output.line(state.json)
        } else {
          for line in lines.lines(for: state.json) { try Output.line(line) }
        }
        rest = rest.map { $0 - 1 }
        if rest == 0 { watch.end() }
      }
    }
    try watch.follow(monitor, doing: "monitor")
    if let timeout = request.timeout {
      try watch.after(timeout) { [unowned watch] in
        guard let count = request.count, let rest else { return watch.end() }
        let came = count - rest
        watch.fail(Failure.refused("monitor: only \(came) of \(count) states came within the time."))
      }
    }
    try watch.run()
  }
}

/// What `monitor` was asked for.
struct MonitorRequest: Equatable {
  var json: Bool
  /// All if there are none.
  var only: [Monitor.Notification] = []
  var count: Int?
  /// In microseconds.
  var timeout: UInt64?

  /// Throws: which option's value is no use.
  init(_ arguments: Arguments) throws(Failure) {
    json = arguments.has("json")
    if let names = arguments["only"] {
      let known = Monitor.Notification.allCases.map(\.rawValue).joined(separator: ", ")
      only = try names.split(separator: ",").map { name throws(Failure) in
        guard let notification = Monitor.Notification(rawValue: String(name)) else {
          throw .usage("monitor: --only: no notification \"\(name)\". There are \(known).")
        }
        return notification
      }
      if only.isEmpty { throw .usage("monitor: --only: names nothing. There are \(known).") }
    }
    if let text = arguments["count"] {
      guard let number = Int(text), number > 0 else {
        throw .usage("monitor: --count: \"\(text)\" is no number of states. Give 1 or more.")
      }
      count = number
    }
    if let text = arguments["timeout"] {
      guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
        throw .usage("monitor: --timeout: \"\(text)\" is no time. Give seconds, such as 2.5.")
      }
      timeout = UInt64(seconds * 1_000_000)
    }
  }
}
