import Invariants
import Varlink

/// A text taken for an interface description; what is behind a NUL in it makes up calls of what was described.
enum DescriptionPlay {
  /// Returns: what was wrong, nil for nothing.
  static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: parts[0], as: UTF8.self)
    let description: InterfaceDescription
    do throws(DescriptionError) {
      description = try InterfaceDescription(text)
    } catch {
      trace?("\(error)")
      let lines = text.utf8.count { $0 == 10 } + 1
      return (1...lines).contains(error.line) ? nil : "line \(error.line) of \(lines)"
    }
    if description.text != text { return "the text was not kept" }
    let written = description.written
    trace?(written)
    if letters(of: text) != letters(of: written) { return "understood otherwise: \(written)" }
    do throws(DescriptionError) {
      if try InterfaceDescription(written).written != written { return "understood otherwise again" }
    } catch {
      return "\(error), in what was understood: \(written)"
    }
    return callProblem(description, Array(parts.dropFirst().joined()), trace)
  }

  /// All that a text says, in alphabetical order: what was understood may have its members in another.
  private static func letters(of text: String) -> [UInt8] {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
    return lines.flatMap { $0.prefix { $0 != UInt8(ascii: "#") } }.filter { $0 > 0x20 }.sorted()
  }

  /// What is made up as it is described is valid, and whatever else is made up, the path of what is wrong is short.
  private static func callProblem(
    _ description: InterfaceDescription, _ bytes: [UInt8], _ trace: ((String) -> Void)?
  ) -> String? {
    var values = MadeUpValue(ByteChances(bytes))
    for method in description.methods.values.sorted(by: { $0.name < $1.name }).prefix(8) {
      values.mistakes = 0
      if let parameters = values.parameters(method.input, in: description) {
        trace?("\(method.name) \(parameters)")
        if let path = description.validate(parameters: parameters, of: method) {
          return "\(method.name): \(path) is as described"
        }
      }
      values.mistakes = 6
      if let reply = values.parameters(method.output, in: description) {
        trace?("\(method.name) \(reply)")
        _ = description.validate(reply: reply, of: method)
      }
    }
    return nil
  }
}
