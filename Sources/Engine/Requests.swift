import Avoidance
import Geometry
import ResponderChain

extension Engine {
  mutating func attach(
    _ request: RequestID, _ description: SceneDescription, _ views: [View], _ effects: inout [Effect]
  ) {
    var tree = ViewTree()
    do throws(SceneError) {
      try checkScene(description)
      try tree.update(set: views)
    } catch {
      effects.append(.reply(request, .failed(.scene(error))))
      return
    }
    let screen = self.screen(named: description.screen)
    var scene = Scene(
      id: nextSceneID(), description: description, screen: screen.name,
      frame: description.frame ?? screen.bounds, followsScreen: description.frame == nil)
    scene.tree = tree
    scene.layout = layout(of: scene)
    scenes.append(scene)
    effects.append(.reply(request, .attached(scene.id)))
    noted.append(.sceneAttached)
    needsSettling = true
  }

  private func checkScene(_ description: SceneDescription) throws(SceneError) {
    func refuse(_ problem: String) -> SceneError { .invalidScene(view: nil, problem: problem) }
    guard ViewTree.isName(description.name) else {
      throw refuse("its name is over \(ViewTree.longestName) bytes or has control characters")
    }
    if let name = description.screen, !screens.contains(where: { $0.name == name }) {
      let names = screens.map(\.name).joined(separator: ", ")
      throw refuse("there is no screen \(name); there is: \(names)")
    }
    if let frame = description.frame { try checkFrame(frame) }
    guard description.safeArea.isFinite else { throw refuse("the safe area is not finite") }
  }

  private func checkFrame(_ frame: Rect) throws(SceneError) {
    guard frame.isFinite, frame.width >= 0, frame.height >= 0,
      [frame.x, frame.y, frame.width, frame.height].allSatisfy({ abs($0) <= 1e9 })
    else { throw .invalidScene(view: nil, problem: "the scene's frame is negative, not finite or over 1e9") }
  }

  mutating func update(
    _ request: RequestID, _ id: SceneID, set: [View], remove: [String], frame: Rect?,
    _ effects: inout [Effect]
  ) {
    guard let place = place(of: id, request, &effects) else { return }
    var changed = false
    do throws(SceneError) {
      if let frame { try checkFrame(frame) }
      changed = try scenes[place].tree.update(set: set, remove: remove)
    } catch {
      effects.append(.reply(request, .failed(.scene(error))))
      return
    }
    if let frame {
      changed = changed || frame != scenes[place].frame
      scenes[place].frame = frame
      scenes[place].followsScreen = false
    }
    guard changed else {  // the same once more is nothing new (rule 23)
      effects.append(.reply(request, .updated(revision: scenes[place].revision)))
      return
    }
    scenes[place].revision += 1
    if !remove.isEmpty {
      for touch in deliveries.indices where deliveries[touch].scene == id {
        deliveries[touch].forget { scenes[place].tree.index(of: $0) == nil }
      }
    }
    effects.append(.reply(request, .updated(revision: scenes[place].revision)))
    noted.append(.sceneUpdated)
    needsSettling = true
  }

  mutating func focus(_ request: RequestID, _ id: SceneID, _ view: String, _ effects: inout [Effect]) {
    guard let place = place(of: id, request, &effects) else { return }
    let tree = scenes[place].tree
    guard let index = tree.index(of: view) else {
      effects.append(.reply(request, .failed(.scene(.noSuchView(view)))))
      return
    }
    guard tree.canBecomeFirstResponder(index) else {
      let by = "view \(view): not an editable textInput that can be seen and touched"
      effects.append(.reply(request, .failed(.scene(.refused(by: by)))))
      return
    }
    let change = becomeFirstResponder(view, in: id, .client, keyboardWaits: focusWaitsForTouch)
    reply(request, change, &effects)
  }

  private func reply(_ request: RequestID, _ change: FocusChange, _ effects: inout [Effect]) {
    switch change {
    case .made: effects.append(.reply(request, .done))
    case .refused(let by): effects.append(.reply(request, .failed(.scene(.refused(by: by)))))
    case .undecided: break
    }
  }

  /// Whether a client's focus shows no keyboard, since no touch asked for it (rule 18).
  private var focusWaitsForTouch: Bool {
    guard configuration.autoFocus == .wait, deliveries.allSatisfy({ $0.scene == 0 }) else { return false }
    return lastTouchEnd.map { now > $0 &+ Engine.touchAsksFor } ?? true
  }

  /// How long after a touch the focus that a client sets counts as asked for by it, in microseconds.
  ///
  /// Applications answer a tap with the focus, and take a moment to.
  static let touchAsksFor: UInt64 = 1_000_000

  mutating func resign(_ request: RequestID, _ id: SceneID, _ effects: inout [Effect]) {
    guard place(of: id, request, &effects) != nil else { return }
    reply(request, focusedScene == id ? resignFirstResponder(.client) : .made, &effects)
  }

  /// The scene goes with its connection, and its focus, its touches and its keyboard with it.
  mutating func detach(_ id: SceneID) {
    guard let place = scenes.firstIndex(where: { $0.id == id }) else { return }
    if focusedScene == id { loseFirstResponder(.sceneGone) }
    scenes.remove(at: place)
    deliveries.removeAll { $0.scene == id }
    noted.append(.sceneGone)
    needsSettling = true
  }

  private func place(of id: SceneID, _ request: RequestID, _ effects: inout [Effect]) -> Int? {
    if let place = scenes.firstIndex(where: { $0.id == id }) { return place }
    effects.append(.reply(request, .failed(.scene(.noSuchScene(Engine.name(of: id))))))
    return nil
  }

  /// A scene's name on the wire.
  public static func name(of scene: SceneID) -> String { "scene-\(scene)" }

  /// The scene that has this name on the wire, whether it is there or not; nil if none can have it.
  public static func scene(named name: String) -> SceneID? {
    guard name.hasPrefix("scene-"), let id = SceneID(name.dropFirst(6)), Engine.name(of: id) == name else {
      return nil
    }
    return id
  }
}
