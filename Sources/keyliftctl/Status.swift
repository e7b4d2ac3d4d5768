import KeyliftClient
import Varlink

extension Command {
  static let status = Command(
    name: "status", summary: "Whether the daemon runs, and what it knows",
    synopsis: "[--json]",
    details: """
        --json  one JSON object

      Scenes of other users show to root, and to whom [Access] Monitor= names.
      """,
    options: [Option("json")]
  ) { arguments, daemon in
    let info = try daemon.call("org.varlink.service.GetInfo", subject: "status")
    let status = StatusPage(
      socket: daemon.socket.path, info: info, state: try daemon.snapshot(subject: "status"))
    if arguments.has("json") {
      try Output.line(status.json)
    } else {
      try Output.write(status.page)
    }
  }
}

/// What `status` says, from GetInfo's answer and a monitor's snapshot.
struct StatusPage {
  let socket: String
  let info: JSON
  let state: JSON

  private var scenes: [JSON] { state["scenes"].asArray ?? [] }
  private var screens: [JSON] { state["screens"].asArray ?? [] }
  private var devices: [JSON] { state["devices"].asArray ?? [] }
  private var focused: JSON? { scenes.first { !$0["focused"].isNull } }

  /// How many, and the names of the first of them.
  private var sceneList: String {
    guard !scenes.isEmpty else { return "0" }
    let names = scenes.prefix(8).map { SceneName($0).description } + (scenes.count > 8 ? ["..."] : [])
    return "\(scenes.count): \(names.joined(separator: ", "))"
  }

  var json: JSON {
    let responder = focused.map { scene in
      JSON.object([
        .init("scene", scene["scene"]), .init("name", scene["name"]), .init("view", scene["focused"]),
      ])
    }
    return .object([
      .init("socket", .string(socket)), .init("version", info["version"]),
      .init("instance", state["instance"]),
      .init("keyboard", state["keyboard"]), .init("firstResponder", responder ?? .null),
      .init("screens", state["screens"]), .init("scenes", .integer(Int64(scenes.count))),
      .init("devices", .integer(Int64(devices.count))),
    ])
  }

  var page: String {
    var rows = [
      ["Daemon", "\(text(info["product"])) \(text(info["version"])), instance \(text(state["instance"]))"],
      ["Socket", printable(socket)],
      ["Keyboard", StatusPage.keyboard(state["keyboard"])],
      [
        "First responder", focused.map { "\(text($0["focused"])) in \(SceneName($0).description)" } ?? "none",
      ],
    ]
    for screen in screens { rows.append(["Screen", StatusPage.screen(screen)]) }
    rows.append(["Scenes", sceneList])
    rows.append(["Devices", String(devices.count)])
    return table(rows)
  }

  /// `shown at 0,288 800x192, reason focus`; with how long it takes while it does.
  static func keyboard(_ keyboard: JSON) -> String {
    let phase = text(keyboard["phase"])
    let isShowing = phase == "shown" || phase == "willShow"
    let place = isShowing ? " at \(rect(keyboard["frame"]))\(floating(keyboard))" : ""
    let duration = phase.hasPrefix("will") ? within(keyboard["duration"]) : ""
    let reason = text(keyboard["reason"])
    return phase + place + duration + (reason == "none" || reason.isEmpty ? "" : ", reason \(reason)")
  }

  static func floating(_ keyboard: JSON) -> String { keyboard["docked"] == .bool(false) ? " floating" : "" }

  /// A screen as Monitor has it, or with a size of its own as Scene has it.
  static func screen(_ screen: JSON) -> String {
    let extent = size(screen["size"].isNull ? screen : screen["size"])
    let rotation = screen["rotation"].asInteger ?? 0
    return "\(text(screen["name"])) \(extent)\(rotation == 0 ? "" : ", rotated by \(rotation)")"
  }
}
