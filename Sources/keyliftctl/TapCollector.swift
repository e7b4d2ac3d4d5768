import Geometry
import TouchInput

/// Takes the touches of one panel for taps on crosses: one finger, held for a moment, not moved.
struct TapCollector {
  enum Outcome: Equatable {
    /// A finger is down, and it goes well so far.
    case began
    /// The place of the touch on the panel, in the device's units.
    case tap(Point)
    /// It does not count; why, and what to do.
    case again(String)
  }

  /// The least time that a touch takes, in microseconds; of a shorter one a slow panel reports hardly a value.
  static let shortest: UInt64 = 60_000
  /// How long a finger takes to come to rest, in microseconds: resistive panels say anything while it presses down.
  static let settling: UInt64 = 30_000
  /// How far it may move, as a part of the screen.
  static let farthest = 0.03
  private static let mostSamples = 4096

  /// The node of the device whose touches count.
  let device: String
  let panel: PanelMapping
  private var living: Set<Int> = []
  /// The touch that is looked at; nil if what is down does not count.
  private var current: Int?
  private var samples: [(time: UInt64, raw: Point)] = []

  init(device: String, panel: PanelMapping) {
    self.device = device
    self.panel = panel
  }

  mutating func take(_ touch: SeenTouch) -> Outcome? {
    guard touch.device == device else {
      guard touch.phase == .began else { return nil }
      return .again("That was another touchscreen, \(printable(touch.device)).")
    }
    switch touch.phase {
    case .began:
      living.insert(touch.id)
      guard living.count == 1 else {
        guard current != nil else { return nil }
        current = nil
        return .again("Those were two fingers. Lift them, and touch with one.")
      }
      current = touch.id
      samples = touch.raw.map { [(touch.time, $0)] } ?? []
      return .began
    case .moved:
      if touch.id == current, let raw = touch.raw, samples.count < TapCollector.mostSamples {
        samples.append((touch.time, raw))
      }
      return nil
    case .ended, .cancelled:
      living.remove(touch.id)
      guard touch.id == current else { return nil }
      current = nil
      guard touch.phase == .ended else {
        return .again("The touch was cancelled: a palm, a pen, or the panel lost it.")
      }
      return outcome(at: touch.time)
    }
  }

  private func outcome(at end: UInt64) -> Outcome {
    guard let start = samples.first?.time else { return .again("The panel said no position.") }
    let duration = end - min(start, end)
    guard duration >= TapCollector.shortest else {
      return .again("That was too short, \(duration / 1000) ms. Hold the finger for a moment.")
    }
    let whole = mean(from: start, to: end)
    let settled = mean(from: start &+ TapCollector.settling, to: end)
    let best = settled.deviation < whole.deviation ? settled : whole
    guard best.farthest <= TapCollector.farthest else {
      return .again("The finger moved. Hold it still.")
    }
    return .tap(best.middle)
  }

  /// The mean position within a time, each weighted by how long it held, and how far the others are from it.
  private func mean(from start: UInt64, to end: UInt64) -> (
    middle: Point, deviation: Double, farthest: Double
  ) {
    var (sum, weights) = (Point.zero, 0.0)
    var parts: [(raw: Point, weight: Double)] = []
    for (index, sample) in samples.enumerated() {
      let until = index + 1 < samples.count ? samples[index + 1].time : end
      let from = max(sample.time, start)
      guard until > from else { continue }
      let weight = Double(until - from)
      sum = Point(x: sum.x + sample.raw.x * weight, y: sum.y + sample.raw.y * weight)
      weights += weight
      parts.append((sample.raw, weight))
    }
    guard weights > 0 else { return (.zero, .infinity, .infinity) }
    let middle = Point(x: sum.x / weights, y: sum.y / weights)
    let center = panel.unit(middle)
    let squares = parts.map { panel.unit($0.raw).squaredDistance(to: center) }
    let deviation = zip(squares, parts).reduce(0) { $0 + $1.0 * $1.1.weight } / weights
    return (middle, deviation, (squares.max() ?? 0).squareRoot())
  }
}
