import CEvdev
import EventLoop
import TouchInput

/// What libevdev learned of a device from its descriptor at one moment: what it can do, and what is down.
@safe struct Capabilities: ~Copyable {
  private let device: OpaquePointer

  /// Asks the kernel; the descriptor stays the caller's. Throws: ENODEV, or EINVAL where no device is behind it.
  init(of descriptor: Int32) throws(SystemError) {
    var device: OpaquePointer?
    let result = unsafe libevdev_new_from_fd(descriptor, &device)
    guard result == 0, let device = unsafe device else {
      throw SystemError(result, "libevdev_new_from_fd")
    }
    unsafe self.device = device
  }

  deinit { unsafe libevdev_free(device) }

  /// Identity, properties, keys and axes, with the udev properties put beside them.
  func description(udevProperties: [String: String]) -> DeviceDescription {
    DeviceDescription(
      name: unsafe libevdev_get_name(device).map { unsafe String(cString: $0) } ?? "",
      busType: UInt16(truncatingIfNeeded: unsafe libevdev_get_id_bustype(device)),
      vendor: UInt16(truncatingIfNeeded: unsafe libevdev_get_id_vendor(device)),
      product: UInt16(truncatingIfNeeded: unsafe libevdev_get_id_product(device)),
      version: UInt16(truncatingIfNeeded: unsafe libevdev_get_id_version(device)),
      physicalPath: unsafe libevdev_get_phys(device).map { unsafe String(cString: $0) } ?? "",
      properties: Set(
        (0...UInt16(INPUT_PROP_MAX)).filter { unsafe libevdev_has_property(device, UInt32($0)) != 0 }),
      keys: codes(of: EV_KEY, upTo: KEY_MAX),
      relativeAxes: codes(of: EV_REL, upTo: REL_MAX),
      absoluteAxes: absoluteAxes,
      udevProperties: udevProperties)
  }

  /// The contacts, the position and the keys that are held.
  var state: DeviceState {
    let slots = (0..<max(0, unsafe libevdev_get_num_slots(device))).map { slot in
      SlotState(
        trackingID: has(EV_ABS, ABS_MT_TRACKING_ID) ? value(ABS_MT_TRACKING_ID, in: slot) : -1,
        x: value(ABS_MT_POSITION_X, in: slot),
        y: value(ABS_MT_POSITION_Y, in: slot),
        pressure: value(ABS_MT_PRESSURE, in: slot),
        distance: value(ABS_MT_DISTANCE, in: slot),
        toolType: value(ABS_MT_TOOL_TYPE, in: slot))
    }
    return DeviceState(
      currentSlot: slots.isEmpty ? 0 : max(0, unsafe libevdev_get_current_slot(device)),
      slots: slots,
      x: value(ABS_X),
      y: value(ABS_Y),
      pressure: value(ABS_PRESSURE),
      distance: value(ABS_DISTANCE),
      keysDown: (0...UInt16(KEY_MAX)).filter {
        unsafe libevdev_get_event_value(device, UInt32(EV_KEY), UInt32($0)) != 0
      })
  }

  /// EVIOCGRAB. Throws: EBUSY when another has it, ENODEV.
  func grab() throws(SystemError) {
    let result = unsafe libevdev_grab(device, LIBEVDEV_GRAB)
    guard result == 0 else { throw SystemError(result, "EVIOCGRAB") }
  }

  func ungrab() throws(SystemError) {
    let result = unsafe libevdev_grab(device, LIBEVDEV_UNGRAB)
    guard result == 0 else { throw SystemError(result, "EVIOCGRAB") }
  }

  private var absoluteAxes: [UInt16: AbsoluteAxis] {
    var axes: [UInt16: AbsoluteAxis] = [:]
    for code in codes(of: EV_ABS, upTo: ABS_MAX) {
      guard let axis = unsafe libevdev_get_abs_info(device, UInt32(code))?.pointee else { continue }
      axes[code] = AbsoluteAxis(
        minimum: axis.minimum, maximum: axis.maximum, value: axis.value, fuzz: axis.fuzz,
        resolution: axis.resolution)
    }
    return axes
  }

  private func has(_ type: Int32, _ code: Int32) -> Bool {
    unsafe libevdev_has_event_code(device, UInt32(type), UInt32(code)) != 0
  }

  private func codes(of type: Int32, upTo maximum: Int32) -> Set<UInt16> {
    Set((0...UInt16(maximum)).filter { has(type, Int32($0)) })
  }

  private func value(_ code: Int32) -> Int32 {
    unsafe libevdev_get_event_value(device, UInt32(EV_ABS), UInt32(code))
  }

  private func value(_ code: Int32, in slot: Int32) -> Int32 {
    unsafe libevdev_get_slot_value(device, UInt32(slot), UInt32(code))
  }
}
