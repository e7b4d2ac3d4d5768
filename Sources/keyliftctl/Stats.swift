import EventLoop
import Glibc
import Varlink

extension Command {
  static let stats = Command(
    name: "stats", summary: "What keyliftd has counted and measured since it began",
    synopsis: "[--json | --openmetrics] [--watch]",
    details: """
        --json         one JSON object, as io.keylift.Monitor.Counters has it
        --openmetrics  for Prometheus and its kin, as OpenMetrics has it
        --watch        again each second, until Ctrl-C; not with --openmetrics

      Times are in microseconds, p50 and p99 at most a sixteenth too high. A frame's
      way has three stages: kernel, from the kernel's stamp until keyliftd was awake
      to read it; decision, until it was decided what it means; delivery, until it was
      written to all whom it concerns. The last two are of frames that brought
      somebody something, and all are of one frame in 50 ms. A plugin's times are of
      its answers. DROPS counts how often the kernel lost events, as they were not
      read in time.
      """,
    options: [Option("json"), Option("openmetrics"), Option("watch")]
  ) { arguments, daemon in
    let form = try StatsForm(arguments)
    guard arguments.has("watch") else {
      let counters = try daemon.call("io.keylift.Monitor.Counters", subject: "stats")
      return try Output.write(form.text(of: counters))
    }
    try watch(daemon, form)
  }

  /// Asks each second, on one connection.
  private static func watch(_ daemon: Daemon, _ form: StatsForm) throws {
    let watch = try Watch()
    let client = try daemon.connect()
    let terminal = form == .table && Terminal.isOutput ? Terminal() : nil
    defer { terminal?.leave() }
    try terminal?.enter()
    var counters: JSON?
    func draw() throws {
      guard let counters else { return }
      guard let terminal else { return try Output.write(form.text(of: counters)) }
      let size = terminal.size
      let lines = StatsTable.drawn(counters).split(separator: "\n", omittingEmptySubsequences: false)
      try terminal.show(lines.map { String($0.prefix(size.columns)) }, in: size)
    }
    var timer: TimerSource?
    func ask() throws {
      do throws(ClientError) {
        counters = try client.call("io.keylift.Monitor.Counters", timeout: Daemon.patience)
      } catch {
        throw daemon.failure(error, doing: "stats")
      }
      try draw()
      timer?.arm(at: EventLoop.now &+ 1_000_000)
    }
    timer = try watch.timer { try ask() }
    if terminal != nil { try watch.on(SIGWINCH) { try draw() } }
    timer?.arm(at: 0)
    try watch.run()
  }
}

/// How the counters are printed.
enum StatsForm: Equatable {
  case table, json, openMetrics

  /// Throws: that options do not go together.
  init(_ arguments: Arguments) throws(Failure) {
    switch (arguments.has("json"), arguments.has("openmetrics")) {
    case (true, true): throw .usage("stats: --json and --openmetrics: only one of them.")
    case (true, false): self = .json
    case (false, true): self = .openMetrics
    case (false, false): self = .table
    }
    if self == .openMetrics, arguments.has("watch") {
      throw .usage("stats: --watch: a collector asks by itself. See keyliftctl stats --help.")
    }
  }

  func text(of counters: JSON) -> String {
    switch self {
    case .table: return StatsTable.drawn(counters)
    case .openMetrics: return OpenMetrics.text(of: counters)
    case .json:
      var writer = JSONWriter()
      writer.value(counters)
      return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
  }
}

/// The counters as a page for people.
enum StatsTable {
  static func drawn(_ counters: JSON) -> String {
    [summary(counters), latencies(counters), devices(counters), sockets(counters), plugins(counters)]
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func summary(_ counters: JSON) -> String {
    func both(_ one: String, _ other: String) -> String {
      "\(number(counters[one])), \(number(counters[other]))"
    }
    let memory = counters["memory"].asDouble.map { "\(decimal($0 / 1_048_576, places: 1)) MiB" } ?? "?"
    return table([
      ["up for", "\(age(counters["uptime"])), \(memory) in memory"],
      ["frames, drops", both("frames", "drops")],
      ["touches", number(counters["touches"])],
      ["states, merged", both("states", "merged")],
      ["keyboard shown, hidden", both("shows", "hides")],
      ["scenes, views", both("scenes", "views")],
      [
        "subscribers, of touches, drivers",
        "\(both("subscribers", "touchReaders")), \(number(counters["drivers"]))",
      ],
      ["reloads, failed", both("reloads", "failedReloads")],
      ["log lines left out", number(counters["unlogged"])],
    ])
  }

  private static func latencies(_ counters: JSON) -> String {
    let rows = (counters["latencies"].asArray ?? []).map { latency in
      [text(latency["stage"])] + times(latency["duration"])
    }
    return table([["STAGE, µs", "FRAMES", "P50", "P99", "MAX"]] + rows)
  }

  private static func devices(_ counters: JSON) -> String {
    let rows = (counters["devices"].asArray ?? []).map { device in
      [text(device["path"]), number(device["frames"]), number(device["drops"]), text(device["name"])]
    }
    return rows.isEmpty ? "No device is read.\n" : table([["DEVICE", "FRAMES", "DROPS", "NAME"]] + rows)
  }

  private static func sockets(_ counters: JSON) -> String {
    let rows = (counters["sockets"].asArray ?? []).map { socket in
      [text(socket["socket"])] + ["connections", "accepted", "calls", "errors"].map { number(socket[$0]) }
    }
    let closed = (counters["closed"].asArray ?? []).filter { ($0["count"].asInteger ?? 0) > 0 }
      .map { "\(text($0["reason"])) \(number($0["count"]))" }
    return table([["SOCKET", "CONNECTIONS", "OF ALL", "CALLS", "ERRORS"]] + rows)
      + "refused or closed: \(closed.isEmpty ? "nobody" : closed.joined(separator: ", "))\n"
  }

  private static func plugins(_ counters: JSON) -> String {
    let rows = (counters["plugins"].asArray ?? []).map { plugin in
      [
        text(plugin["name"]), number(plugin["asked"]), number(plugin["refused"]),
        number(plugin["unanswered"]),
      ]
        + times(plugin["duration"]).dropFirst()
    }
    return rows.isEmpty
      ? "" : table([["PLUGIN, µs", "ASKED", "REFUSED", "UNANSWERED", "P50", "P99", "MAX"]] + rows)
  }

  private static func times(_ duration: JSON) -> [String] {
    [number(duration["count"])]
      + ["p50", "p99", "max"].map { duration[$0].isNull ? "-" : number(duration[$0]) }
  }
}
