import EventLoop
import KeyliftProtocol
import Varlink

/// What went wrong with the daemon, in words for people: what, why, and what they can do.
public struct DaemonError: Error, CustomStringConvertible {
  /// The underlying error, for what handles some of them itself.
  public let cause: ClientError
  /// What it is about: the socket's path, or what was asked for.
  public var subject: String
  public var why: String
  /// A sentence, or nothing.
  public var advice: String

  public var description: String { advice.isEmpty ? "\(subject): \(why)." : "\(subject): \(why). \(advice)" }

  /// Whether the daemon has answered so, and will again unless what was asked for changes.
  public var isRefusal: Bool {
    if case .varlink = cause { true } else { false }
  }

  /// Whether trying again does not help.
  public var isPermanent: Bool {
    if case .permissionDenied = cause { true } else { isRefusal }
  }

  /// An error of a connection to the socket, met when doing what `subject` says, if that is said.
  public init(_ cause: ClientError, at socket: DaemonSocket, doing subject: String? = nil) {
    self.cause = cause
    self.subject = subject ?? socket.path
    let doctor = "keyliftctl doctor looks for what holds it up."
    switch cause {
    case .noSocket(let path):
      self.subject = path
      why = "no such socket, so keyliftd does not seem to be running"
      // The daemon makes the control socket itself; the other one starts the daemon.
      let unit = socket.role == .control ? "service" : "socket"
      advice = "Start it: \(DaemonError.start(at: socket, else: "systemctl start keylift.\(unit)"))"
    case .notListening(let path):
      self.subject = path
      why = "nobody listens there any more, so keyliftd has stopped"
      advice = "Start it: \(DaemonError.start(at: socket, else: "systemctl restart keylift.socket"))"
    case .permissionDenied(let path):
      self.subject = path
      why = "permission denied"
      advice =
        switch socket.role {
        case .clients: "Add the user to the group keylift: usermod -aG keylift USER, then log in again."
        case .control: "Run this as root."
        }
    case .closed:
      why = "keyliftd has closed the connection"
      advice =
        "It has stopped (journalctl -u keylift), or refuses more connections (sudo keyliftctl clients)."
    case .timedOut:
      why = "no answer from keyliftd in time"
      advice = doctor
    case .wouldBlock:
      why = "keyliftd takes nothing"
      advice = doctor
    case .malformed:
      why = "the answer is no Varlink reply"
      advice = "Is it keyliftd that listens at \(socket.path)?"
    case .system(let error):
      why = "\(error)"
      advice = ""
    case .varlink(let error): (why, advice) = DaemonError.words(error)
    }
  }

  /// How a daemon with a runtime directory of its own is started, or the system's.
  private static func start(at socket: DaemonSocket, else systems: String) -> String {
    if socket.control == DaemonSocket(path: DaemonSocket.defaultPath).control { return systems }
    let directory = socket.path.lastIndex(of: "/").map { String(socket.path[...$0].dropLast()) } ?? "."
    return "keyliftd --runtime-directory \(directory.isEmpty ? "/" : directory)"
  }

  private static func words(_ error: VarlinkError) -> (why: String, advice: String) {
    func text(_ key: String) -> String { error.parameters[key].asString ?? "" }
    switch error.name {
    case KeyliftError.noSuchScene, KeyliftError.controlNoSuchScene:
      return ("no scene \"\(text("scene"))\"", "keyliftctl status and tree list them.")
    case KeyliftError.noSuchScreen:
      return ("no screen \"\(text("screen"))\"", "keyliftctl status lists them.")
    case KeyliftError.configurationInvalid:
      let line = error.parameters["line"].asInteger.map { ":\($0)" } ?? ""
      return ("\(text("file"))\(line): \(text("reason"))", "Nothing is changed.")
    case KeyliftError.invalidTouch: return (text("problem"), "")
    case KeyliftError.noSuchView:
      return ("no view \"\(text("view"))\" that could be focused", "keyliftctl tree lists a scene's views.")
    case KeyliftError.invalidScene:
      let problem = text("problem")
      guard let view = error.parameters["view"].asString else { return (problem, "") }
      return ("view \"\(view)\": \(problem)", "")
    case KeyliftError.refused:
      let isView = text("by").hasPrefix("view ")
      return (
        "refused by \(text("by"))",
        isView ? "keyliftctl tree shows what it is." : "If that is a plugin, its log says why."
      )
    case VarlinkError.permissionDenied:
      return (
        "keyliftd does not permit it",
        "Run this as root, as the scene's own user, or as one whom [Access] names: Keyboard= for the keyboard, "
          + "Monitor= for stats."
      )
    case VarlinkError.invalidParameter:
      let parameter = text("parameter")
      return ("\(parameter.isEmpty ? "a parameter" : parameter) is missing, unknown or of the wrong type", "")
    case VarlinkError.methodNotFound, VarlinkError.methodNotImplemented, VarlinkError.interfaceNotFound:
      return ("this keyliftd does not know \(text("method"))\(text("interface"))", "Is it an older version?")
    default: return (error.description, "")
    }
  }
}
