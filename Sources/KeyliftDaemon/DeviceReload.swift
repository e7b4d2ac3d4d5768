import Engine
import Evdev
import EventLoop
import TouchInput

extension DeviceInputs {
  /// Goes by another configuration: devices come, go, and are read by other settings; the others go on as they are.
  ///
  /// - before: the configuration until now, and the names of the screens that there were.
  func reload(from before: Settings, screens: [String]) {
    for report in reports {
      let wasNamed = before.names(report.path)
      let old = report.identity.flatMap { before.settings(for: $0) }
      let new = report.identity.flatMap { daemon.settings.settings(for: $0) }
      guard let id = report.device, wasNamed == daemon.settings.names(report.path) else {
        if wasNamed != daemon.settings.names(report.path) || old != new { lookAgain(report) }
        continue
      }
      guard let new else {
        close(id, notUsedSince: "the configuration ignores it")
        continue
      }
      reconfigure(id, report.path, from: old ?? DeviceSettings(), to: new, oldScreens: screens)
    }
    openNamed()
    if before.devices != daemon.settings.devices { explainUnmatchedRules() }
  }

  /// Decides anew whether a node is used.
  private func lookAgain(_ report: NodeReport) {
    if let node = monitor?.node(at: report.path) {
      return appeared(node, because: "is configured otherwise now")
    }
    // One that only the configuration knew of: `openNamed` opens it again if it still does.
    if let id = report.device { close(id, notUsedSince: "no section names it") }
    forget { $0.path == report.path }
  }

  private func reconfigure(
    _ id: DeviceID, _ path: String, from old: DeviceSettings, to new: DeviceSettings, oldScreens: [String]
  ) {
    drain(id)  // so that what it says now is not ahead of what it said
    guard let entry = open[id] else { return }
    let device = entry.device
    let description = device.description.replacingRanges(by: new)
    let (settings, problem) = new.completed(
      by: device.description, screens: daemon.engine.screens.map(\.name))
    guard settings != old.completed(by: device.description, screens: oldScreens).settings else { return }
    let role = DeviceRole(description)
    for place in reports.indices where reports[place].device == id { reports[place].role = role }
    guard role.touch || role.pen || role.keys else {
      return close(id, notUsedSince: role.refusal ?? "it is no touchscreen and has no keys")
    }
    do throws(SystemError) {
      let state = try device.state()
      device.numberContacts(of: description)
      keys.resynchronize(id, held: state.keysDown)
      let isGrabbed = daemon.engine.devices.first { $0.id == id }?.isGrabbed ?? false
      if isGrabbed, !settings.grabs { try device.ungrab() }
      entry.heldBeforeGrab = settings.grabs && !isGrabbed ? HeldInputs(state) : nil
      daemon.log.info(.device(path), "\(path) (\(description.name)) is read by other settings from now on")
      if let problem {
        daemon.log.warning(.configuration(device: path), "\(path) (\(description.name)): \(problem)")
      }
      daemon.feed(
        .deviceReconfigured(id, description, KeyCommands.withoutKeys(state), settings), at: daemon.loop.now)
      grabIfFree(id)
    } catch {
      close(id, "cannot be read by other settings: \(error)")
    }
  }
}

extension Settings {
  /// Whether a section names a node by its path, so that it is opened whatever udev says of it.
  func names(_ path: String) -> Bool {
    devices.contains {
      $0.match.hasPrefix("/") && $0.isIgnored != true && DeviceIdentity.resolve($0.match) == path
    }
  }
}
