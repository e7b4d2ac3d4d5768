import Geometry
import KeyliftClient
import KeyliftProtocol
import Varlink

extension Command {
  static let tree = Command(
    name: "tree", summary: "The scenes' views as the daemon has them; for root",
    synopsis: "[--json | --svg FILE] [--at X,Y] [--screen NAME] [SCENE]",
    details: """
        SCENE          one scene, by its id or its name; else all
        --at X,Y       say what a touch at this point of the screen would do, and why,
                       and mark its way in the tree. Nothing is touched
        --screen NAME  the screen of --at and --svg; else the first, and for --svg alone
                       that of the first scene
        --svg FILE     draw the screen instead, as a picture that a browser shows; -
                       writes it to standard output
        --json         one JSON object per scene and line; with --at, before them one
                       with what the touch would do

      A view's frame is in its parent's coordinates; "seen at" is where it is on the
      screen, if that is elsewhere. What differs from its kind's default follows, such
      as "resigns tap"; * marks the first responder. With --at, at the left:

        =>  what the touch hits      x  what is around that and does not get it
         >  what gets it too         -  what lies there in front and cannot be hit

      Why does a tap on a label in a list not dismiss the keyboard?

        keyliftctl tree --at 400,120

      In the picture views are coloured by kind: view, control, textInput, scroll.
      Dashed is what is hidden, or cannot be touched.
      """,
    options: [
      Option("json"), Option("svg", takesArgument: true), Option("at", takesArgument: true),
      Option("screen", takesArgument: true),
    ], operands: 0...1
  ) { arguments, daemon in
    let request = try TreeRequest(arguments)
    let control = Daemon(socket: daemon.socket.control)
    let all = try trees(of: control)
    var scenes = all
    if let wanted = request.scene {
      let chosen = try all.map { SceneName($0.scene) }.scene(called: wanted, for: "tree")
      scenes.removeAll { $0.scene["scene"].asString != chosen.id }
    }
    let answer = try request.point.map { point in
      TouchAnswer(
        try control.call("io.keylift.Control.HitTest", subject: "tree") { writer in
          if let screen = request.screen { writer.field("screen", screen) }
          writer.object("position") { writer in
            writer.field("x", point.x)
            writer.field("y", point.y)
          }
        }, scenes: all.map(\.scene))
    }
    if let file = request.picture {
      let picture = try ScreenPicture(scenes, on: answer?.screen ?? request.screen, answer)
      return try OutputFile(file).write(Array(picture.svg.utf8))
    }
    if arguments.has("json") {
      if let answer { try Output.line(.object([.init("touch", answer.reply)])) }
      for tree in scenes {
        try Output.line(.object([.init("scene", tree.scene), .init("views", .array(tree.views))]))
      }
      return
    }
    if let answer { try Output.write(answer.page(columns: Terminal.columns) + "\n") }
    guard let first = all.first else { return try Output.line("No scenes.") }
    try Output.line(SceneTree.keyboard(first.scene["keyboard"]))
    let branches = SceneTree.Branches(unicode: Terminal.isUnicode)
    try Output.write("\n" + scenes.map { $0.drawn(with: branches, answer) }.joined(separator: "\n"))
  }

  private static func trees(of control: Daemon) throws(Failure) -> [SceneTree] {
    let client = try control.connect()
    var trees: [SceneTree] = []
    do throws(ClientError) {
      try client.send("io.keylift.Control.Tree", .more)
      while true {
        let reply = try client.next(timeout: Daemon.patience)
        // Without a scene there is nothing that a reply could say.
        if reply.error == KeyliftError.controlNoSuchScene, trees.isEmpty { return [] }
        if let error = reply.error { throw ClientError.varlink(VarlinkError(error, reply.parameters)) }
        let (scene, views) = (reply.parameters["scene"], reply.parameters["views"].asArray ?? [])
        if let last = trees.indices.last, trees[last].scene["scene"] == scene["scene"] {
          trees[last].views += views
        } else {
          trees.append(SceneTree(scene: scene, views: views))
        }
        if !reply.continues { return trees }
      }
    } catch {
      throw control.failure(error, doing: "tree")
    }
  }
}

/// What `tree` was asked for.
struct TreeRequest: Equatable {
  var scene: String?
  var point: Point?
  var screen: String?
  /// The file that the picture goes to.
  var picture: String?

  /// Throws: which option's value is no use, or which do not go together.
  init(_ arguments: Arguments) throws(Failure) {
    scene = arguments.operands.first
    screen = arguments["screen"]
    picture = arguments["svg"]
    if picture != nil, arguments.has("json") {
      throw .usage("tree: --json and --svg do not go together.")
    }
    if let word = arguments["at"] {
      guard let point = Point(word) else {
        throw .usage("tree: --at: \"\(word)\" is no point. Give X,Y in screen points, such as 400,120.")
      }
      self.point = point
    }
    if screen != nil, point == nil, picture == nil {
      throw .usage("tree: --screen goes with --at or --svg.")
    }
  }
}
