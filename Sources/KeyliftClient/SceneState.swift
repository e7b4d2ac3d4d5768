import Avoidance
import Geometry
import KeyliftProtocol
import TouchInput
import Varlink

/// The whole state of a scene after a change (io.keylift.Scene, Attach).
public struct SceneState: Equatable, Sendable {
  /// What differs from the state before; a snapshot is the first after each connecting.
  public enum Change: String, CaseIterable, Sendable { case snapshot, focus, keyboard, layout, screen }

  /// As it came, with what a later daemon may say beside the rest.
  public let json: JSON

  public var changed: [Change] { (json["change"].asArray ?? []).compactMap { $0.enumeration(Change.self) } }
  /// New at each start of the daemon.
  public var instance: String { json["instance"].asString ?? "" }
  public var serial: Int64 { json["serial"].asInteger ?? 0 }
  public var scene: String { json["scene"].asString ?? "" }
  /// Counts up with each change of the scene that the daemon has taken.
  public var revision: Int64 { json["revision"].asInteger ?? 0 }
  public var screen: Screen { Screen(json["screen"]) }
  /// The focused view of this scene.
  public var focused: String? { json["focused"].asString }
  public var keyboard: KeyboardState { KeyboardState(json["keyboard"]) }
  public var layout: Layout { Layout(json["layout"]) }
}

/// An event of one touch of one finger (io.keylift.Scene, Touches).
public struct SceneTouch: Equatable, Sendable {
  public let json: JSON

  /// Unique while the touch lasts.
  public var id: Int64 { json["id"].asInteger ?? 0 }
  public var phase: TouchPhase { json["phase"].enumeration(TouchPhase.self) ?? .cancelled }
  /// In microseconds of CLOCK_MONOTONIC.
  public var time: Int64 { json["time"].asInteger ?? 0 }
  /// In screen points.
  public var position: Point { Point(json["position"]) }
  /// What was hit; nil for the scene.
  public var view: String? { json["view"].asString }
  /// The views that it is delivered to, in the order of delivery.
  public var responders: [String] { (json["responders"].asArray ?? []).compactMap(\.asString) }
}
