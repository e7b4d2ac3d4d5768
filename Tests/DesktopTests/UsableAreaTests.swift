import Geometry
import Testing

@testable import Desktop

@Suite("What of an output is a keyboard (keyboards: the layer-shell probe)") struct UsableAreaTests {
  private let upright = Size(width: 480, height: 800)

  private func area(_ heights: Double...) -> UsableArea {
    var area = UsableArea()
    for height in heights { area.resize(to: height) }
    return area
  }

  @Test("800x480 becomes 800x280") func shows() {
    #expect(area(480).keyboard == nil)
    #expect(area(480, 280).keyboard == Rect(x: 0, y: 280, width: 800, height: 200))
    #expect(area(480, 280, 480).keyboard == nil)
  }

  @Test("One that shows at first counts from the whole output") func atFirst() {
    #expect(area(280).keyboard == Rect(x: 0, y: 280, width: 800, height: 200))
  }

  @Test("A panel is none, however it came") func panel() {
    var area = area(450)
    #expect(area.keyboard == nil)
    area.keyboardIsHidden()
    area.resize(to: 250)
    #expect(area.keyboard?.height == 200)
    area.resize(to: 420)
    #expect(area.keyboard == nil, "a second panel, beside the keyboard that is gone")
    area.resize(to: 220)
    #expect(area.keyboard?.height == 200)
  }

  @Test(
    "A large panel counts as one once a silent keyboard should be hidden, and a keyboard beside it does not")
  func largePanel() {
    var area = area(400)
    #expect(area.keyboard != nil)
    area.keyboardShouldBeHidden()
    #expect(area.keyboard == nil)
    area.resize(to: 200)
    area.keyboardShouldBeHidden()
    #expect(area.keyboard?.height == 200, "what is left without it is known")
  }

  @Test("An output that is turned has the same panels, however large", arguments: [0.0, 40, 120])
  func turned(panels: Double) {
    for isShown in [false, true] {
      var area = area(480 - panels)
      area.keyboardIsHidden()
      if isShown { area.resize(to: 280 - panels) }
      area.resize(to: Size(width: 480, height: 800 - panels - (isShown ? 200 : 0)), of: upright)
      #expect(area.keyboard == (isShown ? Rect(x: 0, y: 600, width: 480, height: 200) : nil))
      area.resize(to: 280 - panels)
      #expect(area.keyboard == Rect(x: 0, y: 280, width: 800, height: 200))
      area.resize(to: 480 - panels)
      #expect(area.keyboard == nil)
    }
  }

  @Test("Of an output that is being turned, one size may be told before the other") func turning() {
    for (left, whole) in [
      (Size(width: 480, height: 800), Size(width: 800, height: 480)),
      (Size(width: 800, height: 480), upright),
    ] {
      var area = area(480)
      area.keyboardIsHidden()
      area.resize(to: left, of: whole)
      #expect(area.keyboard == nil)
      area.resize(to: upright, of: upright)
      #expect(area.keyboard == nil)
    }
  }

  @Test("A panel at a side is none, and those that are known stay so") func sidePanel() {
    var area = area(400)
    area.keyboardIsHidden()
    area.resize(to: Size(width: 700, height: 400), of: Size(width: 800, height: 480))
    #expect(area.keyboard == nil)
    area.resize(to: Size(width: 700, height: 200), of: Size(width: 800, height: 480))
    #expect(area.keyboard?.height == 200)
  }

  @Test("Nothing is said before both sizes are known") func unknown() {
    var area = UsableArea()
    area.keyboardIsHidden()
    #expect(area.keyboard == nil)
    #expect(area.output == nil)
    area.resize(to: 280)
    #expect(area.keyboard?.height == 200)
  }
}

extension UsableArea {
  /// What is left of an output of 800 by 480.
  fileprivate mutating func resize(to height: Double) {
    resize(to: Size(width: 800, height: height), of: Size(width: 800, height: 480))
  }
}
