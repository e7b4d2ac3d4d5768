import Engine
import KeyliftProtocol
import TouchInput
import Varlink

/// io.keylift.Control, on the socket that root alone may open.
final class ControlService {
  private unowned let daemon: Daemon

  /// Views in one reply of Tree: so few that it can be sent whatever their ids are.
  private static let viewsPerReply = 250

  init(daemon: Daemon, server: Server) {
    self.daemon = daemon
    server.serve(Interfaces.control) { [unowned self] call in
      switch call.name {
      case "Tree": tree(call)
      case "Devices": devices(call)
      default: call.fail(VarlinkError.methodNotImplemented)
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
        writer.object("scene") { scene.write(uid: owner?.uid, pid: owner?.pid, to: &$0) }
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

  // MARK: Devices

  private func devices(_ call: Call) {
    call.reply { writer in
      writer.array("devices") { writer in
        for node in daemon.nodes {
          writer.object { write(node, to: &$0) }
        }
      }
    }
  }

  private func write(_ node: NodeReport, to writer: inout JSONWriter) {
    let axes = node.description.flatMap { try? TouchAxes($0) }
    let screen = daemon.engine.devices.first { $0.id == node.device }?.screen
    writer.field("path", node.path)
    writer.field("name", node.name)
    writer.field("id", node.identity?.id)
    writer.field("kind", node.role?.kind.rawValue ?? "unknown")
    writer.field("touch", node.role?.touch ?? false)
    writer.field("keys", node.role?.keys ?? false)
    writer.field("used", node.device != nil)
    writer.field("screen", screen)
    if let axes, node.role?.kind == .touchscreen {
      writer.array("rangeX") { $0.range(axes.x) }
      writer.array("rangeY") { $0.range(axes.y) }
    } else {
      writer.null("rangeX")
      writer.null("rangeY")
    }
    writer.field("why", node.why)
  }
}

extension JSONWriter {
  fileprivate mutating func range(_ axis: AbsoluteAxis) {
    value(Int(axis.minimum))
    value(Int(axis.maximum))
  }
}
