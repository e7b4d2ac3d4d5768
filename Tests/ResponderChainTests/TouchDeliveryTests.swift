import Geometry
import Testing

@testable import ResponderChain

/// A finger that went down at y 100 on a scroll view, or beside one.
private func touch(at time: UInt64 = 1_000_000, scrollView: String? = "list") -> TouchDelivery {
  TouchDelivery(
    id: 1, scene: 1, start: Point(x: 50, y: 100), at: time, hit: "row", responders: ["list", "row"],
    scrollView: scrollView, isOutside: true, resigners: [])
}

extension TouchDelivery {
  fileprivate mutating func move(_ y: Double, at time: UInt64 = 1_000_000) -> Movement {
    move(to: Point(x: 50, y: y), at: time)
  }
}

@Suite("focus-and-layout: one finger's way")
struct TouchDeliveryTests {
  @Test("rules 6 and 8: undecided within 10 points, then a scroll view's drag, or nobody's")
  func slop() {
    var drag = touch()
    #expect(drag.move(110) == .moved)
    #expect(drag.state == .undecided)
    #expect(drag.move(110.1) == .dragBegan)
    #expect(drag.state == .dragging)
    #expect(drag.move(100) == .moved, "what left the slop stays out of it")
    #expect(drag.state == .dragging)
    var other = touch(scrollView: nil)
    #expect(other.move(200) == .moved)
    #expect(other.state == .moving)
  }

  @Test(
    "rule 15: a drag crosses an edge from above, the slop being part of its first movement",
    arguments: [
      ([109, 120], 120.0, true), ([109, 120], 120.1, false), ([109, 120], 105, true),
      ([109, 120], 100, false),
      ([120, 140], 130, true), ([120, 140], 120, false), ([120, 90, 140], 100, true),
      ([140, 120], 130, false),
      ([105], 103, false),
    ])
  func crossing(ys: [Double], edge: Double, crosses: Bool) {
    var drag = touch()
    for y in ys { _ = drag.move(y) }
    #expect(drag.hasCrossed(edge) == crosses)
  }

  @Test("rule 15: only a drag pulls; let go, it is a drag again, that may cross once more")
  func pulling() {
    var drag = touch()
    drag.pull()
    #expect(drag.state == .undecided)
    _ = drag.move(200)
    drag.pull()
    #expect(drag.state == .pulling)
    #expect(!drag.hasCrossed(150), "it has been crossed")
    _ = drag.move(to: Point(x: 90, y: 200), at: 1_000_000)
    #expect(!drag.pullsFurther, "sideways")
    _ = drag.move(201)
    #expect(drag.pullsFurther)
    drag.letGo()
    #expect(drag.state == .dragging)
    var other = touch(scrollView: nil)
    _ = other.move(200)
    other.pull()
    #expect(other.state == .moving)
    other.letGo()
    #expect(other.state == .moving)
  }

  @Test(
    "the velocity of an even movement, however often the panel reports",
    arguments: [
      (UInt64(1_000), 0.3), (4_000, 1.2), (8_000, 2.4), (16_000, 4.8), (33_000, 9.9), (40_000, -12),
    ])
  func even(period: UInt64, step: Double) {
    var drag = touch()
    var time: UInt64 = 1_000_000
    var y = 100.0
    while time < 1_500_000 {
      time += period
      y += step
      _ = drag.move(y, at: time)
    }
    let expected = step < 0 ? -300.0 : 300
    #expect(abs(drag.velocity(at: time + period) - expected) < 1e-6)
  }

  @Test("the velocity is that of the last tenth of a second")
  func recent() {
    var drag = touch()
    for n in 1...50 { _ = drag.move(100 + 10 * Double(n), at: 1_000_000 + 10_000 * UInt64(n)) }
    for n in 1...12 { _ = drag.move(600 - Double(n), at: 1_500_000 + 10_000 * UInt64(n)) }
    #expect(abs(drag.velocity(at: 1_620_000) + 100) < 1e-6, "down fast, and then slowly up")
  }

  @Test("a finger that lay still for seconds and then moves has the velocity that it has now")
  func flicked() {
    var drag = touch()
    for n in 1...10 { _ = drag.move(100 + 4 * Double(n), at: 9_000_000 + 8_000 * UInt64(n)) }
    #expect(abs(drag.velocity(at: 9_080_000) - 360) < 1, "36 points in a tenth of a second")
  }

  @Test("a finger that rested has no velocity, be it that it trembled or that nothing was reported")
  func rested() {
    var drag = touch()
    for n in 1...10 { _ = drag.move(100 + 10 * Double(n), at: 1_000_000 + 10_000 * UInt64(n)) }
    #expect(drag.velocity(at: 1_140_000) == 1000)
    #expect(drag.velocity(at: 1_150_000) == 0)
    for n in 1...14 { _ = drag.move(200 + Double(n % 2), at: 1_100_000 + 10_000 * UInt64(n)) }
    #expect(abs(drag.velocity(at: 1_240_000)) <= 10, "a point in a tenth of a second")
    #expect(touch().velocity(at: 1_000_001) == 0, "it has not moved at all")
  }

  @Test(
    "times that go backwards, stand still or jump give a finite velocity, and soon the right one",
    arguments: [0, 1, 999_999, 1_000_000, 1_000_001, UInt64.max - 1_000_000])
  func times(jump: UInt64) {
    var drag = touch()
    for n in 1...5 { _ = drag.move(100 + Double(n), at: 1_000_000 + 10_000 * UInt64(n)) }
    _ = drag.move(5_000, at: jump)
    for time in [UInt64(0), jump, 1_050_000, .max] {
      let velocity = drag.velocity(at: time)
      #expect(velocity.isFinite)
      #expect(abs(velocity) <= 500_000, "nothing is told from less than 10 ms")
    }
    for n in 1...20 { _ = drag.move(5_000 + Double(n), at: jump + 10_000 * UInt64(n)) }
    #expect(abs(drag.velocity(at: jump + 200_000) - 100) < 1e-6)
  }
}
