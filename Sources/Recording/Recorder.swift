import Avoidance
import Engine
import TouchInput
import Varlink

/// Writes down what an engine is told and what it decides, as lines of JSON.
///
/// The first line says what the file is, the second is the engine's whole state, and each one after that an input with
/// its time and its effects: see Documentation/recordings.md. No line has a key's code.
public struct Recorder: Sendable {
  /// The number of the files' format; another one cannot be replayed.
  public static let format = 1

  private var writer = JSONWriter()

  /// The lines since `removeAll`, each with the newline that ends it.
  public var bytes: [UInt8] { writer.bytes }

  public init() {}

  /// Forgets the lines, and keeps their memory.
  public mutating func removeAll() { writer.reset() }

  /// Begins with an engine in whatever state it is.
  ///
  /// - version: Keylift's
  /// - made: seconds since 1970 in UTC, for people
  /// - time: microseconds of CLOCK_MONOTONIC
  public mutating func begin(_ engine: Engine, version: String, made: Int64, time: UInt64) {
    writer.object { writer in
      writer.field("recording", Recorder.format)
      writer.field("keylift", version)
      writer.field("made", made)
      writer.key("time")
      writer.value(encoding: time)
    }
    writer.endLine()
    writer.object { writer in
      writer.key("state")
      writer.value(encoding: engine)
    }
    writer.endLine()
  }

  /// Adds an input, and what came of it.
  ///
  /// - engine: as it is after the input
  public mutating func add(_ input: Input, at time: UInt64, _ effects: [Effect], _ engine: Engine) {
    writer.object { writer in
      writer.key("time")
      writer.value(encoding: time)
      writer.key("input")
      writer.value(encoding: input.withoutKeys)
      writer.key("effects")
      // With null for what is nil, so that what a later version has more is known from it.
      writer.value(encoding: effects, writesNil: true)
      let publications = effects.compactMap { effect in
        if case .publish(let publication) = effect { publication } else { nil }
      }
      guard !publications.isEmpty else { return }
      writer.key("published")
      writer.value(
        encoding: PublishedState(engine, scenes: publications.flatMap { $0.scenes.map(\.scene) }),
        writesNil: true)
    }
    writer.endLine()
  }

  /// Ends before it was asked to, and says why.
  public mutating func end(because reason: String) {
    writer.object { $0.field("ended", reason) }
    writer.endLine()
  }
}

/// What a publication tells: where keyboard and layouts are, in numbers.
private struct PublishedState: Encodable {
  struct Scene: Encodable {
    var scene: SceneID
    var focused: String?
    var layout: Layout
  }

  var keyboard: KeyboardState
  /// Those that changed.
  var scenes: [Scene]

  init(_ engine: Engine, scenes: [SceneID]) {
    keyboard = engine.keyboard
    self.scenes = scenes.compactMap { id in
      engine.scene(id).map { Scene(scene: id, focused: $0.focused, layout: $0.layout) }
    }
  }
}

extension Input {
  /// The same without what says which key was pressed, of which the core reads nothing (touch-input, rule 29).
  ///
  /// The shell keeps key codes to itself; it is not what a recording relies on.
  fileprivate var withoutKeys: Input {
    switch self {
    case .frame(let device, let events): .frame(device, KeyCommands.withoutKeys(events))
    case .dropped(let device, let state): .dropped(device, KeyCommands.withoutKeys(state))
    case .deviceAdded(let device, let path, let description, let state, let settings):
      .deviceAdded(device, path: path, description, KeyCommands.withoutKeys(state), settings)
    case .deviceReconfigured(let device, let description, let state, let settings):
      .deviceReconfigured(device, description, KeyCommands.withoutKeys(state), settings)
    default: self
    }
  }
}
