import Invariants
import Testing

/// Whatever comes, in whatever order: what must hold after every input.
@Suite struct InvariantTests {
  @Test("arbitrary inputs", arguments: 1...10) func arbitrary(seed: UInt64) {
    var play = EnginePlay(SeededChances(seed: seed))
    for step in 0..<1_000 {
      let problems = play.step()
      #expect(problems.isEmpty, "step \(step): \(play.last)")
      if !problems.isEmpty { return }
    }
  }
}
