import Geometry
import Testing

@testable import Desktop

@Suite("What of an output is a keyboard (keyboards: the layer-shell probe)") struct UsableAreaTests {
  private func area(_ heights: Double...) -> UsableArea {
    var area = UsableArea(output: Size(width: 800, height: 480))
    for height in heights { area.resize(to: Size(width: 800, height: height)) }
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
    area.resize(to: Size(width: 800, height: 250))
    #expect(area.keyboard?.height == 200)
    area.resize(to: Size(width: 800, height: 420))
    #expect(area.keyboard == nil, "a second panel, beside the keyboard that is gone")
    area.resize(to: Size(width: 800, height: 220))
    #expect(area.keyboard?.height == 200)
  }

  @Test(
    "A large panel counts as one once a silent keyboard should be hidden, and a keyboard beside it does not")
  func largePanel() {
    var area = area(400)
    #expect(area.keyboard != nil)
    area.keyboardShouldBeHidden()
    #expect(area.keyboard == nil)
    area.resize(to: Size(width: 800, height: 200))
    area.keyboardShouldBeHidden()
    #expect(area.keyboard?.height == 200, "what is left without it is known")
  }

  @Test("An output that is turned begins anew") func turned() {
    var area = area(480, 280)
    area.keyboardIsHidden()
    area.output = Size(width: 480, height: 800)
    area.resize(to: Size(width: 480, height: 600))
    #expect(area.keyboard == Rect(x: 0, y: 600, width: 480, height: 200))
  }

  @Test("Nothing is said before both sizes are known") func unknown() {
    var area = UsableArea()
    area.resize(to: Size(width: 800, height: 280))
    #expect(area.keyboard == nil)
  }
}
