import Geometry

/// Leaves out what a panel invents: contacts too short, lifts too short, and ghosts at one place (touch-input, rule 20).
///
/// It stands behind the tracker and takes its touches. What it holds back it gives out later, at `deadline`.
struct TouchFilter: Codable, Equatable, Sendable {
  /// How far from a lift the next contact is the same finger's, in points: a fast swipe goes on by so much.
  static let reach = 100.0

  private enum State: Codable, Equatable {
    /// Not told of yet: it is too short so far.
    case waiting(since: UInt64)
    case told
    /// Never to be told of.
    case ghost
    /// The finger has gone, perhaps, at this time; before that it was waiting or told.
    case lifted(at: UInt64, waitingSince: UInt64?)
  }

  private struct Entry: Codable, Equatable {
    /// The tracker's touch.
    var id: Int
    /// What it is told as: the id of the first contact of the same finger.
    var told: Int
    var state: State
    var start: Point
    var position: Point

    var isLifted: Bool { if case .lifted = state { true } else { false } }

    /// Whether it began and has not ended, for those who are told.
    var isTold: Bool {
      switch state {
      case .told, .lifted(_, waitingSince: nil): true
      case .waiting, .ghost, .lifted: false
      }
    }
  }

  private let minimumTime: UInt64
  private let debounce: UInt64
  private let deadZones: [Rect]
  private var entries: [Entry] = []
  /// A frame's touches while they are taken, reused, so that a frame allocates nothing.
  private var fresh: [Touch] = []

  /// Nil if the settings ask for no filter.
  ///
  /// - zones: the dead zones in points of the screen as it is.
  init?(_ settings: DeviceSettings, zones: [Rect]) {
    guard settings.minimumTime > 0 || settings.debounce > 0 || !zones.isEmpty else { return nil }
    minimumTime = settings.minimumTime
    debounce = settings.debounce
    deadZones = zones
  }

  /// When something that was held back is due, in microseconds; nil if nothing is.
  var deadline: UInt64? { entries.lazy.compactMap { due($0) }.min() }

  private func due(_ entry: Entry) -> UInt64? {
    switch entry.state {
    case .waiting(let since): since &+ minimumTime
    case .lifted(let time, _): time &+ debounce
    case .told, .ghost: nil
    }
  }

  var livingTouches: Int { entries.count { $0.isTold } }

  /// The tracker's id of a touch that is told of; nil if there is none.
  func contact(of told: Int) -> Int? { entries.first { $0.told == told && $0.state == .told }?.id }

  /// Replaces a frame's touches by what is to be told now.
  ///
  /// - first: where in the array they begin.
  mutating func filter(_ touches: inout [Touch], from first: Int, at time: UInt64) {
    var fresh: [Touch] = []
    swap(&fresh, &self.fresh)
    fresh += touches[first...]
    touches.removeSubrange(first...)
    expire(at: time, into: &touches)
    for touch in fresh { take(touch, at: time, into: &touches) }
    expire(at: time, into: &touches)
    fresh.removeAll(keepingCapacity: true)
    swap(&fresh, &self.fresh)
  }

  /// Tells what is due by now: contacts that have lasted, fingers that have gone.
  mutating func expire(at time: UInt64, into touches: inout [Touch]) {
    var place = 0
    while place < entries.count {
      guard let due = due(entries[place]), due <= time else {
        place += 1
        continue
      }
      switch entries[place].state {
      case .lifted(_, let waitingSince):
        let entry = entries.remove(at: place)
        if waitingSince == nil {
          touches.append(Touch(id: entry.told, phase: .ended, position: entry.position))
        }
      case .waiting: tell(place, into: &touches)
      case .told, .ghost: place += 1
      }
    }
  }

  private mutating func take(_ touch: Touch, at time: UInt64, into touches: inout [Touch]) {
    if touch.phase == .began { return begin(touch, at: time, into: &touches) }
    guard let place = entries.firstIndex(where: { $0.id == touch.id && !$0.isLifted }) else { return }
    let before = entries[place].position
    entries[place].position = touch.position
    switch (touch.phase, entries[place].state) {
    case (.moved, .told) where touch.position != before:
      touches.append(Touch(id: entries[place].told, phase: .moved, position: touch.position))
    case (.ended, .told): lift(place, waitingSince: nil, at: time, into: &touches)
    case (.ended, .waiting(let since)): lift(place, waitingSince: since, at: time, into: &touches)
    case (.ended, .ghost), (.cancelled, .ghost), (.cancelled, .waiting): entries.remove(at: place)
    case (.cancelled, .told):
      let entry = entries.remove(at: place)
      touches.append(Touch(id: entry.told, phase: .cancelled, position: entry.position))
    default: break
    }
  }

  private mutating func begin(_ touch: Touch, at time: UInt64, into touches: inout [Touch]) {
    if let place = goesOn(at: touch.position), case .lifted(_, let waitingSince) = entries[place].state {
      entries[place].id = touch.id
      entries[place].state = waitingSince.map { .waiting(since: $0) } ?? .told
      guard entries[place].position != touch.position else { return }
      entries[place].position = touch.position
      if waitingSince == nil {
        touches.append(Touch(id: entries[place].told, phase: .moved, position: touch.position))
      }
      return
    }
    let isGhost = deadZones.contains { $0.contains(touch.position) }
    entries.append(
      Entry(
        id: touch.id, told: touch.id, state: isGhost ? .ghost : .waiting(since: time), start: touch.position,
        position: touch.position))
    if !isGhost, minimumTime == 0 { tell(entries.count - 1, into: &touches) }
  }

  /// The finger that was lifted last within reach of a point.
  private func goesOn(at point: Point) -> Int? {
    let near = entries.indices.filter {
      entries[$0].isLifted
        && entries[$0].position.squaredDistance(to: point) <= TouchFilter.reach * TouchFilter.reach
    }
    return near.min {
      entries[$0].position.squaredDistance(to: point) < entries[$1].position.squaredDistance(to: point)
    }
  }

  private mutating func lift(
    _ place: Int, waitingSince: UInt64?, at time: UInt64, into touches: inout [Touch]
  ) {
    entries[place].state = .lifted(at: time, waitingSince: waitingSince)
    if debounce == 0 { expire(at: time, into: &touches) }
  }

  private mutating func tell(_ place: Int, into touches: inout [Touch]) {
    let entry = entries[place]
    entries[place].state = .told
    touches.append(Touch(id: entry.told, phase: .began, position: entry.start))
    guard entry.position != entry.start else { return }
    touches.append(Touch(id: entry.told, phase: .moved, position: entry.position))
  }

  /// Cancels what was told of and forgets the rest, as when the device goes.
  mutating func cancelAll(into touches: inout [Touch]) {
    for entry in entries where entry.isTold {
      touches.append(Touch(id: entry.told, phase: .cancelled, position: entry.position))
    }
    entries.removeAll()
  }
}
