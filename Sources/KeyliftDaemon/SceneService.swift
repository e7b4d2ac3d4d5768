import Engine
import Geometry
import EngineCoding
import KeyliftProtocol
import ResponderChain
import Varlink

/// io.keylift.Scene: an application's scenes, each as long as its connection.
final class SceneService {
  private unowned let daemon: Daemon
  private var scenes: [SceneID: Attached] = [:]
  private var touchReaders: [SceneID: TouchReaders<DeliveredTouch>] = [:]
  /// Those that have touches which have not been sent yet.
  private var behind: TouchReaders<DeliveredTouch>?
  private var message = Message()

  /// A scene's client, who may be behind.
  private final class Attached {
    let stream: Stream
    var pending: Change = []

    init(_ stream: Stream) { self.stream = stream }
  }

  init(daemon: Daemon, server: Server) {
    self.daemon = daemon
    let name = Interfaces.scene.name
    server.setLimit(256 * 1024, for: "\(name).Attach")
    server.setLimit(256 * 1024, for: "\(name).Update")
    server.serve(Interfaces.scene) { [unowned self] call in
      switch call.name {
      case "Attach": attach(call)
      case "Update": update(call)
      case "Focus":
        scene(call).map { id in
          answer(call) { .focus($0, id, view: call.parameters["view"].asString ?? "") }
        }
      case "Resign": scene(call).map { id in answer(call) { .resign($0, id) } }
      case "Touches": touches(call)
      default: call.fail(VarlinkError.methodNotImplemented)
      }
    }
  }

  func owner(of scene: SceneID) -> Credentials? { scenes[scene]?.stream.peer }

  /// The scenes, by the ids of their connections.
  var byConnection: [UInt64: SceneID] {
    scenes.reduce(into: [:]) { all, scene in
      if let connection = scene.value.stream.connection { all[connection.id] = scene.key }
    }
  }

  // MARK: Calls

  private func attach(_ call: Call) {
    guard call.requireMore() else { return }
    let description = SceneDescription(call.parameters)
    let views = (call.parameters["views"].asArray ?? []).map(View.init)
    if let problem = exceeds(description.level, views.count, call.peer) { return invalid(call, problem) }
    daemon.request {
      .attach($0, description, views)
    } answer: { [unowned self] answer in
      guard case .attached(let id) = answer else { return fail(call, answer) }
      guard let stream = call.openStream() else { return daemon.feed(.detach(id), at: daemon.loop.now) }
      let client = Attached(stream)
      scenes[id] = client
      stream.onDrained = { [unowned self] in send(id, []) }
      stream.onClose = { [unowned self] in gone(id) }
      daemon.log.debug("\(Engine.name(of: id)) (\(description.name)) attached by uid \(stream.peer.uid)")
      send(id, .snapshot)
    }
  }

  /// What [Access] has against a scene of this level, or against so many more views; nil for nothing.
  private func exceeds(_ level: Int, _ more: Int, _ peer: Credentials) -> String? {
    let access = daemon.settings.access
    if level > 0, !daemon.allows(peer, as: access.levels) {
      return "level \(level) is above 0, which [Access] Levels= does not let this user have"
    }
    guard more > 0, peer.uid != 0 else { return nil }
    let views = scenes.reduce(more) { sum, scene in
      scene.value.stream.peer.uid == peer.uid ? sum + (daemon.engine.scene(scene.key)?.tree.count ?? 0) : sum
    }
    return views > access.viewsPerUser
      ? "more than the \(access.viewsPerUser) views that [Access] ViewsPerUser= lets a user have" : nil
  }

  private func invalid(_ call: Call, view: String? = nil, _ problem: String) {
    call.fail(KeyliftError.invalidScene) { writer in
      writer.field("view", view)
      writer.field("problem", problem)
    }
  }

  private func gone(_ id: SceneID) {
    scenes[id] = nil
    daemon.log.debug("\(Engine.name(of: id)) is gone")
    touchReaders.removeValue(forKey: id)?.end()
    daemon.feed(.detach(id), at: daemon.loop.now)
  }

  private func update(_ call: Call) {
    guard let id = scene(call) else { return }
    let set = (call.parameters["set"].asArray ?? []).map(View.init)
    let remove = (call.parameters["remove"].asArray ?? []).compactMap(\.asString)
    let frame = call.parameters["frame"]
    if let owner = owner(of: id), let tree = daemon.engine.scene(id)?.tree {
      let new = set.count { tree.index(of: $0.id) == nil }
      if let problem = exceeds(0, new, owner) { return invalid(call, problem) }
    }
    answer(call) { .update($0, id, set: set, remove: remove, frame: frame.isNull ? nil : Rect(frame)) }
  }

  private func touches(_ call: Call) {
    guard call.requireMore(), let id = scene(call), let stream = call.openStream() else { return }
    let readers = touchReaders[id] ?? TouchReaders()
    touchReaders[id] = readers
    readers.add(stream) { [unowned self] in touchReaders[id] = nil }
  }

  /// The scene that a call names, if there is one and it is the caller's or the caller is root.
  private func scene(_ call: Call) -> SceneID? {
    let name = call.parameters["scene"].asString ?? ""
    guard let id = Engine.scene(named: name), let owner = owner(of: id) else {
      call.fail(KeyliftError.noSuchScene) { $0.field("scene", name) }
      return nil
    }
    guard call.peer.uid == 0 || call.peer.uid == owner.uid else {
      call.failDenied()
      return nil
    }
    return id
  }

  private func answer(_ call: Call, _ make: (RequestID) -> Input) {
    daemon.request(make) { [unowned self] answer in
      switch answer {
      case .updated(let revision): call.reply { $0.field("revision", revision) }
      case .done: call.reply()
      default: fail(call, answer)
      }
    }
  }

  private func fail(_ call: Call, _ answer: Answer) {
    guard case .failed(.scene(let error)) = answer else { return call.failInvalid(parameter: "scene") }
    switch error {
    case .noSuchScene(let scene): call.fail(KeyliftError.noSuchScene) { $0.field("scene", scene) }
    case .noSuchView(let view): call.fail(KeyliftError.noSuchView) { $0.field("view", view) }
    case .refused(let by): call.fail(KeyliftError.refused) { $0.field("by", by) }
    case .invalidScene(let view, let problem): invalid(call, view: view, problem)
    }
  }

  // MARK: Streams

  /// Tells each scene that changed; a client that is behind gets the newest state once it has read.
  func publish(_ publication: Publication) {
    for changed in publication.scenes { send(changed.scene, changed.change) }
  }

  private func send(_ id: SceneID, _ change: Change) {
    guard let client = scenes[id] else { return }
    if !client.pending.isEmpty, !change.isEmpty { client.stream.noteMerged() }
    client.pending.formUnion(change)
    guard !client.stream.isBlocked, !client.pending.isEmpty, let scene = daemon.engine.scene(id) else {
      return
    }
    message.encode(continues: true) { writer in
      scene.writeState(client.pending, of: daemon.engine, daemon.stamp, to: &writer)
    }
    client.pending = []
    client.stream.send(message)
  }

  /// Takes a touch for all who read this scene's touches; not even encoded if nobody does.
  func deliver(_ touch: DeliveredTouch) {
    guard let readers = touchReaders[touch.scene] else { return }
    if readers !== behind { flush() }
    behind = readers
    readers.append(touch)
  }

  /// Sends the touches that were delivered since the last time.
  func flush() {
    behind?.flush()
    behind = nil
  }
}
