/// The nodes that were reported, by which a node seen twice is reported once.
struct KnownNodes {
  /// What is to be reported, the removal first.
  struct Change: Equatable {
    var removed: String?
    var added: DeviceMonitor.Node?
  }

  private var nodes: [String: DeviceMonitor.Node] = [:]

  func node(at path: String) -> DeviceMonitor.Node? { nodes.values.first { $0.path == path } }

  /// A node was found or changed. Nothing is to be reported if it is known as it is.
  mutating func seen(_ node: DeviceMonitor.Node) -> Change {
    let before = nodes.updateValue(node, forKey: node.systemPath)
    return before == node ? Change() : Change(removed: before?.systemPath, added: node)
  }

  /// A node went away.
  mutating func lost(_ systemPath: String) -> Change {
    Change(removed: nodes.removeValue(forKey: systemPath)?.systemPath)
  }
}
