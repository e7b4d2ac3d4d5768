import Testing
import Varlink

@testable import keyliftctl

private let duration =
  #"{"count":3,"total":1500042,"p50":30,"p99":1500001,"max":1500001,"#
  + #""buckets":[{"below":16,"count":1},{"below":1048576,"count":2}]}"#

private func counters() throws -> JSON {
  try json(
    """
    {"instance":"0123","uptime":90061.5,"memory":8388608,"frames":1200,"drops":1,"touches":40,"states":80,
     "merged":5,"shows":10,"hides":9,"reloads":1,"failedReloads":2,"unlogged":41,"scenes":1,"views":12,
     "subscribers":2,"touchReaders":1,"drivers":1,
     "devices":[{"path":"/dev/input/event3","name":"A \\"Panel\\"","frames":1000,"drops":1}],
     "latencies":[{"stage":"kernel","duration":\(duration)},
       {"stage":"whole","duration":{"count":0,"total":0,"p50":null,"p99":null,"max":null,"buckets":[]}}],
     "sockets":[{"socket":"main","accepted":20,"calls":30,"errors":1,"connections":4}],
     "closed":[{"reason":"stall","count":2},{"reason":"unsent","count":0}],
     "plugins":[{"name":"night","socket":"/run/keylift/plugins/night.sock","asked":5,"refused":1,
       "unanswered":2,"duration":\(duration)}]}
    """)
}

@Test("stats: a page of tables")
func statsPage() throws {
  #expect(
    StatsTable.drawn(try counters()) == """
      up for                            25 h, 8 MiB in memory
      frames, drops                     1200, 1
      touches                           40
      states, merged                    80, 5
      keyboard shown, hidden            10, 9
      scenes, views                     1, 12
      subscribers, of touches, drivers  2, 1, 1
      reloads, failed                   1, 2
      log lines left out                41

      STAGE, µs  FRAMES  P50  P99      MAX
      kernel     3       30   1500001  1500001
      whole      0       -    -        -

      DEVICE             FRAMES  DROPS  NAME
      /dev/input/event3  1000    1      A "Panel"

      SOCKET  CONNECTIONS  OF ALL  CALLS  ERRORS
      main    4            20      30     1
      refused or closed: stall 2

      PLUGIN, µs  ASKED  REFUSED  UNANSWERED  P50  P99      MAX
      night       5      1        2           30   1500001  1500001

      """)
}

@Test("stats: of a daemon that nothing has happened to, no table is empty")
func statsOfNothing() throws {
  let page = StatsTable.drawn(
    try json(
      #"{"uptime":0.5,"memory":null,"devices":[],"latencies":[],"sockets":[],"closed":[],"plugins":[]}"#))
  #expect(page.hasPrefix("up for                            0.5 s, ? in memory\n"))
  #expect(page.contains("No device is read.\n"))
  #expect(page.hasSuffix("refused or closed: nobody\n"))
}

@Test(
  "stats: where there are fewer rows, blank lines go first, then what matters least, and no title is alone")
func statsInFewRows() throws {
  let counters = try counters()
  let page = StatsTable.drawn(counters).split(separator: "\n", omittingEmptySubsequences: false)
    .dropLast().map(String.init)
  #expect(StatsTable.lines(counters, atMost: page.count) == page)
  let dense = page.filter { !$0.isEmpty }
  #expect(StatsTable.lines(counters, atMost: page.count - 1) == dense)
  for rows in 0..<dense.count {
    let lines = StatsTable.lines(counters, atMost: rows)
    #expect(lines.count <= rows && lines.count >= rows - 1)
    #expect(lines == dense.filter(lines.contains), "in their order")
    #expect(lines.last?.hasPrefix("SOCKET") != true && lines.last?.hasPrefix("DEVICE") != true)
  }
  #expect(
    StatsTable.lines(counters, atMost: 7) == dense.prefix(2) + dense[9...11] + ["refused or closed: stall 2"])
}

@Suite("stats: OpenMetrics") struct OpenMetricsTests {
  private func lines() throws -> [String] {
    let devices = try json(#"[{"touch":true},{"touch":false},{"touch":true}]"#).asArray ?? []
    return OpenMetrics.text(of: try counters(), version: "1.2", devices: devices)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("ends as it should, and each family is described before its samples, which are together") func order()
    throws
  {
    let lines = try lines()
    #expect(lines.suffix(2) == ["# EOF", ""])
    var described: [String] = []
    for line in lines.dropLast(2) {
      if line.hasPrefix("# TYPE ") {
        let name = String(line.split(separator: " ")[2])
        #expect(!described.contains(name))
        described.append(name)
      } else if !line.hasPrefix("#") {
        #expect(line.hasPrefix(described.last ?? "-"), "\(line)")
      }
    }
  }

  @Test(
    "values, with their labels escaped",
    arguments: [
      #"keylift_build_info{version="1.2"} 1"#, "keylift_touchscreens 2", "keylift_uptime_seconds 90061.5",
      "keylift_memory_bytes 8388608", "keylift_frames_total 1200",
      #"keylift_device_frames_total{device="/dev/input/event3",name="A \"Panel\""} 1000"#,
      #"keylift_closed_total{reason="unsent"} 0"#,
      #"keylift_latency_seconds_bucket{stage="kernel",le="0.000015"} 1"#,
      #"keylift_latency_seconds_bucket{stage="kernel",le="1.048575"} 2"#,
      #"keylift_latency_seconds_bucket{stage="kernel",le="+Inf"} 3"#,
      #"keylift_latency_seconds_count{stage="kernel"} 3"#,
      #"keylift_latency_seconds_sum{stage="kernel"} 1.500042"#,
      #"keylift_plugin_unanswered_total{plugin="night",socket="/run/keylift/plugins/night.sock"} 2"#,
    ]) func values(line: String) throws
  { #expect(try lines().contains(line)) }
}

@Test("stats: what does not go together is refused")
func statsForms() throws {
  func form(_ options: String...) throws -> StatsForm {
    try StatsForm(Arguments(options: Dictionary(uniqueKeysWithValues: options.map { ($0, "") })))
  }
  #expect(try form() == .table)
  #expect(try form("json", "watch") == .json)
  #expect(throws: Failure.self) { try form("json", "openmetrics") }
  #expect(throws: Failure.self) { try form("openmetrics", "watch") }
}
