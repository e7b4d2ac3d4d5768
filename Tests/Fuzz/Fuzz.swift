import Glibc
import Invariants

/// What FUZZ_TARGET can name.
enum Target: String, CaseIterable {
  /// One touchscreen's life, through the tracker.
  case touches
  /// All inputs of the engine.
  case engine

  /// Plays what the bytes stand for. Returns: what was wrong, nil for nothing.
  func play(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    switch self {
    case .touches: TouchPlay.run(bytes, trace: trace).problem
    case .engine: EnginePlay.run(bytes, trace: trace)
    }
  }

  /// The one that the environment names.
  static let chosen: Target = {
    let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = Target(rawValue: name) else {
      let names = Target.allCases.map(\.rawValue).joined(separator: ", ")
      print("fuzz: FUZZ_TARGET is \"\(name)\"; there are \(names)")
      exit(2)
    }
    return target
  }()
}

#if FUZZER
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let problem = unsafe Target.chosen.play(Array(UnsafeBufferPointer(start: start, count: count))) {
      fatalError(problem)
    }
    return 0
  }
#endif
