import Varlink

extension Command {
  static let show = Command(
    name: "show", summary: "Show the keyboard, without a first responder", synopsis: "", details: ""
  ) { _, daemon in
    let reply = try daemon.call("io.keylift.Keyboard.Show", subject: "show")
    if let plugin = reply["refusedBy"].asString {
      throw Failure.refused("show: refused by \(printable(plugin)).")
    }
  }
}
