extension Command {
  static let rotate = Command(
    name: "rotate", summary: "Turn a screen and the touchscreens on it; for root",
    synopsis: "[SCREEN] DEGREES",
    details: """
        SCREEN   its name, as status lists it; else the first screen
        DEGREES  0, 90, 180 or 270, clockwise from the panel as it is built

      It tells keyliftd that the picture is turned, and does not turn the picture:
      that is the display server's business (wlr-randr, xrandr, fbcon=rotate).
      It holds until keyliftd ends. To keep it, set Rotation= in the screen's section
      of /etc/keylift/keylift.conf.
      """,
    operands: 1...2
  ) { arguments, daemon in
    let words = arguments.operands
    let rotation = try degrees(words[words.count - 1])
    let control = Daemon(socket: daemon.socket.control)
    _ = try control.call("io.keylift.Control.SetRotation", subject: "rotate") { writer in
      if words.count == 2 { writer.field("screen", words[0]) }
      writer.field("rotation", rotation)
    }
  }

  /// Throws: that it is no quarter of a turn.
  static func degrees(_ text: String) throws(Failure) -> Int {
    guard let degrees = Int(text), [0, 90, 180, 270].contains(degrees) else {
      throw .usage("rotate: \"\(text)\" is no rotation. Give 0, 90, 180 or 270 degrees, clockwise.")
    }
    return degrees
  }
}
