import Engine
import Geometry
import TouchInput
import KeyliftProtocol
import Varlink

extension ObservedTouch {
  /// Writes the reply of io.keylift.Control.Touches.
  public func write(to writer: inout JSONWriter) {
    writer.object("touch") { writer in
      writer.field("device", path)
      writer.field("screen", screen)
      writer.field("id", touch.id)
      writer.field("phase", touch.phase.rawValue)
      writer.field("time", Int64(clamping: time))
      writer.field("position", touch.position)
      writer.optional("x", x.map(Int.init))
      writer.optional("y", y.map(Int.init))
    }
  }
}

extension JSONWriter {
  /// An integer, or null.
  mutating func optional(_ key: StaticString, _ value: Int?) {
    if let value { field(key, value) } else { null(key) }
  }
}

extension Device {
  /// Writes Control's Mapping, of a touchscreen.
  public func writeMapping(_ axes: TouchAxes, rotation: Rotation, to writer: inout JSONWriter) {
    writer.field("rangeX", range: axes.x)
    writer.field("rangeY", range: axes.y)
    writer.field("swapAxes", settings.swapsAxes)
    writer.field("invertX", settings.invertsX)
    writer.field("invertY", settings.invertsY)
    writer.array("matrix") { writer in
      for number in (settings.calibration ?? .identity).coefficients { writer.value(exactly: number) }
    }
    writer.field("rotation", rotation.rawValue)
  }

  /// Writes Control's Filters, of a touchscreen.
  public func writeFilters(_ touchscreen: Touchscreen, to writer: inout JSONWriter) {
    writer.optional("fuzz", touchscreen.fuzz > 0 ? Int(touchscreen.fuzz) : nil)
    writer.optional("kernelFuzz", touchscreen.kernelFuzz > 0 ? Int(touchscreen.kernelFuzz) : nil)
    writer.optional("minimumPressure", touchscreen.leastPressure.map(Int.init))
    writer.optional("minimumTime", settings.minimumTime > 0 ? Int(clamping: settings.minimumTime) : nil)
    writer.optional("debounce", settings.debounce > 0 ? Int(clamping: settings.debounce) : nil)
    if settings.deadZones.isEmpty { return writer.null("deadZones") }
    writer.array("deadZones") { writer in
      for zone in settings.deadZones { writer.object { $0.members(zone) } }
    }
  }
}

extension JSONWriter {
  /// An axis's minimum and maximum.
  public mutating func field(_ key: StaticString, range axis: AbsoluteAxis) {
    array(key) { writer in
      writer.value(Int(axis.minimum))
      writer.value(Int(axis.maximum))
    }
  }
}
