import Geometry
import TouchInput

/// A device as the engine keeps it.
public struct Device: Codable, Sendable {
  public let id: DeviceID
  public let path: String
  /// As it describes itself, but for the ranges that the settings replace.
  public let description: DeviceDescription
  /// Those of the configuration, completed by udev's properties.
  public let settings: DeviceSettings
  public let role: DeviceRole
  /// The screen that its touches go to; nil for one without touches.
  public internal(set) var screen: String?
  /// Whether its events are kept from everybody else.
  public internal(set) var isGrabbed = false
  package var touchscreen: Touchscreen?
  var pen: PenProximity

  /// A comparison with nil would copy the whole touchscreen, for every frame.
  var isTouchscreen: Bool { if case .some = touchscreen { true } else { false } }

  public var isHardwareKeyboard: Bool { role.isKeyboard && settings.countsAsKeyboard }
}

extension Engine {
  mutating func addDevice(
    _ id: DeviceID, _ path: String, _ description: DeviceDescription, _ state: DeviceState,
    _ settings: DeviceSettings, _ time: UInt64, _ effects: inout [Effect]
  ) {
    var device = device(id, path, description, state, settings)
    if let axes = device.touchscreen?.axes, device.screen == screens[0].name {
      adoptSize(of: axes, device.settings, time, &effects)
      device = self.device(id, path, description, state, settings)
    }
    devices.append(device)
    welcome(devices.count - 1, time, &effects)
    if device.isHardwareKeyboard { reason = .hardwareKeyboard }
  }

  /// A device as its settings have it, on the screens that there are.
  func device(
    _ id: DeviceID, _ path: String, _ description: DeviceDescription, _ state: DeviceState,
    _ settings: DeviceSettings
  ) -> Device {
    let description = description.replacingRanges(by: settings)
    let settings = settings.completed(by: description, screens: screens.map(\.name)).settings
    let role = DeviceRole(description)
    var device = Device(
      id: id, path: path, description: description, settings: settings, role: role,
      pen: PenProximity(state))
    if role.touch {
      let screen = self.screen(named: settings.screen)
      device.screen = screen.name
      device.touchscreen = try? Touchscreen(description, state: state, settings: settings, screen: screen)
    }
    return device
  }

  /// Takes in what a device that has come, or has become another, means for the others.
  mutating func welcome(_ place: Int, _ time: UInt64, _ effects: inout [Effect]) {
    if devices[place].touchscreen?.isFiltered ?? false { filtersTouches = true }
    followPen(of: devices[place], time, &effects)
    if devices[place].isTouchscreen, penIsNear(place) { setPen(isNear: true, place, time, &effects) }
    noted.append(.deviceAdded)
    needsSettling = true
  }

  /// Without a configured size the axes of the first touchscreen on the first screen are its size.
  private mutating func adoptSize(
    of axes: TouchAxes, _ settings: DeviceSettings, _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard configuration.adoptsTouchscreenSize, !sizeIsAdopted else { return }
    sizeIsAdopted = true
    var screen = screens[0]
    screen.size = Engine.size(by: axes, settings, turned: screen.rotation)
    setScreen(screen, at: 0, time, &effects)
  }

  /// The size that a touchscreen's axes say, of a screen that is turned.
  static func size(by axes: TouchAxes, _ settings: DeviceSettings, turned rotation: Rotation) -> Size {
    let width = Double(axes.x.maximum) - Double(axes.x.minimum) + 1
    let height = Double(axes.y.maximum) - Double(axes.y.minimum) + 1
    let size = Size(width: width, height: height)
    let turned = Size(width: height, height: width)
    return rotation.swapsAxes == settings.swapsAxes ? size : turned
  }

  /// Rotates a screen, and with it the touchscreens that are on it.
  mutating func setRotation(
    _ request: RequestID, _ name: String, _ rotation: Rotation, _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard let place = screens.firstIndex(where: { $0.name == name }) else {
      effects.append(.reply(request, .failed(.noSuchScreen(name))))
      return
    }
    setScreen(screens[place].turned(to: rotation), at: place, time, &effects)
    effects.append(.reply(request, .done))
  }

  mutating func setScreen(
    _ screen: Screen, at place: Int, _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard screens[place] != screen else { return }
    for index in devices.indices where devices[index].screen == screen.name {
      var touches: [Touch] = []
      devices[index].touchscreen?.setScreen(screen, at: time, into: &touches)
      deliver(touches, of: index, time, &effects)
    }
    cancelFingers(where: { $0.screen == screen.name }, time, &effects)
    screens[place] = screen
    for index in scenes.indices where scenes[index].screen == screen.name && scenes[index].followsScreen {
      scenes[index].frame = screen.bounds
    }
    changedScreens.insert(screen.name)
    noted.append(.screenChanged)
    needsSettling = true
  }

  /// The screen that a scene is on.
  public func screen(of scene: Scene) -> Screen { screen(named: scene.screen) }

  /// The screen of that name, else the first.
  func screen(named name: String?) -> Screen { screens.first { $0.name == name } ?? screens[0] }

  /// Its touches are cancelled, then it is gone (touch-input, rule 26).
  mutating func removeDevice(_ id: DeviceID, _ time: UInt64, _ effects: inout [Effect]) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    var touches: [Touch] = []
    devices[place].touchscreen?.cancelAll(at: time, into: &touches)
    deliver(touches, of: place, time, &effects)
    let device = devices.remove(at: place)
    followPen(of: device, time, &effects)
    if device.isHardwareKeyboard { reason = .hardwareKeyboard }
    noted.append(.deviceRemoved)
    needsSettling = true
  }

  mutating func setGrabbed(_ id: DeviceID) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    devices[place].isGrabbed = true
    noted.append(.deviceAdded)  // again, since it is known to be another
    needsSettling = true
  }

  // MARK: Frames

  mutating func frame(
    _ id: DeviceID, _ events: [InputEvent], _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    guard devices[place].isTouchscreen else { return penFrame(place, events, time, &effects) }
    var touches: [Touch] = []
    swap(&touches, &touchBuffer)  // reused, so that a frame allocates nothing
    devices[place].touchscreen?.handle(events, at: time, ids: &touchIDs, into: &touches)
    deliver(touches, of: place, time, &effects)
    touches.removeAll(keepingCapacity: true)
    swap(&touches, &touchBuffer)
  }

  mutating func dropped(
    _ id: DeviceID, _ state: DeviceState, _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    var touches: [Touch] = []
    devices[place].touchscreen?.resynchronize(state, at: time, ids: &touchIDs, into: &touches)
    deliver(touches, of: place, time, &effects)
    devices[place].pen = PenProximity(state)
    followPen(of: devices[place], time, &effects)
  }

  /// Gives out what filters held back and is due now.
  mutating func expireTouches(_ time: UInt64, _ effects: inout [Effect]) {
    for place in devices.indices where devices[place].touchscreen?.deadline.map({ $0 <= time }) ?? false {
      var touches: [Touch] = []
      devices[place].touchscreen?.expire(at: time, into: &touches)
      deliver(touches, of: place, time, &effects)
    }
  }

  mutating func deliver(
    _ touches: [Touch], of place: Int, _ time: UInt64, _ effects: inout [Effect]
  ) {
    for touch in touches {
      if observesTouches { observe(touch, of: place, time, &effects) }
      deliver(touch, on: devices[place].screen, time, &effects)
    }
  }

  private func observe(_ touch: Touch, of place: Int, _ time: UInt64, _ effects: inout [Effect]) {
    let contact = devices[place].touchscreen?.contact(of: touch.id)
    effects.append(
      .observed(
        ObservedTouch(
          device: devices[place].id, path: devices[place].path, screen: devices[place].screen ?? "",
          touch: touch, time: time, x: contact?.x, y: contact?.y)))
  }

  // MARK: Pens

  private mutating func penFrame(
    _ place: Int, _ events: [InputEvent], _ time: UInt64, _ effects: inout [Effect]
  ) {
    let before = devices[place].pen.isNear
    for event in events where event.type == EV.KEY { devices[place].pen.handle(event.code, event.value) }
    if devices[place].pen.isNear != before { followPen(of: devices[place], time, &effects) }
  }

  /// Tells the touchscreens of a pen's panel whether one is near (touch-input, rule 18).
  private mutating func followPen(of pen: Device, _ time: UInt64, _ effects: inout [Effect]) {
    guard pen.role.pen else { return }
    for place in devices.indices
    where devices[place].id != pen.id && devices[place].description.isOnSamePanel(as: pen.description) {
      setPen(isNear: penIsNear(place), place, time, &effects)
    }
  }

  /// Whether another node of the same panel has a pen near.
  private func penIsNear(_ place: Int) -> Bool {
    devices.contains {
      $0.id != devices[place].id && !$0.isTouchscreen && $0.pen.isNear
        && $0.description.isOnSamePanel(as: devices[place].description)
    }
  }

  private mutating func setPen(
    isNear: Bool, _ place: Int, _ time: UInt64, _ effects: inout [Effect]
  ) {
    var touches: [Touch] = []
    devices[place].touchscreen?.setPen(isNear: isNear, at: time, into: &touches)
    deliver(touches, of: place, time, &effects)
  }
}
