import Engine
import Geometry
import EngineCoding
import KeyliftProtocol
import ResponderChain
import Varlink

/// io.keylift.Keyboard: what draws the keyboard, and who shows or hides it by hand.
final class KeyboardService {
  private unowned let daemon: Daemon
  private var drivers: [String: Driving] = [:]

  private final class Driving {
    let stream: Stream
    var last: DriverState?
    var pending: DriverState?
    var problem: String?
    var isAbsent = false

    init(_ stream: Stream) { self.stream = stream }
  }

  init(daemon: Daemon, server: Server) {
    self.daemon = daemon
    server.serve(Interfaces.keyboard) { [unowned self] call in
      guard self.daemon.allows(call.peer, as: self.daemon.settings.access.keyboard) else {
        return call.failDenied()
      }
      switch call.name {
      case "Drive": attach(call)
      case "Report": report(call)
      case "Show": request(call) { .showKeyboard($0) }
      case "Hide": request(call) { .hideKeyboard($0) }
      default: call.fail(VarlinkError.methodNotImplemented)
      }
    }
  }

  /// Drivers that [Access] does not allow any more are closed.
  func accessChanged() {
    for (name, driver) in drivers
    where !daemon.allows(driver.stream.peer, as: daemon.settings.access.keyboard) {
      daemon.log.info(
        .client(driver.stream.peer),
        "the driver \(name) is closed: [Access] Keyboard= does not allow it any more")
      driver.stream.close()
    }
  }

  /// The drivers' names, by the ids of their connections.
  var byConnection: [UInt64: String] {
    drivers.reduce(into: [:]) { all, driver in
      if let connection = driver.value.stream.connection { all[connection.id] = driver.key }
    }
  }

  /// What a driver last reported to keep its keyboard from being seen.
  func problem(of driver: String) -> String? { drivers[driver]?.problem }
  /// Whether a driver has no keyboard; nil for none that is attached.
  func isAbsent(_ driver: String) -> Bool? { drivers[driver]?.isAbsent }

  private func attach(_ call: Call) {
    guard call.requireMore() else { return }
    let name = call.parameters["name"].asString ?? ""
    guard !name.isEmpty, ViewTree.isName(name) else { return call.failInvalid(parameter: "name") }
    let isAbsent = call.parameters["absent"].asBool ?? false
    daemon.request {
      .driverAttached($0, name: name, isAbsent: isAbsent)
    } answer: { [unowned self] answer in
      guard case .driving(let unique) = answer, let stream = call.openStream() else { return }
      let driver = Driving(stream)
      driver.isAbsent = isAbsent
      drivers[unique] = driver
      stream.onDrained = { [unowned self, unowned driver] in
        if let state = driver.pending { send(state, to: driver) }
      }
      stream.onClose = { [unowned self] in
        drivers[unique] = nil
        daemon.log.debug(.client(stream.peer), "the keyboard's driver \(unique) is gone")
        daemon.feed(.driverGone(unique), at: daemon.loop.now)
      }
      daemon.log.debug(.client(stream.peer), "\(unique) drives the keyboard")
    }
  }

  /// Tells a driver what to do, unless it was told just that.
  func drive(_ state: DriverState) {
    guard let driver = drivers[state.driver] else { return }
    send(state, to: driver)
  }

  private func send(_ state: DriverState, to driver: Driving) {
    guard !driver.stream.isBlocked else {
      if driver.pending != nil { driver.stream.noteMerged() }
      driver.pending = state
      return
    }
    driver.pending = nil
    guard state != driver.last else { return }
    driver.last = state
    driver.stream.send(Message(continues: true) { Engine.write(state, to: &$0) })
  }

  private func report(_ call: Call) {
    let parameters = call.parameters
    let frame = parameters["frame"]
    let name = parameters["driver"].asString ?? ""
    // As a scene, a driver is its connection's uid's and root's alone (ipc, rules 11 and 17).
    if let owner = drivers[name]?.stream.peer.uid, call.peer.uid != 0, call.peer.uid != owner {
      return call.failDenied()
    }
    let problem = parameters["problem"].asString
    guard problem.map(ViewTree.isName) ?? true else { return call.failInvalid(parameter: "problem") }
    if let driver = drivers[name], driver.problem != problem {
      driver.problem = problem
      if let problem {
        daemon.log.warning(.client(driver.stream.peer), "the keyboard's driver \(name): \(problem)")
      }
    }
    let isAbsent = parameters["absent"].asBool ?? false
    if let driver = drivers[name], driver.isAbsent != isAbsent {
      driver.isAbsent = isAbsent
      // First, so that what it reports of a keyboard that is gone is not taken for that of the one that drives.
      daemon.feed(.driverStands(name, isAbsent: isAbsent), at: daemon.loop.now)
    }
    request(call) {
      .driverReport(
        $0, driver: name, visible: parameters["visible"].asBool ?? false,
        frame: frame.isNull ? nil : Rect(frame), docked: parameters["docked"].asBool ?? true,
        order: parameters["order"].asInteger.map { Int(clamping: $0) })
    }
  }

  private func request(_ call: Call, _ make: (RequestID) -> Input) {
    daemon.request(make) { answer in
      switch answer {
      case .failed(.noSuchDriver(let driver)):
        call.fail(KeyliftError.noSuchDriver) { $0.field("driver", driver) }
      case .keyboard(let by?): call.reply { $0.field("refusedBy", by) }
      default: call.reply()
      }
    }
  }
}
