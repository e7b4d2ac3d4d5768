import Glibc
import Invariants

/// What FUZZ_TARGET can name.
enum Target: String, CaseIterable {
  /// One touchscreen's life, through the tracker.
  case touches
  /// All inputs of the engine.
  case engine
  /// What arrives at a connection, as messages, calls and JSON.
  case codec
  /// What a service sends to a client.
  case replies
  /// Interface descriptions, and calls of what they describe.
  case description
  /// A whole daemon, its clients and its plugins.
  case conversation
  /// Configuration files.
  case settings
  /// Files of keyliftctl record.
  case recording

  /// Plays what the bytes stand for. Returns: what was wrong, nil for nothing.
  func play(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    switch self {
    case .touches: TouchPlay.run(bytes, trace: trace).problem
    case .engine: EnginePlay.run(bytes, trace: trace)
    case .codec: CodecPlay.run(bytes, trace: trace)
    case .replies: RepliesPlay.run(bytes, trace: trace)
    case .description: DescriptionPlay.run(bytes, trace: trace)
    case .conversation: ConversationPlay.run(bytes, trace: trace)
    case .settings: SettingsPlay.run(bytes, trace: trace)
    case .recording: RecordingPlay.run(bytes, trace: trace)
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
