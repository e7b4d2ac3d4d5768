import Geometry
import Testing

@testable import Desktop

private func at(_ y: Double) -> Sight {
  .seen(
    .init(
      output: "", size: Size(width: 800, height: 480), frame: Rect(x: 0, y: y, width: 800, height: 480 - y)))
}

@Suite struct SightAtRest {
  @Test func isToldOnceTheKeyboardHasSlidIn() {
    var sight = RestingSight(.hidden)
    for step in 0..<10 {
      let time = 1_000_000 + UInt64(step) * 20_000
      #expect(!sight.take(at(470 - 20 * Double(step)), at: time))
    }
    #expect(sight.told == .hidden)
    #expect(sight.deadline == 1_280_000)
    #expect(!sight.take(at(290), at: 1_279_999))
    #expect(sight.take(at(290), at: 1_280_000))
    #expect(sight.told == at(290))
    #expect(sight.deadline == nil)
  }

  @Test func doesNotTellOfAMomentUnmapped() {
    var sight = RestingSight(at(280))
    #expect(!sight.take(.hidden, at: 0))
    #expect(!sight.take(at(280), at: 50_000))
    #expect(sight.deadline == nil)
    #expect(sight.told == at(280))
  }

  @Test func isToldAfterASecondOfWhatNeverRests() {
    var sight = RestingSight(.hidden)
    var told: UInt64?
    for time in stride(from: 0 as UInt64, through: 2_000_000, by: 50_000) where told == nil {
      if sight.take(at(Double(time / 50_000)), at: time) { told = time }
    }
    #expect(told == 1_000_000)
  }
}
