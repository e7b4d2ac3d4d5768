import Geometry
import Testing

@testable import Desktop

@Suite struct KeyboardOnOneOfSeveralOutputs {
  private static func place(_ output: String, _ width: Double, _ height: Double) -> Sight.Place {
    .init(
      output: output, size: Size(width: width, height: height),
      frame: Rect(x: 0, y: height - 200, width: width, height: 200))
  }

  private let places = [
    place("DP-1", 1920, 1080), place("DP-2", 1600, 960), place("DP-3", 800, 480), place("", 480, 800),
  ]

  @Test(
    "is on that of the screen's name, else of its shape, else the first",
    arguments: [
      ("DP-3", Size(width: 1920, height: 1080), 2), ("main", Size(width: 800, height: 480), 1),
      ("main", Size(width: 480, height: 800), 3), ("main", Size(width: 1000, height: 1000), 0),
      ("main", nil, 0),
      ("", nil, 0), ("", Size(width: 240, height: 400), 3),
    ] as [(String, Size?, Int)])
  func isPreferred(screen: String, size: Size?, index: Int) {
    #expect(places.preferred(on: screen, sized: size) == places[index])
  }

  @Test func isNoneWithoutAny() {
    #expect([Sight.Place]().preferred(on: "DP-1", sized: nil) == nil)
  }
}
