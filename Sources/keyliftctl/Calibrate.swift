import EventLoop
import Geometry
import Glibc
import Varlink

extension Command {
  static let calibrate = Command(
    name: "calibrate", summary: "Find a touchscreen's matrix by touching crosses; for root",
    synopsis: "[--json] [--device MATCH] [--terminal PATH]\n"
      + "                            [--crosses N | --points X,Y ... | --taps FILE]",
    details: """
      Draws crosses, one after the other. Touch the middle of each, and hold the
      finger for a moment. Then it prints the lines for the configuration, and by how
      much the touches are off, in points of the screen. It changes nothing itself.

        --device MATCH   the touchscreen, if there are several: its node,
                         vendor:product, name or udev PROPERTY=value
        --crosses N      4 to 9; else 5: the corners and the middle
        --terminal PATH  draw on this terminal, such as /dev/tty1; else on this one.
                         It must fill the screen
        --points X,Y ... draw nothing and ask for touches at these screen points, 4 or
                         more: for crosses that something else draws, or on a template
        --taps FILE      compute from touches written down; - reads standard input
        --json           one JSON object, which --taps takes again

      The touches go to the application too, so stop it first or cover it. Over ssh
      use --terminal or --points, since the crosses must be on the touchscreen.

      A line of a FILE is a touch: the screen point and the values of the panel's
      axes, as keyliftctl touches shows them. Without keyliftd these come first, as
      in the configuration:

        Size=800x480
        Range=0 4095 0 4095
        80,48 410,402.5

      and Rotation=, SwapAxes=, InvertX=, InvertY= if they are set.
      """,
    options: [
      Option("json"), Option("device", takesArgument: true), Option("terminal", takesArgument: true),
      Option("crosses", takesArgument: true), Option("points"), Option("taps", takesArgument: true),
    ], operands: 0...64
  ) { arguments, daemon in
    let request = try CalibrationRequest(arguments)
    var report: CalibrationReport
    if case .taps(let name) = request.source {
      let bytes = try InputFile(name: name).contents(limit: 1 << 20, of: "touches")
      let file = try TapFile(bytes, title: InputFile(name: name).title)
      if let mapping = file.mapping {
        report = try CalibrationReport(file.taps, mapping, section: request.device ?? file.section)
      } else {
        let (panel, mapping, section) = try daemon.panel(for: request)
        report = try CalibrationReport(file.taps, mapping, section: section)
        report.panel = panel
      }
    } else {
      let (panel, mapping, section) = try daemon.panel(for: request)
      let taps = try daemon.taps(on: panel, mapping, request)
      report = try CalibrationReport(taps, mapping, section: section)
      report.panel = panel
    }
    if arguments.has("json") { return try Output.line(report.json) }
    try Output.write(report.lines)
    for line in report.advice { Output.remark(line) }
  }
}

/// What `calibrate` was asked for.
struct CalibrationRequest: Equatable {
  enum Source: Equatable {
    case crosses(Int)
    case points([Point])
    case taps(String)
  }

  var source: Source
  var device: String?
  var terminal: String?

  /// Throws: which option's value is no use, or which do not go together.
  init(_ arguments: Arguments) throws(Failure) {
    device = arguments["device"]
    terminal = arguments["terminal"]
    let sources = ["crosses", "points", "taps"].filter(arguments.has)
    if sources.count > 1 {
      throw .usage("calibrate: --\(sources[0]) and --\(sources[1]) do not go together.")
    }
    if terminal != nil, arguments.has("points") || arguments.has("taps") {
      throw .usage("calibrate: --terminal: nothing is drawn with --\(sources[0]).")
    }
    if arguments.has("points") {
      guard arguments.operands.count >= Calibration.fewest else {
        throw .usage("calibrate: --points: give \(Calibration.fewest) points or more, such as 80,48 720,48.")
      }
      var points: [Point] = []
      for word in arguments.operands {
        guard let point = Point(word) else {
          throw .usage("calibrate: \"\(word)\" is no point. Give X,Y in screen points, such as 80,48.")
        }
        points.append(point)
      }
      source = .points(points)
      return
    }
    if let surplus = arguments.operands.first {
      throw .usage("calibrate: there is no place for \"\(surplus)\". See keyliftctl calibrate --help.")
    }
    if let file = arguments["taps"] {
      source = .taps(file)
      return
    }
    let most = CrossPage.places.count
    guard let count = Int(arguments["crosses"] ?? "5"), (Calibration.fewest...most).contains(count) else {
      throw .usage(
        "calibrate: --crosses: \"\(arguments["crosses"] ?? "")\" is no number from "
          + "\(Calibration.fewest) to \(most).")
    }
    source = .crosses(count)
  }
}

extension Point {
  /// From `X,Y`, two numbers of at most 1e9.
  init?(_ text: some StringProtocol) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Double($0) }.filter { abs($0) <= 1e9 }
    guard words.count == 2, numbers.count == 2 else { return nil }
    self.init(x: numbers[0], y: numbers[1])
  }
}

extension Daemon {
  /// The one touchscreen that is meant, how it maps, and the MATCH of a section for it.
  fileprivate func panel(for request: CalibrationRequest) throws(Failure) -> (Panel, PanelMapping, String) {
    let all = try panels(for: "calibrate")
    let meant = try request.device.map { match throws(Failure) in
      try all.matching(match, for: "calibrate")
    }
    let panels = meant ?? all
    guard let panel = panels.first, panels.count == 1 else {
      throw .refused(
        "calibrate: there are several touchscreens. Choose one with --device: \(panels.list).")
    }
    let screens = (try snapshot(subject: "calibrate")["screens"].asArray ?? []).map(Screen.init)
    guard let mapping = panel.mapping(on: screens) else {
      throw .refused(
        "calibrate: this keyliftd does not say how \(panel.title) is mapped. Is it an older version?")
    }
    return (panel, mapping, request.device ?? panel.section(among: all))
  }

  /// Asks for touches, one after the other.
  fileprivate func taps(
    on panel: Panel, _ mapping: PanelMapping, _ request: CalibrationRequest
  ) throws -> [Tap] {
    let watch = try Watch()  // takes the signals, before there is a terminal to give back
    let page: any CalibrationPage
    switch request.source {
    case .points(let points):
      if let outside = points.first(where: { !mapping.screen.bounds.contains($0) }) {
        throw Failure.refused(
          "calibrate: \(text(outside)) is not on the screen, which is \(mapping.screen.title).")
      }
      page = PointPage(points)
    case .crosses(let count): page = try CrossPage(count, on: mapping.screen, request.terminal)
    case .taps: return []
    }
    defer { page.close() }
    var session = TapSession(
      places: page.places, collector: TapCollector(device: panel.path, panel: mapping))
    let control = Daemon(socket: socket.control)
    let client = try control.connect()
    try control.send("io.keylift.Control.Touches", .more, on: client, subject: "calibrate")
    try watch.follow(client, of: control, doing: "calibrate") { [unowned watch] reply in
      if session.isDone { return }
      if let touch = SeenTouch(reply) {
        guard session.take(touch) else { return }
      }
      if session.isDone { return watch.end() }
      try page.show(session)
    }
    try watch.on(SIGWINCH) {
      session.places = page.places
      try page.show(session)
    }
    try watchForChanges(of: panel, mapping, watch)
    try watch.run()
    guard session.isDone else {
      throw Failure.refused("calibrate: ended before all was touched; nothing is computed.")
    }
    return session.taps
  }

  /// What was touched before is worth nothing if the panel goes, or its screen becomes another.
  private func watchForChanges(of panel: Panel, _ mapping: PanelMapping, _ watch: Watch) throws {
    let monitor = try connect()
    try send("io.keylift.Monitor.Subscribe", .more, on: monitor, subject: "calibrate") { writer in
      writer.field("notifications", ["screenChanged", "deviceRemoved"])
    }
    try watch.follow(monitor, of: self, doing: "calibrate") { state in
      guard (state["devices"].asArray ?? []).contains(where: { $0["path"].asString == panel.path }) else {
        throw Failure.refused("calibrate: the touchscreen is gone: \(panel.title). Begin again.")
      }
      guard (state["screens"].asArray ?? []).map(Screen.init).contains(mapping.screen) else {
        throw Failure.refused("calibrate: the screen is another now. Begin again.")
      }
    }
  }
}

extension Panel {
  /// What a [Device MATCH] section matches it alone by: vendor:product, else its name, else its node.
  func section(among panels: [Panel]) -> String {
    if !id.isEmpty, id != "0000:0000", panels.count(where: { $0.id == id }) == 1 { return id }
    let isPlain = !name.isEmpty && name.first != " " && name.last != " " && printable(name) == name
    if isPlain, !name.contains("]"), panels.count(where: { $0.name == name }) == 1 { return name }
    return path
  }
}
