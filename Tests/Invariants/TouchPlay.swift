import Geometry
import TouchInput

/// The life of one touchscreen that a row of bytes makes up: what it is, what it held when it was opened, its
/// events, frames, losses, rotations, and its end.
///
/// At any moment all fingers may lift, or the device go, and no touch is left.
public struct TouchPlay {
  /// What came of it.
  public struct Outcome {
    public var frames = 0
    /// What was wrong, nil for nothing; nothing is played after it.
    public var problem: String?
  }

  private var bytes: Bytes
  private let device: DeviceDescription
  private let axes: TouchAxes
  private var size = Size(width: 800, height: 480)
  private var tracker: TouchTracker
  private var ids = TouchIDs()
  private var ledger = TouchLedger()
  private var outcome = Outcome()
  private let trace: ((String) -> Void)?

  /// Plays a whole life.
  /// - trace: told of each step before it is taken.
  @discardableResult
  public static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> Outcome {
    guard var play = TouchPlay(bytes, trace) else { return Outcome() }
    while !play.bytes.isEmpty, play.outcome.problem == nil { play.step() }
    play.report()
    play.tryEndings()
    return play.outcome
  }

  /// Nil if the device is refused.
  private init?(_ given: [UInt8], _ trace: ((String) -> Void)?) {
    var bytes = Bytes(given)
    device = TouchPlay.device(&bytes)
    trace?("\(device)")
    guard let axes = try? TouchAxes(device) else { return nil }
    self.axes = axes
    self.trace = trace
    let state = TouchPlay.state(&bytes)
    trace?("\(state)")
    tracker = TouchTracker(
      axes: axes, device: device, state: state, mapping: TouchPlay.mapping(axes, &bytes, &size))
    self.bytes = bytes
  }

  // MARK: What the bytes stand for

  private static func device(_ bytes: inout Bytes) -> DeviceDescription {
    let (x, y) = (axis(&bytes), axis(&bytes))
    var device = DeviceDescription(
      name: "Made up", properties: [INPUT_PROP.DIRECT],
      keys: [bytes.pick([BTN.TOUCH, BTN.TOUCH, BTN.TOUCH, BTN.LEFT, BTN.ZERO])],
      absoluteAxes: [ABS.X: x, ABS.Y: y])
    if !bytes.chance(4) {
      let slots: Int32 = bytes.pick([0, 1, 4, 9, 9, 9, 99, 255, 256, .max, -1])
      device.absoluteAxes[ABS.MT_SLOT] = AbsoluteAxis(minimum: 0, maximum: slots)
      device.absoluteAxes[ABS.MT_TRACKING_ID] = AbsoluteAxis(minimum: 0, maximum: 65535)
      device.absoluteAxes[ABS.MT_POSITION_X] = x
      device.absoluteAxes[ABS.MT_POSITION_Y] = y
    }
    return device
  }

  private static func axis(_ bytes: inout Bytes) -> AbsoluteAxis {
    let ends: [(Int32, Int32)] = [
      (0, 799), (0, 479), (0, 32767), (-2000, 2000), (0, 1), (0, 0), (5, 4), (0, 1 << 30), (.min, .min + 1),
      (.min, .max),
    ]
    let (minimum, maximum) = bytes.pick(ends)
    return AbsoluteAxis(minimum: minimum, maximum: maximum)
  }

  private static func state(_ bytes: inout Bytes) -> DeviceState {
    guard !bytes.chance(2) else { return DeviceState() }
    let slots = (0..<bytes.below(13)).map { _ in
      SlotState(trackingID: bytes.value(), x: bytes.value(), y: bytes.value())
    }
    return DeviceState(
      currentSlot: bytes.value(), slots: slots, x: bytes.value(), y: bytes.value(),
      keysDown: bytes.chance(2) ? [BTN.TOUCH, BTN.LEFT] : [])
  }

  private static func mapping(_ axes: TouchAxes, _ bytes: inout Bytes, _ size: inout Size) -> AxisMapping {
    let sides: [Double] = [800, 480, 1, 0, 1920, 1e9, 0.5]
    let numbers: [Double] = [0, 1, -1, 0.5, 1e9, -1e308]
    let asked = Size(width: bytes.pick(sides), height: bytes.pick(sides))
    size = Size(width: max(1, asked.width), height: max(1, asked.height))
    var calibration = Matrix.identity
    if bytes.chance(4) {
      let six = (0..<6).map { _ in bytes.pick(numbers) }
      calibration = Matrix(six[0], six[1], six[2], six[3], six[4], six[5])
    }
    return AxisMapping(
      x: axes.x, y: axes.y, calibration: calibration, rotation: bytes.pick(Rotation.allCases), size: asked)
  }

  private static let codes: [(type: UInt16, code: UInt16)] = [
    (EV.ABS, ABS.MT_SLOT), (EV.ABS, ABS.MT_TRACKING_ID), (EV.ABS, ABS.MT_POSITION_X),
    (EV.ABS, ABS.MT_POSITION_Y), (EV.KEY, BTN.TOUCH), (EV.ABS, ABS.X), (EV.ABS, ABS.Y), (EV.KEY, BTN.LEFT),
    (EV.KEY, BTN.ZERO), (EV.SYN, SYN.MT_REPORT),
  ]

  // MARK: Steps

  private mutating func step() {
    switch bytes.below(32) {
    case 0..<18:
      let (type, code) = bytes.pick(TouchPlay.codes)
      handle(InputEvent(type: type, code: code, value: type == EV.KEY ? bytes.value() & 3 : bytes.value()))
    case 18: handle(InputEvent(type: bytes.word(), code: bytes.word(), value: bytes.value()))
    case 19..<27: report()
    case 27: resynchronize(TouchPlay.state(&bytes))
    case 28:
      tracker.mapping = TouchPlay.mapping(axes, &bytes, &size)
      trace?("\(tracker.mapping)")
    case 29: cancelAll()
    case 30: tryEndings()
    default: report()
    }
  }

  private mutating func handle(_ event: InputEvent) {
    trace?("\(event)")
    tracker.handle(event)
  }

  private mutating func report() {
    trace?("report")
    outcome.frames += 1
    var touches: [Touch] = []
    tracker.report(ids: &ids, into: &touches)
    enter(touches)
  }

  /// Between frames, since whoever reads them hands out whole ones.
  private mutating func resynchronize(_ state: DeviceState) {
    report()
    trace?("dropped: \(state)")
    var touches: [Touch] = []
    tracker.resynchronize(state, ids: &ids, into: &touches)
    enter(touches)
  }

  private mutating func cancelAll() {
    trace?("cancel all")
    var touches: [Touch] = []
    tracker.cancelAll(into: &touches)
    enter(touches)
    expectNothing("after all were cancelled")
  }

  private mutating func enter(_ touches: [Touch]) {
    trace?("  \(touches)")
    if let problem = ledger.enter(touches, on: size) { fail(problem) }
    if ledger.living.count != tracker.livingTouches {
      fail("\(ledger.living.count) touches live, and the tracker says \(tracker.livingTouches)")
    }
  }

  private mutating func fail(_ problem: String) {
    if outcome.problem == nil { outcome.problem = problem }
  }

  // MARK: Ends

  /// Every way in which all touches end, each from here.
  private mutating func tryEndings() {
    guard outcome.problem == nil else { return }
    var lifted = self
    lifted.lift()
    lifted.report()
    lifted.expectNothing("after all fingers lifted")
    lifted.touchAgain()
    var released = self
    for button in [BTN.TOUCH, BTN.LEFT, BTN.ZERO] {
      released.handle(InputEvent(type: EV.KEY, code: button, value: 0))
    }
    released.report()
    released.expectNothing("after the button said that none is down")
    var asked = self
    asked.resynchronize(DeviceState())
    asked.expectNothing("when the device said that nothing is down")
    var gone = self
    gone.cancelAll()
    for ending in [lifted, released, asked, gone] {
      if let problem = ending.outcome.problem { fail(problem) }
    }
  }

  private mutating func lift() {
    trace?("lift all")
    switch axes.contacts {
    case .single: handle(InputEvent(type: EV.KEY, code: device.keys.first ?? BTN.TOUCH, value: 0))
    case .slots(let count):
      for slot in 0..<count {
        tracker.handle(InputEvent(type: EV.ABS, code: ABS.MT_SLOT, value: Int32(slot)))
        tracker.handle(InputEvent(type: EV.ABS, code: ABS.MT_TRACKING_ID, value: -1))
      }
    }
  }

  /// A finger after that is a new touch: the panel is not deaf.
  private mutating func touchAgain() {
    switch axes.contacts {
    case .single: handle(InputEvent(type: EV.KEY, code: device.keys.first ?? BTN.TOUCH, value: 1))
    case .slots: handle(InputEvent(type: EV.ABS, code: ABS.MT_TRACKING_ID, value: 1))
    }
    report()
    if ledger.living.count != 1 { fail("\(ledger.living.count) touches of one finger after all had lifted") }
  }

  private mutating func expectNothing(_ moment: String) {
    if !ledger.living.isEmpty { fail("touches \(ledger.living.keys.sorted()) live \(moment)") }
  }
}
