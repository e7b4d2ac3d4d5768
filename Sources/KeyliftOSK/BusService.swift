import DBus
import EventLoop

/// A keyboard's name on the session bus, and its property that says whether it shows.
final class BusService {
  /// Where a keyboard is on the bus.
  struct Address {
    var name: String
    var path: String
    var interface: String
    /// A boolean, of which org.freedesktop.DBus.Properties tells the changes.
    var visible = "Visible"
  }

  /// Called when somebody has taken the name, or it is nobody's any more.
  var onOwner: (() -> Void)?
  /// Called when the property has changed, or is known.
  var onVisible: ((Bool) -> Void)?
  /// Whether somebody has the name.
  private(set) var isThere = false
  /// The property; nil before it was told.
  private(set) var isVisible: Bool?

  private let address: Address
  private let session: SessionBus
  private var bus: Bus?
  private var watch: Bus.NameWatch?
  private var changes: Bus.Subscription?
  private var question: Bus.Subscription?
  private var timer: TimerSource?
  private var failures = 0

  /// After which is asked again what was not answered, in microseconds, and how often.
  private static let pause: UInt64 = 1_000_000
  private static let mostFailures = 30

  init(_ address: Address, on session: SessionBus) throws(SystemError) {
    self.address = address
    self.session = session
    timer = try session.loop.timer { [unowned self] in ask() }
    session.use { [unowned self] in connect($0) }
  }

  /// Calls a method of its interface; what comes of it the property tells.
  func call(_ method: String, _ arguments: Value...) {
    bus?.call(address.name, address.path, address.interface, method, arguments)
  }

  private func connect(_ bus: Bus?) {
    self.bus = bus
    changes = try? bus?.match(
      "type='signal',sender='\(address.name)',path='\(address.path)',"
        + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
    ) { [unowned self] _ in ask() }
    watch = try? bus?.watch(name: address.name) { [unowned self] owner in
      if owner != nil, isThere { owned(false) }  // another program, of which nothing is known
      owned(owner != nil)
    }
    if bus == nil { owned(false) }
  }

  private func owned(_ isThere: Bool) {
    self.isThere = isThere
    isVisible = nil
    question = nil
    failures = 0
    timer?.disarm()
    if isThere { ask() }
    onOwner?()
  }

  private func ask() {
    question = bus?.get(address.visible, of: address.name, address.path, address.interface) {
      [unowned self] answer in
      switch answer {
      case .success(let value):
        failures = 0
        guard let visible = value.asBool, visible != isVisible else { return }
        isVisible = visible
        onVisible?(visible)
      case .failure:
        // One that is starting has its name some seconds before it answers.
        failures += 1
        if failures < BusService.mostFailures { timer?.arm(at: session.loop.now + BusService.pause) }
      }
    }
  }
}
