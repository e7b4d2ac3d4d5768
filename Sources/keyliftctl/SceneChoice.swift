import Varlink

/// A scene as a person names it, and as the daemon does.
struct SceneName: Equatable {
  var id: String
  var name: String
  var isFocused = false

  /// From a scene of Monitor's state or of Control's tree.
  init(_ scene: JSON) {
    id = scene["scene"].asString ?? ""
    name = scene["name"].asString ?? ""
    isFocused = !scene["focused"].isNull
  }

  init(id: String, name: String, isFocused: Bool = false) {
    self.id = id
    self.name = name
    self.isFocused = isFocused
  }

  /// As people read it: `form (1)`.
  var description: String { name.isEmpty ? printable(id) : "\(printable(name)) (\(printable(id)))" }
}

extension [SceneName] {
  /// The scene of that id, or else of that name.
  /// Throws: that there is none, or several of the name.
  func scene(called wanted: String, for command: String) throws(Failure) -> SceneName {
    if let scene = first(where: { $0.id == wanted }) { return scene }
    return try filter { $0.name == wanted }.only(
      for: command,
      none: "no scene \"\(wanted)\" to see. \(isEmpty ? "There is none at all." : "There are: \(list).")",
      several: "several scenes \"\(wanted)\"")
  }

  /// The only scene.
  func only(for command: String) throws(Failure) -> SceneName {
    try only(for: command, none: "there is no scene to see.", several: "there are several scenes")
  }

  /// The scene that has the first responder.
  func focused(for command: String) throws(Failure) -> SceneName {
    try filter(\.isFocused).only(
      for: command, none: "no scene to see has a first responder.", several: "several scenes have one")
  }

  private func only(for command: String, none: String, several: String) throws(Failure) -> SceneName {
    guard let scene = first else { throw .refused("\(command): \(none)") }
    guard count == 1 else {
      throw .refused("\(command): \(several). Choose one by its id: \(list).")
    }
    return scene
  }

  private var list: String { map(\.description).joined(separator: ", ") }
}

extension Daemon {
  /// The scenes that the daemon shows this user.
  func scenes(for command: String) throws(Failure) -> [SceneName] {
    (try snapshot(subject: command)["scenes"].asArray ?? []).map(SceneName.init)
  }
}
