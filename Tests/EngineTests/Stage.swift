import Avoidance
import Geometry
import Invariants
import ResponderChain
import TouchInput

@testable import Engine

/// An engine with one 480x800 panel, a clock, and a script of what came of each step.
struct Stage {
  var engine: Engine
  var time: UInt64 = 1_000_000
  private(set) var effects: [Effect] = []
  private var request = 0
  private var keys = KeyCommands()
  private var trackingID: Int32 = 0

  static let panel = DeviceDescription.panel(width: 480, height: 800)
  static let keyboard = DeviceDescription(name: "Keys", keys: [KEY.ESC, KEY.TAB])

  /// The keyboard is 300 points high, unless the configuration says otherwise.
  init(_ configuration: Configuration = Configuration(keyboardHeight: .points(300))) {
    engine = Engine(configuration: configuration)
    handle(.deviceAdded(1, path: "/dev/input/event0", Stage.panel, DeviceState(), DeviceSettings()))
    handle(.deviceAdded(2, path: "/dev/input/event1", Stage.keyboard, DeviceState(), DeviceSettings()))
    keys.add(1, held: [])
    keys.add(2, held: [])
    effects = []
  }

  mutating func handle(_ input: Input) { engine.handle(input, at: time, into: &effects) }

  /// What has come of the steps since the last look.
  mutating func take() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  // MARK: Clients

  mutating func call(_ make: (RequestID) -> Input) -> Answer? {
    request += 1
    handle(make(request))
    for effect in effects {
      if case .reply(request, let reply) = effect { return reply }
    }
    return nil
  }

  @discardableResult
  mutating func attach(
    _ views: View..., name: String = "form", screen: String? = nil, frame: Rect? = nil, level: Int = 0,
    avoidance: AvoidanceMode = .pan, outsideTouch: Trigger = .tap, safeArea: Insets = .zero
  ) -> SceneID {
    let description = SceneDescription(
      name: name, screen: screen, frame: frame, level: level, avoidance: avoidance,
      outsideTouch: outsideTouch,
      safeArea: safeArea)
    guard case .attached(let id) = call({ .attach($0, description, views) }) else { return 0 }
    effects = []
    return id
  }

  // MARK: Plugins

  /// Somebody decides about these from now on.
  mutating func ask(about transitions: Transition...) { handle(.deciders(Set(transitions))) }

  /// The questions that were asked since the last look, as "endEditing a", each answered before the next.
  mutating func answer(_ decide: (Question) -> Decision) -> [String] {
    var asked: [String] = []
    while let question = effects.questions.dropFirst(asked.count).first {
      asked.append("\(question.transition) \(question.view ?? "-")")
      handle(.decision(question.id, decide(question)))
    }
    return asked
  }

  // MARK: Fingers and keys

  mutating func frame(_ events: (UInt16, UInt16, Int32)..., device: DeviceID = 1) {
    let all = events.map { InputEvent(type: $0.0, code: $0.1, value: $0.2) }
    let commands = keys.commands(of: all, on: device)
    if !commands.isEmpty { handle(.keys(commands)) }
    handle(.frame(device, KeyCommands.withoutKeys(all)))
  }

  mutating func down(_ x: Int32, _ y: Int32, slot: Int32 = 0) {
    trackingID += 1
    frame(
      (EV.ABS, ABS.MT_SLOT, slot), (EV.ABS, ABS.MT_TRACKING_ID, trackingID),
      (EV.ABS, ABS.MT_POSITION_X, x), (EV.ABS, ABS.MT_POSITION_Y, y))
  }

  mutating func move(_ x: Int32, _ y: Int32, slot: Int32 = 0) {
    time += 8000
    frame((EV.ABS, ABS.MT_SLOT, slot), (EV.ABS, ABS.MT_POSITION_X, x), (EV.ABS, ABS.MT_POSITION_Y, y))
  }

  mutating func up(slot: Int32 = 0) {
    time += 8000
    frame((EV.ABS, ABS.MT_SLOT, slot), (EV.ABS, ABS.MT_TRACKING_ID, -1))
  }

  mutating func tap(_ x: Int32, _ y: Int32) {
    down(x, y)
    up()
  }

  mutating func press(_ code: UInt16) {
    frame((EV.KEY, code, 1), device: 2)
    frame((EV.KEY, code, 0), device: 2)
  }

  /// Lets the time pass that the engine has asked for.
  mutating func settle() {
    time += 400_000
    handle(.timer)
  }

  // MARK: What can be seen

  var focused: String? { engine.firstResponder?.view }
  func offset(_ scene: SceneID) -> Double { engine.scene(scene)?.layout.offset.y ?? .nan }
}

extension [Effect] {
  var notifications: [Notification] {
    flatMap { effect -> [Notification] in
      if case .publish(let publication) = effect { return publication.notifications }
      return []
    }
  }

  var publications: Int { reduce(0) { if case .publish = $1 { $0 + 1 } else { $0 } } }

  /// What each scene's client is told that differs.
  var changes: [SceneID: Change] {
    reduce(into: [:]) { changes, effect in
      guard case .publish(let publication) = effect else { return }
      for changed in publication.scenes { changes[changed.scene, default: []].formUnion(changed.change) }
    }
  }

  /// Each answer to a request, by what was said.
  var replies: [String] {
    compactMap { effect in
      guard case .reply(_, let answer) = effect else { return nil }
      if case .failed(.scene(.refused(let by))) = answer { return by }
      if case .keyboard(let by?) = answer { return by }
      return "\(answer)"
    }
  }

  var questions: [Question] { compactMap { if case .ask(let question) = $0 { question } else { nil } } }

  var timers: [UInt64?] { compactMap { if case .setTimer(let time) = $0 { .some(time) } else { nil } } }

  /// Each order to a driver as "osk show".
  var drives: [String] {
    compactMap { effect in
      guard case .drive(let state) = effect else { return nil }
      return "\(state.driver) \(state.visible ? "show" : "hide")"
    }
  }

  /// Each delivery as "began root,scroll,label".
  var touches: [String] {
    compactMap { effect in
      guard case .touch(let touch) = effect else { return nil }
      return "\(touch.phase.rawValue) \(touch.responders.joined(separator: ","))"
    }
  }
}

func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
  Rect(x: x, y: y, width: width, height: height)
}

func input(_ id: String, _ parent: String? = nil, y: Double, returnKey: ReturnKey = .none) -> View {
  View(id: id, parent: parent, kind: .textInput, frame: rect(20, y, 440, 40), returnKey: returnKey)
}
