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
public enum Input: Sendable {
  case deviceAdded(DeviceID, path: String, DeviceDescription, DeviceState, DeviceSettings)
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

  /// Answered by `driving`.
  case driverAttached(RequestID, name: String)
  case driverReport(RequestID, driver: String, visible: Bool, frame: Rect?, docked: Bool, order: Int?)
  case driverGone(String)
  case showKeyboard(RequestID)
  case hideKeyboard(RequestID)

  /// Rotates a screen; answered by `done`.
  case setRotation(RequestID, screen: String, Rotation)
  /// The transitions that somebody is to be asked about before they happen.
  case deciders(Set<Transition>)
  /// Answers `Effect.ask`; nothing if it is not waited for any more.
  case decision(QuestionID, Decision)
  /// Whether `observed` is to tell of every touch.
  case observeTouches(Bool)

  /// The time that `setTimer` asked for has come.
  case timer
}
