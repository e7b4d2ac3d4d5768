import KeyliftClient
import Varlink

extension Command {
  static let devices = Command(
    name: "devices", summary: "The input devices that are read; for root, all that were found",
    synopsis: "[--json]",
    details: """
        --json  one JSON object, with a member "devices"

      For root, over the control socket: every event node, what it is taken for,
      whether it is used, and why not. Of a touchscreen that is used also how its
      axes become points, and which filters are on. "From" names the sections of
      the configuration that are for it.
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

  /// Control's nodes: a row for each, and below it what takes more room.
  static func nodes(_ nodes: [JSON]) -> String {
    guard !nodes.isEmpty else { return "No input devices were found.\n" }
    let rows = nodes.map { node in
      [
        text(node["path"]), text(node["id"]), text(node["kind"]),
        node["used"] == .bool(true) ? reads(node) : "not used", text(node["screen"]), text(node["name"]),
      ]
    }
    let lines = table([["PATH", "ID", "KIND", "READ FOR", "SCREEN", "NAME"]] + rows)
      .split(separator: "\n", omittingEmptySubsequences: false)
    var result = "\(lines[0])\n"
    for (line, node) in zip(lines.dropFirst(), nodes) {
      result += "\(line)\n"
      for detail in details(node) { result += "    \(detail)\n" }
    }
    return result
  }

  static func reads(_ device: JSON) -> String {
    let what = ["touch", "keys"].filter { device[$0] == .bool(true) }
    return what.isEmpty ? "nothing" : what.joined(separator: ", ")
  }

  /// Lines on how a node is used, or why it is not.
  private static func details(_ node: JSON) -> [String] {
    var lines: [String] = []
    if !node["why"].isNull { lines.append("why not: \(text(node["why"]))") }
    if node["kind"].asString == "touchscreen" {
      let axes = [range(node), contacts(node), node["grabbed"] == .bool(true) ? "grabbed" : nil]
      lines.append(axes.compactMap(\.self).joined(separator: "; "))
    }
    if let mapping = self.mapping(node["mapping"], of: node) { lines.append(mapping) }
    if let filters = self.filters(node["filters"]) { lines.append("filters: \(filters)") }
    let sections = (node["sections"].asArray ?? []).map { "[Device \(text($0))]" }
    if !sections.isEmpty { lines.append("from \(sections.joined(separator: ", "))") }
    return lines.filter { !$0.isEmpty }
  }

  private static func range(_ node: JSON) -> String? {
    node["rangeX"].isNull || node["rangeY"].isNull ? nil : "range \(ranges(node))"
  }

  /// `0...799 by 0...479`
  private static func ranges(_ node: JSON) -> String {
    ["rangeX", "rangeY"].map { "\(number(node[$0][0]))...\(number(node[$0][1]))" }.joined(separator: " by ")
  }

  private static func contacts(_ node: JSON) -> String? {
    switch node["contacts"].asString {
    case "single": "one finger"
    case "slots": count(Int(clamping: node["slots"].asInteger ?? 0), "slot")
    case "anonymous": "fingers without numbers (protocol A)"
    default: nil
    }
  }

  private static func mapping(_ mapping: JSON, of node: JSON) -> String? {
    if mapping.isNull { return nil }
    var facts: [String] = []
    if mapping["rangeX"] != node["rangeX"] || mapping["rangeY"] != node["rangeY"] {
      facts.append("read as \(ranges(mapping))")
    }
    let flags = [("swapAxes", "X and Y swapped"), ("invertX", "X inverted"), ("invertY", "Y inverted")]
    facts += flags.filter { mapping[$0.0] == .bool(true) }.map(\.1)
    if let source = mapping["matrixFrom"].asString {
      let matrix = (mapping["matrix"].asArray ?? []).map { decimal($0.asDouble ?? 0, places: 6) }
      facts.append("matrix \(matrix.joined(separator: " ")) (\(source == "udev" ? "udev" : "configuration"))")
    }
    facts.append("rotated by \(number(mapping["rotation"]))")
    return facts.joined(separator: "; ")
  }

  private static func filters(_ filters: JSON) -> String? {
    func fact(_ key: String, _ words: (JSON) -> String) -> String? {
      filters[key].isNull ? nil : words(filters[key])
    }
    func milliseconds(_ value: JSON) -> String { "\(decimal((value.asDouble ?? 0) / 1000, places: 3)) ms" }
    let facts = [
      fact("fuzz") { "fuzz \(number($0))" },
      fact("kernelFuzz") { "fuzz \(number($0)) (kernel)" },
      fact("minimumPressure") { "pressure \(number($0)) at least" },
      fact("minimumTime") { "touches under \(milliseconds($0)) disregarded" },
      fact("debounce") { "lifts under \(milliseconds($0)) disregarded" },
      fact("deadZones") { zones in "dead at \((zones.asArray ?? []).map(rect).joined(separator: " and "))" },
    ].compactMap(\.self)
    return facts.isEmpty ? nil : facts.joined(separator: ", ")
  }
}
