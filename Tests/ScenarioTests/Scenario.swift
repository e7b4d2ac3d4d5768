import TestFiles
import Testing
import Varlink

/// A case of Tests/Scenarios; a table's row is one of its own. Tests/Scenarios/README.md says what is in the files.
struct Scenario: Sendable, CustomTestStringConvertible {
  let file: String
  /// Of Tests/Rules/focus-and-layout.md.
  let rules: [Int]
  /// Which of "Reports this must not repeat" it is.
  let report: String?
  let name: String
  /// As keylift.conf has it.
  let configuration: String
  /// How finely the panels see.
  let unitsPerPoint: Int
  /// The parameters of io.keylift.Scene.Attach by the scene's name.
  let scenes: [String: JSON]
  let steps: [JSON]

  var testDescription: String {
    let numbers = rules.map(String.init).joined(separator: ", ")
    return "\(rules.count == 1 ? "rule" : "rules") \(numbers): \(name)"
  }
}

/// Why a file of Tests/Scenarios cannot be run.
struct ScenarioError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

// MARK: - Files

extension Scenario {
  static let all: [Scenario] = files.flatMap { (try? $0.get()) ?? [] }

  /// Each file's cases; one that cannot be read is there for a test to find.
  static let files: [Result<[Scenario], ScenarioError>] = TestFolder.scenarios.names.map { name in
    Result { () throws(ScenarioError) in try cases(of: name) }
  }

  private static func cases(of name: String) throws(ScenarioError) -> [Scenario] {
    let path = TestFolder.scenarios.path(of: name)
    let file: JSON
    do throws(JSONError) {
      file = try JSON.parse(TestFolder.contents(path), limits: JSON.Limits(depth: 32, containers: 100_000))
    } catch {
      throw ScenarioError("\(path): no JSON: \(error)")
    }
    var scenarios: [Scenario] = []
    for entry in file["cases"].asArray ?? [] {
      for row in entry["for"].asArray ?? [.empty] {
        scenarios.append(Scenario(name, file, entry.replacing(row), row))
      }
    }
    guard !scenarios.isEmpty else { throw ScenarioError("\(path): no cases") }
    return scenarios
  }

  private init(_ name: String, _ file: JSON, _ entry: JSON, _ row: JSON) {
    let rules = entry["rules"].isNull ? file["rules"] : entry["rules"]
    let label =
      row["name"].asString ?? row.asMembers?.map { "\($0.key) \($0.value.plain)" }.joined(separator: ", ")
    self.file = name
    self.rules = (rules.asArray ?? []).compactMap { $0.asInteger.map { Int(clamping: $0) } }
    report = entry["report"].asString
    self.name = (entry["name"].asString ?? "") + (row == .empty ? "" : " [\(label ?? "")]")
    configuration = [file, entry].flatMap { $0["configuration"].strings }.joined(separator: "\n")
    unitsPerPoint = Int(clamping: entry["unitsPerPoint"].asInteger ?? 1)
    let scenes = [file, entry].flatMap { $0["scenes"].asMembers ?? [] }
    self.scenes = Dictionary(scenes.map { ($0.key, $0.value) }) { $1 }
    steps = entry["steps"].asArray ?? []
  }
}

extension JSON {
  /// With each "$name" in it as the row of a table has it.
  fileprivate func replacing(_ row: JSON) -> JSON {
    switch self {
    case .string(let text):
      if text.hasPrefix("$"), let value = row.member(String(text.dropFirst())) { return value }
      let members = (row.asMembers ?? []).sorted { $0.key.utf8.count > $1.key.utf8.count }
      return .string(members.reduce(text) { $0.replacing("$\($1.key)", with: $1.value.plain) })
    case .array(let elements): return .array(elements.map { $0.replacing(row) })
    case .object(let members):
      return .object(members.map { Member($0.key, $0.key == "for" ? .null : $0.value.replacing(row)) })
    default: return self
    }
  }
}
