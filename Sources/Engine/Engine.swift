import Avoidance
import Geometry
import ResponderChain
import TouchInput

/// The whole core behind one function: (state, input) -> (state, effects).
///
/// It reads no clock and does no I/O, so the same inputs with the same times give the same effects again.
public struct Engine: Codable, Sendable {
  public internal(set) var configuration: Configuration
  /// At least one.
  public internal(set) var screens: [Screen]
  /// In the order in which they were attached.
  public internal(set) var scenes: [Scene] = []
  public internal(set) var devices: [Device] = []
  public internal(set) var drivers: [Driver] = []
  var keyboardMachine: Keyboard
  /// The screen that the keyboard is on, or was last.
  public internal(set) var keyboardScreen: String

  /// The scene whose view is the first responder; nil if there is none.
  public internal(set) var focusedScene: SceneID?
  /// On the screen without a first responder: asked for by hand, or kept by a plugin.
  var shownByRequest = false
  /// The keyboard is away though there is a first responder: the person or a lost driver took it, a plugin refused it,
  /// or no touch has asked for it yet.
  var keyboardIsAway = false
  var sizeIsAdopted = false

  /// Whether some touchscreen has filters, which may hold touches back.
  var filtersTouches = false
  /// Whether every touch is told as `Effect.observed` too.
  var observesTouches = false
  var touchIDs = TouchIDs()
  /// Those that somebody has made up and that are down.
  var fingers: [InjectedFinger] = []
  package var deliveries: [TouchDelivery] = []
  private(set) var lastScene: SceneID = 0
  var touchBuffer: [Touch] = []
  /// When a touch of a scene ended last.
  var lastTouchEnd: UInt64?

  /// The transitions that somebody is to be asked about.
  var deciders: Set<Transition> = []
  /// What waits for answers, in order.
  var wishes: [Wish] = []
  var deliberation = Deliberation()
  var lastQuestion: QuestionID = 0
  /// Calls of Show and Hide that were granted, and are answered once it is known what came of them.
  var keyboardRequests: [RequestID] = []
  /// Who has refused that the keyboard shows or hides, in the running input.
  var refusal: String?
  /// Whether something may be decided now that was not.
  var needsDeciding = false
  /// Whether this is a copy on which the wishes are tried, and which of them is tried now.
  var isTrial = false
  var turn: Int?

  // What the running input has changed so far.
  var now: UInt64 = 0
  var needsSettling = false
  var noted: [Notification] = []
  var reason: KeyboardReason = .none
  var changedScreens: Set<String> = []
  var movedScenes: Set<SceneID> = []
  private var publishedFocus: Responder?
  private var publishedTimer: UInt64?
  private var publishedDrive: DriverState?
  var driveOrder = 0

  package struct Responder: Codable, Equatable, Sendable {
    var scene: SceneID
    var view: String
  }

  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    screens = configuration.screens
    let first = screens[0]
    keyboardScreen = first.name
    keyboardMachine = Keyboard(on: first)
  }

  public var keyboard: KeyboardState { keyboardMachine.state }

  /// How many touches have begun, those too that somebody has made up.
  public var touchCount: Int { touchIDs.last }

  /// Takes one input at a time in microseconds of CLOCK_MONOTONIC, and appends what is to be done.
  public mutating func handle(_ input: Input, at time: UInt64, into effects: inout [Effect]) {
    now = time
    switch input {
    case .frame(let device, let events): frame(device, events, time, &effects)
    case .keys(let commands): for command in commands { wish(.key(command), &effects) }
    case .dropped(let device, let state): dropped(device, state, time, &effects)
    case .deviceAdded(let id, let path, let description, let state, let settings):
      addDevice(id, path, description, state, settings, time, &effects)
    case .deviceGrabbed(let id): setGrabbed(id)
    case .deviceReconfigured(let id, let description, let state, let settings):
      reconfigureDevice(id, description, state, settings, time, &effects)
    case .deviceRemoved(let id): removeDevice(id, time, &effects)
    case .attach(let request, let description, let views): attach(request, description, views, &effects)
    case .update(let request, let scene, let set, let remove, let frame):
      update(request, scene, set: set, remove: remove, frame: frame, &effects)
    case .focus(let request, let scene, let view): wish(.focus(request, scene, view: view), &effects)
    case .resign(let request, let scene): wish(.resign(request, scene), &effects)
    case .detach(let scene): detach(scene)
    case .driverAttached(let request, let name, let isAbsent):
      attachDriver(request, name, isAbsent: isAbsent ?? false, &effects)
    case .driverStands(let name, let isAbsent): standDriver(name, isAbsent: isAbsent, &effects)
    case .driverReport(let request, let name, let visible, let frame, let docked, let order):
      report(request, name, visible, frame, docked, order, &effects)
    case .driverGone(let name): removeDriver(name)
    case .showKeyboard(let request): wish(.show(request), &effects)
    case .hideKeyboard(let request): wish(.hide(request), &effects)
    case .setRotation(let request, let screen, let rotation):
      setRotation(request, screen, rotation, time, &effects)
    case .reconfigure(let configuration): reconfigure(configuration, time, &effects)
    case .deciders(let transitions): setDeciders(transitions)
    case .decision(let question, let decision): take(decision, on: question)
    case .inject(let request, let injector, let screen, let touches, let key):
      inject(request, injector, screen, touches, key, time, &effects)
    case .injectorGone(let injector): removeInjector(injector, time, &effects)
    case .observeTouches(let isOn): observesTouches = isOn
    case .timer:
      publishedTimer = nil
      expireTouches(time, &effects)
      needsSettling = true
    }
    if needsDeciding || (needsSettling && !deciders.isEmpty) { decide(time, &effects) }
    if needsSettling { settle(time, &effects) }
    setTimer(&effects)
  }

  /// The next moment at which the keyboard or a filter has something to do.
  private mutating func setTimer(_ effects: inout [Effect]) {
    var next = keyboardMachine.deadline
    if filtersTouches {
      for place in devices.indices {
        if let deadline = devices[place].touchscreen?.deadline { next = min(next ?? deadline, deadline) }
      }
    }
    guard next != publishedTimer else { return }
    publishedTimer = next
    effects.append(.setTimer(next))
  }

  mutating func nextSceneID() -> SceneID {
    lastScene += 1
    return lastScene
  }

  /// Brings keyboard and layouts in line with the focus, and publishes what differs from what was published.
  mutating func settle(_ time: UInt64, _ effects: inout [Effect]) {
    let before = keyboardMachine.state
    var keyboardNotifications = keyboardMachine.settle(at: time)
    dropLostFocus()
    keyboardNotifications += moveKeyboard(time)
    answerKeyboardRequests(&effects)

    let current = firstResponder
    if current != publishedFocus {
      noted.append(.focusChanged)
      publishedFocus = current
    }
    let split = keyboardNotifications.lastIndex { $0.isWill }.map { $0 + 1 } ?? 0
    noted += keyboardNotifications[..<split].map(Notification.init)

    updateReveals()
    var changes: [Publication.SceneChange] = []
    var layoutChanged = false
    let keyboardChanged = before != keyboardMachine.state
    for place in scenes.indices {
      var change: Change = keyboardChanged ? [.keyboard] : []
      let layout = self.layout(of: scenes[place])
      if layout.differs(from: scenes[place].layout) {
        scenes[place].layout = layout
        change.insert(.layout)
        layoutChanged = true
      }
      if scenes[place].focused != scenes[place].publishedFocus {
        scenes[place].publishedFocus = scenes[place].focused
        change.insert(.focus)
      }
      if changedScreens.contains(scenes[place].screen) || movedScenes.contains(scenes[place].id) {
        change.insert(.screen)
      }
      if !change.isEmpty { changes.append(.init(scene: scenes[place].id, change: change)) }
    }
    changedScreens.removeAll()
    movedScenes.removeAll()
    if layoutChanged { noted.append(.layoutChanged) }
    noted += keyboardNotifications[split...].map(Notification.init)

    if !noted.isEmpty || !changes.isEmpty {
      effects.append(.publish(Publication(notifications: noted, scenes: changes)))
      noted.removeAll()
    }
    var drive = driverState
    if drive != publishedDrive, deliberation.open == nil {
      if let visible = drive?.visible,
        visible != publishedDrive?.visible || drive?.driver != publishedDrive?.driver
      {
        driveOrder += 1
        drive?.order = driveOrder
      }
      publishedDrive = drive  // nil without a driver, so that the next of the same name is told
      if let drive {
        awaitDriver()
        effects.append(.drive(drive))
      }
    }
    if deliberation.open == nil { reason = .none }
    needsSettling = false
  }
}

extension KeyboardNotification {
  var isWill: Bool {
    switch self {
    case .keyboardWillChangeFrame, .keyboardWillShow, .keyboardWillHide: true
    case .keyboardDidChangeFrame, .keyboardDidShow, .keyboardDidHide: false
    }
  }
}
