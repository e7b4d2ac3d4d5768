import Desktop
import Geometry
import Testing

@testable import KeyliftOSK

@Suite("Where a keyboard is, in screen points") struct AppearanceTests {
  private func appearance(output: Size, name: String = "", screens: Int = 1) -> Appearance {
    let frame = Rect(x: 0, y: output.height / 2, width: output.width, height: output.height / 2)
    return Appearance(
      seen: .seen(.init(output: name, size: output, frame: frame)),
      on: Screen(name: "main", size: Size(width: 800, height: 480)), of: screens)
  }

  private let half = Rect(x: 0, y: 240, width: 800, height: 240)

  @Test("An output of other points", arguments: [(800.0, 480.0), (400, 240), (1600, 960), (1333, 800)])
  func scaled(width: Double, height: Double) throws {
    let appearance = appearance(output: Size(width: width, height: height))
    #expect(appearance.problem == nil)
    let frame = try #require(appearance.frame)
    #expect(abs(frame.y - half.y) < 0.001 && abs(frame.width - 800) < 0.001)
  }

  @Test("An output that is turned, or of another shape, is a problem") func shape() {
    #expect(appearance(output: Size(width: 480, height: 800)).problem?.contains("480x800") == true)
    #expect(appearance(output: Size(width: 1024, height: 768)).problem?.contains("1024x768") == true)
  }

  @Test("Of several screens it must be the right one") func several() {
    let size = Size(width: 800, height: 480)
    #expect(appearance(output: size, name: "main", screens: 2).frame == half)
    let other = appearance(output: size, name: "HDMI-A-2", screens: 2)
    #expect(other.frame == nil && other.problem?.contains("HDMI-A-2") == true)
    #expect(appearance(output: size, name: "HDMI-A-2").frame == half, "the only one has any name")
  }

  @Test("A problem is what Report takes, whatever a window is called") func reportable() {
    #expect(KeyliftOSK.reportable("a\u{1B}[31m\nb\u{7F}") == "a[31mb")
    let long = KeyliftOSK.reportable(String(repeating: "ä", count: 200))
    #expect(long.utf8.count == 256 && long.last == "ä")
  }

  @Test("A height that is given", arguments: [("200", 280.0), ("40%", 288), ("9999", 0), ("100%", 0)])
  func fixed(text: String, top: Double) throws {
    let frame = try #require(FixedFrame(text)).rect(on: Size(width: 800, height: 480))
    #expect(frame == Rect(x: 0, y: top, width: 800, height: 480 - top))
  }

  @Test("No height", arguments: ["", "0", "-1", "tall", "101%", "nan", "inf", "%", "1e9"])
  func noHeight(text: String) { #expect(FixedFrame(text) == nil) }
}
