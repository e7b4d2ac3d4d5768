import Testing

@testable import Statistics

@Suite("How often which values came") struct HistogramTests {
  /// Values of every size, the same each time.
  private func values(_ count: Int, seed: UInt64) -> [UInt64] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 20) >> (state >> 58)
    }
  }

  @Test("a quantile is never below the exact one, and at most a sixteenth above", arguments: 1...40)
  func quantiles(seed: UInt64) throws {
    var histogram = Histogram()
    let values = values(Int(seed) * 37, seed: seed).map { min($0, Histogram.largest) }
    for value in values { histogram.take(value) }
    let sorted = values.sorted()
    for part in [0, 0.01, 0.25, 0.5, 0.9, 0.99, 1] {
      let rank = max(1, Int((part * Double(sorted.count)).rounded(.up)))
      let exact = sorted[rank - 1]
      let found = try #require(histogram.quantile(part))
      #expect(found >= exact && found - exact <= exact / 16, "\(part): \(found), and exactly \(exact)")
    }
    #expect(histogram.count == UInt64(values.count))
    #expect(histogram.total == values.reduce(0, &+))
    #expect(histogram.max == sorted.last)
  }

  @Test("how many are below a power of two is exact") func below() {
    var histogram = Histogram()
    let values = values(2000, seed: 5)
    for value in values { histogram.take(value) }
    for power in 0..<32 {
      let bound: UInt64 = 1 << UInt64(power)
      #expect(histogram.count(below: bound) == UInt64(values.count { $0 < bound }))
    }
    #expect(histogram.count(below: .max) == 2000)
  }

  @Test("without a value there is nothing to say") func empty() {
    let histogram = Histogram()
    #expect(histogram.quantile(0.5) == nil)
    #expect(histogram.max == nil)
    #expect(histogram.count(below: 16) == 0)
  }

  @Test("what is larger than any bucket counts as the largest, and max has it as it is") func large() {
    var histogram = Histogram()
    for value in [1, UInt64.max, .max] { histogram.take(value) }
    #expect(histogram.count == 3)
    #expect(histogram.total == UInt64.max, "1 more than twice the most: it has wrapped")
    #expect(histogram.max == .max)
    #expect(histogram.quantile(1).map { $0 >= Histogram.largest } == true)
    #expect(histogram.count(below: Histogram.largest) == 1)
  }
}
