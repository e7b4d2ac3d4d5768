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
      """,
    options: [
      Option("json"), Option("only", takesArgument: true), Option("count", takesArgument: true),
      Option("timeout", takesArgument: true),
    ]
  ) { arguments, daemon in
    let request = try MonitorRequest(arguments)
    let client = try daemon.connect()
    try daemon.send("io.keylift.Monitor.Subscribe", .more, on: client, subject: "monitor") { writer in
      if let only = request.only { writer.field("notifications", only) }
    }
    let watch = try Watch()
    var lines = MonitorLines()
    var rest = request.count
    try watch.follow(client, of: daemon, doing: "monitor") { [unowned watch] state in
      if rest == 0 { return }
      if request.json {
        try Output.line(state)
      } else {
        for line in lines.lines(for: state) { try Output.line(line) }
      }
      rest = rest.map { $0 - 1 }
      if rest == 0 { watch.end() }
    }
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
  var only: [String]?
  var count: Int?
  /// In microseconds.
  var timeout: UInt64?

  /// Throws: which option's value is no use.
  init(_ arguments: Arguments) throws(Failure) {
    json = arguments.has("json")
    if let names = arguments["only"] {
      let known = MonitorRequest.notifications
      let only = names.split(separator: ",").map(String.init)
      if only.isEmpty {
        throw .usage("monitor: --only: names nothing. There are \(known.joined(separator: ", ")).")
      }
      if let unknown = only.first(where: { !known.contains($0) }) {
        throw .usage(
          "monitor: --only: no notification \"\(unknown)\". There are \(known.joined(separator: ", ")).")
      }
      self.only = only
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

  /// The notifications' names, from the interface's own description.
  static var notifications: [String] {
    if case .enumeration(let names)? = Interfaces.monitor.type("Notification") { names } else { [] }
  }
}
