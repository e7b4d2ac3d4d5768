import Avoidance
import Geometry
import ResponderChain
import TouchInput

/// What is told to io.keylift.Monitor's subscribers.
public enum Notification: String, CaseIterable, Codable, Sendable {
  case snapshot
  case focusChanged
  case keyboardWillChangeFrame, keyboardWillShow, keyboardDidChangeFrame, keyboardDidShow
  case keyboardWillHide, keyboardDidHide
  case layoutChanged
  case sceneAttached, sceneUpdated, sceneGone
  case deviceAdded, deviceRemoved, screenChanged

  init(_ keyboard: KeyboardNotification) {
    switch keyboard {
    case .keyboardWillChangeFrame: self = .keyboardWillChangeFrame
    case .keyboardWillShow: self = .keyboardWillShow
    case .keyboardDidChangeFrame: self = .keyboardDidChangeFrame
    case .keyboardDidShow: self = .keyboardDidShow
    case .keyboardWillHide: self = .keyboardWillHide
    case .keyboardDidHide: self = .keyboardDidHide
    }
  }
}

/// What differs from the state that a scene's client was told before (io.keylift.Scene, type Change).
public struct Change: OptionSet, Codable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let snapshot = Change(rawValue: 1)
  public static let focus = Change(rawValue: 2)
  public static let keyboard = Change(rawValue: 4)
  public static let layout = Change(rawValue: 8)
  public static let screen = Change(rawValue: 16)
}

/// One change of state: what to tell monitors, and which scenes' clients to tell what.
public struct Publication: Codable, Equatable, Sendable {
  /// In order.
  public var notifications: [Notification]
  public var scenes: [SceneChange]

  public struct SceneChange: Codable, Equatable, Sendable {
    public var scene: SceneID
    public var change: Change
  }
}

/// One event of a touch, as it is delivered to a scene's responders.
public struct DeliveredTouch: Codable, Equatable, Sendable {
  public var scene: SceneID
  public var id: Int
  public var phase: TouchPhase
  /// Microseconds of CLOCK_MONOTONIC.
  public var time: UInt64
  /// In screen points.
  public var position: Point
  /// The hit view; nil if none was under the finger.
  public var view: String?
  /// In the order of delivery.
  public var responders: [String]
}

/// A touch of a device, whoever gets it, for those who check a calibration.
public struct ObservedTouch: Codable, Equatable, Sendable {
  /// `Engine.injectedDevice` for one that somebody has made up.
  public var device: DeviceID
  /// The device's node; kept here since the device may be gone when the shell hears of its last touches.
  public var path: String
  /// The screen's name.
  public var screen: String
  public var touch: Touch
  /// Microseconds of CLOCK_MONOTONIC.
  public var time: UInt64
  /// The axes' values, in the device's units; nil once the contact has gone.
  public var x, y: Int32?
}

/// What a keyboard's driver is to do.
public struct DriverState: Codable, Equatable, Sendable {
  public var driver: String
  public var visible: Bool
  public var purpose: Purpose?
  public var screen: String
  /// Counts up whenever `visible` changes.
  public var order: Int
  /// Where a finger has pulled the keyboard to, in screen points; nil while none pulls it.
  public var frame: Rect?
}

/// The answer to a request.
public enum Answer: Codable, Equatable, Sendable {
  case attached(SceneID)
  case updated(revision: Int)
  case driving(name: String)
  case done
  /// Of Show and Hide: who did not let it; nil if it was done.
  case keyboard(refusedBy: String?)
  case failed(RequestError)
}

/// Why a request is not granted.
public enum RequestError: Codable, Equatable, Error, Sendable {
  case scene(SceneError)
  case noSuchDriver(String)
  case noSuchScreen(String)
  /// An injected touch that cannot be: the injector's number for the finger, and what is wrong.
  case touch(id: Int, problem: String)
}

/// What the shell is to carry out, in this order.
public enum Effect: Codable, Equatable, Sendable {
  case reply(RequestID, Answer)
  case touch(DeliveredTouch)
  case observed(ObservedTouch)
  case publish(Publication)
  case drive(DriverState)
  /// Answer with `Input.decision`, soon: what depends on it waits.
  case ask(Question)
  /// Send `Input.timer` at this time, in microseconds; nil for not at all.
  case setTimer(UInt64?)
}

// How a recording calls what has no label here.
extension Answer {
  enum AttachedCodingKeys: String, CodingKey { case _0 = "scene" }
  enum FailedCodingKeys: String, CodingKey { case _0 = "error" }
}

extension RequestError {
  enum SceneCodingKeys: String, CodingKey { case _0 = "error" }
  enum NoSuchDriverCodingKeys: String, CodingKey { case _0 = "driver" }
  enum NoSuchScreenCodingKeys: String, CodingKey { case _0 = "screen" }
}

extension Effect {
  enum ReplyCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "answer"
  }
  enum TouchCodingKeys: String, CodingKey { case _0 = "touch" }
  enum ObservedCodingKeys: String, CodingKey { case _0 = "touch" }
  enum PublishCodingKeys: String, CodingKey { case _0 = "publication" }
  enum DriveCodingKeys: String, CodingKey { case _0 = "state" }
  enum AskCodingKeys: String, CodingKey { case _0 = "question" }
  enum SetTimerCodingKeys: String, CodingKey { case _0 = "time" }
}
