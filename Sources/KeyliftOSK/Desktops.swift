import Desktop
import EventLoop
import Geometry
import Glibc

/// The compositor and the X server of this session, each as soon and as long as it is there.
final class Desktops {
  var onChange: (() -> Void)?
  private(set) var wayland: WaylandDesktop?
  private(set) var x11: XDesktop?

  /// Whether a keyboard is driven that is a window of an X server, beside a compositor.
  var isX11Wanted = false {
    didSet { if isX11Wanted, !oldValue { look() } }
  }

  /// After which is looked for what is not there, in microseconds; after twice as long each time.
  private static let shortest: UInt64 = 1_000_000
  private static let longest: UInt64 = 60_000_000
  /// From when a compositor's socket is there until it is listened to, in microseconds.
  private static let moment: UInt64 = 100_000

  private let loop: EventLoop
  private let log: Log
  private var timer: TimerSource?
  private var pause = Desktops.shortest
  /// Where sockets of compositors come, since one that is started later may be the one that is wanted.
  private var folder: DirectoryWatch?
  private var users: [() -> Void] = []
  /// The compositor is gone, and with it all that was shown on it; until another has said how it is.
  private var isWaylandLost = false
  private var isX11Lost = false

  init(on loop: EventLoop, _ log: Log) throws(SystemError) {
    self.loop = loop
    self.log = log
    timer = try loop.timer { [unowned self] in look() }
    folder = SessionSockets.folder.flatMap { path in
      try? loop.watchDirectory(path) { [unowned self] _ in
        guard wayland == nil else { return }
        timer?.arm(at: loop.now + Desktops.moment)
      }
    }
    look()
  }

  /// - screen: the one that it is to be on; nil while none is known
  func sight(of keyboard: any OnScreenKeyboard, on screen: Screen?) -> Sight {
    if let frame = keyboard.frame, let size = x11?.size ?? screen?.size {
      return .seen(.init(output: "", size: size, frame: frame))
    }
    guard let traits = keyboard.traits else { return .unknown }
    if traits.hasWindow, let x11 {
      let sight = x11.sight(of: traits)
      if sight != .unknown { return sight }
    }
    let sight = wayland?.sight(of: traits, on: screen?.name ?? "", sized: screen?.size) ?? .unknown
    if sight != .unknown { isWaylandLost = false }
    return isWaylandLost ? .hidden : sight
  }

  /// Passes on what is known of a keyboard that should be hidden.
  func take(_ hint: Performance.Hint) {
    for desktop in [wayland, x11] as [(any Desktop)?] {
      switch hint {
      case .keyboardIsHidden: desktop?.keyboardIsHidden()
      case .keyboardShouldBeHidden: desktop?.keyboardShouldBeHidden()
      }
    }
  }

  /// Tells a keyboard that is known by its window of each change, before `onChange`.
  func use(_ user: @escaping () -> Void) { users.append(user) }

  private func changed() {
    for user in users { user() }
    onChange?()
  }

  /// Tries what is not there.
  private func look() {
    for name in SessionSockets.wayland where wayland == nil {
      wayland = connect("the compositor", name) { () throws(SystemError) in try WaylandDesktop(name, on: loop)
      }
      wayland?.onLost = { [unowned self] in
        lost("the compositor", $0)
        (wayland, isWaylandLost) = (nil, true)
        lookAgain()
      }
    }
    // A compositor starts its own X server for whoever connects.
    for name in SessionSockets.x11 where x11 == nil && (wayland == nil || isX11Wanted) {
      x11 = connect("the X server", name) { () throws(SystemError) in try XDesktop(display: name, on: loop) }
      if x11 != nil { isX11Lost = false }
      x11?.onLost = { [unowned self] in
        lost("the X server", $0)
        (x11, isX11Lost) = (nil, true)
        lookAgain()
      }
    }
    // Of two that may be there one is enough, unless the other was there before.
    let isMissing = (wayland == nil && isWaylandLost) || (x11 == nil && isX11Lost)
    if isMissing || (wayland == nil && x11 == nil) {
      timer?.arm(at: loop.now + pause)
      pause = min(pause * 2, Desktops.longest)
    }
    changed()
  }

  private func connect<Kind: Desktop>(
    _ what: String, _ name: String, _ make: () throws(SystemError) -> Kind
  ) -> Kind? {
    do throws(SystemError) {
      let desktop = try make()
      desktop.onChange = { [unowned self] in changed() }
      log.debug("\(what) at \(name)")
      return desktop
    } catch {
      log.debug("\(error)")
      return nil
    }
  }

  private func lost(_ what: String, _ reason: String) { log.info("\(what) is gone: \(reason)") }

  private func lookAgain() {
    pause = Desktops.shortest
    timer?.arm(at: loop.now + pause)
    changed()
  }
}

/// Where the session's compositor and X server listen, also if that was not known as this program was started.
enum SessionSockets {
  static var folder: String? { environment("XDG_RUNTIME_DIR") }

  /// Names as in WAYLAND_DISPLAY: what that says, else every wayland-N of $XDG_RUNTIME_DIR.
  static var wayland: [String] {
    if let name = environment("WAYLAND_DISPLAY") { return [name] }
    guard let folder else { return [] }
    return ((try? namesInDirectory(folder)) ?? []).filter {
      $0.hasPrefix("wayland-") && !$0.hasSuffix(".lock")
    }
  }

  /// Names as in DISPLAY: what that says, else the sockets of X servers of this user, and of root, whose servers let in
  /// whom they know.
  static var x11: [String] {
    if let name = environment("DISPLAY") { return [name] }
    let folder = "/tmp/.X11-unix"
    return ((try? namesInDirectory(folder)) ?? []).filter {
      var status = stat()
      return unsafe $0.hasPrefix("X") && stat("\(folder)/\($0)", &status) == 0
        && [0, getuid()].contains(status.st_uid)
    }.map { ":\($0.dropFirst())" }
  }

  private static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
