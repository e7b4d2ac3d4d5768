import Invariants
import Testing

/// Whatever comes, in whatever order: what must hold after every input.
@Suite struct InvariantTests {
  @Test("arbitrary inputs; 100,000 steps are made by `Tests/run properties`", arguments: 1...10)
  func arbitrary(seed: UInt64) {
    var play = EnginePlay(SeededChances(seed: seed))
    for step in 0..<1_000 {
      let problems = play.step()
      #expect(problems.isEmpty, "step \(step): \(play.last)")
      if !problems.isEmpty { return }
    }
  }

  @Test("focus-and-layout rule 15: among arbitrary inputs are drags that pull the keyboard, back and away")
  func pulls() {
    var pulls = PullCount()
    for seed in UInt64(1)...4 {
      var play = EnginePlay(SeededChances(seed: seed))
      for _ in 0..<1_000 { _ = play.step() }
      pulls += play.pulls
    }
    #expect(pulls.begun >= 10)
    #expect(pulls.cameBack >= 3)
    #expect(pulls.went >= 3)
  }
}
