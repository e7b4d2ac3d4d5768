extension Command {
  static let focus = Command(
    name: "focus", summary: "Make a view the first responder, as its application could",
    synopsis: "[--scene SCENE] VIEW",
    details: """
        --scene SCENE  the view's scene, by its id or its name; else the only one
      """,
    options: [Option("scene", takesArgument: true)], operands: 1...1
  ) { arguments, daemon in
    let view = arguments.operands[0]
    let scenes = try daemon.scenes(for: "focus")
    let scene =
      try arguments["scene"].map { wanted throws(Failure) in
        try scenes.scene(called: wanted, for: "focus")
      } ?? scenes.only(for: "focus")
    _ = try daemon.call("io.keylift.Scene.Focus", subject: "focus \(view)") { writer in
      writer.field("scene", scene.id)
      writer.field("view", view)
    }
  }
}
