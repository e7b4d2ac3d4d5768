extension Command {
  static let hide = Command(
    name: "hide", summary: "Hide the keyboard; the first responder resigns", synopsis: "", details: ""
  ) { _, daemon in
    _ = try daemon.call("io.keylift.Keyboard.Hide", subject: "hide")
  }
}
