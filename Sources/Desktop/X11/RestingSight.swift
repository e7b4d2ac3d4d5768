/// What is seen of a keyboard, told once it has come to rest: some slide in and out, or are unmapped for a moment.
struct RestingSight {
  /// How long it must stay as it is, in microseconds; onboard moves every 20 ms.
  static let rest: UInt64 = 100_000
  /// After how long it is told all the same, in microseconds.
  static let longest: UInt64 = 1_000_000

  private(set) var told: Sight
  private var coming: (sight: Sight, first: UInt64, last: UInt64)?

  init(_ sight: Sight) { told = sight }

  /// When it is to be looked at again, in microseconds of CLOCK_MONOTONIC; nil while it rests.
  var deadline: UInt64? {
    coming.map { min($0.last &+ RestingSight.rest, $0.first &+ RestingSight.longest) }
  }

  /// Takes what is seen at a time; true if that is to be told now.
  mutating func take(_ sight: Sight, at time: UInt64) -> Bool {
    guard sight != told else {
      coming = nil
      return false
    }
    if coming?.sight != sight { coming = (sight, coming?.first ?? time, time) }
    guard let deadline, time >= deadline else { return false }
    told = sight
    coming = nil
    return true
  }
}
