/// What is seen of a keyboard, told so that one that slides in or out is not told at each step.
///
/// What comes is told at once where it is expected to stop, what goes as soon as it is gone, and what moves once it has
/// come to rest.
struct RestingSight {
  /// How long it must stay where it is, in microseconds; onboard moves every 20 ms.
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

  /// Takes what is seen at a time, and where it is expected to stop; true if `told` is another one now.
  mutating func take(_ sight: Sight, expected: Sight, at time: UInt64) -> Bool {
    let old = told
    guard sight != old else {
      coming = nil
      return false
    }
    guard case .seen = sight else { return tell(sight) }
    if coming?.sight != sight { coming = (sight, coming?.first ?? time, time) }
    if let deadline, time >= deadline { return tell(sight) }
    guard case .seen = old else {
      told = expected
      return true
    }
    return false
  }

  private mutating func tell(_ sight: Sight) -> Bool {
    told = sight
    coming = nil
    return true
  }
}
