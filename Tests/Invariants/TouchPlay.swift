import Geometry
import TouchInput

/// The life of one touchscreen that a row of bytes makes up: what it is and how it is set, what it held when it was
/// opened, its frames, losses, rotations and pens, and its end.
///
/// At any moment all fingers may lift, or the device go, and no touch is left; and a finger after that is seen.
public struct TouchPlay {
  /// What came of it.
  public struct Outcome {
    public var frames = 0
    /// What was wrong, nil for nothing; nothing is played after it.
    public var problem: String?
  }

  private var source: TouchSource
  private let device: DeviceDescription
  private let settings: DeviceSettings
  private var screen: Screen
  private var touchscreen: Touchscreen
  private var time: UInt64 = 1_000_000
  private var events: [InputEvent] = []
  private var ids = TouchIDs()
  private var ledger = TouchLedger()
  private var outcome = Outcome()
  private let trace: ((String) -> Void)?

  /// Plays a whole life.
  /// - trace: told of each step before it is taken.
  @discardableResult
  public static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> Outcome {
    guard var play = TouchPlay(bytes, trace) else { return Outcome() }
    while !play.source.isEmpty, play.outcome.problem == nil { play.step() }
    play.tryEndings()
    return play.outcome
  }

  /// Nil if the device is refused.
  private init?(_ bytes: [UInt8], _ trace: ((String) -> Void)?) {
    var source = TouchSource(bytes)
    settings = source.settings()
    device = source.device().replacingRanges(by: settings)
    screen = source.screen()
    let state = source.state()
    trace?("\(device)\n\(settings)\n\(screen)\n\(state)")
    guard let touchscreen = try? Touchscreen(device, state: state, settings: settings, screen: screen) else {
      return nil
    }
    self.source = source
    self.touchscreen = touchscreen
    self.trace = trace
  }

  // MARK: Steps

  private mutating func step() {
    switch source.below(32) {
    case 0..<18: handle(source.likelyEvent())
    case 18: handle(source.anyEvent())
    case 19: pass(source.wait())
    case 20: handOver("dropped", source.state()) { $0.resynchronize($1, at: $2, ids: &$3, into: &$4) }
    case 21:
      let old = screen
      screen = source.screen()
      trace?("\(old) becomes \(screen)")
      handOver("turn", screen) { $0.setScreen($1, at: $2, into: &$4) }
      expectNothing("after the screen was turned")
    case 22: handOver("pen", source.chance(2)) { $0.setPen(isNear: $1, at: $2, into: &$4) }
    case 23: cancelAll()
    case 24: tryEndings()
    default: report()
    }
  }

  private mutating func handle(_ event: InputEvent) {
    trace?("\(event)")
    events.append(event)
  }

  private mutating func report() {
    pass(8_000)
    outcome.frames += 1
    handOver("frame", events) { $0.handle($1, at: $2, ids: &$3, into: &$4) }
    events.removeAll(keepingCapacity: true)
  }

  private mutating func cancelAll() {
    handOver("cancel all", ()) { touchscreen, _, time, _, touches in
      touchscreen.cancelAll(at: time, into: &touches)
    }
    expectNothing("after all were cancelled")
  }

  /// Lets time pass, and what was held back come out when it is due.
  private mutating func pass(_ microseconds: UInt64) {
    time += microseconds
    while let due = touchscreen.deadline, due <= time, outcome.problem == nil {
      handOver("due \(due)", due) { touchscreen, due, _, _, touches in
        touchscreen.expire(at: due, into: &touches)
      }
      if let next = touchscreen.deadline, next <= due { fail("what was due at \(due) is still held back") }
    }
  }

  private mutating func handOver<Input>(
    _ name: String, _ input: Input,
    _ step: (inout Touchscreen, Input, UInt64, inout TouchIDs, inout [Touch]) -> Void
  ) {
    var touches: [Touch] = []
    step(&touchscreen, input, time, &ids, &touches)
    trace?("\(time) \(name): \(touches)")
    if let problem = ledger.enter(touches, on: screen.size) { fail(problem) }
    if ledger.living.count != touchscreen.livingTouches {
      fail("\(ledger.living.count) touches live, and the touchscreen says \(touchscreen.livingTouches)")
    }
  }

  private mutating func fail(_ problem: String) {
    if outcome.problem == nil { outcome.problem = problem }
  }

  private mutating func expectNothing(_ moment: String) {
    if !ledger.living.isEmpty { fail("touches \(ledger.living.keys.sorted()) live \(moment)") }
  }

  // MARK: Ends

  /// Every way in which all touches end, each from here.
  private mutating func tryEndings() {
    guard outcome.problem == nil else { return }
    let endings: [(inout TouchPlay) -> Void] = [
      { play in
        play.lift()
        play.expectNothing("after all fingers lifted")
        play.touchAgain()
      },
      { play in
        play.events = [BTN.TOUCH, BTN.LEFT, BTN.ZERO].map { InputEvent(type: EV.KEY, code: $0, value: 0) }
        play.report()
        play.pass(1_000_000)
        play.expectNothing("after the button said that none is down")
      },
      { play in
        play.handOver("nothing is down", DeviceState()) {
          $0.resynchronize($1, at: $2, ids: &$3, into: &$4)
        }
        play.pass(1_000_000)
        play.expectNothing("when the device said that nothing is down")
      },
      { play in play.cancelAll() },
    ]
    for end in endings {
      var play = self
      end(&play)
      if let problem = play.outcome.problem { fail(problem) }
    }
  }

  private var button: UInt16 { device.keys.first { $0 == BTN.LEFT || $0 == BTN.ZERO } ?? BTN.TOUCH }

  private mutating func lift() {
    if touchscreen.axes.contacts == .single {
      events.append(InputEvent(type: EV.KEY, code: button, value: 0))
    } else {
      for slot in 0..<touchscreen.axes.slotCount {
        events.append(InputEvent(type: EV.ABS, code: ABS.MT_SLOT, value: Int32(slot)))
        events.append(InputEvent(type: EV.ABS, code: ABS.MT_TRACKING_ID, value: -1))
      }
    }
    report()
    pass(1_000_000)
  }

  /// A finger on the panel, pressing, with no pen about, is a touch as long as it is down.
  private mutating func touchAgain() {
    guard settings.deadZones.isEmpty else { return }
    for code in BTN.TOOL_PEN...BTN.TOOL_AIRBRUSH { handle(InputEvent(type: EV.KEY, code: code, value: 0)) }
    report()
    handOver("pen", false) { $0.setPen(isNear: $1, at: $2, into: &$4) }
    pass(1_000_000)
    let isSingle = touchscreen.axes.contacts == .single
    for (type, code, value) in [
      (EV.ABS, isSingle ? ABS.PRESSURE : ABS.MT_PRESSURE, .max),
      (EV.ABS, isSingle ? ABS.DISTANCE : ABS.MT_DISTANCE, 0), (EV.ABS, ABS.MT_TOOL_TYPE, MT_TOOL.FINGER),
      (EV.ABS, ABS.MT_TRACKING_ID, 1), (EV.KEY, button, 1),
    ] {
      handle(InputEvent(type: type, code: code, value: value))
    }
    report()
    pass(1_000_000)
    if ledger.living.count != 1 { fail("\(ledger.living.count) touches of one finger after all had lifted") }
  }
}
