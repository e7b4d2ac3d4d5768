import Avoidance
import CSystemd
import EventLoop
import Geometry
import Glibc
import KeyliftProtocol
import Varlink

/// A deciding plugin (io.keylift.Plugin), which serves for as long as it is kept.
///
/// `decide` is asked before each of the transitions, and the daemon waits 20 ms for it.
public final class Plugin {
  public enum Transition: String, CaseIterable, Sendable {
    case beginEditing, endEditing, showKeyboard, hideKeyboard, moveLayout
  }

  public enum Answer: Equatable, Sendable {
    case allow, refuse
    /// Of moveLayout: the layout is put there instead.
    case move(Point)
  }

  /// What is to happen (io.keylift.Plugin, Decide).
  public struct Question: Equatable, Sendable {
    public let json: JSON

    public var transition: Transition { json["transition"].enumeration(Transition.self) ?? .beginEditing }
    /// Empty for a keyboard that no scene asked for.
    public var scene: String { json["scene"].asString ?? "" }
    public var sceneName: String { json["sceneName"].asString ?? "" }
    public var view: String? { json["view"].asString }
    public var reason: KeyboardReason { json["reason"].enumeration(KeyboardReason.self) ?? .none }
    /// Of moveLayout: what is proposed.
    public var offset: Point? { json["offset"].present { Point($0) } }
  }

  private let server: Server

  /// Serves on the socket that systemd passes, else on one that it makes at the path in place of a dead one.
  ///
  /// - order: the lower is asked first
  /// - Throws: BindError, such as that another one serves there or that there is neither a socket nor a path;
  ///   SystemError
  public init(
    _ name: String, _ transitions: Set<Transition>, order: Int = 0, path: String? = nil, on loop: EventLoop,
    decide: @escaping (Question) -> Answer
  ) throws {
    let listener =
      sd_listen_fds(1) > 0 ? SD_LISTEN_FDS_START : try Server.bind(path: path ?? "", mode: 0o600)
    server = try Server(
      loop: loop, listening: [listener],
      identity: Server.Identity(vendor: "", product: name, version: "", url: ""))
    let names = Transition.allCases.filter { transitions.contains($0) }.map(\.rawValue)
    server.serve(Interfaces.plugin) { call in
      guard call.name == "Decide" else {
        return call.reply { writer in
          writer.field("name", name)
          writer.field("transitions", names)
          writer.field("order", order)
        }
      }
      let answer = decide(Question(json: call.parameters))
      call.reply { writer in
        writer.field("allow", answer != .refuse)
        if case .move(let offset) = answer { writer.field("offset", offset) }
      }
    }
  }
}
