/// What is wrong with a configuration, and where.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  package var file: String
  /// From 1; 0 for the file as a whole.
  package var line: Int
  package var reason: String
  /// How many more mistakes there are.
  package var others = 0

  package var description: String {
    line > 0 ? "\(file):\(line): \(fullReason)" : "\(file): \(fullReason)"
  }

  /// With how many more there are.
  var fullReason: String {
    guard others > 0 else { return reason }
    return
      "\(reason); and \(others) more \(others == 1 ? "mistake" : "mistakes"), which keyliftctl check tells"
  }
}

/// What is wrong with one value.
struct ValueError: Error { var reason: String }
