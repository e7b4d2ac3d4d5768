import Glibc
import Invariants
import Testing

@Suite("touch-input: frames of arbitrary events")
struct ArbitraryFramesTests {
  /// KEYLIFT_SEED plays a run again.
  static let seed =
    unsafe getenv("KEYLIFT_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
    ?? .random(in: 1...UInt64(UInt32.max))

  @Test(
    "no rule's exception: each began has one end, ids are unique, positions on the screen, no touch is stuck")
  func invariants() {
    print("KEYLIFT_SEED=\(ArbitraryFramesTests.seed)")
    var chances = SeededChances(seed: ArbitraryFramesTests.seed)
    var frames = 0
    while frames < 100_000 {
      let bytes = chances.bytes(.random(in: 8...4000, using: &chances))
      let outcome = TouchPlay.run(bytes)
      frames += outcome.frames
      guard let problem = outcome.problem else { continue }
      TouchPlay.run(bytes) { print($0) }
      Issue.record("KEYLIFT_SEED=\(ArbitraryFramesTests.seed): \(problem)")
      return
    }
  }
}
