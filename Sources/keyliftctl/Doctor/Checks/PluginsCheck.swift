import Varlink

extension Check {
  /// Whether the plugins answer that decide about focus, keyboard and layout.
  static let plugins = Check(id: "plugins") { facts in
    guard facts.daemon.isAnswering || facts.daemon.plugins != nil else { return [.needsDaemon] }
    guard let plugins = facts.daemon.plugins else {
      return [facts.pluginSockets.isEmpty ? .ok("no plugins") : .needsRoot]
    }
    let findings = plugins.compactMap(judge)
    if !findings.isEmpty { return findings }
    let names = plugins.map { text($0["name"]) }
    return [.ok(names.isEmpty ? "no plugins" : "answering: \(names.joined(separator: ", "))")]
  }

  private static func judge(_ plugin: JSON) -> Finding? {
    let name = text(plugin["name"])
    // The socket of an instance is named after it, whatever the plugin calls itself.
    let file = (plugin["socket"].asString ?? "").split(separator: "/").last.map(String.init) ?? name
    let instance = file.hasSuffix(".sock") ? String(file.dropLast(".sock".count)) : file
    let log = "journalctl -u keylift-plugin@\(instance).service -n 30"
    let restart =
      "sudo systemctl restart keylift-plugin@\(instance).socket keylift-plugin@\(instance).service"
    let members: [JSON.Member] = ["name", "socket", "state", "asked", "unanswered", "sinceUnanswered"]
      .map { .init($0, plugin[$0]) }
    switch plugin["state"].asString {
    case "resting":
      return .warning(
        "plugin \(name) is left out, since it did not answer in time or not as it should", log, restart,
        facts: members)
    case "connecting":
      return .warning("plugin \(name) has not described itself yet", log, restart, facts: members)
    default:
      guard let unanswered = plugin["unanswered"].asInteger, unanswered > 0 else { return nil }
      return .warning(
        "plugin \(name) did not answer in time \(number(plugin["unanswered"])) times of \(number(plugin["asked"]))",
        log, "Deadline= below [Plugins], if it needs longer", facts: members
      ).ofLast(plugin["sinceUnanswered"])
    }
  }
}
