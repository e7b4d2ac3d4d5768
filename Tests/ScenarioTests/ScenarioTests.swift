import TestFiles
import Testing

@Suite("Tests/Scenarios, in the core")
struct ScenarioTests {
  @Test("comes out as it says", arguments: Scenario.all)
  func plays(scenario: Scenario) throws {
    var player = try ScenarioPlayer(scenario)
    for difference in try player.play() { Issue.record("\(scenario.file): \(difference)") }
  }

  @Test("every file can be read, and every case has a name of its own")
  func readable() throws {
    for file in Scenario.files { #expect(throws: Never.self) { try file.get() } }
    let names = Scenario.all.map { "\($0.file): \($0.testDescription)" }
    #expect(Set(names).count == names.count)
    #expect(Scenario.all.allSatisfy { !$0.steps.isEmpty && !$0.name.isEmpty })
  }

  @Test("no rule of focus-and-layout lacks a scenario")
  func rules() {
    let covered = Set(Scenario.all.flatMap(\.rules))
    #expect(RuleBook.focusAndLayout.numbers == Array(1...36))
    #expect(RuleBook.focusAndLayout.numbers.filter { !covered.contains($0) } == [])
  }

  @Test("no report that must not be repeated lacks a scenario")
  func reports() {
    let covered = Set(Scenario.all.compactMap(\.report))
    #expect(RuleBook.focusAndLayout.reports.count == 13)
    #expect(covered == Set(RuleBook.focusAndLayout.reports))
  }
}

/// What a file of Tests/Rules has rules for.
private struct RuleBook {
  let numbers: [Int]
  /// The sentences of "Reports this must not repeat".
  let reports: [String]

  static let focusAndLayout = RuleBook("focus-and-layout.md")

  private init(_ name: String) {
    let text = String(decoding: TestFolder.contents(TestFolder.rules.path(of: name)), as: UTF8.self)
    numbers = text.split(separator: "\n").compactMap { line in
      line.split(separator: ".").first.flatMap { line.hasPrefix("\($0). ") ? Int($0) : nil }
    }
    let last = text.split(separator: "## Reports this must not repeat\n").last ?? ""
    reports = last.split(separator: "\n").joined(separator: " ").split(separator: ";").map { sentence in
      let words = sentence.split(separator: " ").joined(separator: " ")
      return (words.hasSuffix(".") ? String(words.dropLast()) : words).lowercasedFirst
    }
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
