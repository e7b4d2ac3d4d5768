import Engine
import Geometry
import ResponderChain
import KeyliftProtocol
import Varlink

// What io.keylift.Control says of scenes: its methods Tree and HitTest.

extension Scene {
  /// Writes Control's Scene.
  public func write(of engine: Engine, uid: UInt32?, pid: Int32?, to writer: inout JSONWriter) {
    let screen = engine.screen(of: self)
    writer.field("scene", Engine.name(of: id))
    writer.field("name", description.name)
    if let uid { writer.field("uid", Int64(uid)) } else { writer.null("uid") }
    if let pid { writer.field("pid", Int64(pid)) } else { writer.null("pid") }
    writeWhere(to: &writer)
    writer.field("revision", revision)
    writer.field("screenSize", screen.size)
    writer.field("rotation", screen.rotation.rawValue)
    writer.field("avoidance", description.avoidance.rawValue)
    writer.field("outsideTouch", description.outsideTouch.rawValue)
    writer.object("safeArea") { writer in
      writer.field("top", description.safeArea.top)
      writer.field("left", description.safeArea.left)
      writer.field("bottom", description.safeArea.bottom)
      writer.field("right", description.safeArea.right)
    }
    writer.field("scrolls", layout.scrolls)
    writer.object("keyboard") { writer in
      writer.field("phase", engine.keyboard.phase.rawValue)
      writer.field("frame", engine.keyboard.frame)
      writer.field("docked", engine.keyboard.docked)
      writer.field("reason", engine.keyboard.reason.rawValue)
      writer.field("screen", engine.keyboard.screen)
      writer.field("driver", engine.driverState?.driver)
    }
  }

  /// Every view's index and depth, parents first.
  public var viewsInOrder: [(index: Int32, depth: Int)] {
    var all: [(Int32, Int)] = []
    all.reserveCapacity(tree.count)
    tree.walk { all.append(($0, $1)) }
    return all
  }

  /// Writes Control's View.
  public func writeView(_ index: Int32, depth: Int, to writer: inout JSONWriter) {
    let view = tree.view(at: index)
    let seen = tree.frameInScene(index).offset(by: frame.origin).offset(by: layout.offset)
    writer.field("id", view.id)
    writer.field("depth", depth)
    writer.field("kind", view.kind.rawValue)
    writer.field("frame", view.frame)
    writer.field("screenFrame", seen)
    writer.field("hidden", view.hidden)
    writer.field("interactive", view.interactive)
    writer.field("forwardsTouches", view.forwardsTouches)
    writer.field("resigns", view.resigns.rawValue)
    writer.field("keepsFocus", view.keepsFocus)
    writer.field("editable", view.editable)
    writer.field("focused", view.id == focused)
    writer.field("alpha", view.alpha)
    if let id = view.keepsVisible { writer.field("keepsVisible", id) }
    if let spacing = view.spacing { writer.field("spacing", spacing) }
    if let caret = view.caret { writer.field("caret", caret) }
    if let order = view.order { writer.field("order", order) }
    if view.kind == .textInput {
      writer.field("purpose", view.purpose.rawValue)
      writer.field("returnKey", view.returnKey.rawValue)
    }
    if view.kind == .scroll {
      writer.field("contentOffset", view.contentOffset)
      writer.field("contentSize", view.contentSize)
      writer.field("dismissMode", view.dismissMode.rawValue)
    }
  }
}

extension HitTest {
  /// Writes the reply of io.keylift.Control.HitTest.
  public func write(of engine: Engine, to writer: inout JSONWriter) {
    let focused = engine.focusedScene.flatMap { engine.scene($0) }
    writer.field("screen", screen)
    writer.field("screenSize", engine.screens.first { $0.name == screen }?.size ?? Size(width: 0, height: 0))
    writer.field("position", position)
    writer.field("keyboard", isOnKeyboard)
    writer.field("scene", scene.map { Engine.name(of: $0) })
    writer.field("below", below.map { Engine.name(of: $0) })
    writer.field("view", chain.first?.view.id)
    writer.array("chain") { writer in
      for responder in chain {
        writer.object { writer in
          writer.field("view", responder.view.id)
          writer.field("kind", responder.view.kind.rawValue)
          writer.field("forwardsTouches", responder.view.forwardsTouches)
          writer.field("resigns", responder.view.resigns.rawValue)
          writer.field("keepsFocus", responder.view.keepsFocus)
          writer.field("reached", responder.isReached)
          writer.field("mayResign", responder.mayResign)
        }
      }
    }
    writer.field("responders", responders)
    writer.field("scrollView", scrollView)
    writer.field("focusKeeper", focusKeeper)
    writer.field("outside", isOutside)
    writer.field("focused", focused?.focused)
    writer.field("focusedScene", focused.map { Engine.name(of: $0.id) })
    writer.field("began", began?.rawValue)
    writer.field("tap", tap?.rawValue)
    writer.field("drag", drag?.rawValue)
    writer.field("pulls", pullsKeyboard)
    writer.field("input", input)
    writer.array("passedOver") { writer in
      for obstacle in passedOver {
        writer.object { writer in
          writer.field("view", obstacle.view)
          writer.field("reason", obstacle.reason.rawValue)
          writer.field("cause", obstacle.cause)
        }
      }
    }
  }
}
