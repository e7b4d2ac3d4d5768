import Varlink

/// All findings, for people and for programs.
struct DoctorPage {
  var findings: [Finding]
  var socket: String
  var user: String
  var isRoot: Bool

  var json: JSON {
    .object([
      .init("state", .string(findings.worst.rawValue)), .init("user", .string(user)),
      .init("root", .bool(isRoot)), .init("socket", .string(socket)),
      .init("findings", .array(findings.map(\.json))),
    ])
  }

  /// - columns: of the terminal
  func text(columns: Int) -> String {
    let rows = merged
    let states = rows.map(\.state.rawValue.count).max() ?? 0
    let checks = findings.map(\.check.count).max() ?? 0
    let indent = String(repeating: " ", count: states + checks + 4)
    var result = ""
    for row in rows {
      // The names of those that were merged may be longer than the column.
      let head = "\(padded(row.state.rawValue, to: states))  \(padded(row.check, to: checks))  "
      result += wrapped(head, row.text, columns: columns, indent: indent) + "\n"
      for remedy in row.remedy { result += "\(indent)> \(printable(remedy))\n" }
    }
    return result + "\n\(summary)\n"
  }

  /// What cannot be known for one and the same reason is one row.
  private var merged: [Finding] {
    var rows: [Finding] = []
    for finding in findings {
      if finding.state == .unknown,
        let place = rows.firstIndex(where: {
          $0.state == .unknown && $0.text == finding.text && $0.remedy == finding.remedy
        })
      {
        rows[place].check += ", \(finding.check)"
      } else {
        rows.append(finding)
      }
    }
    return rows
  }

  private var summary: String {
    let counts = [Finding.State.failure, .warning].compactMap { state in
      let number = findings.count { $0.state == state }
      return number == 0 ? nil : count(number, state.rawValue)
    }
    let unknown = findings.contains { $0.state == .unknown }
    if counts.isEmpty { return unknown ? "Nothing is wrong, as far as can be known." : "Nothing is wrong." }
    return "\(counts.joined(separator: ", ")).\n"
      + "What each check means: /usr/share/doc/keylift/Documentation/diagnosis.md"
  }

  private func wrapped(_ head: String, _ text: String, columns: Int, indent: String) -> String {
    // Blanks of the head are not to be broken at.
    let lines = keyliftctl.wrapped(
      String(repeating: "x", count: head.count) + printable(text), columns: columns, indent: indent)
    return head + lines.dropFirst(head.count)
  }
}
