import Engine
import EventLoop
import Geometry
import Glibc
import EngineCoding
import KeyliftProtocol
import TouchInput
import Varlink

/// Devices, plugins, timers and the like, which are never as many.
private let otherDescriptors = 512

/// What makes a daemon give up at start.
struct StartError: Error, CustomStringConvertible {
  var description: String
}

/// Puts the engine between devices and sockets: feeds it inputs, carries its effects out.
///
/// One thread, one loop; everything below is called from it.
package final class Daemon {
  package let loop: EventLoop
  let log: Log
  let configurationPlace: ConfigurationPlace?
  private(set) var settings: Settings
  package private(set) var engine: Engine
  package private(set) var stamp: StateStamp

  private var effects: [Effect] = []
  private var requests: [RequestID: (Answer) -> Void] = [:]
  private var lastRequest: RequestID = 0
  private var timer: TimerSource?
  private var signals: [SignalSource] = []
  private var devices: DeviceInputs?
  private var scenes: SceneService?
  private var monitors: MonitorService?
  private var keyboards: KeyboardService?
  private var control: ControlService?
  private var recordings: [RecordingStream] = []
  private(set) var plugins: Plugins?
  /// What came while effects were carried out.
  private var inputs: [(input: Input, time: UInt64)] = []
  private var isCarryingOut = false
  /// For clients, and for root alone.
  package private(set) var servers: [(socket: DaemonSocketName, server: Server)] = []
  private var mainServer: Server?
  private var ownSockets: [String] = []
  var counters: Counters

  /// - place: where the settings are from, and are read again.
  package init(settings: Settings, from place: ConfigurationPlace? = nil, log: Log) throws(SystemError) {
    loop = try EventLoop()
    self.log = log
    self.settings = settings
    configurationPlace = place
    engine = Engine(configuration: settings.configuration(displaySize: Display.size()))
    stamp = StateStamp(instance: Daemon.newInstance())
    counters = Counters(startedAt: EventLoop.now)
    try log.sumUp(on: loop)
    effects.reserveCapacity(64)
  }

  /// 128 random bits in hexadecimal.
  private static func newInstance() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<32).map { _ in String(UInt8.random(in: 0...15, using: &random), radix: 16) }.joined()
  }

  // MARK: Start and stop

  /// Opens sockets and devices, tells systemd that it is ready, and runs until a signal ends it.
  /// Returns: the exit status. Throws: what keeps it from starting.
  func run(runtimeDirectory: String) throws -> Int32 {
    for signal in [SIGTERM, SIGINT] {
      signals.append(try loop.onSignal(signal) { [unowned self] in stop() })
    }
    // By default it would end the daemon, and systemd counts that as a clean end: nothing would start it again.
    signals.append(
      try loop.onSignal(SIGHUP) { [unowned self] in _ = try? reload() })
    let sockets = try Sockets(directory: runtimeDirectory)
    ownSockets = sockets.ownPaths
    try serve(main: sockets.main, control: [sockets.control])
    limitConnections()
    listenForPlugins(in: "\(runtimeDirectory)/plugins")
    let devices = try DeviceInputs(daemon: self)
    self.devices = devices
    try devices.start()
    loop.answerWatchdog()
    log.info(.keylift, "ready, with \(describeScreens())")
    devices.explainAbsence()
    devices.explainUnmatchedRules()
    notifyManager("READY=1")
    return try loop.run()
  }

  private func stop() {
    notifyManager("STOPPING=1")
    log.info(.keylift, "stopping")
    log.sumUpAtEnd()
    // While they still listen nobody else takes the paths, so that what is removed is this daemon's own.
    for path in ownSockets { unsafe _ = unlink(path) }
    for (_, server) in servers { server.close() }
    loop.exit(0)
  }

  func describeScreens() -> String {
    engine.screens.map { screen in
      "screen \(screen.name) of \(Int(screen.size.width))x\(Int(screen.size.height))"
        + (screen.rotation == .none ? "" : " rotated by \(screen.rotation.rawValue)")
    }.joined(separator: ", ")
  }

  /// Serves clients on listening sockets, and on those that the servers adopt.
  package func serve(main: [Int32], control descriptors: [Int32], limits: Server.Limits = Server.Limits())
    throws(SystemError)
  {
    timer = try loop.timer { [unowned self] in feed(.timer, at: loop.now) }
    let identity = Server.Identity(
      vendor: "Keylift", product: "keyliftd", version: Keylift.version, url: "")
    let main = try Server(loop: loop, listening: main, identity: identity, limits: limits)
    var rootLimits = limits
    rootLimits.keptDescriptors = limits.keptDescriptors / 2  // who looks for what is wrong gets in
    let root = try Server(loop: loop, listening: descriptors, identity: identity, limits: rootLimits)
    servers = [(.main, main), (.control, root)]
    mainServer = main
    for server in [main, root] {
      server.onBlame = { [unowned self] blame, peer in
        log.warning(
          .client(peer, cause: "\(blame)"),
          "process \(peer.pid) of uid \(peer.uid) \(blame.words(settings.access))",
          .clientClosed)
      }
    }
    scenes = SceneService(daemon: self, server: main)
    monitors = MonitorService(daemon: self, server: main)
    keyboards = KeyboardService(daemon: self, server: main)
    control = ControlService(daemon: self, server: root)
  }

  private func limitConnections() {
    guard let main = mainServer else { return }
    main.limits.connections = settings.access.connections
    main.limits.connectionsPerUser = settings.access.connectionsPerUser
    let needed = main.limits.connections + Server.Limits().connections + otherDescriptors
    if let most = raiseDescriptorLimit(), most < needed {
      log.warning(
        .configuration,
        "[Access] Connections=\(main.limits.connections) may need \(needed) open files, and LimitNOFILE= is "
          + "\(most): connections past that wait")
    }
  }

  /// Without the directory all is as without plugins, which is no reason to be without a keyboard.
  package func listenForPlugins(in directory: String) {
    do {
      plugins = try Plugins(directory: directory, daemon: self)
    } catch {
      log.error(.keylift, "no plugins: \(error)")
    }
  }

  // MARK: The engine

  /// Gives the engine an input and carries out what it answers, in order; what an effect brings about comes after it.
  ///
  /// - readAt: when the daemon was awake to read the frame that this is of, so that its way is measured
  package func feed(_ input: Input, at time: UInt64, readAt: UInt64? = nil) {
    guard !isCarryingOut else { return inputs.append((input, time)) }
    isCarryingOut = true
    handle(input, at: time, readAt: readAt)
    while !inputs.isEmpty {
      let next = inputs.removeFirst()
      handle(next.input, at: next.time, readAt: nil)
    }
    isCarryingOut = false
  }

  private func handle(_ input: Input, at time: UInt64, readAt: UInt64?) {
    engine.handle(input, at: time, into: &effects)
    let decidedAt = readAt == nil ? 0 : loop.now
    let sends = readAt == nil ? nil : mainServer?.sendCount
    if !recordings.isEmpty {
      for recording in recordings { recording.take(input, at: time, effects, engine) }
    }
    var todo: [Effect] = []
    swap(&todo, &effects)  // the same memory each time
    for effect in todo { carryOut(effect, time) }
    scenes?.flush()
    control?.flush()
    if !recordings.isEmpty {
      for recording in recordings { recording.flush() }
      recordings.removeAll(where: \.isOver)
    }
    todo.removeAll(keepingCapacity: true)
    swap(&todo, &effects)
    guard let readAt else { return }
    let hasSent = mainServer?.sendCount != sends
    counters.take(stamped: time, read: readAt, decided: decidedAt, delivered: hasSent ? loop.now : nil)
  }

  /// Gives the engine a client's request; the answer comes before this returns, or later.
  func request(_ make: (RequestID) -> Input, answer: @escaping (Answer) -> Void) {
    lastRequest += 1
    requests[lastRequest] = answer
    feed(make(lastRequest), at: loop.now)
  }

  /// Writes down for a reader what the engine is told and decides, from now on until the reader goes.
  func record(for stream: Stream) {
    recordings.append(RecordingStream(stream, of: engine, made: Int64(time(nil)), time: loop.now))
    let peer = stream.peer
    log.info(.client(peer), "recording what the engine is told and decides, for uid \(peer.uid)")
    stream.onClose = { [unowned self] in
      recordings.removeAll(where: \.isOver)  // it may be gone already, if what was sent to it found nobody
      log.info(.client(peer), "the recording for uid \(peer.uid) has ended")
    }
  }

  /// Goes by other settings from now on.
  func take(_ next: Settings) {
    let before = settings
    let screens = engine.screens.map(\.name)
    settings = next
    let configuration = next.configuration(displaySize: Display.size())
    if configuration != engine.configuration { feed(.reconfigure(configuration), at: loop.now) }
    for scene in engine.scenes {
      guard let wanted = scene.description.screen, wanted != scene.screen else { continue }
      log.warning(
        .configuration(scene: Engine.name(of: scene.id), of: owner(of: scene.id)),
        "\(Engine.name(of: scene.id)) (\(scene.description.name)) is on \(scene.screen), since its screen \(wanted) "
          + "has gone; it cannot attach anew as it is")
    }
    devices?.reload(from: before, screens: screens)
    if next.access != before.access {
      limitConnections()
      monitors?.accessChanged()
      keyboards?.accessChanged()
      scenes?.accessChanged()
    }
  }

  private func carryOut(_ effect: Effect, _ time: UInt64) {
    switch effect {
    case .reply(let request, let answer): requests.removeValue(forKey: request)?(answer)
    case .touch(let touch): scenes?.deliver(touch)
    case .observed(let touch): control?.tell(touch)
    case .publish(let publication):
      stamp.serial &+= 1
      counters.take(publication.notifications)
      scenes?.publish(publication)
      monitors?.publish(publication, time)
    case .drive(let state): keyboards?.drive(state)
    case .ask(let question): plugins?.ask(question)
    case .setTimer(let time): if let time { timer?.arm(at: time) } else { timer?.disarm() }
    }
  }

  /// Every node that was found, for Control.Devices.
  var nodes: [NodeReport] { devices?.reports ?? [] }

  /// The MATCH of each section of a device that is for none that is there.
  var unmatchedSections: [String] { devices?.unmatched ?? [] }

  /// The devices that are read, the one that came first before.
  var openDevices: [DeviceInputs.OpenDevice] {
    devices.map { devices in devices.open.sorted { $0.key < $1.key }.map(\.value) } ?? []
  }

  /// Whether a client is root or the daemon's own user, who may everything, or one of these.
  func allows(_ peer: Credentials, as users: Users) -> Bool {
    peer.uid == 0 || peer.uid == geteuid() || users.contains(peer.uid)
  }

  /// The scenes and the drivers of the main socket, by the ids of their connections.
  var scenesByConnection: [UInt64: SceneID] { scenes?.byConnection ?? [:] }
  /// What a keyboard's driver last reported to keep it from being seen; nil for nothing.
  func driverProblem(_ name: String) -> String? { keyboards?.problem(of: name) }
  /// Whether a driver has no keyboard; nil for none that is attached.
  func driverIsAbsent(_ name: String) -> Bool? { keyboards?.isAbsent(name) }
  var driversByConnection: [UInt64: String] { keyboards?.byConnection ?? [:] }

  /// Who reads touches, of scenes and of the panels.
  var touchReaderCount: Int { (scenes?.touchReaderCount ?? 0) + (control?.touchReaderCount ?? 0) }

  /// Whose a scene is; nil if it is gone.
  func owner(of scene: SceneID) -> Credentials? { scenes?.owner(of: scene) }
}
