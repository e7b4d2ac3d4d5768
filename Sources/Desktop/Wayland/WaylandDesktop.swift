import CWayland
import EventLoop
import Geometry

/// A compositor with wlroots' layer shell: sway, labwc, wayfire, phoc and others.
///
/// A keyboard is what takes a tenth or more of an output's height away. Source: keyboards, the layer-shell probe.
@safe public final class WaylandDesktop: Desktop {
  public var onChange: (() -> Void)?
  public var onLost: ((String) -> Void)?
  /// Whether it has the layer shell, without which nothing is seen; false until it has said so.
  public private(set) var hasLayerShell = false

  private let display: WaylandDisplay
  private var compositor: OpaquePointer?
  private var shell: OpaquePointer?
  private var toplevels: Toplevels?
  private var outputs: [WaylandOutput] = []
  /// Outputs that were announced before what is needed for a probe.
  private var waiting: [(id: UInt32, version: UInt32)] = []

  /// - name: as in WAYLAND_DISPLAY; nil for what that says, else wayland-0
  /// Throws: such as ENOENT or ECONNREFUSED where no compositor listens.
  public init(_ name: String?, on loop: EventLoop) throws(SystemError) {
    display = try WaylandDisplay(name, on: loop)
    display.onGlobal = { [unowned self] in bind($0, $1, $2) }
    display.onGlobalRemoved = { [unowned self] id in
      waiting.removeAll { $0.id == id }
      outputs.removeAll { $0.id == id }
      onChange?()
    }
    display.onEvents = { [unowned self] in
      probe()
      for output in outputs { output.settle() }
    }
    display.onLost = { [unowned self] in onLost?($0) }
  }

  deinit {
    // All of them before the display that they are of.
    toplevels = nil
    outputs = []
    if let shell = unsafe shell { unsafe wl_proxy_destroy(shell) }
    if let compositor = unsafe compositor { unsafe wl_proxy_destroy(compositor) }
  }

  public func sight(of keyboard: KeyboardTraits, on screen: String, sized size: Size?) -> Sight {
    guard hasLayerShell, outputs.contains(where: { $0.area.output != nil }) else { return .unknown }
    let places = outputs.compactMap { output -> Sight.Place? in
      guard let frame = output.area.keyboard, let size = output.area.output else { return nil }
      let cover = keyboard.isOverlay ? nil : toplevels?.fullScreen(on: output.object)
      return .init(output: output.name, size: size, frame: frame, coveredBy: cover)
    }
    return places.preferred(on: screen, sized: size).map { .seen($0) } ?? .hidden
  }

  public func keyboardIsHidden() {
    for output in outputs { output.area.keyboardIsHidden() }
  }

  public func keyboardShouldBeHidden() {
    for output in outputs { output.area.keyboardShouldBeHidden() }
  }

  private func bind(_ id: UInt32, _ interface: String, _ version: UInt32) {
    switch interface {
    case "wl_compositor" where unsafe compositor == nil:
      unsafe compositor = display.bind(id, 1, by: keylift_bind_compositor)
    case "zwlr_layer_shell_v1" where unsafe shell == nil:
      unsafe shell = display.bind(id, min(version, 4), by: keylift_bind_layer_shell)
      hasLayerShell = unsafe shell != nil
    case "zwlr_foreign_toplevel_manager_v1" where version >= 2 && toplevels == nil:
      toplevels = unsafe display.bind(id, min(version, 3), by: keylift_bind_toplevels).map {
        unsafe Toplevels($0) { [unowned self] in onChange?() }
      }
    case "wl_output": waiting.append((id, version))
    default: break
    }
  }

  private func probe() {
    guard let compositor = unsafe compositor, let shell = unsafe shell else { return }
    for (id, version) in waiting {
      guard let output = unsafe display.bind(id, min(version, 4), by: keylift_bind_output) else { continue }
      outputs.append(
        unsafe WaylandOutput(id: id, output, compositor, shell) { [unowned self] in onChange?() })
    }
    waiting = []
  }
}
