import CXCB
import Geometry

// What is there, asked for by requests.
extension XDesktop {
  func begin() {
    select(x.root, XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue)
    unsafe x.answer(
      to: xcb_get_geometry(x.connection, x.root).sequence, as: xcb_get_geometry_reply_t.self
    ) { [unowned self] reply in
      guard let root = unsafe reply?.pointee else { return }
      tree.resize(to: Size(width: Double(root.width), height: Double(root.height)))
    }
    unsafe x.answer(to: xcb_query_tree(x.connection, x.root).sequence, as: xcb_query_tree_reply_t.self) {
      [unowned self] reply in
      guard let reply = unsafe reply else { return }
      let children = unsafe Array(
        UnsafeBufferPointer(
          start: xcb_query_tree_children(reply), count: Int(xcb_query_tree_children_length(reply))))
      for child in children { follow(child, in: x.root) }
    }
    unsafe property(names.clients, of: x.root, 4096) { [unowned self] bytes in
      for client in unsafe Array(bytes.bindMemory(to: xcb_window_t.self)) { follow(client, in: nil) }
    }
  }

  private func select(_ window: xcb_window_t, _ mask: UInt32) {
    unsafe _ = xcb_change_window_attributes(x.connection, window, XCB_CW_EVENT_MASK.rawValue, [mask])
  }

  /// Follows a window from now on, and those that it is in.
  func follow(_ id: xcb_window_t, in parent: xcb_window_t?, frame: Rect = .zero, border: Double = 0) {
    guard tree.add(id, in: parent, frame: frame, border: border) else { return }
    select(id, XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue)
    if parent == nil { findParent(of: id) }
    unsafe x.answer(
      to: xcb_get_window_attributes(x.connection, id).sequence, as: xcb_get_window_attributes_reply_t.self
    ) { [unowned self] reply in
      guard let attributes = unsafe reply?.pointee else { return tree.remove(id) }
      tree.update(id) {
        $0.isMapped = attributes.map_state != UInt8(XCB_MAP_STATE_UNMAPPED.rawValue)
        $0.isInputOnly = attributes._class == UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue)
      }
    }
    unsafe x.answer(to: xcb_get_geometry(x.connection, id).sequence, as: xcb_get_geometry_reply_t.self) {
      [unowned self] reply in
      guard let window = unsafe reply?.pointee else { return }
      tree.update(id) { $0.place(window.x, window.y, window.width, window.height, window.border_width) }
    }
    readDecorations(of: id)
    readName(of: id)
  }

  private func findParent(of id: xcb_window_t) {
    unsafe x.answer(to: xcb_query_tree(x.connection, id).sequence, as: xcb_query_tree_reply_t.self) {
      [unowned self] reply in
      guard let parent = unsafe reply?.pointee.parent else { return }
      tree.update(id) { $0.parent = parent }
      follow(parent, in: nil)
    }
  }

  func readDecorations(of id: xcb_window_t) {
    unsafe property(names.extents, of: id, 4) { [unowned self] bytes in
      let sides = unsafe bytes.bindMemory(to: UInt32.self).map { Double($0) }
      tree.update(id) {
        $0.decorations =
          sides.count == 4 ? Insets(top: sides[2], left: sides[0], bottom: sides[3], right: sides[1]) : .zero
      }
    }
  }

  func readName(of id: xcb_window_t) {
    unsafe property(XCB_ATOM_WM_CLASS.rawValue, of: id, 64) { [unowned self] bytes in
      let classes = unsafe bytes.split(separator: 0).map { unsafe text($0).lowercased() }
      tree.update(id) { $0.classes = classes }
    }
    unsafe property(XCB_ATOM_WM_NAME.rawValue, of: id, 64) { [unowned self] bytes in
      let old = unsafe text(bytes[...])
      unsafe property(names.title, of: id, 64) { [unowned self] bytes in
        let title = unsafe text(bytes[...])
        tree.update(id) { $0.title = title.isEmpty ? old : title }
      }
    }
  }

  /// Reads at most so many times four bytes of a property; none if there is no such.
  private func property(
    _ name: xcb_atom_t, of id: xcb_window_t, _ most: UInt32,
    _ handler: @escaping (UnsafeRawBufferPointer) -> Void
  ) {
    let cookie = unsafe xcb_get_property(x.connection, 0, id, name, XCB_ATOM_ANY.rawValue, 0, most)
    unsafe x.answer(to: cookie.sequence, as: xcb_get_property_reply_t.self) { reply in
      guard let reply = unsafe reply else { return }
      unsafe handler(
        UnsafeRawBufferPointer(
          start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply))))
    }
  }
}

extension WindowTree.Window {
  mutating func place(_ x: Int16, _ y: Int16, _ width: UInt16, _ height: UInt16, _ border: UInt16) {
    self.border = Double(border)
    frame = Rect(
      x: Double(x), y: Double(y), width: Double(width) + 2 * Double(border),
      height: Double(height) + 2 * Double(border))
  }
}

private func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
  unsafe printable(String(decoding: bytes, as: UTF8.self))
}
