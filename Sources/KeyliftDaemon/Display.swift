import EventLoop
import Geometry
import Glibc

/// The first connected display, as the kernel's DRM names it.
enum Display {
  /// The preferred mode of the first connected connector, in pixels; nil without one.
  ///
  /// Source: /sys/class/drm/card*-*/status and modes, whose first line is the preferred mode.
  static func size(drm: String = "/sys/class/drm") -> Size? {
    guard let names = try? namesInDirectory(drm) else { return nil }
    let connectors = names.filter { $0.hasPrefix("card") && $0.contains("-") }
    for connector in connectors where line(of: "\(drm)/\(connector)/status") == "connected" {
      if let size = line(of: "\(drm)/\(connector)/modes").flatMap(parse) { return size }
    }
    return nil
  }

  /// A mode such as 800x480 or 1920x1080i.
  static func parse(_ mode: String) -> Size? {
    let sides = mode.split(separator: "x").map { $0.prefix { $0.isNumber } }
    guard sides.count == 2, let width = Double(sides[0]), let height = Double(sides[1]), width >= 1,
      height >= 1
    else { return nil }
    return Size(width: width, height: height)
  }

  private static func line(of path: String) -> String? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe _ = fclose(file) }
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
    return String(
      decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
