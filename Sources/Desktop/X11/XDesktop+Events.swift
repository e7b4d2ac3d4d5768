import CXCB
import Geometry

// What happens.
extension XDesktop {
  func take(_ event: UnsafePointer<xcb_generic_event_t>) {
    let type = unsafe event.pointee.response_type
    // What clients send in the server's name is told by the server as well; type 0 is an error about a window that is
    // gone.
    guard type & 0x80 == 0, type != 0 else { return }
    if monitors.takes(type) { return monitors.ask() }
    let raw = unsafe UnsafeRawPointer(event)
    switch Int32(type) {
    case XCB_CREATE_NOTIFY:
      let event = unsafe raw.load(as: xcb_create_notify_event_t.self)
      guard event.parent == x.root else { return }
      var window = WindowTree.Window()
      window.place(event.x, event.y, event.width, event.height, event.border_width)
      follow(event.window, in: event.parent, frame: window.frame, border: window.border)
    case XCB_DESTROY_NOTIFY: tree.remove(unsafe raw.load(as: xcb_destroy_notify_event_t.self).window)
    case XCB_MAP_NOTIFY:
      tree.update(unsafe raw.load(as: xcb_map_notify_event_t.self).window) { $0.isMapped = true }
    case XCB_UNMAP_NOTIFY:
      tree.update(unsafe raw.load(as: xcb_unmap_notify_event_t.self).window) { $0.isMapped = false }
    case XCB_REPARENT_NOTIFY: reparented(unsafe raw.load(as: xcb_reparent_notify_event_t.self))
    case XCB_CONFIGURE_NOTIFY: configured(unsafe raw.load(as: xcb_configure_notify_event_t.self))
    case XCB_GRAVITY_NOTIFY:
      let event = unsafe raw.load(as: xcb_gravity_notify_event_t.self)
      tree.update(event.window) { ($0.frame.x, $0.frame.y) = (Double(event.x), Double(event.y)) }
    case XCB_CIRCULATE_NOTIFY:
      let event = unsafe raw.load(as: xcb_circulate_notify_event_t.self)
      if event.place == UInt8(XCB_PLACE_ON_TOP.rawValue) {
        tree.raise(event.window)
      } else {
        tree.lower(event.window)
      }
    case XCB_PROPERTY_NOTIFY: changed(unsafe raw.load(as: xcb_property_notify_event_t.self))
    default: break
    }
  }

  private func reparented(_ event: xcb_reparent_notify_event_t) {
    let origin = Point(x: Double(event.x), y: Double(event.y))
    follow(event.window, in: event.parent)
    tree.reparent(event.window, to: event.parent, at: origin)
    if event.parent != x.root { follow(event.parent, in: nil) }
  }

  private func changed(_ event: xcb_property_notify_event_t) {
    guard tree.windows[event.window] != nil else { return }
    switch event.atom {
    case XCB_ATOM_WM_CLASS.rawValue, XCB_ATOM_WM_NAME.rawValue, names.title: readName(of: event.window)
    case names.extents: readDecorations(of: event.window)
    default: break
    }
  }

  private func configured(_ event: xcb_configure_notify_event_t) {
    guard event.window != x.root else {
      return tree.resize(to: Size(width: Double(event.width), height: Double(event.height)))
    }
    tree.update(event.window) { $0.place(event.x, event.y, event.width, event.height, event.border_width) }
    tree.restack(event.window, above: event.above_sibling)
  }
}
