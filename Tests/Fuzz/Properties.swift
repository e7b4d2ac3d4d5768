import Glibc
import Invariants

#if !FUZZER
  /// Engines' lives of many steps, made up by a seed: fuzz --steps 100000.
  ///
  /// Each life has a seed of its own, counted up from that of the run, which is printed; KEYLIFT_SEED plays it again.
  enum Properties {
    private static let stepsOfLife = 1_000

    /// Returns: the exit status.
    static func run(steps: Int) -> Int32 {
      let first = SeededChances.seedOfRun
      var pulls = PullCount()
      for life in 0..<max(1, steps / stepsOfLife) {
        let seed = first &+ UInt64(life)
        var play = EnginePlay(SeededChances(seed: seed))
        for step in 1...stepsOfLife where !play.step().isEmpty {
          print("KEYLIFT_SEED=\(seed) fuzz --steps \(stepsOfLife): step \(step): \(play.last)")
          return 1
        }
        pulls += play.pulls
      }
      print(
        """
        \(steps) steps from seed \(first): nothing is wrong (a finger pulled the keyboard \(pulls.begun) times, \
        which came back \(pulls.cameBack) times and went \(pulls.went))
        """)
      return 0
    }
  }
#endif
