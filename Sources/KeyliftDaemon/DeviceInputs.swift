import Engine
import Evdev
import EventLoop
import Glibc
import TouchInput

/// Finds, opens and reads devices, and feeds the engine what they say.
final class DeviceInputs {
  unowned let daemon: Daemon
  private let opener: DeviceOpener
  private(set) var monitor: DeviceMonitor?
  private(set) var open: [DeviceID: OpenDevice] = [:]
  private var lastID: DeviceID = 0
  /// The kernel's time of the last frame whose way was measured, and how long none is after it, in microseconds.
  private var measuredAt: UInt64 = 0
  private static let pause: UInt64 = 50_000
  var keys = KeyCommands()
  var reports: [NodeReport] = []
  /// Paths of the nodes that could not be opened, which udev's next look at them may change.
  private var failed: Set<String> = []

  final class OpenDevice {
    let device: Evdev.Device
    let systemPath: String
    var source: DescriptorSource?
    /// What is held, while a grab waits for nothing to be.
    var heldBeforeGrab: HeldInputs?
    /// How many it has given.
    var frames = 0
    /// How often the kernel lost some.
    var drops = 0

    init(_ device: Evdev.Device, _ systemPath: String) {
      self.device = device
      self.systemPath = systemPath
    }
  }

  init(daemon: Daemon) throws(SystemError) {
    self.daemon = daemon
    opener = try DeviceOpener(loop: daemon.loop)
  }

  /// Follows hot-plug, takes what is there, then opens what only the configuration names.
  func start() throws(SystemError) {
    let monitor = try DeviceMonitor(
      loop: daemon.loop, added: { [unowned self] in appeared($0) },
      seenAgain: { [unowned self] node in if failed.contains(node.path) { appeared(node) } },
      removed: { [unowned self] in disappeared($0) })
    self.monitor = monitor
    try monitor.start()
    openNamed()
  }

  /// Opens what only the configuration names, and is not known yet.
  func openNamed() {
    for rule in namingRules {
      let path = DeviceIdentity.resolve(rule.match)
      guard !reports.contains(where: { $0.path == path }) else { continue }
      do throws(SystemError) {
        take(try Evdev.Device(path: path), systemPath: path)
      } catch {
        let trouble = unsafe access(path, F_OK) == 0 ? "cannot be used" : "is not there yet"
        daemon.log.warning(
          .configuration(device: path), "[Device \(rule.match)] \(trouble): \(NodeReport.reason(path, error))"
        )
      }
    }
  }

  /// The sections that name a node by its path: it is opened whatever udev says of it.
  private var namingRules: [Settings.DeviceRule] {
    daemon.settings.devices.filter { $0.match.hasPrefix("/") && $0.isIgnored != true }
  }

  private var hasTouchscreen: Bool { reports.contains { $0.role?.touch == true && $0.device != nil } }

  /// Says once what would help, if there is no touchscreen (touch-input, rule 30).
  func explainAbsence() {
    guard !hasTouchscreen else { return }
    let unused = reports.filter { $0.role == nil || $0.role?.kind == .touchscreen }
    let reasons = unused.map { "\($0.path): \($0.why ?? "not used")" }
    let reason = reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
    daemon.log.warning(
      .devices,
      "no touchscreen yet\(reason); it is used as soon as it is plugged in and the group input may read its node",
      .deviceUnusable)
  }

  /// Lets a device that has gone go, and says so if it was the last touchscreen.
  private func lose(_ id: DeviceID, _ why: String) {
    guard let path = open[id]?.device.path else { return }
    let hadTouchscreen = hasTouchscreen
    close(id, why)
    guard hadTouchscreen, !hasTouchscreen else { return }
    daemon.log.warning(
      .device(path), "no touchscreen is left; one is used as soon as it is plugged in", .deviceUnusable)
  }

  /// Says which sections of the configuration name no device that is there, since a wrong name looks the same.
  func explainUnmatchedRules() {
    for match in unmatched {
      daemon.log.info(
        .configuration, "no device that is there matches [Device \(match)]; keyliftctl devices lists them")
    }
  }

  /// The sections that are for no device that is there.
  var unmatched: [String] {
    daemon.settings.devices.map(\.match).filter { match in
      !reports.contains { $0.identity?.matches(match) ?? false }
    }
  }

  func appeared(
    _ node: DeviceMonitor.Node, because reason: String = "is known to udev now and opened anew"
  ) {
    // A node that the configuration names is opened before udev is done with it; both would be every touch twice.
    if let id = open.first(where: { $0.value.device.path == node.path })?.key {
      close(id, reason)
    }
    forget { $0.path == node.path }
    let isNamed = namingRules.contains { DeviceIdentity.resolve($0.match) == node.path }
    if !isNamed, let refusal = node.refusal() { return refuse(node, refusal) }
    opener.open(node) { [unowned self] error in
      var report = NodeReport(path: node.path, systemPath: node.systemPath, name: node.name ?? "")
      let reason = NodeReport.reason(node.path, error)
      report.why = "tried again\(error.isLackOfDescriptors ? "" : " for some seconds"): \(reason)"
      if error.isLackOfDescriptors {
        daemon.log.warning(.kernel(device: node.path), "cannot use \(node.path) yet: \(reason)")
      }
      reports.append(report)
    } done: { [unowned self] result in
      forget { $0.path == node.path }
      switch result {
      case .success(let device): take(device, systemPath: node.systemPath)
      case .failure(let error):
        let reason = NodeReport.reason(node.path, error)
        daemon.log.warning(
          .device(node.path), "cannot use \(node.path) (\(node.name ?? "no name")): \(reason)",
          .deviceUnusable)
        failed.insert(node.path)
        reports.append(
          NodeReport(path: node.path, systemPath: node.systemPath, name: node.name ?? "", why: reason))
      }
    }
  }

  /// Reports a node that is not to be used. It is looked at for what it is, and let go again, if udev knows it.
  private func refuse(_ node: DeviceMonitor.Node, _ refusal: String) {
    var report = NodeReport(path: node.path, systemPath: node.systemPath, name: node.name ?? "", why: refusal)
    if node.isInitialized, let device = try? Evdev.Device(node) {
      report.description = device.description
      report.role = DeviceRole(device.description)
    }
    reports.append(report)
    daemon.log.debug(.device(node.path), "\(node.path) (\(report.name)) is not used: \(refusal)")
  }

  private func disappeared(_ systemPath: String) {
    opener.cancel(systemPath)
    if let id = open.first(where: { $0.value.systemPath == systemPath })?.key { lose(id, "was removed") }
    forget { $0.systemPath == systemPath }
  }

  func forget(_ isMeant: (NodeReport) -> Bool) {
    for report in reports where isMeant(report) { failed.remove(report.path) }
    reports.removeAll(where: isMeant)
  }

  private func take(_ device: Evdev.Device, systemPath: String) {
    var report = NodeReport(
      path: device.path, systemPath: systemPath, name: device.description.name,
      description: device.description)
    defer { reports.append(report) }
    let configured = report.identity.flatMap { daemon.settings.settings(for: $0) }
    // A range that the configuration replaces can make a panel usable, so that the role comes after it.
    let description = device.description.replacingRanges(by: configured ?? DeviceSettings())
    let role = DeviceRole(description)
    report.role = role
    guard let configured else {
      report.why = "the configuration ignores it"
      return
    }
    let (settings, problem) = configured.completed(
      by: description, screens: daemon.engine.screens.map(\.name))
    if let problem {
      daemon.log.warning(
        .configuration(device: device.path), "\(device.path) (\(description.name)): \(problem)")
    }
    if let refusal = role.refusal {
      report.why = refusal
      daemon.log.warning(
        .device(device.path), "\(device.path) (\(description.name)) is not used as a touchscreen: \(refusal)",
        .deviceUnusable)
    }
    guard role.touch || role.pen || role.keys else {
      report.why = role.refusal ?? "it is no touchscreen and has no keys"
      let isConfigured = daemon.settings.devices.contains { report.identity?.matches($0.match) ?? false }
      let message = "\(device.path) (\(description.name)) is not used: \(report.why ?? "")"
      if isConfigured, role.refusal == nil {
        daemon.log.warning(.configuration(device: device.path), message)
      } else {
        daemon.log.debug(.device(device.path), message)
      }
      return
    }
    report.device = watch(device, systemPath, description, role, settings, &report)
  }

  /// Reads a device from now on; nil if it is gone again already.
  private func watch(
    _ device: Evdev.Device, _ systemPath: String, _ description: DeviceDescription, _ role: DeviceRole,
    _ settings: DeviceSettings, _ report: inout NodeReport
  ) -> DeviceID? {
    lastID += 1
    let id = lastID
    device.numberContacts(of: description)
    do throws(SystemError) {
      let state = try device.state()
      let entry = OpenDevice(device, systemPath)
      entry.source = try daemon.loop.watch(device.descriptor, priority: .device) { [unowned self] _ in
        drain(id)
      }
      if settings.grabs { entry.heldBeforeGrab = HeldInputs(state) }
      open[id] = entry
      if role.keys { keys.add(id, held: state.keysDown) }
      daemon.feed(
        .deviceAdded(id, path: device.path, description, KeyCommands.withoutKeys(state), settings),
        at: daemon.loop.now)
    } catch {
      report.why = error.description
      daemon.log.warning(
        .device(device.path), "cannot read \(device.path) (\(description.name)): \(error)", .deviceUnusable)
      return nil
    }
    let screen = daemon.engine.devices.first { $0.id == id }?.screen
    defer { grabIfFree(id) }
    daemon.log.info(
      .device(device.path),
      "using \(device.path) (\(description.name)) as \(role.touch ? "a touchscreen on \(screen ?? "")" : role.pen ? "a pen, whose panel is not touched while it is near" : "keys")"
    )
    if role.isKeyboard, settings.countsAsKeyboard, daemon.settings.hardwareKeyboard == .hide {
      daemon.log.info(
        .device(device.path),
        "\(device.path) (\(description.name)) is a hardware keyboard: while it is attached the one on the screen "
          + "stays hidden, unless [Keyboard] Hardware=ignore or Keyboard=no for this device")
    }
    return id
  }

  func drain(_ id: DeviceID) {
    guard let entry = open[id] else { return }
    let result = entry.device.drain(
      frame: { events, time in
        entry.frames &+= 1
        entry.heldBeforeGrab?.take(events)
        feed(id, events, time, measures(time) ? daemon.loop.wokeAt : nil)
      },
      dropped: { state, time, hasLost in
        if entry.heldBeforeGrab != nil { entry.heldBeforeGrab = HeldInputs(state) }
        explainGap(entry, hasLost)
        keys.resynchronize(id, held: state.keysDown)
        daemon.feed(.dropped(id, KeyCommands.withoutKeys(state)), at: time)
      })
    if case .gone(let reason) = result { return lose(id, "is gone: \(reason)") }
    if entry.heldBeforeGrab != nil { grabIfFree(id) }
  }

  /// Counts and says that events were lost; what the kernel itself cancelled, as on suspend, is nobody's fault.
  private func explainGap(_ entry: OpenDevice, _ hasLost: Bool) {
    let path = entry.device.path
    guard hasLost else {
      return daemon.log.debug(
        .kernel(device: path), "\(path): the kernel cancelled what was down, and so do we")
    }
    entry.drops &+= 1
    daemon.log.warning(
      .kernel(device: path),
      "\(path) (\(entry.device.description.name)): the kernel lost events that were not read in time; touches that "
        + "ended meanwhile are cancelled",
      .eventsLost)
  }

  /// Takes a device from everybody else, if that is configured and nothing is held on it (touch-input, rule 28).
  func grabIfFree(_ id: DeviceID) {
    guard let entry = open[id], entry.heldBeforeGrab?.isEmpty == true else { return }
    entry.heldBeforeGrab = nil
    let device = entry.device
    do throws(SystemError) {
      try device.grab()
      daemon.feed(.deviceGrabbed(id), at: daemon.loop.now)
      daemon.log.info(
        .device(device.path),
        "\(device.path) (\(device.description.name)) is grabbed: nobody else gets its events")
    } catch {
      let other = error.code == EBUSY ? "; another program has grabbed it, and gets all its events" : ""
      daemon.log.error(
        .device(device.path),
        "\(device.path) (\(device.description.name)) cannot be grabbed, and is used without: \(error)\(other)"
      )
    }
  }

  /// Whether the way of a frame is measured: of one in 50 ms, so that it costs nothing. The first after a stall is one.
  private func measures(_ time: UInt64) -> Bool {
    guard time &- min(measuredAt, time) >= DeviceInputs.pause else { return false }
    measuredAt = time
    return true
  }

  /// Gives the engine a frame; of keys it learns what they ask for and never their codes (rule 29).
  private func feed(_ id: DeviceID, _ events: [InputEvent], _ time: UInt64, _ readAt: UInt64?) {
    guard KeyCommands.concern(events) else {
      return daemon.feed(.frame(id, events), at: time, readAt: readAt)
    }
    let commands = keys.commands(of: events, on: id)
    let rest = KeyCommands.withoutKeys(events)
    // A frame's way is measured once.
    if !commands.isEmpty { daemon.feed(.keys(commands), at: time, readAt: rest.isEmpty ? readAt : nil) }
    if !rest.isEmpty { daemon.feed(.frame(id, rest), at: time, readAt: readAt) }
  }

  /// Lets go of a device that is there, for a reason that stands by itself.
  func close(_ id: DeviceID, notUsedSince reason: String) {
    close(id, "is not used any more: \(reason)", reported: reason)
  }

  /// Cancels its touches and lets it go; only a new node of the same name is opened again (rule 26).
  ///
  /// - why: as the log has it, after the device's name
  /// - reported: as `devices` has it, if that is something else
  func close(_ id: DeviceID, _ why: String, reported: String? = nil) {
    guard let entry = open.removeValue(forKey: id) else { return }
    entry.source?.cancel()
    keys.remove(id)
    daemon.counters.keep(frames: entry.frames, drops: entry.drops)
    daemon.log.info(
      .device(entry.device.path), "\(entry.device.path) (\(entry.device.description.name)) \(why)")
    for place in reports.indices where reports[place].device == id {
      reports[place].device = nil
      reports[place].why = reported ?? why
    }
    daemon.feed(.deviceRemoved(id), at: daemon.loop.now)
  }
}
