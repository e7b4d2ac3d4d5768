import Desktop
import EventLoop
import Geometry
import KeyliftClient

/// Drives a keyboard: does what the daemon orders, and reports what is really on the screen.
///
/// An order is carried out at once; what comes of it is reported when the keyboard and the desktop agree, or after a
/// while if they do not. What the keyboard does by itself is reported as it happens. Source: focus-and-layout, rules 20
/// to 22.
final class Agent {
  /// How long a keyboard may take to do what it is told, and then the desktop to see it, in microseconds.
  private static let patience: (keyboard: UInt64, desktop: UInt64) = (3_000_000, 1_000_000)

  /// What the keyboard was told.
  private struct Told {
    var visible: Bool
    /// In microseconds.
    var at: UInt64
    /// It did, or was given up: what it does from then on is its own doing.
    var isOver = false
  }

  private let driver: Keyboard
  private let monitor: Monitor
  private let keyboards: Keyboards
  private let desktops: Desktops
  private let fixedFrame: FixedFrame?
  private let log: Log
  private var timer: TimerSource?
  /// The last that it was told; nil while nothing is known of it.
  private var told: Told?
  private var reported: (appearance: Appearance, order: Int64?)?
  /// What was wrong as it was last to show; that stays true of it while it is hidden.
  private var lastProblem: String?
  private var logged: String?

  init(_ settings: Settings, _ keyboards: Keyboards, _ desktops: Desktops, _ log: Log, on loop: EventLoop)
    throws(SystemError)
  {
    self.keyboards = keyboards
    self.desktops = desktops
    self.log = log
    fixedFrame = settings.frame
    driver = try Keyboard("keylift-osk", socket: settings.socket)
    monitor = try Monitor(.screenChanged, socket: settings.socket)
    timer = try loop.timer { [unowned self] in update() }
    keyboards.onChange = { [unowned self] in
      if keyboards.current == nil { (told, lastProblem) = (nil, nil) }
      update()
    }
    desktops.onChange = { [unowned self] in update() }
    driver.onOrder = { [unowned self] _ in update() }
    driver.onConnect = { [unowned self] in
      reported = nil
      log.info("drives the keyboard of \(settings.socket.path)")
    }
    driver.onDisconnect = { log.warning("\($0)") }
    driver.onError = { log.error("\($0)") }
    monitor.onState = { [unowned self] _ in update() }
    try driver.start(on: loop)
    try monitor.start(on: loop)
  }

  /// Hides what it has shown; for the end.
  func close() {
    if told?.visible == true { keyboards.current?.setVisible(false) }
    keyboards.close()
    driver.close()
    monitor.close()
  }

  /// Carries the order out, and reports what came of it.
  private func update() {
    guard let order = driver.latest else { return }
    guard let keyboard = keyboards.current else {
      return report(Appearance(isVisible: false, problem: keyboards.absence), order)
    }
    if told?.visible != order.visible { tell(keyboard, order.visible) }
    var sighting = sighting(of: keyboard, told: order.visible)
    guard !isAwaited(sighting) else { return }
    let isOwnDoing = told?.isOver ?? false
    told?.isOver = true
    if !order.visible, !isOwnDoing {
      if sighting.isSettled || keyboard.isVisible == false { desktops.keyboardIsHidden() }
      if !sighting.isSettled { desktops.keyboardShouldBeHidden() }
      sighting = self.sighting(of: keyboard, told: order.visible)
    }
    let screens = monitor.latest?.screens ?? []
    let screen = screens.first { $0.name == order.screen } ?? screens.first
    var appearance = sighting.appearance(on: screen, of: screens.count)
    if order.visible, !sighting.shows, !isOwnDoing {
      appearance.problem = "it was told to show, and does not"
    }
    if order.visible, sighting.shows || !isOwnDoing {
      lastProblem = appearance.problem
    } else if !appearance.isVisible {
      appearance.problem = lastProblem
    }
    if appearance.isVisible, let fixedFrame, let screen {
      appearance.frame = fixedFrame.rect(on: screen.size)
    }
    report(appearance, order)
  }

  private func sighting(of keyboard: any OnScreenKeyboard, told: Bool) -> Sighting {
    Sighting(word: keyboard.isVisible, sight: desktops.sight(of: keyboard), told: told)
  }

  /// Whether it may still do what it was told, or be seen doing it; then there is nothing to say yet.
  private func isAwaited(_ sighting: Sighting) -> Bool {
    guard let told, !told.isOver, !sighting.isSettled else {
      timer?.disarm()
      return false
    }
    let end = told.at + (sighting.shows == told.visible ? Agent.patience.desktop : Agent.patience.keyboard)
    timer?.arm(at: end)
    return EventLoop.now < end
  }

  private func tell(_ keyboard: any OnScreenKeyboard, _ visible: Bool) {
    log.debug("\(keyboard.name): \(visible ? "show" : "hide")")
    told = Told(visible: visible, at: EventLoop.now)
    keyboard.setVisible(visible)
  }

  private func report(_ appearance: Appearance, _ order: KeyboardOrder) {
    guard reported == nil || reported?.appearance != appearance || reported?.order != order.order else {
      return
    }
    reported = (appearance, order.order)
    log.debug("reports \(appearance)")
    if logged != appearance.problem {
      logged = appearance.problem
      if let logged { log.warning("\(keyboards.title): \(logged)") }
    }
    driver.report(
      visible: appearance.isVisible, frame: appearance.frame, problem: appearance.problem.map(reportable))
  }
}
