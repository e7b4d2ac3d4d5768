/// How a plugin has done lately: after three failures in a row it rests for 1 s, then for twice as long each time, up
/// to a minute (ipc, rule 16).
struct PluginHealth: Equatable {
  static let mostFailures = 3
  /// In microseconds.
  static let shortestRest: UInt64 = 1_000_000
  static let longestRest: UInt64 = 60_000_000

  /// In a row.
  private(set) var failures = 0
  private var rest = PluginHealth.shortestRest

  mutating func succeed() { self = PluginHealth() }

  /// Returns: whether it is to be left out for a while.
  mutating func fail() -> Bool {
    failures += 1
    return failures >= PluginHealth.mostFailures
  }

  /// How long it is to be left out now, in microseconds; the next time it is longer.
  mutating func takeRest() -> UInt64 {
    defer { rest = min(rest * 2, PluginHealth.longestRest) }
    failures = 0
    return rest
  }
}
