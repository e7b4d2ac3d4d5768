import Desktop
import EventLoop
import Geometry
import KeyliftClient

/// Drives a keyboard: tells it what the daemon orders, and the daemon what is really on the screen.
final class Agent {
  private let driver: Keyboard
  private let monitor: Monitor
  private let keyboards: Keyboards
  private let desktops: Desktops
  private let fixedFrame: FixedFrame?
  private let log: Log
  private var timer: TimerSource?
  private var performance = Performance()
  /// What `performance` is about.
  private var driven: (any OnScreenKeyboard)?
  private var reported: (appearance: Appearance, order: Int64?)?
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
    driven = keyboards.current
    driver.isAbsent = driven == nil
    timer = try loop.timer { [unowned self] in update() }
    keyboards.mayChange = { [unowned self] in driver.latest?.visible != true }
    keyboards.onChange = { [unowned self] in
      if keyboards.current !== driven {
        driven = keyboards.current
        performance.forget()
        driver.isAbsent = driven == nil
        desktops.isX11Wanted = driven?.traits?.hasWindow ?? false
      }
      update()
    }
    desktops.onChange = { [unowned self] in update() }
    driver.onOrder = { [unowned self] order in
      if order.visible { keyboards.look() } else { keyboards.reconsider() }
      update()
    }
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
    if performance.lastCommand == true { keyboards.current?.setVisible(false) }
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
    let screens = monitor.latest?.screens ?? []
    let screen = screens.first { $0.name == order.screen } ?? screens.first
    let step = performance.step(
      ordered: order.visible,
      .init(word: keyboard.isVisible, sight: desktops.sight(of: keyboard, on: screen)), on: screen,
      of: screens.count, at: EventLoop.now)
    if let command = step.command {
      log.debug("\(keyboard.name): \(command ? "show" : "hide")")
      keyboard.setVisible(command)
    }
    if let time = step.wakeAt { timer?.arm(at: time) } else { timer?.disarm() }
    if let hint = step.hint {
      desktops.take(hint)
      return update()  // it may see something else now
    }
    guard var appearance = step.appearance else { return }
    if appearance.isVisible, let fixedFrame, let screen {
      appearance.frame = fixedFrame.rect(on: screen.size)
    }
    report(appearance, order)
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
