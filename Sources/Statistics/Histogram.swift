/// How often which values came, in a fixed 4 KB: buckets a sixteenth of a power of two wide, one for each value below 32.
///
/// Values are numbers of one unit, such as microseconds, up to `Histogram.largest`; what is larger counts as that, and
/// only `max` has it as it is. Taking one allocates nothing and cannot fail; counts wrap after 2^64.
public struct Histogram: Equatable, Sendable {
  /// The largest value that has a bucket: as microseconds, 71 minutes.
  public static let largest: UInt64 = 1 << 32 - 1

  /// How many values were taken, and what they are together.
  public private(set) var count: UInt64 = 0
  public private(set) var total: UInt64 = 0
  /// The largest of them; nil if there was none.
  public var max: UInt64? { count > 0 ? greatest : nil }

  private var greatest: UInt64 = 0
  private var counts = [UInt64](repeating: 0, count: Histogram.bucket(of: Histogram.largest) + 1)

  public init() {}

  public mutating func take(_ value: UInt64) {
    count &+= 1
    total &+= value
    if value > greatest { greatest = value }
    counts[Histogram.bucket(of: value)] &+= 1
  }

  /// A value that so large a part of all was not above, and at most a sixteenth more; nil if there was none.
  ///
  /// - part: 0...1
  public func quantile(_ part: Double) -> UInt64? {
    guard count > 0 else { return nil }
    let rank = Swift.max(1, (part * Double(count)).rounded(.up))
    var seen: UInt64 = 0
    for (bucket, count) in counts.enumerated() where count > 0 {
      seen &+= count
      if Double(seen) >= rank { return min(Histogram.last(of: bucket), greatest) }
    }
    return greatest
  }

  /// How many values were below a power of two; of one that is none, below the next lower bound of a bucket.
  public func count(below bound: UInt64) -> UInt64 {
    guard bound <= Histogram.largest else { return count }
    return counts[..<Histogram.bucket(of: bound)].reduce(0, &+)
  }

  /// Above 31 a value's highest five bits say where in its power of two it lies.
  @inline(__always)
  private static func bucket(of value: UInt64) -> Int {
    let value = min(value, largest)
    let shift = Swift.max(0, 59 - value.leadingZeroBitCount)
    return shift << 4 + Int(truncatingIfNeeded: value >> UInt64(truncatingIfNeeded: shift))
  }

  /// The largest value of a bucket.
  private static func last(of bucket: Int) -> UInt64 {
    guard bucket >= 32 else { return UInt64(bucket) }
    let shift = bucket >> 4 - 1
    return UInt64(bucket - shift << 4 + 1) << UInt64(shift) - 1
  }
}
