import Geometry

/// A touchscreen on a screen: its contacts become touches in screen points, as its settings have it.
///
/// Tracker, mapping and filter behind one door.
public struct Touchscreen: Codable, Equatable, Sendable {
  public let axes: TouchAxes
  private let settings: DeviceSettings
  private var tracker: TouchTracker
  private var filter: TouchFilter?

  /// - device: with the ranges that the settings ask for, see `DeviceDescription.replacingRanges`.
  /// - state: what was down when it was opened; that stays silent until it lifts (touch-input, rule 9).
  /// - Throws: why the axes cannot be used.
  public init(_ device: DeviceDescription, state: DeviceState, settings: DeviceSettings, screen: Screen)
    throws(AxisError)
  {
    axes = try TouchAxes(device)
    self.settings = settings
    tracker = TouchTracker(
      axes: axes, device: device, state: state, mapping: Touchscreen.mapping(axes, settings, screen),
      minimumPressure: settings.minimumPressure, fuzz: axes.fuzz(settings).own)
    filter = TouchFilter(settings, zones: Touchscreen.zones(settings, screen))
  }

  private static func mapping(_ axes: TouchAxes, _ settings: DeviceSettings, _ screen: Screen) -> AxisMapping
  {
    AxisMapping(
      x: axes.x, y: axes.y, calibration: settings.orientation, rotation: screen.rotation, size: screen.size)
  }

  /// The dead zones turned with the screen.
  private static func zones(_ settings: DeviceSettings, _ screen: Screen) -> [Rect] {
    let size = screen.unrotatedSize
    return settings.deadZones.map { zone in
      let corners = [zone.origin, Point(x: zone.maxX, y: zone.maxY)].map { corner in
        screen.rotation.matrix.apply(Point(x: corner.x / size.width, y: corner.y / size.height))
      }
      let left = min(corners[0].x, corners[1].x) * screen.size.width
      let top = min(corners[0].y, corners[1].y) * screen.size.height
      return Rect(
        x: left, y: top, width: abs(corners[1].x - corners[0].x) * screen.size.width,
        height: abs(corners[1].y - corners[0].y) * screen.size.height)
    }
  }

  /// Movement within half of it is none, in the device's units; 0 where the kernel filters or nobody does (touch-input,
  /// rule 19).
  public var fuzz: Int32 { tracker.rules.fuzz }

  /// By how much the kernel smooths, in the device's units; 0 where it does not.
  public var kernelFuzz: Int32 { axes.fuzz(settings).kernel }

  /// The least pressure of a touch, in the device's units; nil where the pressure says nothing (touch-input, rule 14).
  public var leastPressure: Int32? { tracker.rules.leastPressure }

  /// Whether one that was decoded may run: it has the slots that its contacts are said to be in.
  public var isSound: Bool { tracker.isSound }

  /// Whether touches may be held back.
  public var isFiltered: Bool { filter != nil }

  /// When `expire` is to be called, in microseconds; nil while nothing is held back.
  public var deadline: UInt64? { filter?.deadline }

  /// The number of touches that have begun and not ended.
  public var livingTouches: Int { filter?.livingTouches ?? tracker.livingTouches }

  /// The axes' values of a living touch, in the device's units; nil if none has that id.
  public func contact(of touch: Int) -> (x: Int32, y: Int32)? {
    guard let filter else { return tracker.contact(of: touch) }
    return filter.contact(of: touch).flatMap { tracker.contact(of: $0) }
  }

  /// Takes a frame's events without its SYN_REPORT, and appends the touches that come of it.
  ///
  /// - time: the frame's, in microseconds of CLOCK_MONOTONIC.
  public mutating func handle(
    _ events: [InputEvent], at time: UInt64, ids: inout TouchIDs, into touches: inout [Touch]
  ) {
    let first = touches.count
    for event in events { tracker.handle(event) }
    tracker.report(at: time, ids: &ids, into: &touches)
    filter?.filter(&touches, from: first, at: time)
  }

  /// Plays the difference to what the kernel says after it dropped events (touch-input, rule 3).
  public mutating func resynchronize(
    _ state: DeviceState, at time: UInt64, ids: inout TouchIDs, into touches: inout [Touch]
  ) {
    let first = touches.count
    tracker.resynchronize(state, at: time, ids: &ids, into: &touches)
    filter?.filter(&touches, from: first, at: time)
  }

  /// Gives out what is due by now of what the filter held back.
  public mutating func expire(at time: UInt64, into touches: inout [Touch]) {
    filter?.expire(at: time, into: &touches)
  }

  /// A pen comes near the panel or leaves it (touch-input, rule 18).
  public mutating func setPen(isNear: Bool, at time: UInt64, into touches: inout [Touch]) {
    let first = touches.count
    tracker.setPen(isNear: isNear, at: time, into: &touches)
    filter?.filter(&touches, from: first, at: time)
  }

  /// Cancels every living touch; what is down is silent until it lifts (touch-input, rule 26).
  public mutating func cancelAll(at time: UInt64, into touches: inout [Touch]) {
    let first = touches.count
    tracker.cancelAll(into: &touches)
    filter?.filter(&touches, from: first, at: time)
    filter?.cancelAll(into: &touches)
  }

  /// The screen has another size or rotation now; touches that live would jump, and are cancelled.
  public mutating func setScreen(_ screen: Screen, at time: UInt64, into touches: inout [Touch]) {
    cancelAll(at: time, into: &touches)
    tracker.mapping = Touchscreen.mapping(axes, settings, screen)
    filter = TouchFilter(settings, zones: Touchscreen.zones(settings, screen))
  }
}

extension TouchAxes {
  /// By how much we smooth, and by how much the kernel does, in the device's units; one of them is 0.
  ///
  /// Source: touch-input, rule 19. Contacts of protocol A the kernel hands on as they are, whatever fuzz their axes
  /// have (drivers/input/input.c, input_handle_abs_event).
  func fuzz(_ settings: DeviceSettings) -> (own: Int32, kernel: Int32) {
    let declared = max(x.fuzz, y.fuzz)
    if contacts == .anonymous { return (settings.fuzz ?? declared, 0) }
    return declared > 0 ? (0, declared) : (settings.fuzz ?? 0, 0)
  }
}
