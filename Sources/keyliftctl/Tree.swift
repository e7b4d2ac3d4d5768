import KeyliftClient
import KeyliftProtocol
import Varlink

extension Command {
  static let tree = Command(
    name: "tree", summary: "The scenes' views as the daemon has them; for root",
    synopsis: "[--json] [SCENE]",
    details: """
        SCENE   one scene, by its id or its name; else all
        --json  one JSON object per scene and line

      A view's frame is in its parent's coordinates. What differs from its kind's
      default follows, such as "resigns tap"; * marks the first responder.
      """,
    options: [Option("json")], operands: 0...1
  ) { arguments, daemon in
    var scenes = try trees(of: Daemon(socket: daemon.socket.control))
    if let wanted = arguments.operands.first {
      let chosen = try scenes.map { SceneName($0.scene) }.scene(called: wanted, for: "tree")
      scenes.removeAll { $0.scene["scene"].asString != chosen.id }
    }
    if arguments.has("json") {
      for tree in scenes {
        try Output.line(.object([.init("scene", tree.scene), .init("views", .array(tree.views))]))
      }
      return
    }
    if scenes.isEmpty { return try Output.line("No scenes.") }
    let branches = SceneTree.Branches(unicode: Terminal.isUnicode)
    try Output.write(scenes.map { $0.drawn(with: branches) }.joined(separator: "\n"))
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

/// A scene of Control and its views, parents first.
struct SceneTree {
  var scene: JSON
  var views: [JSON]

  /// What joins a view to its parent.
  struct Branches {
    let child: String
    let last: String
    let through: String
    let none: String

    init(unicode: Bool) {
      child = unicode ? "├─ " : "|- "
      last = unicode ? "└─ " : "`- "
      through = unicode ? "│  " : "|  "
      none = "   "
    }
  }

  func drawn(with branches: Branches) -> String {
    let depths = views.map { Int($0["depth"].asInteger ?? 0) }
    let isLast = SceneTree.lastChildren(depths)
    var result = heading + "\n"
    /// Whether the ancestor of each depth was the last of its parent's children.
    var ended: [Bool] = []
    for (index, view) in views.enumerated() {
      ended.removeLast(max(0, ended.count - depths[index]))
      for isLast in ended { result += isLast ? branches.none : branches.through }
      result += isLast[index] ? branches.last : branches.child
      result += SceneTree.line(view) + "\n"
      ended.append(isLast[index])
    }
    return result
  }

  /// For each depth in a list parents first, whether no sibling follows.
  private static func lastChildren(_ depths: [Int]) -> [Bool] {
    var result = Array(repeating: true, count: depths.count)
    /// By depth, whether a sibling was seen, from the back.
    var seen: [Bool] = []
    for index in depths.indices.reversed() {
      let depth = max(0, depths[index])
      // What is deeper belongs to another parent.
      seen.removeLast(max(0, seen.count - depth - 1))
      while seen.count <= depth { seen.append(false) }
      result[index] = !seen[depth]
      seen[depth] = true
    }
    return result
  }

  private var heading: String {
    let facts = [
      "on \(text(scene["screen"])) at \(rect(scene["frame"]))",
      scene["level"].asInteger == 0 ? "" : "level \(number(scene["level"]))",
      "offset \(point(scene["offset"]))",
      scene["overlap"].asDouble == 0 ? "" : "overlap \(number(scene["overlap"]))",
      "revision \(number(scene["revision"]))",
      "uid \(number(scene["uid"]))", "pid \(number(scene["pid"]))", views.isEmpty ? "no views" : "",
    ]
    return "\(SceneName(scene).description) \(facts.filter { !$0.isEmpty }.joined(separator: ", "))"
  }

  private static func line(_ view: JSON) -> String {
    let kind = view["kind"].asString ?? ""
    let takesFocus = kind == "textInput"
    var flags: [String] = []
    func flag(_ key: String, default usual: Bool, _ yes: String, _ no: String) {
      guard let value = view[key].asBool, value != usual else { return }
      flags.append(value ? yes : no)
    }
    flag("hidden", default: false, "hidden", "")
    flag("interactive", default: true, "", "not interactive")
    flag("forwardsTouches", default: kind == "view", "forwards touches", "keeps touches")
    if let trigger = view["resigns"].asString, trigger != "never" {
      flags.append("resigns \(printable(trigger))")
    }
    flag("keepsFocus", default: takesFocus || kind == "control", "keeps focus", "does not keep focus")
    flag("editable", default: takesFocus, "editable", "not editable")
    let mark = view["focused"] == .bool(true) ? " *" : ""
    return [
      "\(text(view["id"])) \(printable(kind)) \(rect(view["frame"]))\(mark)", flags.joined(separator: ", "),
    ]
    .filter { !$0.isEmpty }.joined(separator: "  ")
  }
}
