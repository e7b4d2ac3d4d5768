import Avoidance
import Geometry
import ResponderChain

/// What a scene did to keep its first responder in sight.
///
/// It is remembered until its cause changes: a scroll position that the client reports meanwhile is the person's, and
/// is kept (focus-and-layout, rule 34).
struct Reveal: Codable, Sendable {
  /// What it was made for. Scroll positions are no part of it.
  struct Cause: Codable, Equatable, Sendable {
    var view: String
    var caret: Rect?
    /// As if nothing were scrolled, in screen points.
    var focus: Focus
    /// Where it rests: while a finger pulls the keyboard nothing is revealed anew, nor when it comes back (rule 15).
    var keyboardTop: Double
    var safeTop: Double
  }

  /// A scroll view around the first responder.
  struct Scroll: Codable, Sendable {
    var view: String
    /// What the client had reported when it was scrolled.
    var before: Double
    /// Where it was told to scroll to.
    var target: Double
    /// Whether the client has reported a position since, which then counts.
    var isReported = false
  }

  var cause: Cause
  /// Where the focus is once the scroll views have done their part; the rest is the scene's.
  var focus: Focus
  /// The scene's offset where somebody has decided about it; nil for what is proposed.
  var decided: Double?
  /// From inside out; none unless the scene's avoidance is scroll.
  var scrolls: [Scroll]

  /// How far the scene is to move while the keyboard rests, if nobody decides otherwise.
  var proposed: Double { panOffset(keyboardTop: cause.keyboardTop) }

  /// How far the scene moves for a keyboard's top, which a finger may have pulled down from where it rests.
  func offset(keyboardTop: Double) -> Double {
    guard let decided else { return panOffset(keyboardTop: keyboardTop) }
    return min(0, decided + max(0, keyboardTop - cause.keyboardTop))
  }

  private func panOffset(keyboardTop: Double) -> Double {
    Avoid.panOffset(keyboardTop: keyboardTop, focus: focus, safeTop: cause.safeTop)
  }
}

extension Engine {
  /// Brings every scene's reveal in line with focus, caret and keyboard.
  mutating func updateReveals() {
    for place in scenes.indices {
      scenes[place].takeReports()
      let cause = cause(of: scenes[place])
      guard cause != scenes[place].reveal?.cause else { continue }
      if let cause {
        guard let reveal = decided(scenes[place].reveal(for: cause), of: scenes[place]) else { continue }
        scenes[place].reveal = reveal
        scenes[place].restoring = []
      } else if let before = scenes[place].reveal {
        scenes[place].restoring = before.scrolls
        scenes[place].reveal = nil
      }
    }
  }

  /// A reveal as it was decided: moved elsewhere, or refused; nil if that is not known yet, and the scene stays.
  ///
  /// Asked about is a movement that is proposed, not each caret that needs none; the way back is nobody's to refuse, since
  /// a scene under a hidden keyboard is where it belongs (rule 27).
  private mutating func decided(_ reveal: Reveal, of scene: Scene) -> Reveal? {
    var reveal = reveal
    if let before = scene.reveal, before.cause.view == reveal.cause.view, before.proposed == reveal.proposed {
      reveal.decided = before.decided
      return reveal
    }
    guard reveal.proposed != scene.layout.offset.y || scene.reveal != nil else { return reveal }
    let responder = Responder(scene: scene.id, view: reveal.cause.view)
    let proposed = Point(x: 0, y: reveal.proposed)
    guard
      let decision = decision(
        on: .moveLayout, of: responder, reason == .none ? .client : reason, offset: proposed)
    else { return nil }
    if !decision.isAllowed {
      reveal.decided = scene.layout.offset.y
      for place in reveal.scrolls.indices { reveal.scrolls[place].target = reveal.scrolls[place].before }
    } else if let given = decision.offset, given.isFinite {
      reveal.decided = min(0, max(given.y, -screen(named: scene.screen).size.height))
    }
    return reveal
  }

  /// Why a scene must move; nil if it need not, since it has no first responder or nothing covers it.
  private func cause(of scene: Scene) -> Reveal.Cause? {
    guard scene.id == focusedScene, scene.screen == keyboardScreen,
      scene.description.avoidance == .pan || scene.description.avoidance == .scroll,
      let top = keyboardMachine.restingTop, keyboard.frame.x < scene.frame.maxX,
      keyboard.frame.maxX > scene.frame.x, let focused = scene.focused
    else { return nil }
    return scene.focus(spacing: configuration.spacing) { scene.tree.unscrolledFrameInScene($0) }.map {
      Reveal.Cause(
        view: focused, caret: scene.tree.view(focused)?.caret, focus: $0, keyboardTop: top,
        safeTop: scene.frame.y + scene.description.safeArea.top)
    }
  }

  /// How a scene must move and what of it is covered (rules 24 to 36), by where the keyboard is, or is going.
  func layout(of scene: Scene) -> Layout {
    guard scene.screen == keyboardScreen else { return Layout(duration: configuration.duration) }
    let isPulled = keyboardMachine.resting != nil
    // What a reveal was made for counts, until the next one is decided; a finger has the scene follow at once.
    let top =
      isPulled ? keyboard.coveredFrom : keyboard.coveredFrom.map { scene.reveal?.cause.keyboardTop ?? $0 }
    return Layout(
      offset: Point(x: 0, y: scene.offset(keyboardTop: top)), scrolls: scene.adjustments(keyboardTop: top),
      overlap: Avoid.overlap(of: scene.frame, keyboard: keyboard),
      duration: isPulled ? 0 : configuration.duration)
  }
}

extension Scene {
  /// What of the focused input must stay in sight, in screen points while nothing is lifted.
  ///
  /// - frameInScene: where a view is.
  fileprivate func focus(spacing: Double, _ frameInScene: (ViewTree.Index) -> Rect) -> Focus? {
    guard let focused, let index = tree.index(of: focused) else { return nil }
    let input = tree.view(at: index)
    let inputFrame = frameInScene(index).offset(by: frame.origin)
    var top = inputFrame.y
    var bottom = inputFrame.maxY
    if let caret = input.caret {
      top = inputFrame.y + caret.y
      bottom = top + caret.height
    }
    if let id = input.keepsVisible, id != focused, let other = tree.index(of: id) {
      bottom = frameInScene(other).offset(by: frame.origin).maxY
    }
    return Focus(top: top, bottom: bottom, spacing: input.spacing ?? spacing)
  }

  /// Notes which scroll views' positions the client has reported since they were scrolled.
  fileprivate mutating func takeReports() {
    func taken(_ scrolls: [Reveal.Scroll]) -> [Reveal.Scroll] {
      scrolls.map { scroll in
        var scroll = scroll
        if let now = tree.view(scroll.view)?.contentOffset.y, now != scroll.before {
          scroll.isReported = true
        }
        return scroll
      }
    }
    if let scrolls = reveal?.scrolls, !scrolls.isEmpty { reveal?.scrolls = taken(scrolls) }
    if !restoring.isEmpty { restoring = taken(restoring).filter { isOutOfRange($0) } }
  }

  /// Where a scroll view is, or is going if its client has not reported that yet.
  private func position(of scroll: Reveal.Scroll) -> Double {
    scroll.isReported ? tree.view(scroll.view)?.contentOffset.y ?? scroll.target : scroll.target
  }

  /// The furthest that a scroll view can be scrolled while nothing covers it.
  private func range(of view: View) -> Double { max(0, view.contentSize.height - view.frame.height) }

  private func isOutOfRange(_ scroll: Reveal.Scroll) -> Bool {
    tree.view(scroll.view).map { position(of: scroll) > range(of: $0) } ?? false
  }

  /// Moves scroll views and the scene out of the keyboard's way, from where they are.
  fileprivate func reveal(for cause: Reveal.Cause) -> Reveal {
    guard let focused, let input = tree.index(of: focused) else {
      return Reveal(cause: cause, focus: cause.focus, scrolls: [])
    }
    var known: [String: Double] = [:]
    for scroll in reveal?.scrolls ?? [] { known[scroll.view] = position(of: scroll) }
    for scroll in restoring {
      known[scroll.view] = tree.view(scroll.view).map { min(position(of: scroll), range(of: $0)) }
    }
    let views = tree.scrollViews(containing: input)
    // How much further than reported each is, and with it all that it contains.
    let ahead = Dictionary(
      uniqueKeysWithValues: views.map { index in
        let view = tree.view(at: index)
        return (index, (known[view.id] ?? view.contentOffset.y) - view.contentOffset.y)
      })
    func frameOnScreen(_ index: ViewTree.Index) -> Rect {
      let shift = tree.scrollViews(containing: index).reduce(0) { $0 + (ahead[$1] ?? 0) }
      return tree.frameInScene(index).offset(by: Point(x: 0, y: -shift))
    }
    let seen = focus(spacing: cause.focus.spacing, frameOnScreen) ?? cause.focus
    // One that does not contain what must stay in sight does not help.
    let visible = tree.view(at: input).keepsVisible.flatMap { tree.index(of: $0) } ?? input
    let helping = Set(tree.scrollViews(containing: visible))
    let scrollViews = views.map { index in
      let position = tree.view(at: index).contentOffset.y + (ahead[index] ?? 0)
      let top = helping.contains(index) ? frameOnScreen(index).y + frame.y : .infinity
      return ScrollRoom(top: top, position: position)
    }
    let (given, left) = Avoid.reveal(
      keyboardTop: cause.keyboardTop, focus: seen, safeTop: cause.safeTop,
      scrollViews: description.avoidance == .scroll ? scrollViews : [])
    let scrolls = zip(views, given).map { index, given in
      let view = tree.view(at: index)
      return Reveal.Scroll(
        view: view.id, before: view.contentOffset.y,
        target: view.contentOffset.y + (ahead[index] ?? 0) + given)
    }
    return Reveal(cause: cause, focus: left, scrolls: scrolls)
  }

  /// How far it moves to keep its first responder above a keyboard's top; nil for one that covers nothing.
  fileprivate func offset(keyboardTop: Double?) -> Double {
    guard let reveal, let keyboardTop else { return 0 }
    return reveal.offset(keyboardTop: keyboardTop)
  }

  /// What the scroll views are to do: those around the first responder, else those that go back.
  fileprivate func adjustments(keyboardTop: Double?) -> [ScrollAdjustment] {
    guard let reveal else {
      return restoring.compactMap { scroll in
        guard let view = tree.view(scroll.view), isOutOfRange(scroll) else { return nil }
        return ScrollAdjustment(
          view: view.id, contentOffset: Point(x: view.contentOffset.x, y: range(of: view)), insetBottom: 0)
      }
    }
    let offset = offset(keyboardTop: keyboardTop)
    var outer = reveal.scrolls.map { position(of: $0) - (tree.view($0.view)?.contentOffset.y ?? $0.before) }
    return reveal.scrolls.compactMap { scroll in
      outer.removeFirst()
      guard let index = tree.index(of: scroll.view) else { return nil }
      let view = tree.view(at: index)
      let bottom =
        tree.frameInScene(index).maxY + frame.y + offset - outer.reduce(0, +)
      let inset = min(max(0, bottom - (keyboardTop ?? .infinity)), max(0, view.frame.height))
      let position = position(of: scroll)
      guard inset > 0 || position != view.contentOffset.y else { return nil }
      return ScrollAdjustment(
        view: view.id, contentOffset: Point(x: view.contentOffset.x, y: position), insetBottom: inset)
    }
  }
}
