import Avoidance
import Geometry

/// A question, numbered by the engine from 1 on; never reused.
public typealias QuestionID = Int

/// What deciding plugins are asked about (io.keylift.Plugin, type Transition).
public enum Transition: String, CaseIterable, Codable, Sendable {
  case beginEditing, endEditing, showKeyboard, hideKeyboard, moveLayout
}

/// Something that does not happen before it is decided; `Input.decision` answers it.
public struct Question: Codable, Equatable, Sendable {
  public var id: QuestionID
  public var transition: Transition
  /// nil for a keyboard that no scene asked for.
  public var scene: SceneID?
  /// Empty without a scene.
  public var sceneName: String
  /// The input that begins or ends to be edited, or that the keyboard and the layout are for.
  public var view: String?
  public var reason: KeyboardReason
  /// Of moveLayout: where the scene is to move.
  public var offset: Point?
}

/// What became of a question.
public struct Decision: Codable, Equatable, Sendable {
  public var isAllowed: Bool
  /// Of moveLayout: where the scene is to move instead; nil for as proposed.
  public var offset: Point?
  /// Who refused it.
  public var by: String

  /// What holds when nobody answers (ipc, rule 16).
  public static let allowed = Decision(isAllowed: true)

  public init(isAllowed: Bool, offset: Point? = nil, by: String = "") {
    self.isAllowed = isAllowed
    self.offset = offset
    self.by = by
  }
}

/// What is being asked, and what was answered, until the wishes that depend on it are granted or refused.
///
/// Each thing is asked once, and meanwhile nothing that depends on it happens (focus-and-layout, rule 9).
struct Deliberation: Codable, Sendable {
  /// What a question is about; two of one subject are one question.
  struct Subject: Codable, Equatable, Sendable {
    var transition: Transition
    var responder: Engine.Responder?
    /// The wish that it is for; nil for what follows from all that is known.
    var wish: Int?
  }

  private struct Asked: Codable, Sendable {
    var question: Question
    var subject: Subject
    var decision: Decision?
  }

  struct Open: Codable, Sendable {
    var subject: Subject
    var question: Question
  }

  private var asked: [Asked] = []
  /// The first thing that was not decided yet when it was needed, which is to be asked if it was not yet.
  private(set) var open: Open?

  var isEmpty: Bool { asked.isEmpty && open == nil }

  /// What was decided about a subject; nil if it is not yet, and then it is noted as open.
  ///
  /// - question: without its number.
  mutating func decision(on subject: Subject, _ question: Question) -> Decision? {
    guard let known = asked.first(where: { $0.subject == subject }), var decision = known.decision else {
      if open == nil { open = Open(subject: subject, question: question) }
      return nil
    }
    if let given = decision.offset, let asked = known.question.offset, let now = question.offset {
      decision.offset = now + (given - asked)  // what was proposed may have changed since
    }
    return decision
  }

  /// The question to ask now, if it was not asked before.
  mutating func ask(numbered id: QuestionID) -> Question? {
    guard let open, !asked.contains(where: { $0.subject == open.subject }) else { return nil }
    var numbered = open.question
    numbered.id = id
    asked.append(Asked(question: numbered, subject: open.subject))
    return numbered
  }

  /// Returns: false if nothing waits for this answer.
  mutating func answer(_ id: QuestionID, _ decision: Decision) -> Bool {
    guard let place = asked.firstIndex(where: { $0.question.id == id && $0.decision == nil }) else {
      return false
    }
    asked[place].decision = decision
    return true
  }

  mutating func close() { open = nil }
}
