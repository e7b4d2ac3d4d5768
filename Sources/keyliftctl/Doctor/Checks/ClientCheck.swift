import Varlink

extension Check {
  /// Whether an application has attached a scene.
  static let client = Check(id: "client") { facts in
    guard facts.daemon.isAnswering || facts.daemon.clients != nil else { return [.needsDaemon] }
    let advice = (
      "start the application; its own log says why it does not attach",
      "keyliftctl attach /etc/keylift/scenes/form.json, for a try"
    )
    guard let clients = facts.daemon.clients else {
      let names = facts.daemon.scenes.map { SceneName($0).description }
      // Scenes of others are not shown to everybody.
      return [
        names.isEmpty
          ? .unknown(
            "no scene of \(facts.account.name) is attached; root is told of others'", "sudo keyliftctl doctor"
          )
          : .ok("attached: \(list(names))", facts: [.init("scenes", .integer(names.count))])
      ]
    }
    let scenes = clients.filter { !$0["scene"].isNull }
    let members: [JSON.Member] = [.init("scenes", .integer(scenes.count))]
    guard !scenes.isEmpty else {
      return [
        .warning(
          "no application is attached, so that nothing can get the focus", advice.0, advice.1, facts: members)
      ]
    }
    let names = scenes.map { "\(text($0["name"])) (process \(number($0["pid"])), \(text($0["process"])))" }
    return [.ok("attached: \(list(names))", facts: members)]
  }

  private static func list(_ names: [String]) -> String {
    (names.prefix(8) + (names.count > 8 ? ["..."] : [])).joined(separator: ", ")
  }
}
