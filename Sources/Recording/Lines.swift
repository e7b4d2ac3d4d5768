import Varlink

/// The lines of a recording, each a JSON text.
struct Lines {
  /// One's own file may be long; what a line of it costs is bounded by its length.
  static let limits = JSON.Limits(depth: 64, containers: 8_000_000)

  private let bytes: [UInt8]
  private var rest = 0
  private var last = 0..<0
  /// Of the line that was read last, from 1; 0 before the first.
  private(set) var number = 0
  /// Whether the file ends within a line, which is left out.
  private(set) var isTorn = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The text of the line that was read last, with the newline that ends it.
  var lastLine: ArraySlice<UInt8> { bytes[last] }

  /// The next line that is not empty; nil at the end.
  /// Throws: that it is no JSON.
  mutating func next() throws(RecordingError) -> JSON? {
    while rest < bytes.count {
      guard let end = bytes[rest...].firstIndex(of: UInt8(ascii: "\n")) else {
        isTorn = true
        return nil
      }
      let line = rest..<end
      rest = end + 1
      last = line.lowerBound..<rest
      number += 1
      guard !line.isEmpty else { continue }
      do {
        return try JSON.parse(bytes.span.extracting(line), limits: Lines.limits)
      } catch {
        throw self.error(error, line.count)
      }
    }
    return nil
  }

  func error(_ problem: String) -> RecordingError { RecordingError(line: number, problem: problem) }

  private func error(_ error: JSONError, _ length: Int) -> RecordingError {
    let advice =
      "A line was changed or lost on its way; get the file anew, or take the line and what follows out."
    return switch error {
    case .malformed(let place):
      RecordingError(line: number, column: min(place, length) + 1, problem: "this is no JSON. \(advice)")
    case .duplicateKey: self.error("a key is twice in one object. \(advice)")
    case .tooDeep, .tooMany: self.error("too many arrays and objects. \(advice)")
    case .tooManyMarks: self.error("over 30 combining marks on one character. \(advice)")
    case .noMemory: self.error("out of memory.")
    }
  }

  /// A part of the line, as Codable has it.
  func decode<T: Decodable>(_ json: JSON, as _: T.Type = T.self, at path: String) throws(RecordingError) -> T
  {
    do {
      return try json.decoded(at: path)
    } catch {
      throw self.error(
        "\(error.path): \(error.problem). Recorded by another version or changed; replay it with the version of line 1."
      )
    }
  }
}
