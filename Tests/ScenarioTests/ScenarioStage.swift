import Engine
import Geometry
import EngineCoding
import KeyliftProtocol
import ResponderChain
import TestFiles
import TouchInput
import Varlink

@testable import KeyliftDaemon

/// The core with a panel on each screen and virtual time, and what its clients are told, in the wire's form.
struct ScenarioStage {
  private(set) var engine: Engine
  private(set) var time: UInt64 = 1_000_000
  private let settings: Settings
  private let stamp = StateStamp(instance: "core")
  private var timer: UInt64?
  private var lastRequest: RequestID = 0
  private var lastDevice: DeviceID = 0
  /// The answers that nobody has taken yet.
  private var answers: [RequestID: Answer] = [:]
  /// Calls whose answers wait for plugins, in their order.
  private var waiting: [RequestID] = []
  private var plugins = ScenarioPlugins()
  private var keys = KeyCommands()
  private var devices: [String: DeviceID] = [:]

  /// An application's scene.
  private struct Client {
    let name: String
    /// As they were sent, by id, for updates that change members of them.
    var views: [String: JSON]
    /// The newest state.
    var told = JSON.null
    var touches: [String] = []
  }
  private var clients: [SceneID: Client] = [:]
  private var attaching: Client?

  private var monitor = JSON.null
  private var notifications: [String] = []
  private var orders: [String: JSON] = [:]

  private struct Finger {
    let screen: String
    let slot: Int32
  }
  private var fingers: [Int: Finger] = [:]
  /// Which finger a touch is of, by its id.
  private var touching: [Int: Int] = [:]
  private var landing = 1
  private var trackingID: Int32 = 0

  static let keyboard = "keys"

  init(configuration: String) throws(ScenarioError) {
    settings = try Settings(text: configuration)
    engine = Engine(configuration: settings.configuration(displaySize: nil))
  }

  // MARK: The engine

  /// Feeds it an input, and takes what it tells, as the daemon does.
  private mutating func handle(_ input: Input) {
    var effects: [Effect] = []
    engine.handle(input, at: time, into: &effects)
    for effect in effects {
      switch effect {
      case .reply(let request, let answer):
        answers[request] = answer
        if case .attached(let id) = answer, let client = attaching {
          clients[id] = client
          tell(id, .snapshot)
        }
      case .touch(let touch): take(touch)
      case .publish(let publication):
        for changed in publication.scenes { tell(changed.scene, changed.change) }
        if !publication.notifications.isEmpty {
          monitor = monitorState(publication.notifications)
          notifications += publication.notifications.map(\.rawValue)
        }
      case .drive(let state): orders[state.driver] = JSON.written { Engine.write(state, to: &$0) }
      case .setTimer(let time): timer = time
      case .ask(let question): plugins.ask(question)
      case .observed: break
      }
    }
    if let (question, decision) = plugins.answer() { handle(.decision(question, decision)) }
  }

  private mutating func tell(_ id: SceneID, _ change: Change) {
    guard let scene = engine.scene(id) else { return }
    clients[id]?.told = JSON.written { scene.writeState(change, of: engine, stamp, to: &$0) }
  }

  private func monitorState(_ notifications: [Notification]) -> JSON {
    JSON.written {
      engine.writeMonitorState(notifications, time: time, stamp, showing: { _ in true }, to: &$0)
    }
  }

  private mutating func take(_ touch: DeliveredTouch) {
    if touching[touch.id] == nil { touching[touch.id] = landing }
    let finger = touching[touch.id].map { $0 == 1 ? "" : "\($0) " } ?? ""
    let responders = touch.responders.isEmpty ? "" : ": " + touch.responders.joined(separator: " ")
    clients[touch.scene]?.touches.append("\(finger)\(touch.phase.rawValue) \(touch.view ?? "-")\(responders)")
  }

  private func scene(_ name: String) throws(ScenarioError) -> SceneID {
    guard let id = clients.first(where: { $0.value.name == name })?.key else {
      throw ScenarioError("no scene \(name) is attached")
    }
    return id
  }

  /// The scene of that name; without one, the only scene.
  private func scene(of name: JSON) throws(ScenarioError) -> SceneID {
    if let name = name.asString { return try scene(name) }
    guard clients.count == 1, let only = clients.keys.first else {
      throw ScenarioError("there is more than one scene: say which, by \"in\"")
    }
    return only
  }

  // MARK: Time

  /// Whether something is on its way, so that the real daemon's clock would decide what comes of an input.
  var isInTransition: Bool { timer != nil && engine.configuration.duration < 2 }

  mutating func settle() {
    var rounds = 0
    while let timer, rounds < 100 {
      fire(timer)
      rounds += 1
    }
  }

  mutating func wait(_ seconds: Double) {
    let end = time + UInt64(seconds * 1_000_000)
    while let timer, timer <= end { fire(timer) }
    time = end
  }

  private mutating func fire(_ timer: UInt64) {
    self.timer = nil
    time = max(time, timer)
    handle(.timer)
  }

  // MARK: Clients

  /// Makes a call and gives back its reply's parameters, or those of its error under the error's name; null if the
  /// answer waits.
  private mutating func call(_ make: (RequestID) -> Input) -> JSON {
    lastRequest += 1
    handle(make(lastRequest))
    if let answer = answers.removeValue(forKey: lastRequest) { return answer.onTheWire }
    waiting.append(lastRequest)
    return .null
  }

  mutating func attach(_ parameters: JSON, as name: String) -> JSON {
    let views = parameters["views"].asArray ?? []
    attaching = Client(
      name: name, views: Dictionary(views.map { ($0["id"].asString ?? "", $0) }) { $1 })
    defer { attaching = nil }
    return call { .attach($0, SceneDescription(parameters), views.map(View.init)) }
  }

  mutating func update(_ name: String, _ step: JSON) throws(ScenarioError) -> JSON {
    let id = try scene(name)
    var set = step["set"].asArray ?? []
    for change in step["change"].asMembers ?? [] {
      guard let view = clients[id]?.views[change.key] else {
        throw ScenarioError("\(name) has no view \(change.key)")
      }
      set.append(view.merging(change.value))
    }
    for view in set { clients[id]?.views[view["id"].asString ?? ""] = view }
    let remove = step["remove"].strings
    let frame = step["frame"]
    return call {
      .update($0, id, set: set.map(View.init), remove: remove, frame: frame.isNull ? nil : Rect(frame))
    }
  }

  mutating func detach(_ name: String) throws(ScenarioError) {
    let id = try scene(name)
    clients[id] = nil
    handle(.detach(id))
  }

  mutating func focus(_ view: String, in name: JSON) throws(ScenarioError) -> JSON {
    let id = try scene(of: name)
    return call { .focus($0, id, view: view) }
  }

  mutating func resign(_ name: String) throws(ScenarioError) -> JSON {
    let id = try scene(name)
    return call { .resign($0, id) }
  }

  func subscribe() -> JSON { monitorState([.snapshot]) }

  mutating func show() -> JSON { call { .showKeyboard($0) } }
  mutating func hide() -> JSON { call { .hideKeyboard($0) } }

  mutating func rotate(_ degrees: Int, _ screen: String?) throws(ScenarioError) -> JSON {
    guard let rotation = Rotation(rawValue: degrees) else { throw ScenarioError("\(degrees) is no rotation") }
    let screen = screen ?? engine.screens[0].name
    return call { .setRotation($0, screen: screen, rotation) }
  }

  // MARK: Drivers

  mutating func drive(_ name: String) -> JSON {
    let answer = call { .driverAttached($0, name: name) }
    return orders[answer["driver"].asString ?? ""] ?? answer
  }

  mutating func report(_ report: JSON) -> JSON {
    let frame = report["frame"]
    return call {
      .driverReport(
        $0, driver: report["driver"].asString ?? "", visible: report["visible"].asBool ?? false,
        frame: frame.isNull ? nil : Rect(frame), docked: report["docked"].asBool ?? true,
        order: report["order"].asInteger.map { Int(clamping: $0) })
    }
  }

  // MARK: Plugins

  mutating func setPlugin(_ name: String, _ step: JSON) throws(ScenarioError) {
    try plugins.set(name, step)
    handle(.deciders(plugins.transitions))
  }

  mutating func answer(_ name: String) throws(ScenarioError) {
    guard let (question, decision) = plugins.answer(of: name) else {
      throw ScenarioError("\(name) is asked nothing")
    }
    handle(.decision(question, decision))
  }

  /// A plugin or a driver dies.
  mutating func lose(_ name: String) {
    if plugins.remove(name) { return handle(.deciders(plugins.transitions)) }
    orders[name] = nil
    handle(.driverGone(name))
  }

  // MARK: Devices

  mutating func plug(_ description: DeviceDescription, as name: String, slots: Int = 0) {
    lastDevice += 1
    let path = "/dev/input/event\(lastDevice)"
    let identity = DeviceIdentity(
      path: path, name: description.name, vendor: description.vendor, product: description.product,
      udevProperties: [:])
    guard let configured = settings.settings(for: identity) else { return }
    devices[name] = lastDevice
    keys.add(lastDevice, held: [])
    let state = DeviceState(slots: Array(repeating: SlotState(), count: slots))
    handle(.deviceAdded(lastDevice, path: path, description, state, configured))
  }

  mutating func unplug(_ name: String) throws(ScenarioError) {
    let id = try device(name)
    devices[name] = nil
    keys.remove(id)
    handle(.deviceRemoved(id))
  }

  private func device(_ name: String) throws(ScenarioError) -> DeviceID {
    guard let id = devices[name] else { throw ScenarioError("there is no device \(name)") }
    return id
  }

  private mutating func frame(_ events: [InputEvent], on name: String) throws(ScenarioError) {
    let id = try device(name)
    time += 8000
    let commands = keys.commands(of: events, on: id)
    if !commands.isEmpty { handle(.keys(commands)) }
    let rest = KeyCommands.withoutKeys(events)
    if !rest.isEmpty { handle(.frame(id, rest)) }
  }

  /// Keys pressed and released one after the other, all in one frame, with another one held around it.
  mutating func press(_ names: [String], with modifier: String?) throws(ScenarioError) {
    func event(_ name: String, _ value: Int32) throws(ScenarioError) -> InputEvent {
      guard let code = KernelNames.codes[name] else { throw ScenarioError("the kernel has no \(name)") }
      return InputEvent(type: EV.KEY, code: code, value: value)
    }
    if let modifier { try frame([event(modifier, 1)], on: ScenarioStage.keyboard) }
    var events: [InputEvent] = []
    for name in names { events += [try event(name, 1), try event(name, 0)] }
    try frame(events, on: ScenarioStage.keyboard)
    if let modifier { try frame([event(modifier, 0)], on: ScenarioStage.keyboard) }
  }

  // MARK: Fingers

  mutating func down(_ finger: Int, _ point: Point, on screen: String?, _ grid: PanelGrid)
    throws(ScenarioError)
  {
    let screen = engine.screens.first { $0.name == screen } ?? engine.screens[0]
    let slot = Int32(clamping: finger - 1)
    fingers[finger] = Finger(screen: screen.name, slot: slot)
    landing = finger
    trackingID += 1
    try touch(
      [(ABS.MT_SLOT, slot), (ABS.MT_TRACKING_ID, trackingID)] + grid.axes(point, on: screen), screen.name)
  }

  mutating func move(_ finger: Int, _ point: Point, _ grid: PanelGrid) throws(ScenarioError) {
    guard let place = fingers[finger], let screen = engine.screens.first(where: { $0.name == place.screen })
    else { throw ScenarioError("finger \(finger) is not down") }
    try touch([(ABS.MT_SLOT, place.slot)] + grid.axes(point, on: screen), place.screen)
  }

  mutating func up(_ finger: Int) throws(ScenarioError) {
    guard let place = fingers.removeValue(forKey: finger) else {
      throw ScenarioError("finger \(finger) is not down")
    }
    try touch([(ABS.MT_SLOT, place.slot), (ABS.MT_TRACKING_ID, -1)], place.screen)
  }

  private mutating func touch(_ values: [(UInt16, Int32)], _ screen: String) throws(ScenarioError) {
    try frame(values.map { InputEvent(type: EV.ABS, code: $0.0, value: $0.1) }, on: "panel \(screen)")
  }

  // MARK: What can be seen

  /// Compares what was told since the last time with what is expected.
  mutating func differences(from expected: JSON) throws(ScenarioError) -> [String] {
    var differences: [String] = []
    if let list = expected.member("notifications") {
      let came = JSON.array(notifications.map(JSON.string))
      if came != list { differences.append("notifications are \(came.plain), not \(list.plain)") }
    }
    for (name, list) in (expected["touches"].asMembers ?? []).map({ ($0.key, $0.value) }) {
      let came = JSON.array((clients[try scene(name)]?.touches ?? []).map(JSON.string))
      if came != list { differences.append("touches of \(name) are \(came.plain), not \(list.plain)") }
    }
    if let keyboard = expected.member("keyboard") {
      differences += monitor["keyboard"].differences(from: keyboard, at: "keyboard")
    }
    if let list = expected.member("answers") {
      let came = JSON.array(waiting.map { answers[$0]?.onTheWire ?? .null })
      differences += came.differences(from: list, at: "answers")
    }
    for (name, list) in (expected["questions"].asMembers ?? []).map({ ($0.key, $0.value) }) {
      guard let asked = plugins.asked(name) else { throw ScenarioError("there is no plugin \(name)") }
      let came = JSON.array(asked.map(JSON.string))
      if came != list { differences.append("questions to \(name) are \(came.plain), not \(list.plain)") }
    }
    for driver in expected["drivers"].asMembers ?? [] {
      differences += (orders[driver.key] ?? .null).differences(from: driver.value, at: driver.key)
    }
    for member in expected["scenes"].asMembers ?? [] {
      let told = clients[try scene(member.key)]?.told ?? .null
      differences += told.differences(from: member.value, at: member.key)
    }
    forget()
    return differences
  }

  mutating func forget() {
    notifications = []
    waiting.removeAll { answers[$0] != nil }
    answers = [:]
    plugins.forget()
    for id in clients.keys { clients[id]?.touches = [] }
  }
}
