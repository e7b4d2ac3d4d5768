import CEvdev
import EventLoop
import Glibc
import TouchInput

/// One opened event node.
///
/// Its events are read with read(2), not with libevdev_next_event: libevdev discards a tracking id that replaces
/// another ("double tracking ID"), clamps slot numbers out of range to the last slot, and plays the difference
/// after SYN_DROPPED as if it were events. libevdev opens the device, describes it, tells its state and grabs
/// it. The descriptor closes with the object, which also ends a grab.
///
/// Of the kernel (drivers/input/evdev.c): a reader's buffer holds 8 frames as long as the driver says they are, 64
/// events at least (evdev_compute_buffer_size), and while another has grabbed the device nothing comes into it
/// (evdev_events). Once unplugged or revoked (EVIOCREVOKE) the descriptor reads ENODEV and polls as hung up, and what
/// was queued is lost (evdev_read, evdev_poll). While a device is inhibited it is silent (input.c).
public final class Device {
  /// The node, such as /dev/input/event3.
  public let path: String
  public let description: DeviceDescription

  private let node: OpenNode
  private let capabilities: Capabilities
  private var stream: FrameStream

  /// What to watch for input; it stays the device's own.
  public var descriptor: Int32 { node.descriptor }

  /// Opens a node for reading without waiting, with times of CLOCK_MONOTONIC from the first event on.
  ///
  /// The clock is set before anything is asked or read (rule 11): events that came before are replaced by
  /// SYN_DROPPED (evdev.c, evdev_set_clk_type), and the state that is asked then holds them. Where the clock cannot be set, as under umockdev,
  /// frames are stamped when they are read.
  /// Throws: what open(2) says, such as EACCES or ENOENT; ENODEV if the node does not have the expected device
  /// number; ENOTTY or EINVAL if it is no input device.
  public init(path: String, udevProperties: [String: String] = [:], expectedDevice: dev_t? = nil)
    throws(SystemError)
  {
    let node = try OpenNode(path: path)
    if let expectedDevice { try node.expect(expectedDevice) }
    let hasClock = keylift_evdev_set_clock(node.descriptor, CLOCK_MONOTONIC) == 0
    self.path = path
    self.capabilities = try Capabilities(of: node.descriptor)
    self.description = capabilities.description(udevProperties: udevProperties)
    self.stream = FrameStream(hasClock: hasClock)
    self.node = node
  }

  /// Opens a node that the monitor found, and makes sure that it is still that device (rule 25).
  ///
  /// A node's number is given to the next device as soon as it is free, so the place in sysfs is compared too.
  /// Throws: as above, and ENODEV if another device has taken the node.
  public convenience init(_ node: DeviceMonitor.Node) throws(SystemError) {
    try self.init(
      path: node.path, udevProperties: node.udevProperties, expectedDevice: node.deviceNumber)
    guard node.isCurrent else { throw SystemError(ENODEV, "\(node.path) has become another device") }
  }

  /// Puts contacts of protocol A into slots from now on, as protocol B has them; nothing happens on other devices.
  ///
  /// A frame then has up to `TouchAxes.mostAnonymous` contacts, each with ABS_MT_SLOT and ABS_MT_TRACKING_ID.
  /// - description: the device's, with the ranges that the settings ask for.
  public func numberContacts(of description: DeviceDescription) {
    stream.slots = ContactSlots(description)
  }

  /// What is down right now, asked from the kernel.
  ///
  /// Asked while events are queued, the answer is ahead of them: drain first. The question takes the queued key
  /// events out of the queue, since the answer holds them. Throws: ENODEV once unplugged or revoked.
  public func state() throws(SystemError) -> DeviceState {
    try Capabilities(of: node.descriptor).state
  }

  /// Keeps the device's events from everybody else (EVIOCGRAB).
  /// Throws: EBUSY when another has grabbed it, ENODEV.
  public func grab() throws(SystemError) { try capabilities.grab() }

  /// Gives the device's events to everybody again. Throws: ENODEV.
  public func ungrab() throws(SystemError) { try capabilities.ungrab() }

  /// Reads all that is queued, and calls `frame` for each SYN_REPORT and `dropped` where events were lost.
  ///
  /// - Parameters:
  ///   - frame: The frame's own events without the SYN_REPORT, and the kernel's time of it in microseconds of
  ///     CLOCK_MONOTONIC. The array's storage is used again for the next frame: not to be kept.
  ///   - dropped: The state asked anew, and the time of the last event before it. Called after SYN_DROPPED, after
  ///     4096 events without SYN_REPORT, and where the kernel itself released contacts or keys, as it does on
  ///     inhibit and suspend (rules 3 and 27): what is down no more was cancelled. `hasLost` is false where that is all.
  /// - Returns: `again`, also after 64 reads, so that a flood cannot keep the loop; the descriptor is then still
  ///   readable. `gone` on ENODEV, EIO, any other error and end of file (rule 26).
  ///
  /// Neither closure may drain the same device.
  public func drain(
    frame: (_ events: [InputEvent], _ time: UInt64) -> Void,
    dropped: (_ state: DeviceState, _ time: UInt64, _ hasLost: Bool) -> Void
  ) -> DrainResult {
    stream.drain(
      node.descriptor, state: { () throws(SystemError) in try self.state() }, frame: frame, dropped: dropped)
  }
}

/// The descriptor of an event node, closed at the end of its life.
private struct OpenNode: ~Copyable {
  let descriptor: Int32

  init(path: String) throws(SystemError) {
    var descriptor: Int32
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    } while descriptor < 0
      && errno == EINTR
    guard descriptor >= 0 else { throw SystemError(errno, "open \(path)") }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Throws ENODEV if this is another input device. What is none at all, libevdev refuses; under umockdev, the
  /// number is that of a pseudo-terminal.
  func expect(_ number: dev_t) throws(SystemError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(errno, "fstat") }
    guard status.st_rdev == number || gnu_dev_major(status.st_rdev) != gnu_dev_major(number) else {
      throw SystemError(ENODEV, "another device number")
    }
  }
}
