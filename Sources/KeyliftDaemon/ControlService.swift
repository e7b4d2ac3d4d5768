import Engine
import Geometry
import EngineCoding
import KeyliftProtocol
import TouchInput
import Varlink

/// io.keylift.Control, on the socket that root alone may open.
final class ControlService {
  private unowned let daemon: Daemon
  private let readers = TouchReaders<ObservedTouch>()

  /// Views in one reply of Tree: so few that it can be sent whatever their ids are.
  private static let viewsPerReply = 80

  init(daemon: Daemon, server: Server) {
    self.daemon = daemon
    server.serve(Interfaces.control) { [unowned self] call in
      switch call.name {
      case "Tree": tree(call)
      case "HitTest": hitTest(call)
      case "Devices": devices(call)
      case "Touches": touches(call)
      case "SetRotation": setRotation(call)
      case "Record": record(call)
      case "Plugins": plugins(call)
      case "Reload": reload(call, self.daemon)
      case "Inject": inject(call, into: self.daemon)
      case "Clients": clients(call, of: self.daemon)
      default: call.fail(VarlinkError.methodNotImplemented)
      }
    }
  }

  var touchReaderCount: Int { readers.count }

  private func record(_ call: Call) {
    if let stream = call.openStream() { daemon.record(for: stream) }
  }

  private func plugins(_ call: Call) {
    let now = daemon.loop.now
    call.reply { [daemon] writer in
      writer.array("plugins") { writer in
        for plugin in daemon.plugins?.plugins ?? [] { writer.object { plugin.write(at: now, to: &$0) } }
      }
    }
  }

  // MARK: Tree

  /// What is still to be sent of the trees as they were when they were asked for.
  private final class Walk {
    let scenes: [Scene]
    var scene = 0
    var views: [(index: Int32, depth: Int)]
    var place = 0

    init(_ scenes: [Scene]) {
      self.scenes = scenes
      views = scenes.first?.viewsInOrder ?? []
    }
  }

  private func tree(_ call: Call) {
    guard call.requireMore() else { return }
    let name = call.parameters["scene"].asString
    let scenes = daemon.engine.scenes.filter { name == nil || Engine.name(of: $0.id) == name }
    if let name, scenes.isEmpty {
      return call.fail(KeyliftError.controlNoSuchScene) { $0.field("scene", name) }
    }
    guard !scenes.isEmpty else { return call.fail(KeyliftError.controlNoSuchScene) { $0.field("scene", "") } }
    guard let stream = call.openStream() else { return }
    let walk = Walk(scenes)
    stream.onDrained = { [unowned self, unowned stream] in send(walk, on: stream) }
    send(walk, on: stream)
  }

  private func send(_ walk: Walk, on stream: Stream) {
    while !stream.isBlocked, stream.isOpen, walk.scene < walk.scenes.count {
      let scene = walk.scenes[walk.scene]
      let end = min(walk.place + ControlService.viewsPerReply, walk.views.count)
      let views = walk.views[walk.place..<end]
      walk.place = end
      if end == walk.views.count {
        walk.scene += 1
        walk.place = 0
        if walk.scene < walk.scenes.count { walk.views = walk.scenes[walk.scene].viewsInOrder }
      }
      let write: (inout JSONWriter) -> Void = { [daemon] writer in
        let owner = daemon.owner(of: scene.id)
        writer.object("scene") { scene.write(of: daemon.engine, uid: owner?.uid, pid: owner?.pid, to: &$0) }
        writer.array("views") { writer in
          for (index, depth) in views {
            writer.object { scene.writeView(index, depth: depth, to: &$0) }
          }
        }
      }
      if walk.scene == walk.scenes.count {
        stream.end(write)
      } else {
        stream.send(Message(continues: true, write))
      }
    }
  }

  private func hitTest(_ call: Call) {
    let point = Point(call.parameters["position"])
    guard point.isFinite else { return call.failInvalid(parameter: "position") }
    let screen = call.parameters["screen"].asString
    guard let found = daemon.engine.hitTest(point, on: screen) else {
      return call.fail(KeyliftError.noSuchScreen) { $0.field("screen", screen ?? "") }
    }
    call.reply { found.write(of: daemon.engine, to: &$0) }
  }

  // MARK: Devices

  private func devices(_ call: Call) {
    call.reply { writer in
      writer.array("devices") { writer in
        for node in daemon.nodes {
          writer.object { write(node, to: &$0) }
        }
      }
      writer.field("unmatched", daemon.unmatchedSections)
    }
  }

  private func write(_ node: NodeReport, to writer: inout JSONWriter) {
    let axes = node.description.flatMap { try? TouchAxes($0) }
    let device = daemon.engine.devices.first { $0.id == node.device }
    writer.field("path", node.path)
    writer.field("name", node.name)
    writer.field("id", node.identity?.id)
    writer.field("kind", node.role?.kind.rawValue ?? "unknown")
    writer.field("touch", node.role?.touch ?? false)
    writer.field("keys", node.role?.keys ?? false)
    writer.field("used", node.device != nil)
    writer.field("screen", device?.screen)
    if let axes, node.role?.kind == .touchscreen {
      writer.field("rangeX", range: axes.x)
      writer.field("rangeY", range: axes.y)
    } else {
      writer.null("rangeX")
      writer.null("rangeY")
    }
    writer.field("why", node.why)
    // A range that the configuration replaces may be all that was wrong with the axes.
    let usable = device?.touchscreen?.axes ?? axes
    if let usable, node.role?.kind == .touchscreen { writeContacts(usable.contacts, to: &writer) }
    if let device { write(device, of: node, to: &writer) }
    if let identity = node.identity {
      writer.field("sections", daemon.settings.sections(for: identity))
      writer.field("udev", identity.udevProperties.map { "\($0.key)=\($0.value)" }.sorted())
    }
  }

  private func writeContacts(_ contacts: TouchAxes.Contacts, to writer: inout JSONWriter) {
    switch contacts {
    case .single: writer.field("contacts", "single")
    case .slots(let count):
      writer.field("contacts", "slots")
      writer.field("slots", count)
    case .anonymous: writer.field("contacts", "anonymous")
    }
  }

  /// What only a device that is used has.
  private func write(_ device: Device, of node: NodeReport, to writer: inout JSONWriter) {
    writer.field("grabbed", device.isGrabbed)
    writer.field("hidesKeyboard", daemon.engine.hidesKeyboard(device))
    guard let touchscreen = device.touchscreen else { return }
    writer.object("mapping") { writer in
      let configured = node.identity.flatMap { daemon.settings.settings(for: $0) }?.calibration
      let origin = configured != nil ? "configuration" : device.settings.calibration != nil ? "udev" : nil
      let screen = daemon.engine.screens.first { $0.name == device.screen }
      device.writeMapping(touchscreen.axes, rotation: screen?.rotation ?? .none, to: &writer)
      writer.field("matrixFrom", origin)
    }
    writer.object("filters") { device.writeFilters(touchscreen, to: &$0) }
  }

  // MARK: Touches

  private func touches(_ call: Call) {
    guard let stream = call.openStream() else { return }
    // The first reader has the engine tell of touches, and the last has it stop.
    if readers.isEmpty { daemon.feed(.observeTouches(true), at: daemon.loop.now) }
    readers.add(stream) { [unowned self] in daemon.feed(.observeTouches(false), at: daemon.loop.now) }
    stream.send(Message(continues: true) { $0.null("touch") })
  }

  /// Takes a touch for all who read.
  func tell(_ touch: ObservedTouch) {
    guard !readers.isEmpty else { return }
    readers.append(touch)
  }

  /// Sends the touches that were told since the last time.
  func flush() { readers.flush() }

  // MARK: Rotation

  private func setRotation(_ call: Call) {
    guard let degrees = call.parameters["rotation"].asInteger.flatMap({ Int(exactly: $0) }),
      let rotation = Rotation(rawValue: degrees)
    else { return call.failInvalid(parameter: "rotation") }
    let screen = call.parameters["screen"].asString ?? daemon.engine.screens[0].name
    daemon.request {
      .setRotation($0, screen: screen, rotation)
    } answer: { [unowned self] answer in
      if case .failed(.noSuchScreen(let screen)) = answer {
        return call.fail(KeyliftError.noSuchScreen) { $0.field("screen", screen) }
      }
      daemon.log.info(.client(call.peer), "screen \(screen) is rotated by \(degrees) until the daemon ends")
      call.reply()
    }
  }
}
