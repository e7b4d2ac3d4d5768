extension Command {
  static let show = Command(
    name: "show", summary: "Show the keyboard, without a first responder", synopsis: "", details: ""
  ) { _, daemon in
    _ = try daemon.call("io.keylift.Keyboard.Show", subject: "show")
  }
}
