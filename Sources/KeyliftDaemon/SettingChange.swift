/// The values of a configuration as they are written, by which what changed is told.
struct SettingTexts: Equatable {
  private struct Section: Equatable {
    var name: String
    var values: [String: String] = [:]

    /// Whether there may be several of its kind, and it says something by being there.
    var isNamed: Bool { name.contains(" ") }
  }

  /// In the order in which each came first.
  private var sections: [Section] = []

  /// Takes an entry, the later the stronger.
  mutating func take(_ section: String, _ key: String?, _ value: String) {
    let place = sections.firstIndex { $0.name == section } ?? sections.count
    if place == sections.count { sections.append(Section(name: section)) }
    if let key { sections[place].values[key] = value }
  }

  /// What differs, in the order of the sections and by key.
  func changes(to next: SettingTexts) -> [SettingChange] {
    let names = sections.map(\.name) + next.sections.map(\.name).filter { self[$0] == nil }
    return names.flatMap { name -> [SettingChange] in
      let (old, new) = (self[name], next[name])
      let keys = Set((old?.values ?? [:]).keys).union((new?.values ?? [:]).keys).sorted()
      let changes = keys.map {
        SettingChange(section: name, key: $0, from: old?.values[$0], to: new?.values[$0])
      }.filter { $0.from != $0.to }
      guard changes.isEmpty, old?.isNamed ?? new?.isNamed ?? false else { return changes }
      let isMoved = old != nil && new != nil && before(name, in: next) != next.before(name, in: self)
      guard (old == nil) != (new == nil) || isMoved else { return [] }
      return [SettingChange(section: name, key: nil, from: old.map { _ in "" }, to: new.map { _ in "" })]
    }
  }

  private subscript(name: String) -> Section? { sections.first { $0.name == name } }

  /// The sections before one, of those that another has too.
  private func before(_ name: String, in other: SettingTexts) -> Set<String> {
    Set(sections.prefix { $0.name != name }.filter { $0.isNamed && other[$0.name] != nil }.map(\.name))
  }
}

/// A key of the configuration that has another value than before, or a section that came, went or moved.
struct SettingChange: Equatable, CustomStringConvertible {
  /// Such as `Screen main`.
  var section: String
  /// nil for the section itself, whose texts are empty where it is there.
  var key: String?
  /// As it is written; nil where it is not, and the default holds.
  var from: String?
  var to: String?

  var description: String {
    switch (key, from, to) {
    case (let key?, _, _): "[\(section)] \(key) \(Self.words(from)) -> \(Self.words(to))"
    case (nil, nil, _): "[\(section)] is new"
    case (nil, _, nil): "[\(section)] is gone"
    case (nil, _, _): "[\(section)] stands elsewhere"
    }
  }

  private static func words(_ text: String?) -> String {
    guard let text else { return "default" }
    return text.isEmpty ? "empty" : text
  }
}
