import Geometry
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
