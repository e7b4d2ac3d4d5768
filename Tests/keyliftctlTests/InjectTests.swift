import Geometry
import Testing
import TouchInput

@testable import keyliftctl

@Suite("inject")
struct InjectTests {
  private func gesture(_ words: String..., duration: String? = nil) throws -> InjectedGesture {
    try InjectedGesture(
      Arguments(options: duration.map { ["duration": $0] } ?? [:], operands: words))
  }

  @Test("a tap is down for a moment; a drag ends where it was to, at its time")
  func steps() throws {
    let tap = try gesture("tap", "20,30").steps
    #expect(tap.map(\.phase) == [.began, .ended])
    #expect(tap.map(\.time) == [0, 50_000])
    #expect(tap.map(\.position) == [Point(x: 20, y: 30), Point(x: 20, y: 30)])
    let drag = try gesture("drag", "0,100", "0,40", duration: "0.02").steps
    #expect(drag.map(\.phase) == [.began, .moved, .moved, .ended])
    #expect(drag.map(\.time) == [0, 10_000, 20_000, 20_000])
    #expect(drag.map(\.position.y) == [100, 70, 40, 40])
    #expect(try gesture("drag", "0,0", "9,0", duration: "0").steps.map(\.phase) == [.began, .moved, .ended])
  }

  @Test(
    "what is no gesture is refused",
    arguments: [
      ["tap"], ["tap", "1"], ["tap", "1,2", "3,4"], ["drag", "1,2"], ["key", "Escape"], ["fly", "1,2"],
      ["drag", "1,2", "x,y"],
    ])
  func refused(words: [String]) {
    #expect(throws: Failure.self) { try InjectedGesture(Arguments(operands: words)) }
  }

  @Test("nor is a time that is none", arguments: ["-1", "nan", "61", "soon"])
  func duration(text: String) { #expect(throws: Failure.self) { try gesture("tap", "1,2", duration: text) } }
}
