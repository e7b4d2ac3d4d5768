/// What is wrong with a configuration, and where.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  package var file: String
  /// From 1; 0 for the file as a whole.
  package var line: Int
  package var reason: String

  package var description: String { line > 0 ? "\(file):\(line): \(reason)" : "\(file): \(reason)" }
}

/// What is wrong with one value.
struct ValueError: Error { var reason: String }
