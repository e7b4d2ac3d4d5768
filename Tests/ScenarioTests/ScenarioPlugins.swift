import Engine
import Geometry
import EngineCoding
import KeyliftProtocol
import Varlink

/// The deciding plugins of a scenario, and what they are asked; each transition is one plugin's at most.
struct ScenarioPlugins {
  private struct Plugin {
    let decides: Set<Transition>
    /// Transitions, with the view that they are of or without.
    var refuses: [String]
    /// Where it puts every layout.
    var offset: Point?
    /// It answers only when it is told to.
    var isSlow: Bool
    var asked: [String] = []
  }

  private var plugins: [String: Plugin] = [:]
  /// Those that are not answered yet.
  private var questions: [Question] = []

  /// What there is somebody to ask about.
  var transitions: Set<Transition> { plugins.values.reduce(into: []) { $0.formUnion($1.decides) } }

  /// A plugin comes, or answers in another way from now on.
  mutating func set(_ name: String, _ step: JSON) throws(ScenarioError) {
    let decides = step["decides"].strings
    let transitions = plugins[name]?.decides ?? Set(decides.compactMap(Transition.init))
    guard plugins[name] != nil || (transitions.count == decides.count && !transitions.isEmpty) else {
      throw ScenarioError("\(name) decides about no such thing")
    }
    guard plugins.allSatisfy({ $0.key == name || $0.value.decides.isDisjoint(with: transitions) }) else {
      throw ScenarioError("somebody else decides what \(name) does")
    }
    plugins[name] = Plugin(
      decides: transitions, refuses: step["refuses"].strings,
      offset: step["offset"].isNull ? nil : Point(step["offset"]), isSlow: step["slow"].asBool ?? false,
      asked: plugins[name]?.asked ?? [])
  }

  /// Returns: false if there is no plugin of that name.
  mutating func remove(_ name: String) -> Bool { plugins.removeValue(forKey: name) != nil }

  // MARK: Questions

  mutating func ask(_ question: Question) {
    questions.append(question)
    if let name = decider(of: question) { plugins[name]?.asked.append(question.plain) }
  }

  /// The next answer that comes by itself: at once, or because who was asked has gone.
  mutating func answer() -> (QuestionID, Decision)? {
    guard let question = questions.first else { return nil }
    guard let name = decider(of: question), let plugin = plugins[name] else {
      questions.removeFirst()
      return (question.id, .allowed)
    }
    return plugin.isSlow ? nil : answer(of: name)
  }

  /// What a plugin answers to what it is asked; nil if it is asked nothing.
  mutating func answer(of name: String) -> (QuestionID, Decision)? {
    guard let question = questions.first, decider(of: question) == name, let plugin = plugins[name] else {
      return nil
    }
    questions.removeFirst()
    let isRefused = [question.transition.rawValue, question.plain].contains { plugin.refuses.contains($0) }
    let offset = question.transition == .moveLayout ? plugin.offset : nil
    return (question.id, Decision(isAllowed: !isRefused, offset: offset, by: name))
  }

  private func decider(of question: Question) -> String? {
    plugins.first { $0.value.decides.contains(question.transition) }?.key
  }

  // MARK: What can be seen

  /// What a plugin was asked since the last time; nil if there is none of that name.
  func asked(_ name: String) -> [String]? { plugins[name]?.asked }

  mutating func forget() {
    for name in plugins.keys { plugins[name]?.asked = [] }
  }
}

extension Question {
  /// As a scenario has it: "beginEditing name", "-" for no view.
  fileprivate var plain: String { "\(transition.rawValue) \(view ?? "-")" }
}
