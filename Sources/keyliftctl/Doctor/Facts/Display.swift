import EventLoop

/// A connected display, as the kernel's DRM names it.
struct Display: Equatable, Sendable {
  /// The connector, such as HDMI-A-1, which is what udev's WL_OUTPUT means too.
  var name: String
  /// Of the preferred mode, in pixels.
  var width: Double
  var height: Double

  /// How a display server turns its picture is in none of these files; asking the DRM device itself would make
  /// the one who asks its master, if there is none.
  ///
  /// Source: /sys/class/drm/card*-*/status and modes, whose first line is the preferred mode.
  static func gatherAll(drm: String = "/sys/class/drm") -> [Display] {
    ((try? namesInDirectory(drm)) ?? []).compactMap { connector in
      guard connector.hasPrefix("card"), let dash = connector.firstIndex(of: "-"),
        Files.lines("\(drm)/\(connector)/status").first == "connected"
      else { return nil }
      let sides = (Files.lines("\(drm)/\(connector)/modes").first ?? "").split(separator: "x")
        .map { Double($0.prefix { $0.isNumber }) ?? 0 }
      guard sides.count == 2, sides[0] >= 1, sides[1] >= 1 else { return nil }
      return Display(
        name: String(connector[connector.index(after: dash)...]), width: sides[0], height: sides[1])
    }
  }

  /// What the kernel's console is turned by, as by `fbcon=rotate:` or since a driver knows how its panel is built in.
  ///
  /// Source: Documentation/fb/fbcon.rst: 1 is 90 degrees clockwise, 2 180, 3 270.
  static func consoleRotation(_ path: String = "/sys/class/graphics/fbcon/rotate") -> Int? {
    Files.lines(path).first.flatMap { Int($0) }.flatMap { (0...3).contains($0) ? $0 * 90 : nil }
  }
}
