import Geometry
import Testing
import TouchInput
import Varlink

@testable import keyliftctl

private let square = PanelMapping(
  rangeX: 0...999, rangeY: 0...999, screen: Screen(name: "main", size: Size(width: 1000, height: 1000)))

/// A touch at so many milliseconds.
private func touch(
  _ phase: TouchPhase, _ time: UInt64, _ x: Double? = nil, _ y: Double = 500, id: Int = 1,
  device: String = "/dev/p"
) -> SeenTouch {
  SeenTouch(
    device: device, screen: "main", id: id, phase: phase, time: time * 1000, position: .zero,
    raw: x.map { Point(x: $0, y: y) })
}

/// What a hand does on a panel, and what a collector says of it.
private final class Hand {
  var collector = TapCollector(device: "/dev/p", panel: square)

  /// The outcome of the last of some touches.
  func outcome(_ touches: SeenTouch...) -> TapCollector.Outcome? {
    var last: TapCollector.Outcome?
    for touch in touches { last = collector.take(touch) }
    return last
  }

  func complaint(_ touches: [SeenTouch]) -> String? {
    var last: TapCollector.Outcome?
    for touch in touches { last = collector.take(touch) ?? last }
    if case .again(let why) = last { return why }
    return nil
  }
}

@Suite("calibrate: which touches count")
struct TapCollectorTests {
  private let hand = Hand()

  @Test func aTap() {
    #expect(hand.outcome(touch(.began, 0, 400)) == .began)
    #expect(hand.outcome(touch(.ended, 200)) == .tap(Point(x: 400, y: 500)))
  }

  @Test("each position counts by how long it held") func weights() {
    // 400 for 100 ms, 404 for 300 ms.
    let tap = hand.outcome(touch(.began, 0, 400), touch(.moved, 100, 404), touch(.ended, 400))
    guard case .tap(let point) = tap else { return #expect(Bool(false), "\(String(describing: tap))") }
    #expect((403...403.3).contains(point.x))
  }

  @Test("what a finger says while it presses down is dropped if that is better") func settling() {
    let tap = hand.outcome(touch(.began, 0, 380), touch(.moved, 20, 402), touch(.ended, 200))
    #expect(tap == .tap(Point(x: 402, y: 500)))
  }

  @Test(arguments: [
    ("too short", [touch(.began, 0, 400), touch(.ended, 20)]),
    ("moved", [touch(.began, 0, 400), touch(.moved, 100, 480), touch(.ended, 200)]),
    ("cancelled", [touch(.began, 0, 400), touch(.cancelled, 200)]),
    ("two fingers", [touch(.began, 0, 400), touch(.began, 50, 700, id: 2)]),
    ("no position", [touch(.began, 0), touch(.ended, 200)]),
    ("another touchscreen, /dev/q", [touch(.began, 0, 400, device: "/dev/q")]),
  ])
  func again(why: String, touches: [SeenTouch]) {
    #expect(hand.complaint(touches)?.contains(why) == true)
    for touch in touches where touch.phase == .began {
      _ = hand.collector.take(keyliftctlTests.touch(.ended, 300, id: touch.id, device: touch.device))
    }
    #expect(hand.outcome(touch(.began, 1000, 400, id: 9)) == .began)
    #expect(hand.outcome(touch(.ended, 1200, id: 9)) == .tap(Point(x: 400, y: 500)))
  }

  @Test("another panel's touch spoils nothing") func anotherPanel() {
    #expect(hand.outcome(touch(.began, 0, 400)) == .began)
    _ = hand.outcome(
      touch(.began, 10, 1, id: 2, device: "/dev/q"), touch(.ended, 20, id: 2, device: "/dev/q"))
    #expect(hand.outcome(touch(.ended, 200)) == .tap(Point(x: 400, y: 500)))
  }

  @Test("of two fingers neither counts, and only one that comes alone does") func twoFingers() {
    _ = hand.outcome(touch(.began, 0, 400), touch(.began, 10, 700, id: 2))
    #expect(hand.outcome(touch(.ended, 200)) == nil)
    _ = hand.outcome(touch(.began, 250, 400, id: 3))  // the second is still down
    #expect(hand.outcome(touch(.ended, 500, id: 2)) == nil)
    #expect(hand.outcome(touch(.ended, 600, id: 3)) == nil)
    #expect(hand.outcome(touch(.began, 700, 400, id: 4)) == .began)
  }

  @Test("what was down before is not looked at") func downBefore() {
    #expect(hand.outcome(touch(.moved, 0, 400), touch(.ended, 200)) == nil)
  }

  @Test("a session takes the places in turn") func session() {
    var session = TapSession(places: [Point(x: 1, y: 2), Point(x: 3, y: 4)], collector: hand.collector)
    #expect(session.prompt.contains("1 of 2"))
    #expect(!session.prompt.contains("lift"))
    for place in 0..<2 {
      let began = session.take(touch(.began, UInt64(place) * 1000, 400, id: place))
      #expect(began)
      #expect(session.prompt.contains("hold still, then lift"))
      let ended = session.take(touch(.ended, UInt64(place) * 1000 + 200, id: place))
      #expect(ended)
    }
    #expect(session.isDone)
    #expect(session.taps.map(\.point) == [Point(x: 1, y: 2), Point(x: 3, y: 4)])
    let more = session.take(touch(.began, 9000, 1))
    #expect(!more)
  }

  @Test("a cross is drawn around the character whose middle is to be touched") func cross() {
    let session = TapSession(places: [.zero, .zero, .zero, .zero, .zero], collector: hand.collector)
    let lines = CrossPage.lines(session, Terminal.Size(columns: 80, rows: 24), unicode: false)
    #expect(lines.count == 24)
    #expect(Array(lines[2])[8] == "+")
    #expect(Array(lines[1])[8] == "|" && Array(lines[3])[8] == "|")
    #expect(lines[2] == "    ----+----")
    #expect(lines.allSatisfy { $0.count <= 80 })
    _ = CrossPage.lines(session, Terminal.Size(columns: 1, rows: 1), unicode: true)
  }
}
