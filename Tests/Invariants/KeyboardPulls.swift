import Avoidance
import Engine
import Geometry
import ResponderChain

extension Engine {
  /// Whether a finger has the keyboard.
  var isPulled: Bool {
    keyboard.isShowing && (dropped != nil || deliveries.contains { $0.state == .pulling })
  }

  /// What is wrong with who has the keyboard, and with where it is (focus-and-layout, rule 15).
  ///
  /// At most one finger has it, and it is at that finger, as far as it can be; else it is where it rests, or hidden.
  var pullProblems: [String] {
    let fingers = deliveries.filter { $0.state == .pulling }
    var problems: [String] = []
    if fingers.count > 1 { problems.append("\(fingers.count) fingers have the keyboard") }
    let screen = screens.first { $0.name == keyboardScreen } ?? screens[0]
    guard keyboard.isShowing, let resting = keyboardFrame(on: screen) else {
      if !fingers.isEmpty { problems.append("a finger has a keyboard that is not there") }
      return problems
    }
    let y = fingers.first?.position.y ?? dropped
    let expected = y.map { resting.pulled(to: $0) } ?? resting
    if keyboard.frame != expected.rect { problems.append("\(keyboard.frame), not \(expected.rect)") }
    return problems
  }
}

/// How often the keyboard began to follow a finger, and what became of it.
public struct PullCount: Sendable {
  public private(set) var begun = 0
  public private(set) var cameBack = 0
  public private(set) var went = 0

  public init() {}

  mutating func enter(_ before: Bool, _ now: Bool, isShowing: Bool) {
    switch (before, now) {
    case (false, true): begun += 1
    case (true, false) where isShowing: cameBack += 1
    case (true, false): went += 1
    case (false, false), (true, true): break
    }
  }

  public static func += (a: inout PullCount, b: PullCount) {
    a.begun += b.begun
    a.cameBack += b.cameBack
    a.went += b.went
  }
}
