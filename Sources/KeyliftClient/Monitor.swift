import Avoidance
import EventLoop
import Geometry
import KeyliftProtocol
import Varlink

/// What is happening (io.keylift.Monitor): all notifications or those named, with the state after each.
public final class Monitor: DaemonClient {
  public enum Notification: String, CaseIterable, Sendable {
    case snapshot
    case focusChanged
    case keyboardWillChangeFrame, keyboardWillShow, keyboardDidChangeFrame, keyboardDidShow
    case keyboardWillHide, keyboardDidHide
    case layoutChanged
    case sceneAttached, sceneUpdated, sceneGone
    case deviceAdded, deviceRemoved, screenChanged
  }

  public var onState: ((MonitorState) -> Void)?
  /// The last state; nil while there is no connection.
  public private(set) var latest: MonitorState?

  private let notifications: [Notification]

  /// Throws: SystemError, such as EMFILE.
  public init(_ notifications: Notification..., socket: DaemonSocket = DaemonSocket()) throws(SystemError) {
    self.notifications = notifications
    try super.init(Interfaces.monitor, "io.keylift.Monitor.Subscribe", at: socket)
  }

  /// The same with an array of them; all if there are none.
  public init(_ notifications: [Notification], socket: DaemonSocket = DaemonSocket()) throws(SystemError) {
    self.notifications = notifications
    try super.init(Interfaces.monitor, "io.keylift.Monitor.Subscribe", at: socket)
  }

  override var subject: String { "monitor" }

  override func writeParameters(to writer: inout JSONWriter) {
    if !notifications.isEmpty { writer.field("notifications", notifications.map(\.rawValue)) }
  }

  override func forget() { latest = nil }
  override func keep(_ state: JSON) { latest = MonitorState(json: state) }
  override func tell() {
    if let latest { onState?(latest) }
  }
}

/// The whole state after some notifications (io.keylift.Monitor, Subscribe).
public struct MonitorState: Equatable, Sendable {
  /// As it came, with what a later daemon may say beside the rest.
  public let json: JSON

  /// What it stands for, in order.
  public var notifications: [Monitor.Notification] {
    (json["notifications"].asArray ?? []).compactMap { $0.enumeration(Monitor.Notification.self) }
  }
  /// New at each start of the daemon.
  public var instance: String { json["instance"].asString ?? "" }
  public var serial: Int64 { json["serial"].asInteger ?? 0 }
  /// In microseconds of CLOCK_MONOTONIC.
  public var time: Int64 { json["time"].asInteger ?? 0 }
  public var keyboard: KeyboardState { KeyboardState(json["keyboard"]) }
  public var screens: [Screen] { (json["screens"].asArray ?? []).map(Screen.init) }
  public var scenes: [Scene] { (json["scenes"].asArray ?? []).map(Scene.init) }
  public var devices: [Device] { (json["devices"].asArray ?? []).map(Device.init) }

  /// A scene that this user may see.
  public struct Scene: Equatable, Sendable {
    public let json: JSON
    public var scene: String { json["scene"].asString ?? "" }
    public var name: String { json["name"].asString ?? "" }
    public var screen: String { json["screen"].asString ?? "" }
    public var frame: Rect { Rect(json["frame"]) }
    public var level: Int64 { json["level"].asInteger ?? 0 }
    public var focused: String? { json["focused"].asString }
    public var offset: Point { Point(json["offset"]) }
    public var overlap: Double { json["overlap"].asDouble ?? 0 }
  }

  /// An input device that is used.
  public struct Device: Equatable, Sendable {
    public let json: JSON
    public var path: String { json["path"].asString ?? "" }
    public var name: String { json["name"].asString ?? "" }
    public var touch: Bool { json["touch"] == .bool(true) }
    public var keys: Bool { json["keys"] == .bool(true) }
    public var screen: String? { json["screen"].asString }
    public var grabbed: Bool { json["grabbed"] == .bool(true) }
  }
}
