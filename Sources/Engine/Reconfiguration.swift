import Geometry
import TouchInput

extension Engine {
  /// Takes another configuration, as far as it can be told from a start with it that nothing else has changed.
  ///
  /// Scenes, focus and keyboard stay. A scene whose screen has gone goes to the first one, and comes back with it. A
  /// touch goes on unless its screen has become another or its scene has moved. What `setRotation` has set stays, unless
  /// the configured rotation of that screen is what changes.
  mutating func reconfigure(_ next: Configuration, _ time: UInt64, _ effects: inout [Effect]) {
    guard !next.screens.isEmpty else { return }
    let screens = self.screens(by: next)
    if next.hardwareKeyboard != configuration.hardwareKeyboard { reason = .hardwareKeyboard }
    configuration = next
    needsSettling = true
    guard screens != self.screens else { return }
    moveTouchscreens(to: screens, time, &effects)
    let changed = Set(self.screens.filter { !screens.contains($0) }.map(\.name))
    cancelFingers(where: { changed.contains($0.screen) }, time, &effects)
    moveScenes(to: screens, time, &effects)
    for screen in screens where !self.screens.contains(screen) { changedScreens.insert(screen.name) }
    self.screens = screens
    keyboardScreen = screen(named: keyboardScreen).name
    noted.append(.screenChanged)
  }

  /// The screens of another configuration, with what they have taken on since the start.
  private mutating func screens(by next: Configuration) -> [Screen] {
    var screens = next.screens.map { screen in
      guard let now = self.screens.first(where: { $0.name == screen.name }),
        configuration.screens.first(where: { $0.name == screen.name })?.rotation == screen.rotation
      else { return screen }
      return screen.turned(to: now.rotation)
    }
    sizeIsAdopted = false
    guard next.adoptsTouchscreenSize else { return screens }
    if let size = adoptedSize(on: screens) {
      screens[0].size = size
      sizeIsAdopted = true
    } else if configuration.adoptsTouchscreenSize {
      let rotation = screens[0].rotation
      screens[0] = Screen(name: screens[0].name, size: self.screens[0].unrotatedSize).turned(to: rotation)
    }
    return screens
  }

  /// What the first touchscreen on the first of some screens says that its size is; nil without one.
  private func adoptedSize(on screens: [Screen]) -> Size? {
    for device in devices
    where (screens.first { $0.name == device.settings.screen } ?? screens[0]) == screens[0] {
      if let axes = device.touchscreen?.axes {
        return Engine.size(by: axes, device.settings, turned: screens[0].rotation)
      }
    }
    return nil
  }

  private mutating func moveTouchscreens(to screens: [Screen], _ time: UInt64, _ effects: inout [Effect]) {
    for place in devices.indices where devices[place].isTouchscreen {
      let target = screens.first { $0.name == devices[place].settings.screen } ?? screens[0]
      guard target != screen(named: devices[place].screen) else { continue }
      var touches: [Touch] = []
      devices[place].touchscreen?.setScreen(target, at: time, into: &touches)
      deliver(touches, of: place, time, &effects)
      devices[place].screen = target.name
    }
  }

  /// Each goes to its own screen, or to the first while that is not there; from one that moves, its touches are taken.
  private mutating func moveScenes(to screens: [Screen], _ time: UInt64, _ effects: inout [Effect]) {
    for place in scenes.indices {
      let target = screens.first { $0.name == scenes[place].description.screen } ?? screens[0]
      if target.name != scenes[place].screen {
        cancelDeliveries(to: scenes[place].id, time, &effects)
        scenes[place].screen = target.name
        movedScenes.insert(scenes[place].id)
      }
      if scenes[place].followsScreen { scenes[place].frame = target.bounds }
    }
  }

  /// Reads a device by other settings; its touches are cancelled, and what is down is silent until it lifts.
  ///
  /// - state: what is down now.
  mutating func reconfigureDevice(
    _ id: DeviceID, _ description: DeviceDescription, _ state: DeviceState, _ settings: DeviceSettings,
    _ time: UInt64, _ effects: inout [Effect]
  ) {
    guard let place = devices.firstIndex(where: { $0.id == id }) else { return }
    let old = devices[place]
    var touches: [Touch] = []
    devices[place].touchscreen?.cancelAll(at: time, into: &touches)
    deliver(touches, of: place, time, &effects)
    devices[place] = device(id, old.path, description, state, settings)
    devices[place].isGrabbed = old.isGrabbed && settings.grabs
    if configuration.adoptsTouchscreenSize, let size = adoptedSize(on: screens) {
      var screen = screens[0]
      screen.size = size
      setScreen(screen, at: 0, time, &effects)
      sizeIsAdopted = true
    }
    welcome(place, time, &effects)
    if old.isHardwareKeyboard != devices[place].isHardwareKeyboard { reason = .hardwareKeyboard }
  }
}
