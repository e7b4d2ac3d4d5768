import Geometry
import ResponderChain
import TouchInput

/// A device, numbered by the shell.
public typealias DeviceID = Int
/// A scene, numbered by the engine from 1 on; never reused.
public typealias SceneID = Int
/// A client's call that waits for its answer, numbered by the shell.
public typealias RequestID = Int

/// All that the core is ever told; together with its times it decides every effect.
public enum Input: Codable, Sendable {
  case deviceAdded(DeviceID, path: String, DeviceDescription, DeviceState, DeviceSettings)
  /// It is read by other settings from now on.
  case deviceReconfigured(DeviceID, DeviceDescription, DeviceState, DeviceSettings)
  case deviceRemoved(DeviceID)
  /// Its events are kept from everybody else from now on.
  case deviceGrabbed(DeviceID)
  /// One frame's events, without its SYN_REPORT and without keys.
  case frame(DeviceID, [InputEvent])
  /// What the keys of one frame ask for; the codes stay with the shell, and so out of every recording.
  case keys([KeyCommand])
  /// The kernel dropped events; this is what it says now.
  case dropped(DeviceID, DeviceState)

  /// Answered by `attached`.
  case attach(RequestID, SceneDescription, [View])
  /// Answered by `updated`.
  case update(RequestID, SceneID, set: [View], remove: [String], frame: Rect?)
  /// Answered by `done`.
  case focus(RequestID, SceneID, view: String)
  case resign(RequestID, SceneID)
  /// The scene's connection is gone.
  case detach(SceneID)

  /// Answered by `driving`. One that is absent has no keyboard to be driven, and stands behind the others.
  case driverAttached(RequestID, name: String, isAbsent: Bool? = nil)
  /// It has no keyboard any more, or has one again, and then drives.
  case driverStands(String, isAbsent: Bool)
  case driverReport(RequestID, driver: String, visible: Bool, frame: Rect?, docked: Bool, order: Int?)
  case driverGone(String)
  case showKeyboard(RequestID)
  case hideKeyboard(RequestID)

  /// Rotates a screen; answered by `done`.
  case setRotation(RequestID, screen: String, Rotation)
  /// What the core is to go by from now on, in place of what it was told at start.
  case reconfigure(Configuration)
  /// The transitions that somebody is to be asked about before they happen.
  case deciders(Set<Transition>)
  /// Answers `Effect.ask`; nothing if it is not waited for any more.
  case decision(QuestionID, Decision)
  /// A frame of made-up fingers, and a key; answered by `done`.
  case inject(RequestID, InjectorID, screen: String?, [InjectedTouch], key: KeyCommand?)
  /// Its connection is gone, and its fingers with it.
  case injectorGone(InjectorID)
  /// Whether `observed` is to tell of every touch.
  case observeTouches(Bool)

  /// The time that `setTimer` asked for has come.
  case timer
}

// How a recording calls what has no label here.
extension Input {
  enum DeviceAddedCodingKeys: String, CodingKey {
    case _0 = "device"
    case path
    case _2 = "description"
    case _3 = "state"
    case _4 = "settings"
  }
  enum DeviceReconfiguredCodingKeys: String, CodingKey {
    case _0 = "device"
    case _1 = "description"
    case _2 = "state"
    case _3 = "settings"
  }
  enum DeviceRemovedCodingKeys: String, CodingKey { case _0 = "device" }
  enum DeviceGrabbedCodingKeys: String, CodingKey { case _0 = "device" }
  enum FrameCodingKeys: String, CodingKey {
    case _0 = "device"
    case _1 = "events"
  }
  enum KeysCodingKeys: String, CodingKey { case _0 = "commands" }
  enum DroppedCodingKeys: String, CodingKey {
    case _0 = "device"
    case _1 = "state"
  }
  enum AttachCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "description"
    case _2 = "views"
  }
  enum UpdateCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "scene"
    case set, remove, frame
  }
  enum FocusCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "scene"
    case view
  }
  enum ResignCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "scene"
  }
  enum DetachCodingKeys: String, CodingKey { case _0 = "scene" }
  enum DriverAttachedCodingKeys: String, CodingKey {
    case _0 = "request"
    case name, isAbsent
  }
  enum DriverStandsCodingKeys: String, CodingKey {
    case _0 = "driver"
    case isAbsent
  }
  enum DriverReportCodingKeys: String, CodingKey {
    case _0 = "request"
    case driver, visible, frame, docked, order
  }
  enum DriverGoneCodingKeys: String, CodingKey { case _0 = "driver" }
  enum ShowKeyboardCodingKeys: String, CodingKey { case _0 = "request" }
  enum HideKeyboardCodingKeys: String, CodingKey { case _0 = "request" }
  enum SetRotationCodingKeys: String, CodingKey {
    case _0 = "request"
    case screen
    case _2 = "rotation"
  }
  enum ReconfigureCodingKeys: String, CodingKey { case _0 = "configuration" }
  enum DecidersCodingKeys: String, CodingKey { case _0 = "transitions" }
  enum DecisionCodingKeys: String, CodingKey {
    case _0 = "question"
    case _1 = "decision"
  }
  enum InjectCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "injector"
    case screen
    case _3 = "touches"
    case key
  }
  enum InjectorGoneCodingKeys: String, CodingKey { case _0 = "injector" }
  enum ObserveTouchesCodingKeys: String, CodingKey { case _0 = "isOn" }
}
