import Geometry
import Testing

@testable import Desktop

private func at(_ y: Double) -> Sight {
  .seen(
    .init(
      output: "", size: Size(width: 800, height: 480), frame: Rect(x: 0, y: y, width: 800, height: 480 - y)))
}

@Suite struct SightAtRest {
  @Test func oneThatSlidesInIsToldOnceWhereItWillStop() {
    var sight = RestingSight(.hidden)
    var told = 0
    for step in 0..<10 {
      let time = 1_000_000 + UInt64(step) * 20_000
      if sight.take(at(470 - 20 * Double(step)), expected: at(290), at: time) { told += 1 }
      #expect(sight.told == at(290))
    }
    #expect(told == 1)
    #expect(sight.deadline == nil)
  }

  @Test func oneThatStopsElsewhereIsToldOnceItRests() {
    var sight = RestingSight(.hidden)
    let begins = sight.take(at(400), expected: at(280), at: 0)
    #expect(begins)
    let moves = sight.take(at(300), expected: at(280), at: 20_000)
    #expect(!moves)
    #expect(sight.deadline == 120_000)
    let restsTooShort = sight.take(at(300), expected: at(280), at: 119_999)
    #expect(!restsTooShort)
    let rests = sight.take(at(300), expected: at(280), at: 120_000)
    #expect(rests)
    #expect(sight.told == at(300))
    #expect(sight.deadline == nil)
  }

  @Test func oneThatSlidesOutIsToldOnceItIsGone() {
    var sight = RestingSight(at(280))
    for step in 0..<10 {
      let isLeaving = sight.take(at(290 + 20 * Double(step)), expected: at(280), at: UInt64(step) * 20_000)
      #expect(!isLeaving)
    }
    #expect(sight.told == at(280))
    let isGone = sight.take(.hidden, expected: .hidden, at: 200_000)
    #expect(isGone)
    #expect(sight.told == .hidden)
    #expect(sight.deadline == nil)
  }

  @Test func oneThatNeverRestsIsToldAfterASecond() {
    var sight = RestingSight(at(0))
    var told: UInt64?
    for time in stride(from: 0 as UInt64, through: 2_000_000, by: 50_000) where told == nil {
      let now = at(Double(time / 50_000) + 1)
      if sight.take(now, expected: now, at: time) { told = time }
    }
    #expect(told == 1_000_000)
  }
}
