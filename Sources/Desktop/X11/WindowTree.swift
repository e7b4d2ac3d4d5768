import Geometry

/// The windows of an X server as its events tell of them: the root's children in their order, and clients within frames
/// of a window manager.
struct WindowTree {
  typealias ID = UInt32

  struct Window: Equatable {
    /// Nil until it is known.
    var parent: ID?
    /// In its parent, its border included.
    var frame = Rect.zero
    var border = 0.0
    /// How far a window manager's decorations reach beyond a client that is in a frame (_NET_FRAME_EXTENTS).
    var decorations = Insets.zero
    var isMapped = false
    /// Whether it takes input and draws nothing.
    var isInputOnly = false
    /// WM_CLASS's parts that are not empty, in lower case.
    var classes: [String] = []
    var title = ""
  }

  /// Most windows that are followed; any further are taken for absent.
  static let most = 4096

  let root: ID
  /// The root's, after rotation.
  private(set) var size = Size.zero
  private(set) var windows: [ID: Window] = [:]
  /// The root's children that are followed, the lowest first.
  private(set) var order: [ID] = []

  init(root: ID) { self.root = root }

  mutating func resize(to size: Size) { self.size = size }

  /// Begins to follow a window, above all that are there.
  /// Returns: whether it was not followed before, and is now.
  @discardableResult
  mutating func add(_ id: ID, in parent: ID?, frame: Rect = .zero, border: Double = 0) -> Bool {
    guard id != root, windows[id] == nil, windows.count < WindowTree.most else { return false }
    windows[id] = Window(parent: parent, frame: frame, border: border)
    if parent == root { order.append(id) }
    return true
  }

  mutating func remove(_ id: ID) {
    guard windows.removeValue(forKey: id) != nil else { return }
    order.removeAll { $0 == id }
  }

  mutating func update(_ id: ID, _ change: (inout Window) -> Void) {
    guard var window = windows[id] else { return }
    change(&window)
    windows[id] = window
  }

  /// Puts a window into a parent, above its siblings.
  mutating func reparent(_ id: ID, to parent: ID, at origin: Point) {
    guard windows[id] != nil else { return }
    update(id) { ($0.parent, $0.frame) = (parent, Rect(origin: origin, size: $0.frame.size)) }
    order.removeAll { $0 == id }
    if parent == root { order.append(id) }
  }

  /// Puts one of the root's children just above a sibling; lowest for one that is none, such as 0.
  mutating func restack(_ id: ID, above sibling: ID) {
    guard let old = order.firstIndex(of: id) else { return }
    let below = old > 0 ? order[old - 1] : 0
    guard sibling != below, sibling != id else { return }
    order.remove(at: old)
    order.insert(id, at: order.firstIndex(of: sibling).map { $0 + 1 } ?? 0)
  }

  mutating func raise(_ id: ID) {
    if let top = order.last { restack(id, above: top) }
  }

  mutating func lower(_ id: ID) { restack(id, above: 0) }
}
