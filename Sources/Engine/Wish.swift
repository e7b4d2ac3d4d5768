import Avoidance
import Geometry
import ResponderChain
import TouchInput

/// What somebody wants of the focus or of the keyboard.
///
/// Without deciding plugins it is granted at once. With them it waits for its turn, and is looked at again as things
/// then are: it is a tap or a key that waits, not what would have come of it.
enum Wish: Codable, Sendable {
  /// A touch that reached its responders as it began, or as a tap ended.
  case touch(Trigger, TouchDelivery, screen: String)
  case drag
  /// A finger that had the keyboard has let it go at this y.
  case drop(y: Double)
  case key(KeyCommand)
  case focus(RequestID, SceneID, view: String)
  case resign(RequestID, SceneID)
  case show(RequestID)
  case hide(RequestID)

  /// Whether a client asks for it, and not the person.
  var isCall: Bool {
    switch self {
    case .focus, .resign, .show, .hide: true
    case .touch, .drag, .drop, .key: false
    }
  }

  // How a recording calls what has no label here.
  enum TouchCodingKeys: String, CodingKey {
    case _0 = "trigger"
    case _1 = "delivery"
    case screen
  }
  enum KeyCodingKeys: String, CodingKey { case _0 = "command" }
  enum FocusCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "scene"
    case view
  }
  enum ResignCodingKeys: String, CodingKey {
    case _0 = "request"
    case _1 = "scene"
  }
  enum ShowCodingKeys: String, CodingKey { case _0 = "request" }
  enum HideCodingKeys: String, CodingKey { case _0 = "request" }
}

extension Engine {
  /// Wishes that wait for answers at most; so many in 50 ms no person has.
  static let maximumWishes = 1_024
  /// Calls of clients among them at most, so that what a person does never waits long for what clients ask.
  static let maximumCalls = 32

  /// Grants a wish, or puts it after those that wait.
  mutating func wish(_ wish: Wish, _ effects: inout [Effect]) {
    guard !deciders.isEmpty || !wishes.isEmpty else { return grant(wish, &effects) }
    let isTooMuch =
      wish.isCall
      ? wishes.lazy.filter(\.isCall).count >= Engine.maximumCalls : wishes.count >= Engine.maximumWishes
    if isTooMuch { return refuse(wish, &effects) }
    wishes.append(wish)
    needsDeciding = true
  }

  private mutating func refuse(_ wish: Wish, _ effects: inout [Effect]) {
    let daemon = "the daemon: too much waits for plugins"
    switch wish {
    case .focus(let request, _, _), .resign(let request, _):
      effects.append(.reply(request, .failed(.scene(.refused(by: daemon)))))
    case .show(let request), .hide(let request):
      effects.append(.reply(request, .keyboard(refusedBy: daemon)))
    case .touch, .drag, .drop, .key: break
    }
  }

  /// Does what is wished, as far as it is decided; where it is not, `deliberation` has an open question afterwards.
  private mutating func grant(_ wish: Wish, _ effects: inout [Effect]) {
    switch wish {
    case .touch(.tap, let delivery, let screen): tapEnded(delivery, on: screen)
    case .touch(let trigger, let delivery, let screen): triggerResign(trigger, delivery, on: screen)
    case .drag: resignFirstResponder(.drag)
    case .drop:
      if shownByRequest { withdrawRequest(.drag) }
      resignFirstResponder(.drag)
    case .key(let command): perform(command)
    case .focus(let request, let scene, let view): focus(request, scene, view, &effects)
    case .resign(let request, let scene): resign(request, scene, &effects)
    case .show(let request): showByRequest(request)
    case .hide(let request): hideByRequest(request, &effects)
    }
  }

  /// Tries all wishes that wait, in order, and with them what follows for keyboard and layout.
  ///
  /// All or nothing: they are tried on a copy, which is kept if nothing in it was left undecided. Otherwise the first
  /// undecided question is asked, and what does not depend on it goes on.
  mutating func decide(_ time: UInt64, _ effects: inout [Effect]) {
    if !wishes.isEmpty {
      var trial = self
      var granted: [Effect] = []
      trial.isTrial = true
      for place in trial.wishes.indices where trial.deliberation.open == nil {
        trial.turn = place
        trial.grant(trial.wishes[place], &granted)
      }
      trial.turn = nil
      if trial.deliberation.open == nil { trial.settle(time, &granted) }
      if trial.deliberation.open == nil {
        trial.isTrial = false
        trial.wishes.removeAll()
        trial.deliberation = Deliberation()
        trial.needsDeciding = false
        self = trial
        effects += granted
        return
      }
      deliberation = trial.deliberation
    }
    if needsSettling { settle(time, &effects) }
    needsDeciding = false
    if deliberation.open == nil { deliberation = Deliberation() }
    if let question = deliberation.ask(numbered: lastQuestion + 1) {
      lastQuestion += 1
      effects.append(.ask(question))
    }
    deliberation.close()
  }

  /// Whether a transition may happen; nil if that is not known yet.
  mutating func decision(
    on transition: Transition, of responder: Responder?, _ reason: KeyboardReason, offset: Point? = nil
  ) -> Decision? {
    guard deciders.contains(transition) else { return .allowed }
    let name = responder.flatMap { scene($0.scene) }?.description.name ?? ""
    let question = Question(
      id: 0, transition: transition, scene: responder?.scene, sceneName: name, view: responder?.view,
      reason: reason, offset: offset)
    let subject = Deliberation.Subject(transition: transition, responder: responder, wish: turn)
    return deliberation.decision(on: subject, question)
  }

  /// Which transitions somebody is to be asked about.
  mutating func setDeciders(_ transitions: Set<Transition>) {
    deciders = transitions
    needsDeciding = true
    needsSettling = true
  }

  mutating func take(_ decision: Decision, on question: QuestionID) {
    guard deliberation.answer(question, decision) else { return }
    needsDeciding = true
    needsSettling = true
  }
}
