import Avoidance
import Engine
import Geometry
import ResponderChain
import TouchInput

private let numbers: [Double] = [
  -1e9, -500, -10, 0, 0.001, 1, 40, 100, 300, 479, 800, 5000, 1e9, 1e308, -1e308, .infinity, .nan,
]
private let values: [Int32] = [
  .min, -1, 0, 1, 2, 5, 9, 10, 100, 200, 300, 400, 479, 500, 600, 700, 799, 65535, .max,
]
private let keyboard = DeviceDescription(
  name: "Typing", keys: Set(KEY.LETTERS + [KEY.ESC, KEY.TAB, KEY.ENTER, KEY.LEFTSHIFT]))
private let panel = DeviceDescription.panel(
  width: 480, height: 800, udevProperties: ["LIBINPUT_DEVICE_GROUP": "panel"])
/// What long drags are made on, device 0; no other input is made up for it, as that would end most of them.
private let dragged = DeviceDescription.panel(width: 480, height: 800)
private let resistive = DeviceDescription(
  name: "Resistive", keys: [BTN.TOUCH],
  absoluteAxes: [
    ABS.X: AbsoluteAxis(minimum: 0, maximum: 479), ABS.Y: AbsoluteAxis(minimum: 0, maximum: 799),
  ])
private let pen = DeviceDescription(
  name: "Pen", properties: [INPUT_PROP.DIRECT], keys: [BTN.TOOL_PEN, BTN.TOUCH, BTN.STYLUS],
  absoluteAxes: [
    ABS.X: AbsoluteAxis(minimum: 0, maximum: 479), ABS.Y: AbsoluteAxis(minimum: 0, maximum: 799),
  ], udevProperties: ["LIBINPUT_DEVICE_GROUP": "panel"])

/// Makes up inputs, and compares the effects with what it knows.
public struct EnginePlay<Chances: RandomNumberGenerator> {
  public private(set) var engine: Engine
  /// Called after each input with its time, its effects and what the engine is then.
  public var observer: ((Input, UInt64, [Effect], Engine) -> Void)?
  private var random: Chances
  public private(set) var time: UInt64 = 1_000_000
  private var timer: UInt64?
  private var request = 0
  private var scenes: Set<SceneID> = []
  private var drivers: Set<String> = []
  private var devices: Set<DeviceID> = [1]
  private var nextDevice = 2
  /// The living touches that were delivered, and to which scene.
  private var touches: [Int: SceneID] = [:]
  private var seen: Set<Int> = []
  /// Those that a living touch began for, and has not ended for.
  private var responders: [Int: Set<String>] = [:]
  /// All touches, whether or not they were delivered.
  private var ledger = TouchLedger()
  private var phase = KeyboardPhase.hidden
  /// Requests that were not answered yet, which only what plugins are asked about may wait for.
  private var unanswered: Set<RequestID> = []
  private var questions: [Question] = []
  private var lastQuestion = 0
  private var deciders: Set<Transition> = []
  private var drag: ScriptedDrag?
  public private(set) var pulls = PullCount()
  /// Nothing but focus has a say in whether the keyboard shows: no driver, plugin, hardware keyboard or showing by hand.
  private let isPlain: Bool
  private var frameChanges = false
  private var lastInput: Input?
  private var problems: [String] = []

  /// The input of the last step, and what was wrong after it.
  public var last: String {
    let input = lastInput.map { String("\($0)".prefix(2_000)) } ?? ""
    return problems.isEmpty ? input : input + " -> " + problems.joined(separator: "; ")
  }

  public init(_ chances: Chances) {
    random = chances
    let second = Screen(name: "second", size: Size(width: 300, height: 300), rotation: .clockwise90)
    let first = Screen(name: "first", size: Size(width: 480, height: 800))
    let kind = Int.random(in: 0..<30, using: &random)
    engine = Engine(
      configuration: Configuration(
        screens: kind % 2 == 0 ? [] : [first, second], keyboardHeight: .points(300),
        duration: kind % 3 == 0 ? 0 : 0.3, hardwareKeyboard: kind % 5 == 0 ? .ignore : .hide,
        autoFocus: kind % 7 == 0 ? .wait : .show))
    isPlain = kind % 4 == 1 && kind % 7 != 0
    var effects: [Effect] = []
    engine.handle(
      .deviceAdded(1, path: "1", panel, DeviceState(), DeviceSettings()), at: time, into: &effects)
    engine.handle(
      .deviceAdded(0, path: "0", dragged, DeviceState(), DeviceSettings()), at: time, into: &effects)
    engine.handle(.observeTouches(true), at: time, into: &effects)
  }

  private mutating func number() -> Double {
    Int.random(in: 0..<4, using: &random) == 0
      ? numbers.randomElement(using: &random) ?? 0 : Double(Int.random(in: 0...700, using: &random))
  }

  private mutating func rectangle() -> Rect {
    Rect(x: number() / 2, y: number(), width: number(), height: number() / 4)
  }

  private mutating func name() -> String { "v\(Int.random(in: 0..<12, using: &random))" }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  private mutating func view() -> View {
    View(
      id: name(), parent: chance(2) ? name() : nil,
      kind: Kind.allCases.randomElement(using: &random) ?? .view,
      frame: rectangle(), hidden: chance(9), alpha: chance(9) ? number() : 1, interactive: !chance(9),
      forwardsTouches: chance(3) ? chance(2) : nil,
      resigns: Trigger.allCases.randomElement(using: &random) ?? .never, editable: chance(9) ? false : nil,
      returnKey: ReturnKey.allCases.randomElement(using: &random) ?? .none,
      keepsVisible: chance(6) ? name() : nil, spacing: chance(6) ? number() : nil,
      caret: chance(6) ? rectangle() : nil,
      order: chance(6) ? [.min, 0, .max].randomElement(using: &random) : nil,
      contentOffset: chance(6) ? Point(x: number(), y: number()) : .zero,
      dismissMode: DismissMode.allCases.randomElement(using: &random) ?? .none)
  }

  private mutating func views(_ most: Int) -> [View] {
    var ids: Set<String> = []
    let made = (0..<Int.random(in: 0...most, using: &random)).map { _ in view() }
    return chance(20) ? made : made.filter { ids.insert($0.id).inserted }
  }

  private mutating func events() -> [InputEvent] {
    let codes: [(UInt16, UInt16)] = [
      (EV.ABS, ABS.MT_SLOT), (EV.ABS, ABS.MT_TRACKING_ID), (EV.ABS, ABS.MT_POSITION_X),
      (EV.ABS, ABS.MT_POSITION_Y), (EV.KEY, BTN.TOUCH), (EV.KEY, KEY.ESC), (EV.KEY, KEY.TAB),
      (EV.KEY, KEY.ENTER), (EV.KEY, KEY.LEFTSHIFT), (EV.ABS, ABS.X), (EV.KEY, BTN.TOOL_PEN), (77, 77),
    ]
    return (0..<Int.random(in: 0...8, using: &random)).map { _ in
      let code = codes.randomElement(using: &random) ?? (0, 0)
      return InputEvent(
        type: code.0, code: code.1, value: values.randomElement(using: &random) ?? 0)
    }
  }

  private mutating func state() -> DeviceState {
    let slots = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      SlotState(
        trackingID: values.randomElement(using: &random) ?? 0,
        x: values.randomElement(using: &random) ?? 0,
        y: values.randomElement(using: &random) ?? 0)
    }
    return DeviceState(
      currentSlot: values.randomElement(using: &random) ?? 0, slots: slots, x: 0, y: 0,
      keysDown: chance(2) ? [KEY.ESC, BTN.TOUCH] : [])
  }

  private mutating func decision() -> Decision {
    Decision(
      isAllowed: !chance(3), offset: chance(3) ? Point(x: number(), y: -number()) : nil, by: "somebody")
  }

  /// What comes before a drag: a page that dismisses by drags in front of all, and the keyboard.
  private mutating func dragPreparation() -> Input {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      let page = Rect(x: 0, y: 0, width: 800, height: 800)
      let field = Rect(x: 0, y: number(), width: 200, height: 40)
      return .attach(
        request, SceneDescription(name: "page", level: .max, avoidance: chance(2) ? .pan : .scroll),
        [
          View(id: "v0", kind: .scroll, frame: page, dismissMode: .interactive),
          View(id: "v1", parent: "v0", kind: .textInput, frame: field),
        ])
    case 2, 3: return .focus(request, scenes.max() ?? 99, view: "v1")
    case 4: return .showKeyboard(request)
    default:
      drag = ScriptedDrag(&random)
      return .timer
    }
  }

  /// The next input of a drag, which takes many; one in five is another.
  private mutating func dragInput() -> Input? {
    guard var script = drag else { return chance(4) ? dragPreparation() : nil }
    guard !chance(5) else { return nil }
    let events = script.next(on: engine.screens[0].rotation, &random)
    drag = script.isOver ? nil : script
    if chance(40) {  // its fingers are cancelled
      drag = nil
      return .dropped(0, DeviceState(slots: Array(repeating: SlotState(), count: 10)))
    }
    return .frame(0, events)
  }

  private mutating func input() -> Input {
    let input = dragInput() ?? anyInput()
    guard isPlain else { return input }
    switch input {
    case .driverAttached, .showKeyboard, .hideKeyboard, .deciders: return .timer
    case .deviceAdded(_, _, keyboard, _, _): return .timer
    default: return input
    }
  }

  private mutating func anyInput() -> Input {
    let scene = scenes.sorted().randomElement(using: &random) ?? 99
    let driver = drivers.sorted().randomElement(using: &random) ?? "nobody"
    let device = devices.sorted().randomElement(using: &random) ?? 99
    switch Int.random(in: 0..<40, using: &random) {
    case 0:
      defer { nextDevice += 1 }
      devices.insert(nextDevice)
      let settings = deviceSettings()
      return .deviceAdded(
        nextDevice, path: "d",
        [keyboard, panel, panel, resistive, pen].randomElement(using: &random) ?? panel,
        state(), settings)
    case 1:
      if devices.count > 2 || chance(9) { devices.remove(device) }
      return devices.contains(device) ? .timer : .deviceRemoved(device)
    case 2: return .dropped(device, state())
    case 3 where scenes.count < 5, 4 where scenes.count < 5:
      let description = SceneDescription(
        name: "n", screen: chance(2) ? engine.screens.last?.name : nil, frame: chance(3) ? rectangle() : nil,
        level: [.min, -1, 0, 0, 1, .max].randomElement(using: &random) ?? 0,
        avoidance: AvoidanceMode.allCases.randomElement(using: &random) ?? .pan,
        outsideTouch: Trigger.allCases.randomElement(using: &random) ?? .tap,
        safeArea: Insets(top: number(), left: 0, bottom: number(), right: 0))
      return .attach(request, description, views(10))
    case 5:
      scenes.remove(scene)
      for (touch, owner) in touches where owner == scene { touches[touch] = nil }
      return .detach(scene)
    case 6...9:
      return .update(
        request, scene, set: views(4), remove: chance(3) ? [name()] : [],
        frame: chance(6) ? rectangle() : nil)
    case 10...14: return .focus(request, scene, view: name())
    case 15: return .resign(request, scene)
    case 16:
      return .driverAttached(
        request, name: "d\(Int.random(in: 0..<2, using: &random))", isAbsent: chance(4))
    case 17:
      if chance(2) { return .driverStands(driver, isAbsent: chance(2)) }
      drivers.remove(driver)
      return .driverGone(driver)
    case 18...20:
      return .driverReport(
        request, driver: driver, visible: chance(2), frame: chance(2) ? rectangle() : nil, docked: !chance(4),
        order: chance(2) ? Int.random(in: 0...40, using: &random) : nil)
    case 21: return .showKeyboard(request)
    case 22: return .hideKeyboard(request)
    case 23: return .timer
    case 25:
      let screen = chance(2) ? "second" : engine.screens[0].name
      return .setRotation(request, screen: screen, Rotation.allCases.randomElement(using: &random) ?? .none)
    case 26: return .deviceGrabbed(device)
    case 27 where chance(4):
      deciders = chance(2) ? [] : Set(Transition.allCases.filter { _ in chance(2) })
      return .deciders(deciders)
    case 28...31:
      guard !questions.isEmpty else { return .decision(lastQuestion, .allowed) }
      let question = questions.remove(at: Int.random(in: questions.indices, using: &random))
      return .decision(question.id, decision())
    case 32: return injection()
    case 33: return .injectorGone(Int.random(in: 0..<2, using: &random))
    case 34 where chance(4): return .reconfigure(configuration())
    case 35 where chance(4):
      let description = engine.devices.first { $0.id == device }?.description ?? panel
      return .deviceReconfigured(device, description, state(), deviceSettings())
    case 24: return .keys((0..<3).map { _ in KeyCommand.allCases.randomElement(using: &random) ?? .dismiss })
    default: return .frame(device, events())
    }
  }

  private mutating func deviceSettings() -> DeviceSettings {
    var settings = DeviceSettings(screen: chance(2) ? "second" : nil)
    if chance(5) { settings.xRange = .min ... .max }
    if chance(3) { settings.minimumTime = 30_000 }
    if chance(3) { settings.debounce = 50_000 }
    return settings
  }

  /// Other screens, some of which may be gone, and another keyboard.
  private mutating func configuration() -> Configuration {
    let screens = ["first", "second", "third"].filter { _ in chance(2) }.map { name in
      Screen(
        name: name, size: Size(width: chance(2) ? 480 : 300, height: chance(2) ? 800 : 300),
        rotation: Rotation.allCases.randomElement(using: &random) ?? .none)
    }
    return Configuration(
      screens: screens, adoptsTouchscreenSize: chance(2),
      keyboardHeight: chance(2) ? .points(Double(Int.random(in: 1...900, using: &random))) : .fraction(0.4),
      spacing: Double(Int.random(in: -50...50, using: &random)),
      duration: chance(2) ? 0 : 0.3,
      hardwareKeyboard: isPlain
        ? .hide : HardwareKeyboardPolicy.allCases.randomElement(using: &random) ?? .hide,
      autoFocus: isPlain ? .show : AutoFocusPolicy.allCases.randomElement(using: &random) ?? .show)
  }

  private mutating func injection() -> Input {
    let touches = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      InjectedTouch(
        id: Int.random(in: 0..<3, using: &random),
        phase: TouchPhase.allCases.randomElement(using: &random) ?? .began,
        position: chance(5) ? nil : Point(x: number(), y: number()))
    }
    return .inject(
      request, Int.random(in: 0..<2, using: &random),
      screen: chance(4) ? ["second", engine.screens[0].name].randomElement(using: &random) : nil, touches,
      key: chance(4) ? KeyCommand.allCases.randomElement(using: &random) : nil)
  }

  /// One input and all timers that are due; what is wrong after it.
  public mutating func step() -> [String] {
    time += UInt64.random(in: 0...120_000, using: &random)
    problems = []
    if let due = timer, due <= time {
      timer = nil
      problems += handle(.timer)
    }
    request += 1
    problems += handle(input())
    if chance(30) {
      problems += settle()
      if isPlain, chance(3) { problems += reconnect() }
    }
    return problems
  }

  /// Everything is decided, and comes to rest.
  private mutating func settle() -> [String] {
    var problems: [String] = []
    var most = 1_000
    while !questions.isEmpty, most > 0 {
      most -= 1
      problems += handle(.decision(questions.removeFirst().id, decision()))
    }
    if most == 0 { problems.append("questions without end") }
    for _ in 0..<4 where timer != nil {  // a touch that was held back may begin a transition, or a question
      time += 1_000_000
      timer = nil
      problems += handle(.timer)
      while !questions.isEmpty { problems += handle(.decision(questions.removeFirst().id, decision())) }
    }
    if engine.keyboard.phase != .hidden && engine.keyboard.phase != .shown {
      problems.append("the keyboard never settles: \(engine.keyboard)")
    }
    if frameChanges { problems.append("a keyboardWillChangeFrame without its did") }
    if engine.keyboard.phase == .hidden, engine.scenes.contains(where: { $0.layout.offset != .zero }) {
      problems.append("an offset at rest, without a keyboard")
    }
    if timer != nil { problems.append("a timer after everything has settled") }
    return problems
  }

  /// The client of the focused scene goes and comes back with all that it had: the state is what it was.
  ///
  /// It comes back twice, since what a person scrolled since the keyboard came is not known to the second connection.
  private mutating func reconnect() -> [String] {
    var problems: [String] = []
    var before: Reconnected?
    for _ in 0..<2 {
      guard let id = engine.focusedScene, let scene = engine.scene(id), let view = scene.focused else {
        break
      }
      problems += leave(id)
      var description = scene.description
      description.screen = scene.screen
      description.frame = scene.frame
      var views: [View] = []
      scene.tree.walk { index, _ in views.append(scene.tree.view(at: index)) }
      request += 1
      problems += handle(.attach(request, description, views))
      request += 1
      problems += handle(.focus(request, scenes.max() ?? 0, view: view))
      problems += settle()
      let after = Reconnected(engine)
      if let before, before != after { problems.append("after a reconnect \(after), before it \(before)") }
      before = after
    }
    return problems
  }

  private mutating func leave(_ scene: SceneID) -> [String] {
    scenes.remove(scene)
    for (touch, owner) in touches where owner == scene { touches[touch] = nil }
    return handle(.detach(scene))
  }

  /// What a client sees of the state, but for names and numbers that are new with each connection.
  private struct Reconnected: Equatable {
    var focused: String?
    var keyboard: Rect
    var isShowing: Bool
    var layout: Layout?

    init(_ engine: Engine) {
      let scene = engine.focusedScene.flatMap { engine.scene($0) }
      focused = scene?.focused
      keyboard = engine.keyboard.frame
      isShowing = engine.keyboard.isShowing
      layout = scene?.layout
    }
  }

  private mutating func handle(_ input: Input) -> [String] {
    lastInput = input
    var effects: [Effect] = []
    let wasPulled = engine.isPulled
    engine.handle(input, at: time, into: &effects)
    observer?(input, time, effects, engine)
    pulls.enter(wasPulled, engine.isPulled, isShowing: engine.keyboard.isShowing)
    var problems: [String] = []
    if let asking = requestAnswered(by: input) { unanswered.insert(asking) }
    for effect in effects {
      switch effect {
      case .observed(let observed):
        let size = engine.screens.first { $0.name == observed.screen }?.size
        if let problem = ledger.enter([observed.touch], on: size ?? .zero) { problems.append(problem) }
      case .reply(let number, let answer):
        if unanswered.remove(number) == nil { problems.append("an answer to \(number)") }
        if case .attached(let id) = answer { scenes.insert(id) }
        if case .driving(let name) = answer, !drivers.insert(name).inserted {
          problems.append("two drivers \(name)")
        }
      case .touch(let touch): check(touch, &problems)
      case .publish(let publication): check(publication, &problems)
      case .drive(let state):
        if !drivers.contains(state.driver) { problems.append("drives \(state.driver), which is gone") }
        if (state.frame != nil) != engine.isPulled, state.driver == engine.drivers.last?.name {
          problems.append("\(state) while a finger has it: \(engine.isPulled)")
        }
      case .setTimer(let time): timer = time
      case .ask(let question):
        if question.id != lastQuestion + 1 { problems.append("question \(question.id)") }
        if !deciders.contains(question.transition) { problems.append("nobody decides \(question)") }
        lastQuestion = question.id
        questions.append(question)
      }
    }
    if deciders.isEmpty { questions = [] }
    if questions.isEmpty, !unanswered.isEmpty { problems.append("no answer to \(unanswered)") }
    checkState(&problems)
    return problems
  }

  private func requestAnswered(by input: Input) -> RequestID? {
    switch input {
    case .attach(let request, _, _), .update(let request, _, _, _, _), .focus(let request, _, _),
      .resign(let request, _), .driverAttached(let request, _, _), .driverReport(let request, _, _, _, _, _),
      .showKeyboard(let request), .hideKeyboard(let request), .setRotation(let request, _, _),
      .inject(let request, _, _, _, _):
      request
    default: nil
    }
  }

  private mutating func check(_ touch: DeliveredTouch, _ problems: inout [String]) {
    if !scenes.contains(touch.scene) { problems.append("a touch for scene \(touch.scene), which is gone") }
    if !touch.position.isFinite { problems.append("a touch at \(touch.position)") }
    let tree = engine.scene(touch.scene)?.tree
    for id in touch.responders + [touch.view].compactMap(\.self) where tree?.index(of: id) == nil {
      problems.append("a touch for \(id), which is gone")
    }
    let begun = responders[touch.id] ?? []
    if touch.phase == .began {
      if touches[touch.id] == nil, !seen.insert(touch.id).inserted {
        problems.append("touch \(touch.id) began after its end")
      }
      // A scroll view that takes over what it had no part in begins with began.
      if !begun.isDisjoint(with: touch.responders) { problems.append("touch \(touch.id) began twice") }
      touches[touch.id] = touch.scene
      responders[touch.id] = begun.union(touch.responders)
      return
    }
    if touches[touch.id] != touch.scene || !begun.isSuperset(of: touch.responders) {
      problems.append("touch \(touch.id) \(touch.phase) without a beginning, or after its end")
    }
    switch touch.phase {
    case .began, .moved: break
    // For the views below a scroll view that took it over, it is cancelled and goes on.
    case .cancelled where engine.deliveries.contains(where: { $0.id == touch.id }):
      responders[touch.id] = begun.subtracting(touch.responders)
    case .ended, .cancelled:
      touches[touch.id] = nil
      responders[touch.id] = nil
    }
  }

  private mutating func check(_ publication: Publication, _ problems: inout [String]) {
    for changed in publication.scenes {
      let (scene, change) = (changed.scene, changed.change)
      if !scenes.contains(scene) { problems.append("scene \(scene) changed, which is gone") }
      if change.isEmpty { problems.append("nothing changed in scene \(scene)") }
    }
    for notification in publication.notifications {
      switch notification {
      case .keyboardWillChangeFrame: frameChanges = true
      case .keyboardDidChangeFrame:
        if !frameChanges { problems.append("did change frame without a will") }
        frameChanges = false
      case .keyboardWillShow: phase = .willShow
      case .keyboardWillHide: phase = .willHide
      case .keyboardDidShow:
        if phase != .willShow { problems.append("did show after \(phase)") }
        phase = .shown
      case .keyboardDidHide:
        if phase != .willHide { problems.append("did hide after \(phase)") }
        phase = .hidden
      default: break
      }
    }
  }

  private func checkState(_ problems: inout [String]) {
    let keyboard = engine.keyboard
    if phase != keyboard.phase { problems.append("published \(phase), and it is \(keyboard.phase)") }
    if !keyboard.frame.isFinite || !keyboard.previousFrame.isFinite { problems.append("\(keyboard)") }
    problems += engine.pullProblems
    if keyboard.isShowing && !engine.keyboardIsWanted { problems.append("shown, and nobody wants it") }
    if isPlain, keyboard.isShowing != (engine.firstResponder != nil) {
      problems.append(
        "showing is \(keyboard.isShowing), and the first responder \(engine.firstResponder as Any)")
    }
    if engine.drivers.isEmpty, questions.isEmpty, engine.keyboardIsWanted != keyboard.isShowing {
      problems.append("wanted \(engine.keyboardIsWanted), and showing is \(keyboard.isShowing)")
    }
    for scene in engine.scenes {
      let offset = scene.layout.offset
      if offset.x != 0 || offset.y > 0 || !offset.y.isFinite { problems.append("offset \(offset)") }
      if offset.y != 0, !keyboard.isShowing || engine.focusedScene != scene.id {
        problems.append("offset \(offset) without keyboard or focus")
      }
      if !scene.layout.overlap.isFinite || scene.layout.overlap < 0 {
        problems.append("overlap \(scene.layout.overlap)")
      }
      if (scene.focused != nil) != (engine.focusedScene == scene.id) { problems.append("two focuses") }
      if let focused = scene.focused,
        scene.tree.index(of: focused).map({ scene.tree.canBecomeFirstResponder($0) }) != true
      {
        problems.append("\(focused) has the focus and may not")
      }
    }
    if engine.scenes.count != scenes.count { problems.append("\(engine.scenes.count) scenes") }
    if engine.focusedScene != nil, engine.firstResponder == nil { problems.append("a focus without a view") }
    let fingers = engine.devices.reduce(engine.injectedTouches) { $0 + ($1.touchscreen?.livingTouches ?? 0) }
    if ledger.living.count != fingers {
      problems.append("\(ledger.living.count) touches live, and the touchscreens say \(fingers)")
    }
    let living = Set(engine.deliveries.map(\.id))
    for touch in touches.keys where !living.contains(touch) { problems.append("touch \(touch) is lost") }
    if living.count > fingers { problems.append("\(living.count) touches, and \(fingers) fingers down") }
  }
}

extension EnginePlay<ByteChances> {
  /// Plays what the bytes stand for. Returns: what was wrong, nil for nothing.
  public static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    var play = EnginePlay(ByteChances(bytes))
    while !play.random.isEmpty {
      let problems = play.step()
      trace?(play.last)
      if !problems.isEmpty { return problems.joined(separator: "; ") }
    }
    return nil
  }
}
