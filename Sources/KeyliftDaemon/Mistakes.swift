/// What is wrong with a configuration: the first hundred, and how many there are.
struct Mistakes {
  static let most = 100

  private(set) var all: [ConfigurationError] = []
  private(set) var count = 0

  /// Those of one file more, or of all files together.
  mutating func take(_ more: FileMistakes, by files: [String]) {
    count += more.count
    all += more.all
    let places = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
    all.sort { (places[$0.file] ?? 0, $0.line) < (places[$1.file] ?? 0, $1.line) }
    all = Array(all.prefix(Mistakes.most))
  }

  /// A line for each, as a compiler has them.
  var text: String {
    let rest = count - all.count
    return all.map { "\($0)\n" }.joined() + (rest > 0 ? "and \(rest) more mistakes\n" : "")
  }
}

/// What is wrong with one file, in whatever order; of each kind the first hundred.
struct FileMistakes {
  private(set) var all: [ConfigurationError] = []
  var count = 0

  mutating func take(_ mistake: ConfigurationError) {
    count += 1
    all.append(mistake)
  }
}
