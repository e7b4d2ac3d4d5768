import CWayland
import EventLoop
import Glibc

/// A connection to a compositor on an EventLoop (wl_display), and what it has to offer (wl_registry).
///
/// Nothing here waits but connecting, which a compositor answers at once. Callbacks come from the loop.
@safe final class WaylandDisplay {
  /// A global that the compositor offers, or takes back.
  var onGlobal: ((_ id: UInt32, _ interface: String, _ version: UInt32) -> Void)?
  var onGlobalRemoved: ((_ id: UInt32) -> Void)?
  /// Called after events were handled.
  var onEvents: (() -> Void)?
  /// Called once when the connection is lost, with the reason.
  var onLost: ((String) -> Void)?

  private let display: OpaquePointer
  private let registry: OpaquePointer
  private var source: DescriptorSource?
  private var isLost = false

  /// - name: as in WAYLAND_DISPLAY; nil for what that says, else wayland-0
  /// Throws: such as ENOENT or ECONNREFUSED where no compositor listens, EPIPE where one has hung up.
  init(_ name: String?, on loop: EventLoop) throws(SystemError) {
    let place = "the compositor at \(name ?? "$WAYLAND_DISPLAY")"
    guard let display = unsafe wl_display_connect(name) else { throw SystemError(errno, place) }
    guard let registry = unsafe wl_display_get_registry(display) else {
      let code = errno
      unsafe wl_display_disconnect(display)
      throw SystemError(code, place)
    }
    unsafe self.display = display
    unsafe self.registry = registry
    unsafe _ = wl_registry_add_listener(registry, registryListener, Unmanaged.passUnretained(self).toOpaque())
    source = try loop.watch(unsafe wl_display_get_fd(display)) { [unowned self] readiness in read(readiness) }
    // Nobody could be told of a loss yet.
    guard send() else { throw SystemError(errno, place) }
  }

  deinit {
    source?.cancel()
    unsafe wl_registry_destroy(registry)
    unsafe wl_display_disconnect(display)
  }

  /// What binds a global of one interface.
  typealias Binder = (_ registry: OpaquePointer?, _ id: UInt32, _ version: UInt32) -> UnsafeMutableRawPointer?

  func bind(_ id: UInt32, _ version: UInt32, by binder: Binder) -> OpaquePointer? {
    unsafe binder(registry, id, version).map { OpaquePointer($0) }
  }

  /// Sends what was asked for; what does not go out now goes with the next.
  func flush() {
    guard !isLost else { return }
    if !send() { lose() }
  }

  /// Whether it is sent, or will be; else `errno` says why not.
  private func send() -> Bool { unsafe wl_display_flush(display) >= 0 || errno == EAGAIN }

  private func read(_ readiness: Readiness) {
    guard !isLost else { return }
    while unsafe wl_display_prepare_read(display) != 0 {
      guard unsafe wl_display_dispatch_pending(display) >= 0 else { return lose() }
    }
    guard unsafe wl_display_read_events(display) == 0, unsafe wl_display_dispatch_pending(display) >= 0 else {
      return lose()
    }
    onEvents?()
    flush()
  }

  private func lose() {
    isLost = true
    source?.cancel()
    let code = unsafe wl_display_get_error(display)
    onLost?(code == 0 ? "it hung up" : SystemError.text(code))
  }

  fileprivate func added(_ id: UInt32, _ interface: String, _ version: UInt32) {
    onGlobal?(id, interface, version)
  }
  fileprivate func removed(_ id: UInt32) { onGlobalRemoved?(id) }
}

/// The object that a listener was added with.
func listening<T: AnyObject>(_ context: UnsafeMutableRawPointer?, _: T.Type) -> T? {
  unsafe context.map { unsafe Unmanaged<T>.fromOpaque($0).takeUnretainedValue() }
}

/// A table of callbacks that lives as long as the program, as Wayland wants it.
func forever<T>(_ table: T) -> UnsafeMutablePointer<T> {
  let pointer = UnsafeMutablePointer<T>.allocate(capacity: 1)
  unsafe pointer.initialize(to: table)
  return unsafe pointer
}

nonisolated(unsafe) private let registryListener = unsafe forever(
  wl_registry_listener(
    global: { context, _, id, interface, version in
      guard let interface = unsafe interface else { return }
      unsafe listening(context, WaylandDisplay.self)?.added(id, String(cString: interface), version)
    },
    global_remove: { context, _, id in unsafe listening(context, WaylandDisplay.self)?.removed(id) }))
