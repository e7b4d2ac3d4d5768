import KeyliftClient
import Varlink

extension Command {
  static let reload = Command(
    name: "reload", summary: "Read the configuration again; for root", synopsis: "[--json]",
    details: """
        --json  one JSON object, with a member "changes"

      keyliftd goes by the new configuration at once, and says what has changed. If
      something is wrong with it, it says what and where, and goes on by the old one;
      keyliftctl check looks without changing anything. Applications stay attached, with
      focus and keyboard. systemctl reload keylift does the same.
      """,
    options: [Option("json")]
  ) { arguments, daemon in
    let control = Daemon(socket: daemon.socket.control)
    let reply = try control.call("io.keylift.Control.Reload", subject: "reload")
    if arguments.has("json") { return try Output.line(reply) }
    let changes = reply["changes"].asArray ?? []
    try Output.write(changes.isEmpty ? "Nothing has changed.\n" : changes.map(ReloadLine.text).joined())
  }
}

enum ReloadLine {
  /// `[Keyboard] Height 40% -> 192`
  static func text(_ change: JSON) -> String {
    let section = "[\(printable(change["section"].asString ?? ""))]"
    func value(_ key: String) -> String {
      guard let text = change[key].asString else { return "default" }
      return text.isEmpty ? "empty" : printable(text)
    }
    if let key = change["key"].asString {
      return "\(section) \(printable(key)) \(value("from")) -> \(value("to"))\n"
    }
    if change["from"].isNull { return "\(section) is new\n" }
    return change["to"].isNull ? "\(section) is gone\n" : "\(section) stands elsewhere\n"
  }
}
