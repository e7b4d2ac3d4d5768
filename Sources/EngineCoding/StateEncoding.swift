import Avoidance
import Engine
import Geometry
import KeyliftProtocol
import Varlink

/// The daemon's start, and how many states it has published since.
public struct StateStamp: Sendable {
  /// New at each start of the daemon.
  public let instance: String
  /// Counts up with every published state.
  public var serial = 0

  public init(instance: String) { self.instance = instance }
}

extension Change {
  private static let names: [(Change, String)] = [
    (.snapshot, "snapshot"), (.focus, "focus"), (.keyboard, "keyboard"), (.layout, "layout"),
    (.screen, "screen"),
  ]

  var names: [String] { Change.names.filter { contains($0.0) }.map(\.1) }
}

extension Scene {
  /// Writes the reply of io.keylift.Scene.Attach: the whole state as it now is.
  public func writeState(
    _ change: Change, of engine: Engine, _ stamp: StateStamp, to writer: inout JSONWriter
  ) {
    let screen = engine.screen(of: self)
    writer.field("instance", stamp.instance)
    writer.field("serial", stamp.serial)
    writer.field("scene", Engine.name(of: id))
    writer.field("revision", revision)
    writer.field("change", change.names)
    writer.object("screen") { writer in
      writer.field("name", screen.name)
      writer.field("size", screen.size)
      writer.field("rotation", screen.rotation.rawValue)
    }
    writer.field("focused", focused)
    writer.field("keyboard", engine.keyboard)
    writer.field("layout", layout)
  }
}

extension Engine {
  /// Writes the reply of io.keylift.Monitor.Subscribe, with the scenes that the subscriber may see.
  public func writeMonitorState(
    _ notifications: [Notification], time: UInt64, _ stamp: StateStamp, showing isVisible: (Scene) -> Bool,
    to writer: inout JSONWriter
  ) {
    writer.field("instance", stamp.instance)
    writer.field("serial", stamp.serial)
    writer.array("notifications") { writer in
      for notification in notifications { writer.value(notification.rawValue) }
    }
    writer.field("time", Int64(clamping: time))
    writer.field("keyboard", keyboard)
    writer.array("screens") { writer in
      for screen in screens {
        writer.object { writer in
          writer.field("name", screen.name)
          writer.field("width", screen.size.width)
          writer.field("height", screen.size.height)
          writer.field("rotation", screen.rotation.rawValue)
        }
      }
    }
    writer.array("scenes") { writer in
      for scene in scenes where isVisible(scene) {
        writer.object { writer in
          writer.field("scene", Engine.name(of: scene.id))
          writer.field("name", scene.description.name)
          scene.writeWhere(to: &writer)
        }
      }
    }
    writer.array("devices") { writer in
      for device in devices {
        writer.object { writer in
          writer.field("path", device.path)
          writer.field("name", device.description.name)
          writer.field("touch", device.role.touch)
          writer.field("keys", device.role.keys)
          writer.field("screen", device.screen)
          writer.field("grabbed", device.isGrabbed)
        }
      }
    }
  }

  /// Writes the reply of io.keylift.Keyboard.Drive.
  public static func write(_ drive: DriverState, to writer: inout JSONWriter) {
    writer.field("driver", drive.driver)
    writer.field("visible", drive.visible)
    writer.field("purpose", drive.purpose?.rawValue)
    writer.field("screen", drive.screen)
    writer.field("order", drive.order)
    if let frame = drive.frame { writer.field("frame", frame) } else { writer.null("frame") }
  }
}

extension Scene {
  /// Writes the members that Monitor's SceneState and Control's Scene share.
  func writeWhere(to writer: inout JSONWriter) {
    writer.field("screen", screen)
    writer.field("frame", frame)
    writer.field("level", description.level)
    writer.field("focused", focused)
    writer.field("offset", layout.offset)
    writer.field("overlap", layout.overlap)
  }
}

extension DeliveredTouch {
  /// Writes the reply of io.keylift.Scene.Touches, which is written most often of all.
  public func write(to writer: inout JSONWriter) {
    // Numbers and fixed text take less than 200 bytes.
    var capacity = 200 + (view.map(OutputSpan.quotedCapacity) ?? 0)
    for responder in responders { capacity += OutputSpan.quotedCapacity(responder) + 1 }
    writer.key("touch")
    writer.value(capacity: capacity) { output in
      output.append(json: #"{"id":"#)
      output.append(integer: Int64(id))
      output.append(json: #","phase":"#)
      output.append(quoted: phase.rawValue)
      output.append(json: #","time":"#)
      output.append(integer: Int64(clamping: time))
      output.append(json: #","position":{"x":"#)
      output.append(number: position.x)
      output.append(json: #","y":"#)
      output.append(number: position.y)
      output.append(json: #"},"view":"#)
      if let view { output.append(quoted: view) } else { output.append(json: "null") }
      output.append(json: #","responders":["#)
      for (place, responder) in responders.enumerated() {
        if place > 0 { output.append(json: ",") }
        output.append(quoted: responder)
      }
      output.append(json: "]}")
    }
  }
}
