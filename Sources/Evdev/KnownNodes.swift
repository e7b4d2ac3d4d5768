/// The nodes that were reported, by which a node seen twice is reported once.
struct KnownNodes {
  /// What is to be reported, the removal first.
  struct Change: Equatable {
    var removed: String?
    var added: DeviceMonitor.Node?
  }

  private var nodes: [String: DeviceMonitor.Node] = [:]

  /// A node was found or changed. Nothing is to be reported if it is known as it is, or is not wanted and never was.
  mutating func seen(_ node: DeviceMonitor.Node, isWanted: Bool) -> Change {
    let before = nodes[node.systemPath]
    let after = isWanted ? node : nil
    guard before != after else { return Change() }
    nodes[node.systemPath] = after
    return Change(removed: before?.systemPath, added: after)
  }

  /// A node went away, wanted or not.
  mutating func lost(_ systemPath: String) -> Change {
    Change(removed: nodes.removeValue(forKey: systemPath)?.systemPath)
  }
}
