/// How fast a finger moves down, from where it was in the last tenth of a second.
///
/// It is of a fixed size, and a sample costs no allocation.
struct VelocityTracker: Codable, Sendable {
  /// How far back what a finger did counts, in microseconds.
  private static let window: UInt64 = 100_000
  /// A finger that reports nothing for so long rests, in microseconds: many panels report changes alone.
  private static let stillness: UInt64 = 50_000
  /// Samples are kept at least so far apart, in microseconds, so that a fast panel's fill the window too.
  private static let spacing: UInt64 = 20_000
  /// Less than this says nothing about a speed, in microseconds.
  private static let shortest: UInt64 = 10_000

  private struct Sample: Codable {
    var time: UInt64
    var y: Double
  }

  private var newest: Sample
  /// Those before it, `count` of them, from `last` backwards round the end; times only grow.
  private var kept: InlineArray<7, Sample>
  private var last = 0
  private var count = 1
  private var lastTime: UInt64

  init(y: Double, at time: UInt64) {
    newest = Sample(time: time, y: y)
    kept = InlineArray(repeating: newest)
    lastTime = time
  }

  /// Takes a position, in points, at a time in microseconds; a time before the last one's starts afresh.
  mutating func add(y: Double, at time: UInt64) {
    if time < newest.time {
      self = VelocityTracker(y: y, at: time)
    } else if newest.time - lastTime >= VelocityTracker.spacing {
      last = (last + 1) % kept.count
      count = min(count + 1, kept.count)
      kept[last] = newest
      lastTime = newest.time
    }
    newest = Sample(time: time, y: y)
  }

  /// Points per second, downwards positive; 0 for a finger that rests.
  func velocity(at time: UInt64) -> Double {
    let age = age(of: newest, at: time)
    guard age < VelocityTracker.stillness else { return 0 }
    var (first, next) = (newest, newest)
    var place = last
    for _ in 0..<count where self.age(of: first, at: time) < VelocityTracker.window {
      (first, next) = (kept[place], first)
      place = (place + kept.count - 1) % kept.count
    }
    var elapsed = max(newest.time - first.time, VelocityTracker.shortest)
    let before = self.age(of: first, at: time)
    if before > VelocityTracker.window {  // where it was as the window began lies between two samples
      let share = Double(before - VelocityTracker.window) / Double(before - self.age(of: next, at: time))
      first.y += (next.y - first.y) * share
      elapsed = VelocityTracker.window - age
    }
    return (newest.y - first.y) * 1_000_000 / Double(elapsed)
  }

  /// Microseconds since a sample; 0 for one that is newer than the time that is asked about.
  private func age(of sample: Sample, at time: UInt64) -> UInt64 {
    time > sample.time ? time - sample.time : 0
  }
}

// By hand, since an InlineArray has no coding of its own.
extension VelocityTracker {
  private enum CodingKeys: String, CodingKey { case newest, kept, last, count, lastTime }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(newest, forKey: .newest)
    try container.encode(kept.indices.map { kept[$0] }, forKey: .kept)
    try container.encode(last, forKey: .last)
    try container.encode(count, forKey: .count)
    try container.encode(lastTime, forKey: .lastTime)
  }

  /// Throws: that there are other places or times than a tracker can have.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let newest = try container.decode(Sample.self, forKey: .newest)
    let samples = try container.decode([Sample].self, forKey: .kept)
    self.newest = newest
    kept = InlineArray(repeating: newest)
    last = try container.decode(Int.self, forKey: .last)
    count = try container.decode(Int.self, forKey: .count)
    lastTime = try container.decode(UInt64.self, forKey: .lastTime)
    guard samples.count == kept.count, samples.indices.contains(last), (1...samples.count).contains(count),
      lastTime <= newest.time, samples.allSatisfy({ $0.time <= newest.time })
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .kept, in: container, debugDescription: "no samples that a tracker can have")
    }
    for place in samples.indices { kept[place] = samples[place] }
  }
}
