import Desktop
import EventLoop
import Geometry
import KeyliftClient

/// Drives a keyboard: does what the daemon orders, and reports what is really on the screen.
///
/// An order is carried out at once; what comes of it is reported when the keyboard and the desktop agree, or after a
/// second if they do not. What the keyboard does by itself is reported as it happens. Source: focus-and-layout, rules 20
/// to 22.
final class Agent {
  /// How long a keyboard may take to do what it is told, in microseconds.
  private static let patience: UInt64 = 1_000_000

  private let driver: Keyboard
  private let monitor: Monitor
  private let keyboards: Keyboards
  private let desktops: Desktops
  private let fixedFrame: FixedFrame?
  private let log: Log
  private var timer: TimerSource?
  /// What the keyboard was last told, and until when it may take.
  private var told: (visible: Bool, until: UInt64)?
  private var reported: (appearance: Appearance, order: Int64?)?
  private var problem: String?

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
      if keyboards.current == nil { told = nil }
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
    if !sighting.isSettled, let told, told.until > EventLoop.now {
      timer?.arm(at: told.until)
      return
    }
    timer?.disarm()
    if !order.visible {
      if sighting.isSettled || keyboard.isVisible == false, told?.until != 0 { desktops.keyboardIsHidden() }
      if !sighting.isSettled { desktops.keyboardShouldBeHidden() }
      sighting = self.sighting(of: keyboard, told: order.visible)
    }
    // From now on what it does is its own doing.
    told?.until = 0
    let screens = monitor.latest?.screens ?? []
    let screen = screens.first { $0.name == order.screen } ?? screens.first
    var appearance = sighting.appearance(on: screen, of: screens.count)
    if appearance.isVisible, let fixedFrame, let screen {
      appearance.frame = fixedFrame.rect(on: screen.size)
    }
    report(appearance, order)
  }

  private func sighting(of keyboard: any OnScreenKeyboard, told: Bool) -> Sighting {
    Sighting(word: keyboard.isVisible, sight: desktops.sight(of: keyboard), told: told)
  }

  private func tell(_ keyboard: any OnScreenKeyboard, _ visible: Bool) {
    log.debug("\(keyboard.name): \(visible ? "show" : "hide")")
    told = (visible, EventLoop.now + Agent.patience)
    keyboard.setVisible(visible)
  }

  private func report(_ appearance: Appearance, _ order: KeyboardOrder) {
    guard reported == nil || reported?.appearance != appearance || reported?.order != order.order else {
      return
    }
    reported = (appearance, order.order)
    log.debug("reports \(appearance)")
    if problem != appearance.problem {
      problem = appearance.problem
      if let problem { log.warning("\(keyboards.title): \(problem)") }
    }
    driver.report(
      visible: appearance.isVisible, frame: appearance.frame, problem: appearance.problem.map(reportable))
  }
}
