import CXCB
import EventLoop
import Geometry

/// An X server, as Xorg and Xwayland are, with or without a window manager.
///
/// What is there is asked for once, then followed by events; a window's own are selected before it is asked about, so
/// that nothing is missed between. Clients within frames are known from the window manager's list (_NET_CLIENT_LIST),
/// and from being put there while this watches.
public final class XDesktop: Desktop {
  public var onChange: (() -> Void)?
  public var onLost: ((String) -> Void)?

  let x: XConnection
  let names: Names
  var tree: WindowTree
  let monitors: XMonitors
  /// Whether all that was there at first is known.
  private var isKnown = false
  private var toldSize = Size.zero
  private var watched: [KeyboardTraits: RestingSight] = [:]
  private var timer: TimerSource?
  /// Of messages to the root window.
  private var atoms: [String: xcb_atom_t]

  /// What is sent to the root window to drive keyboards, asked for beforehand.
  private static let messages = ["_MB_IM_INVOKER_COMMAND"]
  /// Most keyboards that are watched.
  private static let most = 64

  /// What is named by atoms here.
  struct Names {
    let title: xcb_atom_t
    let clients: xcb_atom_t
    let extents: xcb_atom_t
  }

  /// - display: as in DISPLAY
  /// Throws: ECONNREFUSED where no server listens or this user is not let in, EINVAL for what is no name of a display.
  public init(display: String, on loop: EventLoop) throws(SystemError) {
    x = try XConnection(display, on: loop)
    let atoms = x.atoms(["_NET_WM_NAME", "_NET_CLIENT_LIST", "_NET_FRAME_EXTENTS"] + XDesktop.messages)
    names = Names(title: atoms[0], clients: atoms[1], extents: atoms[2])
    self.atoms = Dictionary(zip(XDesktop.messages, atoms[3...])) { $1 }
    tree = WindowTree(root: x.root)
    monitors = XMonitors(x)
    timer = try loop.timer { [unowned self] in tell() }
    unsafe x.onEvent = { [unowned self] in unsafe take($0) }
    x.onHandled = { [unowned self] in tell() }
    x.onLost = { [unowned self] in onLost?($0) }
    begin()
    x.flush()
  }

  /// From the first question about it on, a keyboard is watched, and `onChange` tells of no other. Its window is known, and
  /// so where it is, whatever screen it is to be on.
  public func sight(of keyboard: KeyboardTraits, on screen: String, sized size: Size?) -> Sight {
    if let watched = watched[keyboard] { return watched.told }
    let sight = seen(keyboard)
    if watched.count < XDesktop.most { watched[keyboard] = RestingSight(sight) }
    return sight
  }

  /// The root window's, after rotation.
  public var size: Size? { tree.size == .zero ? nil : tree.size }

  /// Sends a message of 32-bit numbers to the root window, for whoever manages it (ClientMessage, at most five).
  ///
  /// It has been passed on when this returns, so that the program may end: unlike all else here this waits for the server,
  /// for half a second at most, but as long as it takes the first time for a name that is none of `messages`.
  public func sendToRoot(_ name: String, _ numbers: UInt32...) {
    guard let atom = atoms[name] ?? x.atoms([name]).first, atom != 0 else { return }  // 0: the server is gone
    atoms[name] = atom
    var event = xcb_client_message_event_t()
    event.response_type = UInt8(XCB_CLIENT_MESSAGE)
    event.format = 32
    event.window = x.root
    event.type = atom
    let five = Array((numbers + [0, 0, 0, 0, 0]).prefix(5))
    unsafe event.data.data32 = (five[0], five[1], five[2], five[3], five[4])
    let mask =
      XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue
    unsafe withUnsafeBytes(of: &event) { bytes in
      unsafe _ = xcb_send_event(x.connection, 0, x.root, mask, bytes.bindMemory(to: CChar.self).baseAddress)
    }
    x.finish()
  }

  private func seen(_ keyboard: KeyboardTraits, inside: Bool = false) -> Sight {
    isKnown ? tree.sight(of: keyboard, on: monitors.outputs, inside: inside) : .unknown
  }

  /// Tells of what has changed of the keyboards that are watched, once all answers are there.
  private func tell() {
    guard !x.isWaiting else { return }
    var changed = !isKnown || tree.size != toldSize
    toldSize = tree.size
    if !isKnown {
      isKnown = true
      watched = [:]
    }
    let now = EventLoop.now
    for keyboard in watched.keys {
      let (sight, expected) = (seen(keyboard), seen(keyboard, inside: true))
      if watched[keyboard]?.take(sight, expected: expected, at: now) == true { changed = true }
    }
    if let next = watched.values.compactMap(\.deadline).min() {
      timer?.arm(at: next)
    } else {
      timer?.disarm()
    }
    if changed { onChange?() }
  }
}
