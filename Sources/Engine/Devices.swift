import Geometry
import TouchInput

/// A device as the engine keeps it.
public struct Device: Sendable {
  public let id: DeviceID
  public let path: String
  public let description: DeviceDescription
  public let settings: DeviceSettings
  public let role: DeviceRole
  /// The screen that its touches go to; nil for one without touches.
  public internal(set) var screen: String?
  var tracker: TouchTracker?
  let axes: TouchAxes?

  public var isHardwareKeyboard: Bool { role.isKeyboard && settings.countsAsKeyboard }
}

extension Engine {
  mutating func addDevice(
    _ id: DeviceID, _ path: String, _ description: DeviceDescription, _ state: DeviceState,
    _ settings: DeviceSettings
  ) {
    let role = DeviceRole(description)
    var axes = role.touch ? try? TouchAxes(description) : nil
    if let range = settings.xRange { axes?.setX(range) }
    if let range = settings.yRange { axes?.setY(range) }
    var device = Device(
      id: id, path: path, description: description, settings: settings, role: role, axes: axes)
    if let axes {
      if self.screen(named: settings.screen).name == screens[0].name { adoptSize(of: axes) }
      let screen = self.screen(named: settings.screen)
      device.screen = screen.name
      device.tracker = TouchTracker(
        axes: axes, device: description, state: state,
        mapping: Engine.mapping(axes, settings.calibration, screen))
    }
    devices.append(device)
    if device.isHardwareKeyboard { reason = .hardwareKeyboard }
    noted.append(.deviceAdded)
    needsSettling = true
  }

  /// Without a configured size the axes of the first touchscreen on the first screen are its size.
  private mutating func adoptSize(of axes: TouchAxes) {
    guard configuration.adoptsTouchscreenSize, !sizeIsAdopted else { return }
    sizeIsAdopted = true
    let width = Double(axes.x.maximum) - Double(axes.x.minimum) + 1
    let height = Double(axes.y.maximum) - Double(axes.y.minimum) + 1
    let size = Size(width: width, height: height)
    let turned = Size(width: height, height: width)
    setSize(screens[0].rotation.swapsAxes ? turned : size, ofScreen: 0)
  }

  private mutating func setSize(_ size: Size, ofScreen place: Int) {
    guard screens[place].size != size else { return }
    screens[place].size = size
    let screen = screens[place]
    for index in devices.indices where devices[index].screen == screen.name {
      guard let axes = devices[index].axes else { continue }
      let mapping = Engine.mapping(axes, devices[index].settings.calibration, screen)
      devices[index].tracker?.mapping = mapping
    }
    for index in scenes.indices where scenes[index].screen == screen.name && scenes[index].followsScreen {
      scenes[index].frame = screen.bounds
    }
    changedScreens.insert(screen.name)
    noted.append(.screenChanged)
    needsSettling = true
  }

  private static func mapping(_ axes: TouchAxes, _ calibration: Matrix, _ screen: Screen) -> AxisMapping {
    AxisMapping(
      x: axes.x, y: axes.y, calibration: calibration, rotation: screen.rotation, size: screen.size)
  }

  /// The screen that a scene is on.
  public func screen(of scene: Scene) -> Screen { screen(named: scene.screen) }

  /// The screen of that name, else the first.
  func screen(named name: String?) -> Screen { screens.first { $0.name == name } ?? screens[0] }

  /// Its touches are cancelled, then it is gone (touch-input, rule 26).
  mutating func removeDevice(_ id: DeviceID, _ time: UInt64, _ effects: inout [Effect]) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    var touches: [Touch] = []
    devices[place].tracker?.cancelAll(into: &touches)
    for touch in touches { deliver(touch, on: devices[place].screen, time, &effects) }
    if devices.remove(at: place).isHardwareKeyboard { reason = .hardwareKeyboard }
    noted.append(.deviceRemoved)
    needsSettling = true
  }

  mutating func frame(
    _ id: DeviceID, _ events: [InputEvent], _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    for event in events { devices[place].tracker?.handle(event) }
    var touches: [Touch] = []
    swap(&touches, &touchBuffer)  // reused, so that a frame allocates nothing
    devices[place].tracker?.report(ids: &touchIDs, into: &touches)
    for touch in touches { deliver(touch, on: devices[place].screen, time, &effects) }
    touches.removeAll(keepingCapacity: true)
    swap(&touches, &touchBuffer)
  }

  mutating func dropped(
    _ id: DeviceID, _ state: DeviceState, _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    var touches: [Touch] = []
    devices[place].tracker?.resynchronize(state, ids: &touchIDs, into: &touches)
    for touch in touches { deliver(touch, on: devices[place].screen, time, &effects) }
  }
}

extension TouchAxes {
  mutating func setX(_ range: ClosedRange<Int32>) {
    x.minimum = range.lowerBound
    x.maximum = range.upperBound
  }

  mutating func setY(_ range: ClosedRange<Int32>) {
    y.minimum = range.lowerBound
    y.maximum = range.upperBound
  }
}
