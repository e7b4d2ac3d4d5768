import CSystemd
import EventLoop
import Glibc

/// Finds input's event nodes with sd-device and follows them as they come and go.
///
/// All of them, those too that are not to be used: `Node.refusal` says which (rule 25). Where no udev runs, as in a
/// container or under umockdev, nothing would ever be initialised: all nodes count as such there.
@safe public final class DeviceMonitor {
  private let monitor: OpaquePointer
  private let added: (Node) -> Void
  private let seenAgain: (Node) -> Void
  private let removed: (_ systemPath: String) -> Void
  private let hasUdev = unsafe access("/run/udev/control", F_OK) == 0
  private var known = KnownNodes()

  /// Prepares to watch; nothing is called before `start`.
  ///
  /// A node whose input properties change, such as that udev has initialised it, is removed and added again, so that
  /// they take effect. `seenAgain` is called where udev has looked at a node and nothing of it has changed, though its
  /// owner, group and mode may have.
  /// Throws: what sd_device_monitor_new(3) says, such as EMFILE or EAFNOSUPPORT.
  public init(
    loop: EventLoop, added: @escaping (Node) -> Void, seenAgain: @escaping (Node) -> Void = { _ in },
    removed: @escaping (_ systemPath: String) -> Void
  ) throws(SystemError) {
    var monitor: OpaquePointer?
    let result = unsafe sd_device_monitor_new(&monitor)
    guard result >= 0, let monitor = unsafe monitor else {
      throw SystemError(result, "sd_device_monitor_new")
    }
    unsafe self.monitor = monitor
    self.added = added
    self.seenAgain = seenAgain
    self.removed = removed
    try unsafe check(
      sd_device_monitor_filter_add_match_subsystem_devtype(monitor, "input", nil), "sd_device_monitor_filter")
    // What does not fit is lost, and nothing would tell of that device again; as much as may be had is as well.
    unsafe _ = sd_device_monitor_set_receive_buffer_size(monitor, 8 << 20)
    try unsafe check(sd_device_monitor_attach_event(monitor, loop.event), "sd_device_monitor_attach_event")
  }

  deinit { unsafe sd_device_monitor_unref(monitor) }

  /// Starts to watch, then calls `added` for each node that is there; a node that comes in between is added once.
  /// Throws: what sd_device_monitor_start(3) or the enumeration says.
  public func start() throws(SystemError) {
    try unsafe check(
      sd_device_monitor_start(
        monitor,
        { _, device, context in
          guard let device = unsafe device, let context = unsafe context else { return 0 }
          unsafe Unmanaged<DeviceMonitor>.fromOpaque(context).takeUnretainedValue().take(device)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque()), "sd_device_monitor_start")
    try enumerate()
  }

  /// An event node as it was seen last; nil if there is none.
  public func node(at path: String) -> Node? { known.node(at: path) }

  private func enumerate() throws(SystemError) {
    var enumerator: OpaquePointer?
    try unsafe check(sd_device_enumerator_new(&enumerator), "sd_device_enumerator_new")
    defer { unsafe _ = sd_device_enumerator_unref(enumerator) }
    try unsafe check(
      sd_device_enumerator_add_match_subsystem(enumerator, "input", 1), "sd_device_enumerator_add_match")
    try unsafe check(
      sd_device_enumerator_allow_uninitialized(enumerator), "sd_device_enumerator_allow_uninitialized")
    var nodes: [Node] = []
    var device = unsafe sd_device_enumerator_get_device_first(enumerator)
    while let found = unsafe device {
      if let node = unsafe Node(found, hasUdev: hasUdev) { nodes.append(node) }
      unsafe device = sd_device_enumerator_get_device_next(enumerator)
    }
    for node in nodes { report(known.seen(node)) }
  }

  /// One uevent.
  @unsafe private func take(_ device: OpaquePointer) {
    var action = SD_DEVICE_ADD
    guard unsafe sd_device_get_action(device, &action) >= 0 else { return }
    if action == SD_DEVICE_REMOVE {
      var path: UnsafePointer<CChar>?
      guard unsafe sd_device_get_syspath(device, &path) >= 0, let path = unsafe path else { return }
      report(known.lost(unsafe String(cString: path)))
    } else if let node = unsafe Node(device, hasUdev: hasUdev) {
      let change = known.seen(node)
      if change.added == nil { seenAgain(node) } else { report(change) }
    }
  }

  private func report(_ change: KnownNodes.Change) {
    if let path = change.removed { removed(path) }
    if let node = change.added { added(node) }
  }

  private func check(_ result: Int32, _ operation: String) throws(SystemError) {
    guard result >= 0 else { throw SystemError(result, operation) }
  }
}
