import CWayland
import Geometry

/// An output, its size in points and what is left of it beside panels and keyboards.
///
/// Both sizes come from surfaces of the layer shell that are never shown: one that leaves room to the others is told
/// what is left, one that does not is told the whole. They are told anew whenever that changes.
@safe final class WaylandOutput {
  let id: UInt32
  private let output: OpaquePointer
  /// By which others name it.
  var object: UInt { unsafe UInt(bitPattern: output) }
  /// Such as HDMI-A-1; empty from a compositor that does not say (wl_output before version 4).
  private(set) var name = ""
  var area = UsableArea()

  private let onChange: () -> Void
  private var left: LayerProbe?
  private var whole: LayerProbe?
  private var sizes: (left: Size?, whole: Size?)

  init(
    id: UInt32, _ output: OpaquePointer, _ compositor: OpaquePointer, _ shell: OpaquePointer,
    onChange: @escaping () -> Void
  ) {
    self.id = id
    unsafe self.output = output
    self.onChange = onChange
    unsafe _ = wl_output_add_listener(output, outputListener, Unmanaged.passUnretained(self).toOpaque())
    whole = unsafe LayerProbe(compositor, shell, output, zone: -1) { [unowned self] size in
      sizes.whole = size
    }
    left = unsafe LayerProbe(compositor, shell, output, zone: 0) { [unowned self] size in
      sizes.left = size
    }
  }

  /// Takes what was told, once all of it is: both sizes change as the output is turned.
  func settle() {
    guard let left = sizes.left, let whole = sizes.whole else { return }
    let old = area
    area.resize(to: left, of: whole)
    if area != old { onChange() }
  }

  deinit {
    left = nil
    whole = nil
    unsafe wl_output_destroy(output)
  }

  fileprivate func named(_ name: String) {
    self.name = name
    onChange()
  }
}

/// A surface without a picture, over all of an output; it is told the room that it would have.
@safe private final class LayerProbe {
  private let surface: OpaquePointer
  private let layer: OpaquePointer
  private let onSize: (Size) -> Void

  /// - zone: 0 to leave room to panels and keyboards, -1 not to
  init?(
    _ compositor: OpaquePointer, _ shell: OpaquePointer, _ output: OpaquePointer, zone: Int32,
    _ onSize: @escaping (Size) -> Void
  ) {
    guard let surface = unsafe wl_compositor_create_surface(compositor) else { return nil }
    guard
      let layer = unsafe zwlr_layer_shell_v1_get_layer_surface(
        shell, surface, output, ZWLR_LAYER_SHELL_V1_LAYER_BACKGROUND.rawValue, "keylift-probe")
    else {
      unsafe wl_surface_destroy(surface)
      return nil
    }
    unsafe self.surface = surface
    unsafe self.layer = layer
    self.onSize = onSize
    unsafe _ = zwlr_layer_surface_v1_add_listener(
      layer, layerListener, Unmanaged.passUnretained(self).toOpaque())
    unsafe zwlr_layer_surface_v1_set_anchor(layer, 0b1111)  // all four sides
    unsafe zwlr_layer_surface_v1_set_exclusive_zone(layer, zone)
    unsafe wl_surface_commit(surface)
  }

  deinit {
    unsafe zwlr_layer_surface_v1_destroy(layer)
    unsafe wl_surface_destroy(surface)
  }

  /// It is acknowledged, but never by a commit, and so it is never shown; without that the compositor would keep all that
  /// it has ever told.
  fileprivate func configured(_ serial: UInt32, _ width: UInt32, _ height: UInt32) {
    unsafe zwlr_layer_surface_v1_ack_configure(layer, serial)
    onSize(Size(width: Double(width), height: Double(height)))
  }
}

nonisolated(unsafe) private let layerListener = unsafe forever(
  zwlr_layer_surface_v1_listener(
    configure: { context, _, serial, width, height in
      unsafe listening(context, LayerProbe.self)?.configured(serial, width, height)
    }, closed: { _, _ in }))

nonisolated(unsafe) private let outputListener = unsafe forever(
  wl_output_listener(
    geometry: { _, _, _, _, _, _, _, _, _, _ in }, mode: { _, _, _, _, _, _ in }, done: { _, _ in },
    scale: { _, _, _ in },
    name: { context, _, name in
      guard let name = unsafe name else { return }
      unsafe listening(context, WaylandOutput.self)?.named(printable(String(cString: name)))
    }, description: { _, _, _ in }))
