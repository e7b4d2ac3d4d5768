import EventLoop
import Geometry
import Glibc
import Varlink

extension Command {
  static let touches = Command(
    name: "touches", summary: "The fingers on the touchscreens, as a picture; for root",
    synopsis: "[--json] [--screen NAME] [--device MATCH]",
    details: """
        --screen NAME   this screen alone
        --device MATCH  this touchscreen alone: its node, vendor:product, name or udev
                        PROPERTY=value
        --json          one JSON object per line, the first without a touch: from then
                        on every touch is told

      On a terminal: a picture of the screen with each finger where keyliftd takes it
      to be, its way there, and below it in screen points and in the panel's own
      values. Where finger and picture disagree, the calibration is wrong: see
      keyliftctl calibrate. + is where a finger was lifted. Otherwise a line for each
      change: seconds, what, which touch, points, the panel's values, the node.
      """,
    options: [
      Option("json"), Option("screen", takesArgument: true), Option("device", takesArgument: true),
    ]
  ) { arguments, daemon in
    var panels = try daemon.panels(for: "touches")
    if let match = arguments["device"] { panels = try panels.matching(match, for: "touches") }
    let paths = arguments["device"] == nil ? nil : panels.map(\.path)
    let screens = (try daemon.snapshot(subject: "touches")["screens"].asArray ?? []).map(Screen.init)
    if let name = arguments["screen"], !screens.contains(where: { $0.name == name }) {
      let names = screens.map { printable($0.name) }.joined(separator: ", ")
      throw Failure.refused("touches: no screen \"\(name)\". There is: \(names).")
    }
    let watch = try Watch()
    let control = Daemon(socket: daemon.socket.control)
    let client = try control.connect()
    try control.send("io.keylift.Control.Touches", .more, on: client, subject: "touches")
    func isWanted(_ touch: SeenTouch) -> Bool {
      (arguments["screen"].map { $0 == touch.screen } ?? true) && (paths?.contains(touch.device) ?? true)
    }

    if arguments.has("json") || !Terminal.isOutput {
      var lines = TouchLines()
      try watch.follow(client, of: control, doing: "touches") { reply in
        let touch = SeenTouch(reply)
        if let touch, !isWanted(touch) { return }
        if arguments.has("json") { return try Output.line(reply) }
        if let touch { return try Output.line(lines.line(touch)) }
        for panel in panels where arguments["screen"].map({ $0 == panel.screen }) ?? true {
          try Output.line("watching \(panel.title) on \(printable(panel.screen))")
        }
      }
      return try watch.run()
    }

    let monitor = try daemon.connect()
    try daemon.send("io.keylift.Monitor.Subscribe", .more, on: monitor, subject: "touches") { writer in
      writer.field("notifications", ["screenChanged", "deviceAdded", "deviceRemoved"])
    }
    let terminal = Terminal()
    defer { terminal.leave() }
    var picture = TouchPicture(screens: screens, wanted: arguments["screen"], unicode: Terminal.isUnicode)
    try terminal.enter()
    func draw() throws {
      let size = terminal.size
      try terminal.show(picture.lines(size), in: size)
    }
    // Not for each movement of each finger, which no eye would see.
    var isDue = false
    let timer = try watch.timer {
      isDue = false
      try draw()
    }
    func drawSoon() {
      guard !isDue else { return }
      isDue = true
      timer.arm(at: EventLoop.now &+ 30_000)
    }
    try watch.on(SIGWINCH) { try draw() }
    try watch.follow(client, of: control, doing: "touches") { reply in
      guard let touch = SeenTouch(reply) else { return try draw() }  // from now on all is told
      guard isWanted(touch) else { return }
      picture.take(touch)
      drawSoon()
    }
    try watch.follow(monitor, of: daemon, doing: "touches") { state in
      picture.screens = (state["screens"].asArray ?? []).map(Screen.init)
      let isThere = (state["devices"].asArray ?? []).contains { $0["touch"] == .bool(true) }
      picture.remark = isThere ? nil : "no touchscreen any more"
      drawSoon()
    }
    try watch.run()
  }
}

/// Touches as lines for people.
struct TouchLines {
  private var start: UInt64?

  mutating func line(_ touch: SeenTouch) -> String {
    let begin = start ?? touch.time
    start = begin
    return [
      seconds(Int64(clamping: touch.time - min(begin, touch.time))), padded(touch.phase.rawValue, to: 9),
      padded("\(touch.id)", to: 5), padded(text(touch.position), to: 14),
      "raw \(padded(touch.raw.map(text) ?? "-", to: 14))", printable(touch.device), printable(touch.screen),
    ].joined(separator: "  ")
  }
}
