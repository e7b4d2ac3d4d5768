import Geometry

extension WindowTree {
  /// A part of the root window that one screen shows.
  struct Output: Equatable {
    /// Such as HDMI-1; empty if it has no name.
    var name: String
    var frame: Rect
  }

  /// Where a keyboard is, on the output that shows most of it.
  ///
  /// - outputs: none for one that is all of the root window
  /// - inside: where it would be if it were moved to be inside of the output, as one that slides in will be
  func sight(of keyboard: KeyboardTraits, on outputs: [Output], inside: Bool = false) -> Sight {
    guard let id = window(of: keyboard), let chain = chain(of: id), let frame = frame(of: id) else {
      return .unknown
    }
    guard chain.allSatisfy({ windows[$0]?.isMapped ?? false }) else { return .hidden }
    let whole = Output(name: "", frame: Rect(origin: .zero, size: size))
    let shown = (outputs.isEmpty ? [whole] : outputs).map { (output: $0, part: $0.frame.intersection(frame)) }
    guard let most = shown.max(by: { $0.part.area < $1.part.area }), !most.part.isEmpty else {
      return .hidden
    }
    let output = most.output.frame
    let part = inside ? frame.moved(into: output).intersection(output) : most.part
    return .seen(
      .init(
        output: most.output.name, size: output.size, frame: part.offset(by: .zero - output.origin),
        coveredBy: cover(of: part, above: chain.last ?? id)))
  }

  /// The window of a keyboard: the widest of those that are like it, since some have small ones beside it.
  func window(of keyboard: KeyboardTraits) -> ID? {
    var keyboard = keyboard
    keyboard.windowClass = keyboard.windowClass.lowercased()
    return windows.filter { matches($0.value, keyboard) }
      .max { ($0.value.frame.width, $1.key) < ($1.value.frame.width, $0.key) }?.key
  }

  private func matches(_ window: Window, _ keyboard: KeyboardTraits) -> Bool {
    guard !window.isInputOnly else { return false }
    if window.classes.isEmpty {
      return !keyboard.windowTitle.isEmpty && window.title == keyboard.windowTitle
    }
    return window.classes.contains(keyboard.windowClass)
  }

  /// A window and those that it is in, out to a child of the root; nil until all of them are known.
  private func chain(of id: ID) -> [ID]? {
    var chain = [id]
    while let parent = windows[chain[chain.count - 1]]?.parent, chain.count < 16 {
      if parent == root { return chain }
      chain.append(parent)
    }
    return nil
  }

  /// Where a window is in the root, with its decorations.
  private func frame(of id: ID) -> Rect? {
    guard let chain = chain(of: id), let window = windows[id] else { return nil }
    let outer = chain.dropFirst().compactMap { windows[$0] }
    let frame = outer.reduce(window.frame) {
      $0.offset(by: $1.frame.origin + Point(x: $1.border, y: $1.border))
    }
    guard let decorated = outer.last else { return frame }
    let extents = window.decorations
    return Rect(
      x: frame.x - extents.left, y: frame.y - extents.top,
      width: frame.width + extents.left + extents.right, height: frame.height + extents.top + extents.bottom
    ).intersection(decorated.frame)
  }

  /// What the first window is called that lies above another and hides a part of the root.
  ///
  /// One that has no name, and no client in it that has one, is nobody's: a compositing manager has such over all of the
  /// screen, and draws what is below it (the Composite extension's overlay window).
  private func cover(of part: Rect, above id: ID) -> String? {
    guard let place = order.firstIndex(of: id) else { return nil }
    let covers = order[(place + 1)...].filter { id in
      guard let window = windows[id], window.isMapped, !window.isInputOnly else { return false }
      return window.frame.intersection(part) == part
    }
    guard !covers.isEmpty else { return nil }
    let names = names
    return covers.lazy.compactMap { names[$0] }.first
  }

  /// What each of the root's children is called: by its title, or that of a client in it, or else by a class.
  private var names: [ID: String] {
    var (titles, classes): ([ID: String], [ID: String]) = ([:], [:])
    let named = windows.filter { !$0.value.title.isEmpty || !$0.value.classes.isEmpty }.keys.sorted()
    // A window's own name goes before those of windows within it.
    for id in order + named {
      guard let window = windows[id], let outermost = chain(of: id)?.last else { continue }
      if titles[outermost] == nil, !window.title.isEmpty { titles[outermost] = window.title }
      if classes[outermost] == nil { classes[outermost] = window.classes.last }
    }
    return titles.merging(classes) { title, _ in title }
  }
}

extension Rect {
  fileprivate var area: Double { isEmpty ? 0 : width * height }

  /// Moved no further than needed to be inside of another; its left and top are, if it is larger.
  fileprivate func moved(into outer: Rect) -> Rect {
    Rect(
      x: max(outer.x, min(x, outer.maxX - width)), y: max(outer.y, min(y, outer.maxY - height)), width: width,
      height: height)
  }
}
