import EventLoop
import Glibc
import Varlink

extension Command {
  static let stats = Command(
    name: "stats", summary: "What keyliftd has counted and measured since it began; for root",
    synopsis: "[--json | --openmetrics] [--watch]",
    details: """
        --json         one JSON object, as io.keylift.Monitor.Counters has it
        --openmetrics  for Prometheus and its kin, as OpenMetrics has it
        --watch        again each second, until Ctrl-C; not with --openmetrics.
                       While keyliftd is away it is waited for

      Times are in microseconds, p50 and p99 at most a sixteenth too high. A frame's
      way has three stages: kernel, from the kernel's stamp until keyliftd was awake
      to read it; decision, until it was decided what it means; delivery, until it was
      written to all whom it concerns. Delivery and whole are of frames that brought
      somebody something, and all are of one frame in 50 ms. A plugin's times are of
      its answers. DROPS counts how often the kernel lost events, as they were not
      read in time.
      """,
    options: [Option("json"), Option("openmetrics"), Option("watch")]
  ) { arguments, daemon in
    let form = try StatsForm(arguments)
    if arguments.has("watch") { return try StatsWatch(daemon, form).run() }
    guard form != .openMetrics else { return try Output.write(metrics(of: daemon)) }
    let counters = try daemon.call("io.keylift.Monitor.Counters", subject: "stats")
    try Output.write(form.text(of: counters))
  }

  /// All for a collector, by one connection.
  private static func metrics(of daemon: Daemon) throws(Failure) -> String {
    let client = try daemon.connect()
    do throws(ClientError) {
      let counters = try client.call("io.keylift.Monitor.Counters", timeout: Daemon.patience)
      let info = try client.call("org.varlink.service.GetInfo", timeout: Daemon.patience)
      let state = try client.snapshot(timeout: Daemon.patience)
      return OpenMetrics.text(
        of: counters, version: info["version"].asString ?? "", devices: state["devices"].asArray ?? [])
    } catch {
      throw daemon.failure(error, doing: "stats")
    }
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

  /// For programs as JSON, else as a page; a collector is told more than the counters.
  func text(of counters: JSON) -> String {
    guard self == .json else { return StatsTable.drawn(counters) }
    var writer = JSONWriter()
    writer.value(counters)
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }
}

/// The counters as a page for people.
enum StatsTable {
  static func drawn(_ counters: JSON) -> String {
    [summary(counters), latencies(counters), devices(counters), sockets(counters), plugins(counters)]
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// As many lines of it as there is room for, in their order.
  ///
  /// Blank lines go first, and then whole what matters least: how long frames take, who was closed and which device
  /// loses events stay longest.
  static func lines(_ counters: JSON, atMost rows: Int) -> [String] {
    func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
    let page = drawn(counters).dropLast().split(separator: "\n", omittingEmptySubsequences: false)
    guard page.count > rows else { return page.map(String.init) }
    let (summary, sockets) = (lines(summary(counters)), lines(sockets(counters)))
    let parts: [(rank: Int, lines: [String])] = [
      (0, Array(summary.prefix(2))), (5, Array(summary.dropFirst(2))), (1, lines(latencies(counters))),
      (3, lines(devices(counters))), (6, sockets.dropLast()), (2, sockets.suffix(1)),
      (4, lines(plugins(counters))),
    ]
    var rest = max(0, rows)
    var shown: [Int: ArraySlice<String>] = [:]
    for part in parts.sorted(by: { $0.rank < $1.rank }) {
      // A title alone says nothing.
      let room = rest == 1 && part.lines.count > 1 && part.rank > 0 ? 0 : rest
      shown[part.rank] = part.lines.prefix(room)
      rest -= min(room, part.lines.count)
    }
    return parts.flatMap { shown[$0.rank] ?? [] }
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
