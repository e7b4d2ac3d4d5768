import Varlink

extension Command {
  static let hide = Command(
    name: "hide", summary: "Hide the keyboard; the first responder resigns", synopsis: "", details: ""
  ) { _, daemon in
    let reply = try daemon.call("io.keylift.Keyboard.Hide", subject: "hide")
    if let plugin = reply["refusedBy"].asString {
      throw Failure.refused("hide: refused by \(printable(plugin)).")
    }
  }
}
