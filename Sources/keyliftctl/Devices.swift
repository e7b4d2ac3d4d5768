import KeyliftClient
import Varlink

extension Command {
  static let devices = Command(
    name: "devices", summary: "The input devices that are read; for root, all that were found",
    synopsis: "[--json]",
    details: """
        --json  one JSON object, with a member "devices"

      For root, over the control socket: every event node, what it is taken for,
      whether it is used, and why not.
      """,
    options: [Option("json")]
  ) { arguments, daemon in
    let (devices, isAll) = try found(by: daemon)
    if arguments.has("json") { return try Output.line(.object([.init("devices", .array(devices))])) }
    try Output.write(isAll ? DeviceTable.nodes(devices) : DeviceTable.devices(devices))
  }

  /// All nodes if the control socket lets us ask, else the devices that any client may know of.
  private static func found(by daemon: Daemon) throws(Failure) -> (devices: [JSON], isAll: Bool) {
    let control = Daemon(socket: daemon.socket.control)
    let client: Client
    do throws(DaemonError) {
      client = try control.socket.connect()
    } catch {
      switch error.cause {
      case .permissionDenied, .noSocket, .notListening:
        return (try daemon.snapshot(subject: "devices")["devices"].asArray ?? [], false)
      default: throw Failure(error)
      }
    }
    do throws(ClientError) {
      let answer = try client.call("io.keylift.Control.Devices", timeout: Daemon.patience)
      return (answer["devices"].asArray ?? [], true)
    } catch {
      throw control.failure(error, doing: "devices")
    }
  }
}

enum DeviceTable {
  /// Monitor's devices.
  static func devices(_ devices: [JSON]) -> String {
    guard !devices.isEmpty else { return "No input devices are read.\n" }
    let rows = devices.map { device in
      [text(device["path"]), text(device["name"]), reads(device), text(device["screen"])]
    }
    return table([["PATH", "NAME", "READ FOR", "SCREEN"]] + rows)
  }

  /// Control's nodes.
  static func nodes(_ nodes: [JSON]) -> String {
    guard !nodes.isEmpty else { return "No input devices were found.\n" }
    let rows = nodes.map { node in
      [
        text(node["path"]), text(node["id"]), text(node["name"]), text(node["kind"]),
        node["used"] == .bool(true) ? reads(node) : "not used",
        text(node["screen"]), node["why"].isNull ? range(node) : text(node["why"]),
      ]
    }
    return table([["PATH", "ID", "NAME", "KIND", "READ FOR", "SCREEN", "RANGE, OR WHY NOT"]] + rows)
  }

  static func reads(_ device: JSON) -> String {
    let what = ["touch", "keys"].filter { device[$0] == .bool(true) }
    return what.isEmpty ? "nothing" : what.joined(separator: ", ")
  }

  private static func range(_ node: JSON) -> String {
    func axis(_ key: String) -> String? {
      node[key].isNull ? nil : "\(number(node[key][0]))...\(number(node[key][1]))"
    }
    return [axis("rangeX"), axis("rangeY")].compactMap(\.self).joined(separator: " by ")
  }
}
