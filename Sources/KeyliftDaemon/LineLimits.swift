/// Keeps what repeats from filling the log.
///
/// Of the lines of one place in the source about one device, plugin or user, three in a minute are written as they come.
/// The others are left out, and when the minute is over one line has the last of them and says how many there were. As
/// long as it goes on such a line comes after twice as long each time, up to an hour.
struct LineLimits {
  /// Where in the source a line is from.
  struct Place: Hashable {
    var file: String
    var line: UInt
  }

  /// In microseconds.
  static let shortest: UInt64 = 60_000_000
  static let longest: UInt64 = 3_600_000_000
  /// In the first minute, about one thing and about all of them together.
  static let most = 3
  static let mostOfAll = 60
  /// Things that are counted for themselves; past that, all others together.
  private static let mostEntries = 256

  private struct Key: Hashable {
    var place: Place
    /// nil for everything.
    var about: String?
  }

  private struct Entry {
    /// How many more are written.
    var rest: Int
    var began: UInt64
    var pause = LineLimits.shortest
    var leftOut = 0
    var last: (line: LogLine, at: UInt64)?

    var end: UInt64 { began &+ pause }
  }

  private var entries: [Key: Entry] = [:]
  /// When something is to be said of what was left out, in microseconds; nil while there is nothing.
  private(set) var deadline: UInt64?

  /// Returns: whether a line is to be written now.
  mutating func take(_ line: LogLine, at place: Place, _ now: UInt64) -> Bool {
    guard let about = line.subject.about else { return true }
    let own = Key(place: place, about: about)
    if entries[own] == nil, entries.count >= LineLimits.mostEntries {
      entries = entries.filter { $0.value.leftOut > 0 || $0.value.end > now }
    }
    if entries[own] != nil || entries.count < LineLimits.mostEntries {
      guard take(line, own, LineLimits.most, now) else { return false }
    }
    return take(line, Key(place: place), LineLimits.mostOfAll, now)
  }

  private mutating func take(_ line: LogLine, _ key: Key, _ most: Int, _ now: UInt64) -> Bool {
    var entry = entries[key] ?? Entry(rest: most, began: now)
    if entry.end <= now, entry.leftOut == 0 { entry = Entry(rest: most, began: now) }
    defer { entries[key] = entry }
    if entry.rest > 0 {
      entry.rest -= 1
      return true
    }
    entry.leftOut &+= 1
    entry.last = (line, now)
    if entry.leftOut == 1 { deadline = min(deadline ?? entry.end, entry.end) }
    return false
  }

  /// The lines that say what was left out, for all of which it is time; the one that was said last is the last.
  mutating func sums(at now: UInt64, isEnd: Bool = false) -> [LogLine] {
    var sums: [(line: LogLine, at: UInt64)] = []
    for (key, entry) in entries where isEnd || entry.end <= now {
      guard let last = entry.last, entry.leftOut > 0 else {
        entries[key] = nil
        continue
      }
      var line = last.line
      if entry.leftOut > 1 {
        let seconds = (now &- min(entry.began, now)) / 1_000_000
        line.text +=
          "; \(entry.leftOut - 1) lines like this one were left out in \(LineLimits.words(seconds))"
      }
      sums.append((line, last.at))
      entries[key] = Entry(rest: 0, began: now, pause: min(entry.pause &* 2, LineLimits.longest))
    }
    deadline = entries.values.filter { $0.leftOut > 0 }.map(\.end).min()
    return sums.sorted { $0.at < $1.at }.map(\.line)
  }

  private static func words(_ seconds: UInt64) -> String {
    seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
  }
}
