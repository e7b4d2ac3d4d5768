import Glibc
import Invariants

#if !FUZZER
  /// What runs without the fuzzer, in seconds: fuzz --steps 100000 [--corpus Tests/Fuzz/corpus].
  ///
  /// Engines' lives of many steps, made up by a seed that is another each time; then, always by the same seed,
  /// conversations with a daemon and every input of the corpus as it is and changed here and there. KEYLIFT_SEED
  /// plays a run again.
  struct Properties {
    let steps: Int
    let corpus: String?

    private static let stepsOfLife = 1_000
    private static let stepsOfConversation = 20

    /// Where KEYLIFT_SEED says nothing.
    private let seed = unsafe getenv("KEYLIFT_SEED") == nil ? 1 : SeededChances.seedOfRun

    /// Returns: the exit status.
    func run() -> Int32 { playEngines() && playConversations() && playCorpora() ? 0 : 1 }

    private func playEngines() -> Bool {
      let first = SeededChances.seedOfRun
      var pulls = PullCount()
      for life in 0..<max(1, steps / Properties.stepsOfLife) {
        let seed = first &+ UInt64(life)
        var play = EnginePlay(SeededChances(seed: seed))
        for step in 1...Properties.stepsOfLife where !play.step().isEmpty {
          print("KEYLIFT_SEED=\(seed) fuzz --steps \(Properties.stepsOfLife): step \(step): \(play.last)")
          return false
        }
        pulls += play.pulls
      }
      print(
        """
        \(steps) steps from seed \(first): nothing is wrong (a finger pulled the keyboard \(pulls.begun) times, \
        which came back \(pulls.cameBack) times and went \(pulls.went))
        """)
      return true
    }

    // MARK: Conversations

    private func playConversations() -> Bool {
      let lives = max(1, steps / 50)
      var answers = AnswerCount()
      // The least of each quarter: a scene of many views leaves much that is free and not yet given back.
      var memory = [Int](repeating: .max, count: 4)
      for life in 0..<lives {
        let seed = seed &+ UInt64(life)
        if let problem = converse(seed, &answers) {
          print("KEYLIFT_SEED=\(seed) fuzz --steps 1: \(problem)")
          return false
        }
        let quarter = life * 4 / lives
        memory[quarter] = min(memory[quarter], Properties.memory)
      }
      let growth = memory[3] - memory[1]  // by the second whatever is kept for good is there
      guard lives < 1_000 || growth < Properties.mostGrowth else {
        print("\(growth) bytes more after \(lives) conversations than after \(lives / 2)")
        return false
      }
      print("\(lives) conversations from seed \(seed): nothing is wrong (\(answers))")
      return true
    }

    private func converse(_ seed: UInt64, _ answers: inout AnswerCount) -> String? {
      guard let play = ConversationPlay(SeededChances(seed: seed)) else { return "no daemon" }
      for step in 1...Properties.stepsOfConversation {
        let problems = play.step()
        if !problems.isEmpty { return "step \(step): \(play.last): \(problems.joined(separator: "; "))" }
      }
      let problems = play.finish()
      answers += play.answers
      return problems.isEmpty ? nil : problems.joined(separator: "; ")
    }

    /// In bytes; the allocator takes some, and what Swift caches of types.
    private static let mostGrowth = 1 << 20

    /// What is in memory, in bytes, as proc(5) has it.
    private static var memory: Int {
      let text = String(decoding: Replay.contents(of: "/proc/self/statm") ?? [], as: UTF8.self)
      let fields = text.split(separator: " ")
      return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4_096
    }

    // MARK: Corpora

    private func playCorpora() -> Bool {
      guard let corpus else { return true }
      var inputs = 0
      var random = SeededChances(seed: seed)
      for target in Target.allCases {
        let files = Replay.files(in: "\(corpus)/\(target)")
        guard !files.isEmpty else {
          print("fuzz: there is nothing in \(corpus)/\(target)")
          return false
        }
        for file in files {
          guard let bytes = Replay.contents(of: file) else { return false }
          for round in 0...max(1, steps / 250 / files.count) {
            let input = round == 0 ? bytes : changed(bytes, &random)
            inputs += 1
            guard let problem = target.play(input) else { continue }
            print("FUZZ_TARGET=\(target) fuzz FILE: \(problem): \(Replay.keep(input, of: target))")
            return false
          }
        }
      }
      print("\(inputs) inputs of the corpus and like it, from seed \(seed): nothing is wrong")
      return true
    }

    /// Bytes changed, left out, doubled or moved, in a few places.
    private func changed(_ bytes: [UInt8], _ random: inout SeededChances) -> [UInt8] {
      var bytes = bytes
      for _ in 0...Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &random)
        let end = min(bytes.count, place + Int.random(in: 1...32, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = .random(in: 0...255, using: &random)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        default:
          bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: bytes.indices, using: &random))
        }
      }
      return bytes
    }
  }
#endif
