import Avoidance
import Geometry
import ResponderChain

/// A keyboard's driver: what draws it, and says where it really is.
public struct Driver: Codable, Equatable, Sendable {
  public let name: String
  /// What it last reported; nil before its first report.
  public internal(set) var visible: Bool?
  var frame: Rect?
  var docked = true
  /// It was told something that it has not reported yet, so what it reports else may be old.
  var isAwaited = false
  /// It moves its keyboard with the finger that pulls it, and has not reported that it is back.
  var isPulled = false
}

extension Engine {
  /// Whether the keyboard should be on the screen (rule 20); asked for by hand, a hardware keyboard is no reason.
  package var keyboardIsWanted: Bool {
    shownByRequest || (focusedScene != nil && !keyboardIsAway && !hardwareKeyboardHides)
  }

  /// Whether somebody can type without the one on the screen (rule 17).
  private var hardwareKeyboardHides: Bool {
    devices.contains(where: hidesKeyboard)
  }

  /// Whether a device keeps the keyboard hidden that nobody asked for by hand (rule 17).
  public func hidesKeyboard(_ device: Device) -> Bool {
    configuration.hardwareKeyboard == .hide && device.isHardwareKeyboard
  }

  /// Shows, moves or hides the keyboard as it is wanted, and says what that is called.
  mutating func moveKeyboard(_ time: UInt64) -> [KeyboardNotification] {
    if let focusedScene, let scene = scene(focusedScene) { keyboardScreen = scene.screen }
    let screen = self.screen(named: keyboardScreen)
    guard isDecided(keyboardIsWanted, reason == .none ? .driver : reason) else { return [] }
    guard keyboardIsWanted, let frame = keyboardFrame(on: screen) else {
      letGoOfKeyboard()
      return keyboardMachine.hide(
        on: screen, duration: configuration.duration, reason: reason == .none ? .driver : reason, at: time)
    }
    if let y = pull(of: frame) ?? dropped { return keyboardMachine.follow(y, from: frame, at: time) }
    let ownReason: KeyboardReason = keyboardMachine.resting == frame ? .drag : .driver  // it comes back
    return keyboardMachine.show(
      frame, duration: configuration.duration, reason: reason == .none ? ownReason : reason, at: time)
  }

  /// Whether it is known that the keyboard shows or hides, or stays as it is because that was refused.
  ///
  /// What a person sees happen already, and what nobody wished, is not asked about: a driver's own keys, a client that
  /// died, a keyboard that was plugged in.
  private mutating func isDecided(_ wanted: Bool, _ reason: KeyboardReason) -> Bool {
    guard wanted != keyboard.isShowing, reason != .driver else { return true }
    if !wanted && !isTrial { return true }
    let transition: Transition = wanted ? .showKeyboard : .hideKeyboard
    guard let decision = decision(on: transition, of: firstResponder, reason) else { return false }
    guard !decision.isAllowed else { return true }
    refusal = decision.by
    shownByRequest = !wanted
    keyboardIsAway = wanted && focusedScene != nil
    return true
  }

  /// Where the keyboard rests: what the driver reported last, else the configured height across the bottom (rule 21).
  package func keyboardFrame(on screen: Screen) -> KeyboardFrame? {
    if let driver = drivers.last, let frame = driver.frame {
      return KeyboardFrame(frame, docked: driver.docked, on: screen)
    }
    let height = min(configuration.keyboardHeight.points(on: screen.size), screen.size.height)
    let rect = Rect(x: 0, y: screen.size.height - height, width: screen.size.width, height: height)
    return KeyboardFrame(rect, docked: true, on: screen)
  }

  // MARK: Drivers

  /// What the driver that drives is to do; nil if there is no driver.
  public var driverState: DriverState? {
    guard let driver = drivers.last else { return nil }
    let responder = firstResponder
    let view = responder.flatMap { scene($0.scene)?.tree.view($0.view) }
    return DriverState(
      driver: driver.name, visible: keyboardIsWanted, purpose: view?.purpose, screen: keyboardScreen,
      order: driveOrder, frame: keyboardMachine.resting == nil ? nil : keyboard.frame)
  }

  /// The driver that came last drives; two of one name are told apart by a number. One without a keyboard stands behind
  /// the others.
  mutating func attachDriver(
    _ request: RequestID, _ name: String, isAbsent: Bool, _ effects: inout [Effect]
  ) {
    var unique = name
    var number = 1
    while drivers.contains(where: { $0.name == unique }) {
      number += 1
      unique = "\(name)-\(number)"
    }
    effects.append(.reply(request, .driving(name: unique)))
    if isAbsent, !drivers.isEmpty {
      drivers.insert(Driver(name: unique), at: 0)
      effects.append(.drive(idleState(of: unique)))
    } else {
      standDown(&effects)
      drivers.append(Driver(name: unique))
    }
    needsSettling = true
  }

  /// Lets one that has no keyboard any more stand behind the others, and one that has one again drive.
  mutating func standDriver(_ name: String, isAbsent: Bool, _ effects: inout [Effect]) {
    guard let place = drivers.firstIndex(where: { $0.name == name }),
      place != (isAbsent ? 0 : drivers.count - 1)
    else { return }
    if !isAbsent || place == drivers.count - 1 { standDown(&effects) }
    let driver = drivers.remove(at: place)
    drivers.insert(driver, at: isAbsent ? 0 : drivers.count)
    needsSettling = true
  }

  /// Tells the one that drives that it does so no more.
  private mutating func standDown(_ effects: inout [Effect]) {
    guard let state = driverState, state.visible else { return }
    driveOrder += 1
    effects.append(.drive(idleState(of: state.driver)))
  }

  /// What one that does not drive is to do.
  private func idleState(of driver: String) -> DriverState {
    DriverState(
      driver: driver, visible: false, purpose: nil, screen: keyboardScreen, order: driveOrder, frame: nil)
  }

  /// The driver before it drives on; if there is none, the keyboard is gone while the focus stays (rule 22).
  mutating func removeDriver(_ name: String) {
    guard let place = drivers.firstIndex(where: { $0.name == name }) else { return }
    drivers.remove(at: place)
    if drivers.isEmpty, keyboardIsWanted { loseKeyboard() }
    needsSettling = true
  }

  /// Until the driver reports what it was just told, its reports are about what was before.
  mutating func awaitDriver() {
    guard let last = drivers.indices.last else { return }
    drivers[last].isAwaited = drivers[last].visible ?? false != keyboardIsWanted
  }

  private mutating func loseKeyboard() {
    shownByRequest = false
    keyboardIsAway = focusedScene != nil
    reason = .driver
  }

  mutating func report(
    _ request: RequestID, _ name: String, _ visible: Bool, _ frame: Rect?, _ docked: Bool, _ order: Int?,
    _ effects: inout [Effect]
  ) {
    guard let place = drivers.firstIndex(where: { $0.name == name }) else {
      effects.append(.reply(request, .failed(.noSuchDriver(name))))
      return
    }
    effects.append(.reply(request, .done))
    let before = drivers[place].visible
    drivers[place].visible = visible
    if visible == keyboardIsWanted { drivers[place].isAwaited = false }
    if !visible { drivers[place].isPulled = false }
    if visible, let frame {
      drivers[place].isPulled = isPulled(frame, docked: docked, by: drivers[place])
      if !drivers[place].isPulled {
        drivers[place].frame = frame
        drivers[place].docked = docked
      }
    }
    guard place == drivers.count - 1 else { return }
    // With an order it is certain what the report is about; without, it is told by what was reported before.
    let isOwnDoing = order.map { $0 == driveOrder } ?? (!drivers[place].isAwaited && before == !visible)
    if isOwnDoing, !visible, keyboardIsWanted {  // its own hide key
      loseKeyboard()
    } else if isOwnDoing, visible, !keyboardIsWanted {  // its own show key
      if focusedScene == nil { shownByRequest = true }
      keyboardIsAway = false
      reason = .driver
    }
    needsSettling = true
  }

  mutating func showByRequest(_ request: RequestID) {
    if focusedScene == nil || hardwareKeyboardHides { shownByRequest = true }
    keyboardIsAway = false
    reason = .client
    needsSettling = true
    keyboardRequests.append(request)
  }

  /// Takes back what was asked for without a first responder.
  mutating func withdrawRequest(_ reason: KeyboardReason) {
    shownByRequest = false
    self.reason = reason
    needsSettling = true
  }

  mutating func hideByRequest(_ request: RequestID, _ effects: inout [Effect]) {
    let change = resignFirstResponder(.client)
    if case .refused(let by) = change { effects.append(.reply(request, .keyboard(refusedBy: by))) }
    guard change == .made else { return }
    shownByRequest = false
    reason = .client
    needsSettling = true
    keyboardRequests.append(request)
  }

  /// Says what came of Show and Hide, which plugins may refuse.
  mutating func answerKeyboardRequests(_ effects: inout [Effect]) {
    for request in keyboardRequests { effects.append(.reply(request, .keyboard(refusedBy: refusal))) }
    keyboardRequests.removeAll()
    refusal = nil
  }
}
