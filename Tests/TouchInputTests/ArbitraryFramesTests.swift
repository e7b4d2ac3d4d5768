import Invariants
import Testing

@Suite("touch-input: frames of arbitrary events")
struct ArbitraryFramesTests {
  @Test(
    "no rule's exception: each began has one end, ids are unique, positions on the screen, no touch is stuck")
  func invariants() {
    let seed = SeededChances.seedOfRun
    print("KEYLIFT_SEED=\(seed)")
    var chances = SeededChances(seed: seed)
    var frames = 0
    while frames < 100_000 {
      let bytes = chances.bytes(.random(in: 8...4000, using: &chances))
      let outcome = TouchPlay.run(bytes)
      frames += outcome.frames
      guard let problem = outcome.problem else { continue }
      TouchPlay.run(bytes) { print($0) }
      Issue.record("KEYLIFT_SEED=\(seed): \(problem)")
      return
    }
  }
}
