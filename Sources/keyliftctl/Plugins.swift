import KeyliftClient
import Varlink

extension Command {
  static let plugins = Command(
    name: "plugins", summary: "The plugins that decide, in the order in which they are asked; for root",
    synopsis: "[--json]",
    details: """
        --json  one JSON object, with a member "plugins"

      A plugin that does not answer in time, or not as it should, is passed over; after
      three times in a row it rests for a while. The log says why.
      """,
    options: [Option("json")]
  ) { arguments, daemon in
    let control = Daemon(socket: daemon.socket.control)
    let plugins = try control.call("io.keylift.Control.Plugins", subject: "plugins")["plugins"]
    if arguments.has("json") { return try Output.line(.object([.init("plugins", plugins)])) }
    try Output.write(PluginTable.drawn(plugins.asArray ?? []))
  }
}

enum PluginTable {
  static func drawn(_ plugins: [JSON]) -> String {
    guard !plugins.isEmpty else { return "No plugins.\n" }
    let rows = plugins.map { plugin in
      [
        text(plugin["name"]), number(plugin["order"]), state(plugin), number(plugin["asked"]),
        number(plugin["refused"]), number(plugin["unanswered"]),
        (plugin["transitions"].asArray ?? []).map(text).joined(separator: ", "),
      ]
    }
    return table([["NAME", "ORDER", "STATE", "ASKED", "REFUSED", "UNANSWERED", "DECIDES ABOUT"]] + rows)
  }

  /// `ready`, or `resting, again in 3.2 s`.
  private static func state(_ plugin: JSON) -> String {
    let state = text(plugin["state"])
    guard let seconds = plugin["retryIn"].asDouble else { return state }
    return "\(state), again in \(decimal(seconds, places: 1)) s"
  }
}
