import Recording

/// A file of any bytes, replayed: it ends, or is refused with its line.
enum RecordingPlay {
  /// Returns: what was wrong, nil for nothing.
  static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    let lines = bytes.count { $0 == 10 } + 1
    do throws(RecordingError) {
      var replay = try Recording.Replay(bytes)
      var steps = 0
      while let step = try replay.step() {
        trace?("\(step)")
        steps += 1
        if steps > lines { return "more inputs than lines" }
      }
      return nil
    } catch {
      trace?("\(error)")
      return (0...lines).contains(error.line) && !error.problem.isEmpty ? nil : "\(error) in \(lines) lines"
    }
  }
}
