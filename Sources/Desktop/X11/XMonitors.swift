import CXCB
import Geometry

/// The monitors of an X server, by name and place in its root window (RandR 1.5).
final class XMonitors {
  /// None from a server without RandR 1.5, or until it has told.
  private(set) var outputs: [WindowTree.Output] = []

  /// Most monitors that are taken in.
  private static let most = 32

  private let x: XConnection
  /// Its first event; nil without the extension.
  private let firstEvent: UInt8?

  /// Waits for the server, as it asks whether it has the extension.
  init(_ x: XConnection) {
    self.x = x
    guard let extent = unsafe xcb_get_extension_data(x.connection, keylift_randr()),
      unsafe extent.pointee.present != 0
    else {
      firstEvent = nil
      return
    }
    firstEvent = unsafe extent.pointee.first_event
    unsafe x.answer(
      to: xcb_randr_query_version(x.connection, 1, 5).sequence, as: xcb_randr_query_version_reply_t.self
    ) { [unowned self] reply in
      guard let version = unsafe reply?.pointee,
        (version.major_version, version.minor_version) >= (1, 5)
      else { return }
      let mask =
        XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE.rawValue | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE.rawValue
        | XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE.rawValue
      unsafe _ = xcb_randr_select_input(x.connection, x.root, UInt16(mask))
      ask()
    }
  }

  /// Whether an event tells that monitors have changed.
  func takes(_ type: UInt8) -> Bool {
    guard let firstEvent else { return false }
    return type == firstEvent &+ UInt8(XCB_RANDR_SCREEN_CHANGE_NOTIFY)
      || type == firstEvent &+ UInt8(XCB_RANDR_NOTIFY)
  }

  func ask() {
    unsafe x.answer(
      to: xcb_randr_get_monitors(x.connection, x.root, 1).sequence, as: xcb_randr_get_monitors_reply_t.self
    ) { [unowned self] reply in
      guard let reply = unsafe reply else { return }
      var found: [(atom: xcb_atom_t, output: WindowTree.Output)] = []
      var monitors = unsafe xcb_randr_get_monitors_monitors_iterator(reply)
      while unsafe monitors.rem > 0, found.count < XMonitors.most {
        let monitor = unsafe monitors.data.pointee
        let frame = Rect(
          x: Double(monitor.x), y: Double(monitor.y), width: Double(monitor.width),
          height: Double(monitor.height))
        found.append((monitor.name, .init(name: "", frame: frame)))
        unsafe xcb_randr_monitor_info_next(&monitors)
      }
      name(found)
    }
  }

  private func name(_ found: [(atom: xcb_atom_t, output: WindowTree.Output)]) {
    var outputs = found.map(\.output)
    if outputs.isEmpty { self.outputs = [] }
    for (index, (atom, _)) in found.enumerated() {
      unsafe x.answer(
        to: xcb_get_atom_name(x.connection, atom).sequence, as: xcb_get_atom_name_reply_t.self
      ) { [unowned self] reply in
        if let reply = unsafe reply {
          let name = unsafe UnsafeRawBufferPointer(
            start: xcb_get_atom_name_name(reply), count: Int(xcb_get_atom_name_name_length(reply)))
          outputs[index].name = unsafe printable(String(decoding: name, as: UTF8.self))
        }
        if index == outputs.count - 1 { self.outputs = outputs }
      }
    }
  }
}
