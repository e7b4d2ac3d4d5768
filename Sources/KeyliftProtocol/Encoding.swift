import Avoidance
import Geometry
import ResponderChain
import Varlink

extension JSONWriter {
  package mutating func field(_ key: StaticString, _ point: Point) {
    object(key) { $0.members(point) }
  }

  package mutating func members(_ point: Point) {
    field("x", point.x)
    field("y", point.y)
  }

  package mutating func field(_ key: StaticString, _ size: Size) {
    object(key) { writer in
      writer.field("width", size.width)
      writer.field("height", size.height)
    }
  }

  package mutating func field(_ key: StaticString, _ rect: Rect) {
    object(key) { $0.members(rect) }
  }

  package mutating func members(_ rect: Rect) {
    field("x", rect.x)
    field("y", rect.y)
    field("width", rect.width)
    field("height", rect.height)
  }
}

extension JSONWriter {
  package mutating func field(_ key: StaticString, _ keyboard: KeyboardState) {
    object(key) { writer in
      writer.field("phase", keyboard.phase.rawValue)
      writer.field("frame", keyboard.frame)
      writer.field("previousFrame", keyboard.previousFrame)
      writer.field("docked", keyboard.docked)
      writer.field("duration", keyboard.duration)
      writer.field("curve", KeyboardState.curve)
      writer.field("reason", keyboard.reason.rawValue)
      writer.field("screen", keyboard.screen)
    }
  }

  package mutating func field(_ key: StaticString, _ scrolls: [ScrollAdjustment]) {
    array(key) { writer in
      for scroll in scrolls {
        writer.object { writer in
          writer.field("view", scroll.view)
          writer.field("contentOffset", scroll.contentOffset)
          writer.field("insetBottom", scroll.insetBottom)
        }
      }
    }
  }

  package mutating func field(_ key: StaticString, _ layout: Layout) {
    object(key) { writer in
      writer.field("offset", layout.offset)
      writer.field("scrolls", layout.scrolls)
      writer.field("overlap", layout.overlap)
      writer.field("duration", layout.duration)
      writer.field("curve", KeyboardState.curve)
    }
  }
}

extension View {
  /// Writes the members of a View as io.keylift.Scene has it, but for those that are the default of its kind.
  package func write(to writer: inout JSONWriter) {
    let plain = View(id: id, kind: kind, frame: frame)
    writer.field("id", id)
    if let parent { writer.field("parent", parent) }
    if kind != .view { writer.field("kind", kind.rawValue) }
    writer.field("frame", frame)
    if hidden { writer.field("hidden", true) }
    if alpha != 1 { writer.field("alpha", alpha) }
    if !interactive { writer.field("interactive", false) }
    if forwardsTouches != plain.forwardsTouches { writer.field("forwardsTouches", forwardsTouches) }
    if resigns != .never { writer.field("resigns", resigns.rawValue) }
    if keepsFocus != plain.keepsFocus { writer.field("keepsFocus", keepsFocus) }
    if editable != plain.editable { writer.field("editable", editable) }
    if purpose != .normal { writer.field("purpose", purpose.rawValue) }
    if returnKey != .none { writer.field("returnKey", returnKey.rawValue) }
    if let keepsVisible { writer.field("keepsVisible", keepsVisible) }
    if let spacing { writer.field("spacing", spacing) }
    if let caret { writer.field("caret", caret) }
    if let order { writer.field("order", order) }
    if contentSize != plain.contentSize { writer.field("contentSize", contentSize) }
    if contentOffset != .zero { writer.field("contentOffset", contentOffset) }
    if dismissMode != .none { writer.field("dismissMode", dismissMode.rawValue) }
  }
}

extension SceneDescription {
  /// Writes the parameters of io.keylift.Scene.Attach but for the views and the frame.
  package func write(to writer: inout JSONWriter) {
    writer.field("name", name)
    if let screen { writer.field("screen", screen) }
    if level != 0 { writer.field("level", level) }
    if avoidance != .pan { writer.field("avoidance", avoidance.rawValue) }
    if outsideTouch != .tap { writer.field("outsideTouch", outsideTouch.rawValue) }
    if safeArea != .zero {
      writer.object("safeArea") { writer in
        writer.field("top", safeArea.top)
        writer.field("left", safeArea.left)
        writer.field("bottom", safeArea.bottom)
        writer.field("right", safeArea.right)
      }
    }
  }
}
