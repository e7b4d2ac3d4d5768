import ResponderChain
import Varlink

/// A scene's views as the application has them, and how far the daemon knows them.
///
/// The application changes them at any time. One message at a time is written with what the daemon does not know yet,
/// and answered; so changes made meanwhile, or while the daemon is away, take no memory but the views' own.
struct SceneViews {
  /// Bytes after which nothing more is put into a message, of which the daemon takes 256 KiB; an id and the end fit.
  private static let fullMessage = 254 * 1024
  /// Bytes of one view.
  fileprivate static let longestView = 16 * 1024

  /// A view as it goes over the wire.
  struct Encoded {
    let id: String
    let parent: String?
    let keepsVisible: String?
    let json: [UInt8]
  }

  private struct Entry {
    var view: Encoded
    /// By the daemon.
    var isKnown = false
    /// Since it was last written.
    var isChanged = true
    /// The application has removed it.
    var isGone = false
    /// In the message that is not answered yet: set, and removed.
    var isSent = false
    var isSentGone = false
    /// The daemon was told it without keepsVisible, since it does not know that view yet.
    var isHeldBack = false
    var knownParent: String?
    var sentParent: String?

    /// Whether the daemon appends it to its siblings: it does not know it, or under another parent.
    var isAppended: Bool { !isKnown || knownParent != sentParent }
  }

  private var entries: [Entry] = []
  private var places: [String: Int] = [:]
  /// Whether the daemon does not know all of it yet.
  private(set) var hasChanges = false

  // MARK: What the application says

  /// Sets whole views, by id. Throws: `invalidScene` if there are too many; nothing is changed then.
  mutating func set(_ views: [Encoded]) throws(SceneError) {
    if entries.count + views.count > ViewTree.maximumViews {
      let new = Set(views.map(\.id)).count { id in places[id].map { entries[$0].isGone } ?? true }
      guard new + entries.count(where: { !$0.isGone }) <= ViewTree.maximumViews else {
        throw .invalidScene(view: nil, problem: "it has over \(ViewTree.maximumViews) views")
      }
    }
    for view in views {
      if let place = places[view.id] {
        entries[place].view = view
        entries[place].isChanged = true
        entries[place].isGone = false
        entries[place].isHeldBack = false
      } else {
        places[view.id] = entries.count
        entries.append(Entry(view: view))
      }
    }
    hasChanges = hasChanges || !views.isEmpty
  }

  /// Removes views with all below them. Throws: `noSuchView`; nothing is changed then.
  mutating func remove(_ ids: [String]) throws(SceneError) {
    for id in ids {
      guard let place = places[id], !entries[place].isGone else { throw .noSuchView(id) }
    }
    guard !ids.isEmpty else { return }
    var children: [String: [Int]] = [:]
    for (place, entry) in entries.enumerated() where !entry.isGone {
      if let parent = entry.view.parent { children[parent, default: []].append(place) }
    }
    var rest = ids.compactMap { places[$0] }
    while let place = rest.popLast() {
      guard !entries[place].isGone else { continue }
      entries[place].isGone = true
      entries[place].isChanged = true
      rest += children[entries[place].view.id] ?? []
    }
    hasChanges = true
    sweep()
  }

  // MARK: Messages

  /// Writes the views that are changed, for as long as the message has room, as the member of that name.
  ///
  /// The daemon checks each message alone. So if they do not fit into this one, parents come first, and a keepsVisible
  /// that names a view further on follows when the daemon knows it. Siblings stay in their order.
  ///
  /// Returns: whether what is removed may go along. It may have been the parent of what is set, and the daemon removes
  /// all that was below it before: so it comes after the last of those, and after a view that moved away from it.
  mutating func write(as key: StaticString, to writer: inout JSONWriter) -> Bool {
    var isAll = true
    var hasMoved = false
    var changed = entries.indices.filter { entries[$0].isChanged && !entries[$0].isGone }
    let isSplit =
      changed.reduce(writer.bytes.count) { $0 + entries[$1].view.json.count + 1 } > SceneViews.fullMessage
    if isSplit {
      changed = changed.map { (depth: depth(of: $0), place: $0) }.sorted(by: <).map(\.place)
    }
    writer.array(key) { writer in
      for place in changed {
        guard !isSplit || writer.bytes.count + entries[place].view.json.count < SceneViews.fullMessage
        else {
          isAll = false
          break
        }
        entries[place].isHeldBack = isSplit && isToCome(entries[place].view.keepsVisible)
        if entries[place].isHeldBack {
          entries[place].view.writeWithoutKeepsVisible(to: &writer)
        } else {
          writer.value(encoded: entries[place].view.json)
        }
        entries[place].isSent = true
        entries[place].isChanged = false
        entries[place].sentParent = entries[place].view.parent
        hasMoved = hasMoved || (entries[place].isKnown && entries[place].isAppended)
      }
    }
    hasChanges = !isAll || entries.contains(where: \.isChanged)
    return isAll && !hasMoved
  }

  /// How many views it lies within, as far as the daemon takes any.
  private func depth(of place: Int) -> Int {
    var depth = 0
    var parent = entries[place].view.parent
    while depth < ViewTree.maximumDepth, let above = parent.flatMap({ places[$0] }) {
      depth += 1
      parent = entries[above].view.parent
    }
    return depth
  }

  /// Whether the daemon will be told of a view, and neither knows it nor has it in this message.
  private func isToCome(_ id: String?) -> Bool {
    guard let entry = id.flatMap({ places[$0] }).map({ entries[$0] }) else { return false }
    return !entry.isGone && !entry.isKnown && !entry.isSent
  }

  /// Writes the names of what is removed, as far as the message has room.
  mutating func writeRemoved(to writer: inout JSONWriter) {
    hasChanges = false
    writer.array("remove") { writer in
      for place in entries.indices where entries[place].isChanged && entries[place].isGone {
        guard writer.bytes.count < SceneViews.fullMessage else {
          hasChanges = true
          break
        }
        writer.value(entries[place].view.id)
        entries[place].isSent = true
        entries[place].isSentGone = true
        entries[place].isChanged = false
      }
    }
  }

  /// The daemon has taken what was written last, or has refused it.
  mutating func answered(_ isAccepted: Bool) {
    if isAccepted { reorder() }
    for place in entries.indices where entries[place].isSent {
      if isAccepted {
        entries[place].isKnown = !entries[place].isSentGone
        entries[place].knownParent = entries[place].sentParent
        if entries[place].isGone, entries[place].isKnown { entries[place].isChanged = true }
      } else {
        entries[place].isChanged = true
      }
      if entries[place].isChanged { hasChanges = true }
      entries[place].isSent = false
      entries[place].isSentGone = false
    }
    for place in entries.indices
    where entries[place].isHeldBack && !isToCome(entries[place].view.keepsVisible) {
      entries[place].isHeldBack = false
      entries[place].isChanged = true
      hasChanges = true
    }
    sweep()
  }

  /// The daemon knows nothing of it any more.
  mutating func forget() {
    for place in entries.indices {
      entries[place].isKnown = false
      entries[place].isSent = false
      entries[place].isSentGone = false
      entries[place].isHeldBack = false
      entries[place].isChanged = true
    }
    sweep()
    hasChanges = !entries.isEmpty
  }

  /// Puts the views in the order that the daemon has once it takes what was sent: those it knew, those it appends, and
  /// then those that it does not know yet.
  private mutating func reorder() {
    func part(_ entry: Entry) -> Int {
      if entry.isSent, !entry.isSentGone, entry.isAppended { return 1 }
      return entry.isKnown ? 0 : 2
    }
    guard zip(entries, entries.dropFirst()).contains(where: { part($0) > part($1) }) else { return }
    entries = (0...2).flatMap { number in entries.filter { part($0) == number } }
    file()
  }

  /// Drops the views that are removed and that the daemon does not know either.
  private mutating func sweep() {
    let count = entries.count
    entries.removeAll { $0.isGone && !$0.isKnown && !$0.isSent }
    if entries.count < count { file() }
  }

  private mutating func file() {
    places.removeAll(keepingCapacity: true)
    for (place, entry) in entries.enumerated() { places[entry.view.id] = place }
  }
}

extension SceneViews.Encoded {
  /// Throws: `invalidScene` for an id or a number that is none.
  init(_ view: View) throws(SceneError) {
    try view.check()
    var writer = JSONWriter(capacity: 128)
    writer.object { view.write(to: &$0) }
    try self.init(id: view.id, parent: view.parent, keepsVisible: view.keepsVisible, encoding: writer)
  }

  /// A View as io.keylift.Scene has it, which is sent as it is.
  /// Throws: `invalidScene` for what is no object with an id.
  init(_ json: JSON) throws(SceneError) {
    guard let id = json["id"].asString else { throw .invalidScene(view: nil, problem: "a view has no id") }
    let parent = json["parent"]
    guard parent.isNull || parent.asString != nil else {
      throw .invalidScene(view: id, problem: "its parent is no string")
    }
    var writer = JSONWriter(capacity: 128)
    writer.value(json)
    try self.init(
      id: id, parent: parent.asString, keepsVisible: json["keepsVisible"].asString, encoding: writer)
  }

  private init(id: String, parent: String?, keepsVisible: String?, encoding writer: JSONWriter)
    throws(SceneError)
  {
    guard writer.bytes.count <= SceneViews.longestView else {
      throw .invalidScene(view: id, problem: "it is over \(SceneViews.longestView) bytes")
    }
    self.init(id: id, parent: parent, keepsVisible: keepsVisible, json: writer.bytes)
  }

  fileprivate func writeWithoutKeepsVisible(to writer: inout JSONWriter) {
    let members = (try? JSON.parse(json))?.asMembers ?? []
    writer.value(.object(members.filter { $0.key != "keepsVisible" }))
  }
}
