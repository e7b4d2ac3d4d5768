extension Command {
  static let resign = Command(
    name: "resign", summary: "Make the first responder resign, which hides the keyboard",
    synopsis: "[--scene SCENE]",
    details: """
        --scene SCENE  whose first responder, by its id or its name; else the one there is
      """,
    options: [Option("scene", takesArgument: true)]
  ) { arguments, daemon in
    let scenes = try daemon.scenes(for: "resign")
    let scene =
      try arguments["scene"].map { wanted throws(Failure) in
        try scenes.scene(called: wanted, for: "resign")
      } ?? scenes.focused(for: "resign")
    _ = try daemon.call("io.keylift.Scene.Resign", subject: "resign") { $0.field("scene", scene.id) }
  }
}
