import Engine
import Geometry
import KeyliftProtocol
import Varlink

/// How a plugin describes itself (io.keylift.Plugin.Describe).
public struct PluginDescription: Equatable, Sendable {
  public var name: String
  public var transitions: Set<Transition>
  /// The lower is asked first.
  public var order: Int

  public init(name: String, transitions: Set<Transition>, order: Int = 0) {
    self.name = name
    self.transitions = transitions
    self.order = order
  }

  /// nil if the reply is not as the interface describes it.
  public init?(reply: JSON) {
    guard Interfaces.plugin.isReply(reply, to: "Describe") else { return nil }
    name = reply["name"].asString ?? ""
    transitions = Set(
      (reply["transitions"].asArray ?? []).compactMap { $0.enumeration(Transition.self) })
    order = reply["order"].asInt ?? 0
  }
}

extension Decision {
  /// nil if the reply of io.keylift.Plugin.Decide is not as the interface describes it.
  public init?(reply: JSON, by name: String) {
    guard Interfaces.plugin.isReply(reply, to: "Decide") else { return nil }
    self.init(
      isAllowed: reply["allow"].asBool ?? true, offset: reply["offset"].present { Point($0) }, by: name)
  }
}

extension Question {
  /// Writes the parameters of io.keylift.Plugin.Decide.
  public func write(to writer: inout JSONWriter) {
    writer.field("transition", transition.rawValue)
    writer.field("scene", scene.map { Engine.name(of: $0) } ?? "")
    writer.field("sceneName", sceneName)
    writer.field("view", view)
    writer.field("reason", reason.rawValue)
    if let offset { writer.field("offset", offset) }
  }
}

extension InterfaceDescription {
  fileprivate func isReply(_ reply: JSON, to method: String) -> Bool {
    methods[method].map { validate(reply: reply, of: $0) == nil } ?? false
  }
}
