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

  var touchReaderCount: Int { touchReaders.values.reduce(0) { $0 + $1.count } }

  // MARK: Calls

  private func attach(_ call: Call) {
    guard call.requireMore() else { return }
    let description = SceneDescription(call.parameters)
    let views = (call.parameters["views"].asArray ?? []).map(View.init)
    if let problem = exceeds(level: description.level, call.peer) ?? exceeds(more: views.count, call.peer) {
      return invalid(call, problem)
    }
    daemon.request {
      .attach($0, description, views)
    } answer: { [unowned self] answer in
      guard case .attached(let id) = answer else { return fail(call, answer) }
      guard let stream = call.openStream() else { return daemon.feed(.detach(id), at: daemon.loop.now) }
      let client = Attached(stream)
      scenes[id] = client
      stream.onDrained = { [unowned self] in send(id, []) }
      stream.onClose = { [unowned self] in gone(id) }
      let name = Engine.name(of: id)
      daemon.log.debug(
        .client(stream.peer, scene: name), "\(name) (\(description.name)) attached by uid \(stream.peer.uid)")
      send(id, .snapshot)
    }
  }

  /// What [Access] has against a scene of this level; nil for nothing.
  private func exceeds(level: Int, _ peer: Credentials) -> String? {
    level <= 0 || daemon.allows(peer, as: daemon.settings.access.levels)
      ? nil : "level \(level) is above 0, which [Access] Levels= does not let this user have"
  }

  /// What [Access] has against so many more views; nil for nothing.
  private func exceeds(more: Int, _ peer: Credentials) -> String? {
    let most = daemon.settings.access.viewsPerUser
    guard more > 0, !daemon.allows(peer, as: .only([])) else { return nil }
    let views = daemon.engine.scenes.reduce(more) { sum, scene in
      owner(of: scene.id)?.uid == peer.uid ? sum + scene.tree.count : sum
    }
    return views > most
      ? "more than the \(most) views that [Access] ViewsPerUser= lets a user have" : nil
  }

  /// How many more views an Update makes, what lies below those that it removes not counted.
  private func more(_ set: [View], _ remove: [String], _ tree: ViewTree) -> Int {
    let gone = Set(remove).subtracting(set.map(\.id)).count { tree.index(of: $0) != nil }
    return set.count { tree.index(of: $0.id) == nil } - gone
  }

  /// Scenes that [Access] does not allow any more are closed.
  func accessChanged() {
    for scene in daemon.engine.scenes {
      guard let stream = scenes[scene.id]?.stream,
        exceeds(level: scene.description.level, stream.peer) != nil
      else { continue }
      let name = Engine.name(of: scene.id)
      daemon.log.info(
        .client(stream.peer, scene: name), "\(name) is closed: [Access] Levels= does not allow it any more")
      stream.close()
    }
  }

  private func invalid(_ call: Call, view: String? = nil, _ problem: String) {
    call.fail(KeyliftError.invalidScene) { writer in
      writer.field("view", view)
      writer.field("problem", problem)
    }
  }

  private func gone(_ id: SceneID) {
    let name = Engine.name(of: id)
    if let client = scenes.removeValue(forKey: id) {
      daemon.log.debug(.client(client.stream.peer, scene: name), "\(name) is gone")
    }
    touchReaders.removeValue(forKey: id)?.end()
    daemon.feed(.detach(id), at: daemon.loop.now)
  }

  private func update(_ call: Call) {
    guard let id = scene(call) else { return }
    let set = (call.parameters["set"].asArray ?? []).map(View.init)
    let remove = (call.parameters["remove"].asArray ?? []).compactMap(\.asString)
    let frame = call.parameters["frame"]
    if let owner = owner(of: id), let tree = daemon.engine.scene(id)?.tree {
      if let problem = exceeds(more: more(set, remove, tree), owner) { return invalid(call, problem) }
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
