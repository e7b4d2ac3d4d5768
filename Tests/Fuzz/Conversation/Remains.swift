/// How many elements the arrays, dictionaries and sets of an object hold, and of all that it refers to, by their paths.
///
/// What is only memory to write into is left out.
struct Remains: Equatable {
  private var counts: [String: Int] = [:]
  private var seen: Set<ObjectIdentifier> = []

  /// - but: the names of properties that are left out
  init(of object: AnyObject, but names: Set<String>) {
    walk(Mirror(reflecting: object), "", names)
    seen = []
  }

  private mutating func walk(_ mirror: Mirror, _ path: String, _ names: Set<String>) {
    if let above = mirror.superclassMirror { walk(above, path, names) }
    for child in mirror.children {
      let label = child.label ?? ""
      if names.contains(label) || child.value is [UInt8] { continue }
      let below = Mirror(reflecting: child.value)
      let path = mirror.displayStyle == .collection || label == "some" ? path : path + "." + label
      switch below.displayStyle {
      case .class?:
        // Not by value: an unowned reference may lead back.
        guard seen.insert(ObjectIdentifier(child.value as AnyObject)).inserted else { continue }
      case .collection?, .dictionary?, .set?: counts[path, default: 0] += below.children.count
      default: break
      }
      walk(below, path, names)
    }
  }

  /// What differs, by path.
  func since(_ before: Remains) -> [String: Int] {
    let now = counts.filter { before.counts[$0.key] != $0.value }
    return now.merging(before.counts.filter { counts[$0.key] == nil }.mapValues { -$0 }) { now, _ in now }
  }
}
