import Geometry
import TouchInput

/// Who makes touches up, numbered by the shell.
public typealias InjectorID = Int

/// One change of a finger that somebody makes up, for tests and remote support (io.keylift.Control.Inject).
public struct InjectedTouch: Codable, Equatable, Sendable {
  /// The injector's own number for the finger while it is down.
  public var id: Int
  public var phase: TouchPhase
  /// In screen points; nil for where the finger is, which began and moved may not leave open.
  public var position: Point?

  public init(id: Int, phase: TouchPhase, position: Point? = nil) {
    self.id = id
    self.phase = phase
    self.position = position
  }
}

/// A finger that somebody has made up and not lifted yet.
struct InjectedFinger: Codable, Sendable {
  let injector: InjectorID
  /// The injector's number for it.
  let id: Int
  let screen: String
  /// Nil once it was cancelled: from then on it is silent until it lifts, as a contact of a panel is.
  var touch: Int?
  var position: Point
}

extension Engine {
  /// What an injected touch has in place of a device and its node.
  public static let injectedDevice: DeviceID = -1
  public static let injectedPath = "injected"
  /// Of all injectors together.
  static let mostInjectedFingers = 64

  package var injectedTouches: Int { fingers.count { $0.touch != nil } }

  /// Delivers a frame of fingers as a touchscreen's, and then a key; all of it or, if something is wrong, nothing.
  mutating func inject(
    _ request: RequestID, _ injector: InjectorID, _ screen: String?, _ touches: [InjectedTouch],
    _ key: KeyCommand?, _ time: UInt64, _ effects: inout [Effect]
  ) {
    var frame = InjectedFrame(fingers: fingers, ids: touchIDs)
    do throws(RequestError) {
      if let screen, !screens.contains(where: { $0.name == screen }) { throw .noSuchScreen(screen) }
      for touch in touches { try frame.take(touch, of: injector, on: screen, self) }
    } catch {
      effects.append(.reply(request, .failed(error)))
      return
    }
    (fingers, touchIDs) = (frame.fingers, frame.ids)
    for (touch, screen) in frame.touches { deliverInjected(touch, on: screen, time, &effects) }
    if let key { wish(.key(key), &effects) }
    effects.append(.reply(request, .done))
  }

  /// Its fingers are cancelled, as those of a device that is unplugged.
  mutating func removeInjector(_ injector: InjectorID, _ time: UInt64, _ effects: inout [Effect]) {
    cancelFingers(where: { $0.injector == injector }, time, &effects)
    fingers.removeAll { $0.injector == injector }
  }

  /// Has fingers be silent until they lift.
  mutating func cancelFingers(
    where isMeant: (InjectedFinger) -> Bool, _ time: UInt64, _ effects: inout [Effect]
  ) {
    for place in fingers.indices where isMeant(fingers[place]) {
      guard let id = fingers[place].touch else { continue }
      fingers[place].touch = nil
      let touch = Touch(id: id, phase: .cancelled, position: fingers[place].position)
      deliverInjected(touch, on: fingers[place].screen, time, &effects)
    }
  }

  private mutating func deliverInjected(
    _ touch: Touch, on screen: String, _ time: UInt64, _ effects: inout [Effect]
  ) {
    if observesTouches {
      effects.append(
        .observed(
          ObservedTouch(
            device: Engine.injectedDevice, path: Engine.injectedPath, screen: screen, touch: touch,
            time: time,
            x: nil, y: nil)))
    }
    deliver(touch, on: screen, time, &effects)
  }
}

/// What comes of a frame, tried out before anything is done.
private struct InjectedFrame {
  var fingers: [InjectedFinger]
  var ids: TouchIDs
  var touches: [(touch: Touch, screen: String)] = []

  init(fingers: [InjectedFinger], ids: TouchIDs) {
    self.fingers = fingers
    self.ids = ids
  }

  /// Throws: why there can be no such change.
  mutating func take(
    _ touch: InjectedTouch, of injector: InjectorID, on screen: String?, _ engine: Engine
  ) throws(RequestError) {
    func refuse(_ problem: String) -> RequestError { .touch(id: touch.id, problem: problem) }
    let place = fingers.firstIndex { $0.injector == injector && $0.id == touch.id }
    if touch.position == nil, touch.phase == .began || touch.phase == .moved {
      throw refuse("it has no position")
    }
    let target = engine.screen(named: place.map { fingers[$0].screen } ?? screen)
    // One that was cancelled may not know yet how large the screen is now.
    if let position = touch.position, place.map({ fingers[$0].touch != nil }) ?? true,
      !position.isFinite || !target.bounds.contains(position)
    {
      throw refuse("its position is not on the screen \(target.name), which is \(target.size.described)")
    }
    guard let place else {
      guard touch.phase == .began, let position = touch.position else { throw refuse("it is not down") }
      guard fingers.count < Engine.mostInjectedFingers else {
        throw refuse("\(Engine.mostInjectedFingers) fingers are down, and no more can be")
      }
      let id = ids.next()
      fingers.append(
        InjectedFinger(injector: injector, id: touch.id, screen: target.name, touch: id, position: position))
      touches.append((Touch(id: id, phase: .began, position: position), target.name))
      return
    }
    if touch.phase == .began { throw refuse("it is down already") }
    if let screen, screen != fingers[place].screen {
      throw refuse("it is down on the screen \(fingers[place].screen)")
    }
    if touch.phase != .cancelled, let position = touch.position { move(place, to: position) }
    guard touch.phase != .moved else { return }
    let finger = fingers.remove(at: place)
    guard let id = finger.touch else { return }
    touches.append((Touch(id: id, phase: touch.phase, position: finger.position), finger.screen))
  }

  /// Where it is already is no movement, as with a panel.
  private mutating func move(_ place: Int, to position: Point) {
    guard let id = fingers[place].touch, position != fingers[place].position else { return }
    fingers[place].position = position
    touches.append((Touch(id: id, phase: .moved, position: position), fingers[place].screen))
  }
}

extension Size {
  /// Such as 800x480.
  fileprivate var described: String {
    [width, height].map { $0 == $0.rounded() ? "\(Int(clamping: $0))" : "\($0)" }.joined(separator: "x")
  }
}

extension Int {
  fileprivate init(clamping number: Double) { self = Int(exactly: number) ?? .max }
}
