import CEvdev
import CMtdev
import EventLoop
import TouchInput

/// Puts the contacts of a protocol A device into slots, as protocol B has them, by libmtdev (touch-input, rule 13).
///
/// A frame of protocol A lists every contact, each closed by SYN_MT_REPORT; which is which from frame to frame, mtdev
/// decides by the shortest way, or by the device's own ids. A frame with a lone SYN_MT_REPORT has none, and so has one
/// with BTN_TOUCH 0, which is all that some drivers send (hid-ntrig.c). A contact without an X or a Y is none, and one
/// of which ABS_MT_TOUCH_MAJOR is 0 has been lifted. A frame without contacts, SYN_MT_REPORT and BTN_TOUCH 0 says
/// nothing of them.
///
/// What mtdev 1.1.6 gets wrong is kept away from it here. With a 32nd contact it never returns (it shifts by 32
/// bits). When contacts with ids come and go in one frame it runs out of slots and writes before their array, so that
/// those that went are ended first. An axis that it was told of and that a contact lacks it reads from memory that
/// nobody wrote. Distances of more than 16 bits overflow. Its ring holds 512 events and overwrites itself. It smooths
/// by itself unless it is told nothing of the fuzz, which is TouchTracker's (rule 19).
@safe final class ContactSlots {
  /// The frame that `take` made, without its SYN_REPORT; its storage is used again.
  private(set) var events: [InputEvent] = []

  private var mtdev: UnsafeMutablePointer<mtdev>?
  private let x: Scale
  private let y: Scale
  /// Whether contacts come with ids of the device's own.
  private var hasIDs: Bool
  /// Those of the contacts that are down.
  private var ids: [Int32] = []
  private var contacts: [Contact] = []

  private struct Contact {
    var x: Int32?
    var y: Int32?
    var id: Int32?
    var pressure: Int32?
    var distance: Int32?
    var toolType: Int32?
    var isLifted = false
  }

  /// Between an axis and the 15 bits in which mtdev can measure distances; there and back a value loses nothing unless
  /// the range is over 10,922, and then less than the 8,000th part of it.
  private struct Scale {
    private let lowest: Int64
    private let highest: Int64
    private let shift: Int64

    /// The axis' range, and as much again to both sides for what lies outside of it.
    init(_ axis: AbsoluteAxis) {
      let range = Int64(axis.maximum) - Int64(axis.minimum)
      lowest = Int64(axis.minimum) - range
      highest = Int64(axis.maximum) + range
      var shift: Int64 = 0
      while (highest - lowest) >> shift > 32_766 { shift += 1 }
      self.shift = shift
    }

    /// From 1 on, since mtdev does not tell of the 0 that its slots begin with.
    func toMtdev(_ value: Int32) -> Int32 {
      Int32(clamping: (min(max(Int64(value), lowest), highest) - lowest) >> shift + 1)
    }

    func fromMtdev(_ value: Int32) -> Int32 { Int32(clamping: (Int64(value) - 1) << shift + lowest) }
  }

  /// Nil for a device that is not of protocol A, or that no touches are read of.
  ///
  /// - device: with the ranges that the settings ask for.
  init?(_ device: DeviceDescription) {
    guard DeviceRole(device).touch, let axes = try? TouchAxes(device), axes.contacts == .anonymous else {
      return nil
    }
    x = Scale(axes.x)
    y = Scale(axes.y)
    hasIDs = device.absoluteAxes[ABS.MT_TRACKING_ID] != nil
    restart()
  }

  deinit { close() }

  /// Forgets all contacts, as after lost events: those that are down begin anew.
  func restart() {
    close()
    ids.removeAll()
    guard let device = unsafe mtdev_new() else { return }
    guard unsafe mtdev_init(device) == 0 else { return unsafe mtdev_delete(device) }
    if hasIDs { unsafe mtdev_set_mt_event(device, ABS_MT_TRACKING_ID, 1) }
    unsafe mtdev = device
  }

  private func close() {
    if let mtdev = unsafe mtdev { unsafe mtdev_close_delete(mtdev) }
    unsafe mtdev = nil
  }

  /// Turns a frame of protocol A into `events`.
  ///
  /// Returns: whether it could; if not, what was known of the contacts is lost, and `restart` is due.
  func take(_ frame: [InputEvent]) -> Bool {
    events.removeAll(keepingCapacity: true)
    contacts.removeAll(keepingCapacity: true)
    guard unsafe mtdev != nil else { return false }
    guard read(frame) else { return true }
    if hasIDs, contacts.contains(where: { $0.id == nil }) {
      hasIDs = false  // it only says that it has them
      return false
    }
    if hasIDs { makeRoom() }
    put(contacts)
    return true
  }

  /// Sorts the frame into contacts and the rest; false if it says nothing of contacts.
  private func read(_ frame: [InputEvent]) -> Bool {
    var contact = Contact()
    var saysNone = false
    var isReleased = false
    for event in frame {
      switch (event.type, event.code) {
      case (EV.SYN, SYN.MT_REPORT):
        saysNone = true
        if contact.x != nil, contact.y != nil, !contact.isLifted, contacts.count < TouchAxes.mostAnonymous {
          if !contacts.contains(where: { $0.id != nil && $0.id == contact.id }) { contacts.append(contact) }
        }
        contact = Contact()
      case (EV.ABS, ABS.MT_POSITION_X): contact.x = event.value
      case (EV.ABS, ABS.MT_POSITION_Y): contact.y = event.value
      case (EV.ABS, ABS.MT_PRESSURE): contact.pressure = event.value
      case (EV.ABS, ABS.MT_DISTANCE): contact.distance = event.value
      case (EV.ABS, ABS.MT_TOOL_TYPE): contact.toolType = event.value
      case (EV.ABS, ABS.MT_TRACKING_ID): if hasIDs { contact.id = event.value }
      case (EV.ABS, ABS.MT_TOUCH_MAJOR): contact.isLifted = event.value == 0
      case (EV.ABS, ABS.MT_SLOT...ABS.MT_TOOL_Y): break
      default:
        if event.type == EV.KEY, event.code == BTN.TOUCH { isReleased = event.value == 0 }
        events.append(event)
      }
    }
    if isReleased { contacts.removeAll(keepingCapacity: true) }
    return saysNone || isReleased
  }

  /// Ends what has gone in a frame of its own, if old and new contacts together are more than mtdev has slots.
  private func makeRoom() {
    let staying = contacts.filter { contact in contact.id.map { ids.contains($0) } ?? false }
    if ids.count + contacts.count - staying.count > TouchAxes.mostAnonymous { put(staying) }
    ids = contacts.compactMap(\.id)
  }

  /// Gives mtdev a frame of contacts, and takes its answer.
  private func put(_ contacts: [Contact]) {
    for contact in contacts {
      guard let x = contact.x, let y = contact.y else { continue }
      put(EV.ABS, ABS.MT_POSITION_X, self.x.toMtdev(x))
      put(EV.ABS, ABS.MT_POSITION_Y, self.y.toMtdev(y))
      if let pressure = contact.pressure { put(EV.ABS, ABS.MT_PRESSURE, pressure) }
      if let distance = contact.distance { put(EV.ABS, ABS.MT_DISTANCE, distance) }
      if let toolType = contact.toolType { put(EV.ABS, ABS.MT_TOOL_TYPE, toolType) }
      if let id = contact.id { put(EV.ABS, ABS.MT_TRACKING_ID, id) }
      put(EV.SYN, SYN.MT_REPORT, 0)
    }
    if contacts.isEmpty { put(EV.SYN, SYN.MT_REPORT, 0) }
    put(EV.SYN, SYN.REPORT, 0)
    var event = input_event()
    while let mtdev = unsafe mtdev, unsafe mtdev_empty(mtdev) == 0 {
      unsafe mtdev_get_event(mtdev, &event)
      guard event.type == EV.ABS else { continue }
      var value = event.value
      if event.code == ABS.MT_POSITION_X { value = x.fromMtdev(value) }
      if event.code == ABS.MT_POSITION_Y { value = y.fromMtdev(value) }
      events.append(InputEvent(type: event.type, code: event.code, value: value))
    }
  }

  private func put(_ type: UInt16, _ code: UInt16, _ value: Int32) {
    if let mtdev = unsafe mtdev { unsafe keylift_mtdev_put(mtdev, type, code, value) }
  }
}
