import Varlink

/// What arrives at a connection, made of any bytes: cut into messages, each of them taken for a call, a reply and JSON.
enum CodecPlay {
  /// So that short inputs reach the limits too.
  private static let longest = 1_024
  private static let limits = JSON.Limits(depth: 8, containers: 64)

  /// Returns: what was wrong, nil for nothing.
  static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    let whole = cut([bytes[...]])
    // Every place of a short input, and as many of a long one.
    for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 64)) {
      if cut([bytes[..<place], bytes[place...]]) != whole {
        return "split at \(place), other messages arrive"
      }
    }
    if cut(bytes.indices.map { bytes[$0...$0] }) != whole { return "byte by byte, other messages arrive" }
    for message in whole.messages {
      trace?(String(decoding: message, as: UTF8.self))
      if let problem = problem(with: message) { return problem }
    }
    return nil
  }

  private struct Cut: Equatable {
    var messages: [[UInt8]] = []
    /// Nothing is taken after a message that is too long.
    var isOverLimit = false
  }

  private static func cut(_ reads: [ArraySlice<UInt8>]) -> Cut {
    var framer = Framer(limit: longest)
    var cut = Cut()
    for read in reads where !cut.isOverLimit {
      unsafe read.withUnsafeBytes { unsafe framer.append($0) }
      while !cut.isOverLimit, let range = framer.next() {
        if range.count > longest {
          cut.isOverLimit = true
        } else {
          cut.messages.append(Array(framer.bytes[range]))
        }
      }
      if framer.isOverLimit { cut.isOverLimit = true }
      framer.trim()
    }
    return cut
  }

  private static func problem(with text: [UInt8]) -> String? {
    let wide = JSON.Limits(depth: 1_100, containers: 1_100)
    let value: JSON
    do throws(JSONError) {
      value = try JSON.parse(text, limits: wide)
    } catch {
      switch error {
      // json-c would cut a key at an escaped NUL, so such keys are refused.
      case .malformed:
        return Grammar.accepts(text) && !text.contains(#"\u0000"#.utf8) ? "refused, and it is JSON" : nil
      case .duplicateKey, .tooManyMarks: return nil
      case .tooDeep, .tooMany, .noMemory: return "\(error) within the limits"
      }
    }
    guard Grammar.accepts(text) else { return "taken, and it is no JSON" }
    return limitProblem(text, value) ?? writingProblem(value) ?? messageProblem(text)
  }

  /// The limits count what is there, neither more nor less.
  private static func limitProblem(_ text: [UInt8], _ value: JSON) -> String? {
    let (depth, containers) = value.extent
    let exact = JSON.Limits(depth: depth, containers: containers)
    if (try? JSON.parse(text, limits: exact)) == nil {
      return "refused at its own depth \(depth) and \(containers)"
    }
    guard containers > 0 else { return nil }
    for less in [
      JSON.Limits(depth: depth - 1, containers: containers),
      JSON.Limits(depth: depth, containers: containers - 1),
    ] where (try? JSON.parse(text, limits: less)) != nil {
      return "taken over the limits \(less)"
    }
    return nil
  }

  /// What was parsed is written as what parses to the same.
  private static func writingProblem(_ value: JSON) -> String? {
    var writer = JSONWriter()
    writer.value(value)
    guard let again = try? JSON.parse(writer.bytes, limits: JSON.Limits(depth: 1_100, containers: 1_100))
    else {
      return "what was written is no JSON: \(String(decoding: writer.bytes, as: UTF8.self))"
    }
    return again.plain == value.plain ? nil : "\(value) was written as \(again)"
  }

  private static func messageProblem(_ text: [UInt8]) -> String? {
    if let call = CallMessage(text.span, limits: limits) {
      var message = Message()
      message.encode(method: call.method, flag: call.flag) { writer in
        for member in call.parameters.asMembers ?? [] {
          writer.key(member.key)
          writer.value(member.value)
        }
      }
      let written = Array(message.bytes.dropLast())
      guard let again = CallMessage(written.span, limits: limits), again.method == call.method,
        again.flag == call.flag,
        call.parameters.asMembers == nil || again.parameters.plain == call.parameters.plain
      else { return "the call \(call) was written otherwise" }
    }
    if let reply = Reply(text.span, limits: limits), reply.error != nil, reply.continues {
      return "an error that continues"
    }
    return nil
  }
}

extension JSON {
  /// Levels of arrays and objects, and how many there are.
  fileprivate var extent: (depth: Int, containers: Int) {
    let inner: [JSON]
    switch self {
    case .array(let elements): inner = elements
    case .object(let members): inner = members.map(\.value)
    default: return (0, 0)
    }
    let extents = inner.map(\.extent)
    return ((extents.map(\.depth).max() ?? 0) + 1, extents.reduce(1) { $0 + $1.containers })
  }

  /// As it is written: what is infinite as null, and a whole number as an integer.
  fileprivate var plain: JSON {
    switch self {
    case .number(let number): number.isFinite ? Int64(exactly: number).map(JSON.integer) ?? self : .null
    case .array(let elements): .array(elements.map(\.plain))
    case .object(let members): .object(members.map { Member($0.key, $0.value.plain) })
    default: self
    }
  }
}
