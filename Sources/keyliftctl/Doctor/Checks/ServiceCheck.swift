import EventLoop
import Varlink

extension Check {
  /// Whether the daemon runs, is started at boot, and answers.
  static let service = Check(id: "service") { facts in
    if facts.daemon.reach == .silent { return [hung(facts)] }
    guard facts.isSystemSocket else { return [ownDaemon(facts)] }
    guard facts.systemd.isRunning else { return [withoutSystemd(facts)] }
    guard let service = facts.systemd.service else {
      let why = "systemd cannot be asked: \(facts.systemd.problem ?? "no answer")"
      return [
        facts.daemon.isAnswering
          ? .ok("keyliftd \(facts.daemon.version) answers; \(why)") : .unknown(why, "sudo keyliftctl doctor")
      ]
    }
    return [judge(service, facts.systemd.socket, facts)]
  }

  /// How often systemd had to start the daemon again.
  static let restarts = Check(id: "restarts") { facts in
    guard facts.isBySystemd, let service = facts.systemd.service, service.loadState == "loaded" else {
      return [.notBySystemd]
    }
    let count: [JSON.Member] = [.init("restarts", .integer(service.restarts))]
    guard service.restarts > 0 else { return [.ok("never restarted after a failure", facts: count)] }
    return [
      .warning(
        "systemd started it again \(keyliftctl.count(service.restarts, "time")) after it had failed, \(age(service)); "
          + "the log says why",
        "journalctl -u keylift.service -p warning -n 30",
        "for a report: sudo keyliftctl record FILE, until it happens again", facts: count)
    ]
  }

  private static let install =
    "install the package keylift, or: sudo make install && sudo systemd-sysusers && sudo systemctl daemon-reload"
  private static let restart = "sudo systemctl restart keylift.socket keylift.service"
  private static let log = "journalctl -u keylift.service -n 30"

  private static func judge(_ service: Systemd.Unit, _ socket: Systemd.Unit?, _ facts: Facts) -> Finding {
    let members = unitFacts(service)
    switch service.loadState {
    case "loaded": break
    case "not-found":
      return facts.daemon.isAnswering
        ? .warning("keyliftd answers, but keylift.service is not installed", install, facts: members)
        : .failure("keylift.service is not installed", install, facts: members)
    case "masked":
      return .failure(
        "keylift.service is masked", "sudo systemctl unmask keylift.service",
        "sudo systemctl enable --now keylift.socket keylift.service", facts: members)
    default:
      return .failure(
        "systemd cannot load keylift.service (\(service.loadState))",
        "systemd-analyze verify keylift.service", facts: members)
    }
    switch service.activeState {
    case "active", "reloading":
      return running(service, socket, members, facts)
    case "failed" where service.exitStatus == 78:
      return .failure(
        "keylift.service has failed: its configuration is wrong, or may not be read by the user keylift",
        "keyliftctl check", log, restart, facts: members)
    case "failed":
      return .failure(
        "keylift.service has failed: \(why(service)), \(age(service))", log, restart, facts: members)
    case "activating" where service.subState == "auto-restart":
      return .failure(
        "keylift.service fails again and again: \(why(service))", log, "keyliftctl check", facts: members)
    case "activating", "deactivating":
      return .warning(
        "keylift.service is \(service.activeState), \(age(service))", "keyliftctl doctor", log, facts: members
      )
    default:
      let enable = "sudo systemctl enable --now keylift.socket keylift.service"
      return socket?.activeState == "active"
        ? .warning("keylift.service does not run; the first client would start it", enable, facts: members)
        : .failure("keylift.service does not run", enable, facts: members)
    }
  }

  private static func running(
    _ service: Systemd.Unit, _ socket: Systemd.Unit?, _ members: [JSON.Member], _ facts: Facts
  ) -> Finding {
    if facts.daemon.reach == .nobodyListens || facts.daemon.reach == .noSocket {
      return .failure(
        "keylift.service runs, but its socket is not there or leads to nobody", restart, log, facts: members)
    }
    let starts = ["enabled", "static", "linked", "alias", "generated", "indirect"]
    if !starts.contains(service.fileState), !starts.contains(socket?.fileState ?? "") {
      return .warning(
        "keylift.service runs, but does not start at boot (\(service.fileState))",
        "sudo systemctl enable keylift.socket keylift.service", facts: members)
    }
    let version = facts.daemon.version.isEmpty ? "" : ", version \(facts.daemon.version)"
    return .ok("keylift.service runs\(version), \(age(service))", facts: members)
  }

  private static func hung(_ facts: Facts) -> Finding {
    let process = facts.runningDaemon
    let members: [JSON.Member] = [.init("pid", process.map { .integer($0.pid) } ?? .null)]
    if let process, process.state == "T" || process.state == "t" {
      return .failure(
        "keyliftd (process \(process.pid)) is stopped, by a signal or a debugger, and answers nobody",
        "sudo kill -CONT \(process.pid)", facts: members)
    }
    let who = process.map { "keyliftd (process \($0.pid))" } ?? "keyliftd"
    return .failure(
      "\(who) takes connections and does not answer within 2 s"
        + (facts.isBySystemd ? "; systemd's watchdog restarts it after 10 s" : ""),
      facts.restart, facts: members)
  }

  /// A daemon that somebody started with a runtime directory of its own.
  private static func ownDaemon(_ facts: Facts) -> Finding {
    switch facts.daemon.reach {
    case .answers: return .ok("keyliftd \(facts.daemon.version) answers at \(facts.socket)")
    case .permissionDenied: return .ok("keyliftd has a socket at \(facts.socket)")
    case .closed where facts.daemon.clients != nil:
      return .ok("keyliftd has a socket at \(facts.socket), and takes nobody else there: see limits")
    case .closed: return .failure("keyliftd closes each connection at once", "sudo keyliftctl clients")
    case .failed(let why): return .failure("what listens at \(facts.socket) is no keyliftd: \(why)")
    default:
      let slash = facts.socket.lastIndex(of: "/") ?? facts.socket.startIndex
      return .failure(
        "no keyliftd has its socket at \(facts.socket)",
        "keyliftd --runtime-directory \(facts.socket.prefix(upTo: slash))",
        "leave out --socket, and unset KEYLIFT_SOCKET, to look at the system's own")
    }
  }

  private static func withoutSystemd(_ facts: Facts) -> Finding {
    if facts.daemon.isAnswering { return .ok("keyliftd \(facts.daemon.version) answers, not run by systemd") }
    if let process = facts.runningDaemon {
      return .ok("keyliftd runs as process \(process.pid), not by systemd")
    }
    return .failure(
      "systemd does not run here, and no keyliftd does", "keyliftd, by whatever starts programs here")
  }

  private static func why(_ service: Systemd.Unit) -> String {
    switch service.result {
    case "exit-code": "it ended with status \(service.exitStatus)"
    case "signal": "signal \(service.exitStatus) ended it"
    case "core-dump": "it crashed (signal \(service.exitStatus))"
    case "watchdog": "it hung, and the watchdog ended it"
    case "timeout": "it was not ready in time, or did not end in time"
    case "oom-kill": "the kernel ended it, out of memory"
    case "resources": "systemd could not give it what its unit asks for"
    default: service.result
    }
  }

  /// `since 3 h`
  static func age(_ unit: Systemd.Unit) -> String {
    let now = EventLoop.now
    return "since \(duration(Double(now - min(now, unit.changedAt)) / 1_000_000))"
  }

  private static func unitFacts(_ unit: Systemd.Unit) -> [JSON.Member] {
    [
      .init("load", .string(unit.loadState)), .init("active", .string(unit.activeState)),
      .init("sub", .string(unit.subState)), .init("file", .string(unit.fileState)),
      .init("result", .string(unit.result)), .init("exitStatus", .integer(unit.exitStatus)),
    ]
  }
}
