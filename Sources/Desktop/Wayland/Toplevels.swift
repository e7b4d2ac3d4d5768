import CWayland

/// The windows of a compositor, of which those that fill a whole output hide what lies below the overlay layer
/// (wlr-foreign-toplevel-management).
@safe final class Toplevels {
  private let manager: OpaquePointer
  private let onChange: () -> Void
  private var toplevels: [UInt: Toplevel] = [:]  // by their objects

  init(_ manager: OpaquePointer, onChange: @escaping () -> Void) {
    unsafe self.manager = manager
    self.onChange = onChange
    unsafe _ = zwlr_foreign_toplevel_manager_v1_add_listener(
      manager, managerListener, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    toplevels = [:]
    unsafe wl_proxy_destroy(manager)
  }

  /// The title of a window that fills the output and is in front.
  func fullScreen(on output: UInt) -> String? {
    toplevels.values.first { $0.isFullScreen && $0.isActive && $0.outputs.contains(output) }?.title
  }

  fileprivate func added(_ handle: OpaquePointer) {
    let object = UInt(bitPattern: handle)
    toplevels[object] = unsafe Toplevel(handle, onChange: onChange) { [unowned self] in
      toplevels[object] = nil
      onChange()
    }
  }
}

@safe private final class Toplevel {
  fileprivate(set) var title = "?"
  fileprivate(set) var isFullScreen = false
  fileprivate(set) var isActive = false
  fileprivate(set) var outputs: Set<UInt> = []
  fileprivate let onChange: () -> Void
  fileprivate let onClosed: () -> Void
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer, onChange: @escaping () -> Void, onClosed: @escaping () -> Void) {
    unsafe self.handle = handle
    self.onChange = onChange
    self.onClosed = onClosed
    unsafe _ = zwlr_foreign_toplevel_handle_v1_add_listener(
      handle, toplevelListener, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { unsafe zwlr_foreign_toplevel_handle_v1_destroy(handle) }

  fileprivate func take(_ states: Set<UInt32>) {
    isFullScreen = states.contains(ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_FULLSCREEN.rawValue)
    isActive = states.contains(ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_ACTIVATED.rawValue)
  }
}

nonisolated(unsafe) private let managerListener = unsafe forever(
  zwlr_foreign_toplevel_manager_v1_listener(
    toplevel: { context, _, handle in
      guard let handle = unsafe handle else { return }
      unsafe listening(context, Toplevels.self)?.added(handle)
    }, finished: { _, _ in }))

nonisolated(unsafe) private let toplevelListener = unsafe forever(
  zwlr_foreign_toplevel_handle_v1_listener(
    title: { context, _, title in
      guard let title = unsafe title else { return }
      unsafe listening(context, Toplevel.self)?.title = unsafe printable(String(cString: title))
    }, app_id: { _, _, _ in },
    output_enter: { context, _, output in
      guard let output = unsafe output else { return }
      unsafe listening(context, Toplevel.self)?.outputs.insert(UInt(bitPattern: output))
    },
    output_leave: { context, _, output in
      guard let output = unsafe output else { return }
      unsafe _ = listening(context, Toplevel.self)?.outputs.remove(UInt(bitPattern: output))
    },
    state: { context, _, states in
      guard let states = unsafe states else { return }
      let bytes = unsafe UnsafeRawBufferPointer(start: states.pointee.data, count: states.pointee.size)
      let all = stride(from: 0, to: bytes.count - 3, by: 4).map {
        unsafe bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
      }
      unsafe listening(context, Toplevel.self)?.take(Set(all))
    }, done: { context, _ in unsafe listening(context, Toplevel.self)?.onChange() },
    closed: { context, _ in unsafe listening(context, Toplevel.self)?.onClosed() }, parent: { _, _, _ in }))
