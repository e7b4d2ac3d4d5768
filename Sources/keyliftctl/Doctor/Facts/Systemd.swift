import CSystemd
import EventLoop
import Glibc

/// What systemd says of the daemon's units.
struct Systemd: Equatable, Sendable {
  /// Whether systemd is this machine's first process (sd_booted(3)).
  var isRunning = true
  var service: Unit?
  var socket: Unit?
  /// Why it could not be asked.
  var problem: String?

  /// A unit's properties, by systemd's own names in org.freedesktop.systemd1(5).
  struct Unit: Equatable, Sendable {
    var loadState = "loaded"
    var activeState = "active"
    var subState = "running"
    /// Empty where there is no file.
    var fileState = "enabled"
    var result = "success"
    /// Microseconds of CLOCK_MONOTONIC.
    var changedAt: UInt64 = 0
    // Of a service alone.
    var mainPID = 0
    var restarts = 0
    var exitStatus = 0
  }

  static func gather() -> Systemd {
    var systemd = Systemd(isRunning: sd_booted() > 0)
    guard systemd.isRunning else { return systemd }
    do throws(SystemError) {
      let bus = try SystemBus()
      systemd.service = try bus.unit("keylift.service", isService: true)
      systemd.socket = try bus.unit("keylift.socket", isService: false)
    } catch {
      systemd.problem = error.description
    }
    return systemd
  }
}

/// A connection to systemd that only reads, and never waits for long.
@safe private struct SystemBus: ~Copyable {
  /// In microseconds, for getting connected and for each answer.
  private static let patience: UInt64 = 5_000_000
  private let bus: OpaquePointer

  /// Root asks systemd itself, as systemctl does: then no bus is needed, and none is started.
  init() throws(SystemError) {
    do throws(SystemError) {
      unsafe bus = try SystemBus.connect { bus in
        guard geteuid() == 0 else { return -EACCES }
        let result = unsafe sd_bus_new(&bus)
        if result < 0 { return result }
        let named = unsafe sd_bus_set_address(bus, "unix:path=/run/systemd/private")
        return named < 0 ? named : unsafe sd_bus_start(bus)
      }
    } catch {
      unsafe bus = try SystemBus.connect { bus in unsafe sd_bus_open_system(&bus) }
    }
  }

  @unsafe private static func connect(_ open: (inout OpaquePointer?) -> Int32) throws(SystemError)
    -> OpaquePointer
  {
    var bus: OpaquePointer?
    var code = unsafe open(&bus)
    if code >= 0, let bus = unsafe bus {
      code = unsafe waitUntilReady(bus)
      if code >= 0 {
        unsafe sd_bus_set_method_call_timeout(bus, patience)
        return unsafe bus
      }
    }
    unsafe _ = sd_bus_close_unref(bus)
    throw SystemError(code, "the system bus")
  }

  deinit { unsafe _ = sd_bus_close_unref(bus) }

  /// sd_bus_call(3) would wait for as long as the bus likes.
  @unsafe private static func waitUntilReady(_ bus: OpaquePointer) -> Int32 {
    let end = EventLoop.now &+ patience
    while true {
      let ready = unsafe sd_bus_is_ready(bus)
      if ready != 0 { return ready }
      let now = EventLoop.now
      if now >= end { return -ETIMEDOUT }
      let done = unsafe sd_bus_process(bus, nil)
      if done < 0 { return done }
      if done == 0 {
        let waited = unsafe sd_bus_wait(bus, end - now)
        if waited < 0 && waited != -EINTR { return waited }
      }
    }
  }

  func unit(_ name: String, isService: Bool) throws(SystemError) -> Systemd.Unit {
    var encoded: UnsafeMutablePointer<CChar>?
    let result = unsafe sd_bus_path_encode("/org/freedesktop/systemd1/unit", name, &encoded)
    guard result >= 0, let encoded = unsafe encoded else { throw SystemError(result, "sd_bus_path_encode") }
    defer { unsafe free(encoded) }
    let path = unsafe String(cString: encoded)
    var unit = Systemd.Unit()
    unit.loadState = try string("LoadState", of: path)
    unit.activeState = try string("ActiveState", of: path)
    unit.subState = try string("SubState", of: path)
    unit.fileState = try string("UnitFileState", of: path)
    unit.changedAt = try time("StateChangeTimestampMonotonic", of: path)
    guard unit.loadState == "loaded" else { return unit }
    unit.result = try string("Result", of: path, isService ? "Service" : "Socket")
    if isService {
      unit.mainPID = try number("MainPID", of: path)
      unit.restarts = try number("NRestarts", of: path)
      unit.exitStatus = try number("ExecMainStatus", of: path, type: "i")
    }
    return unit
  }

  private func string(_ name: String, of path: String, _ kind: String = "Unit") throws(SystemError) -> String
  {
    var value: UnsafeMutablePointer<CChar>?
    let result = unsafe sd_bus_get_property_string(
      bus, "org.freedesktop.systemd1", path, "org.freedesktop.systemd1.\(kind)", name, nil, &value)
    guard result >= 0, let value = unsafe value else { throw SystemError(result, "systemd's \(name)") }
    defer { unsafe free(value) }
    return unsafe String(cString: value)
  }

  /// An integer of 32 bits, u or i, that is never below 0.
  private func number(_ name: String, of path: String, type: Unicode.Scalar = "u") throws(SystemError) -> Int
  {
    var value: UInt32 = 0
    let result = unsafe sd_bus_get_property_trivial(
      bus, "org.freedesktop.systemd1", path, "org.freedesktop.systemd1.Service", name, nil,
      CChar(bitPattern: UInt8(ascii: type)), &value)
    guard result >= 0 else { throw SystemError(result, "systemd's \(name)") }
    return Int(value)
  }

  /// Microseconds of CLOCK_MONOTONIC.
  private func time(_ name: String, of path: String) throws(SystemError) -> UInt64 {
    var value: UInt64 = 0
    let result = unsafe sd_bus_get_property_trivial(
      bus, "org.freedesktop.systemd1", path, "org.freedesktop.systemd1.Unit", name, nil,
      CChar(bitPattern: UInt8(ascii: "t")), &value)
    guard result >= 0 else { throw SystemError(result, "systemd's \(name)") }
    return value
  }
}
