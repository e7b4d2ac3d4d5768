/// What is wrong with a configuration, and where.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  var file: String
  /// From 1; 0 for the file as a whole.
  var line: Int
  var reason: String

  var description: String { line > 0 ? "\(file):\(line): \(reason)" : "\(file): \(reason)" }
}

/// What is wrong with one value.
struct ValueError: Error { var reason: String }
