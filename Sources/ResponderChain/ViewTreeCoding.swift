import Geometry

/// A tree is its views, parents first and siblings from the back to the front; where they lie in memory is not kept.
extension ViewTree: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    // A walk cannot throw.
    var places: [Index] = []
    places.reserveCapacity(count)
    walk { index, _ in places.append(index) }
    for index in places { try container.encode(view(at: index)) }
  }

  /// Throws: what `update` would say to such views.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var views: [View] = []
    while !container.isAtEnd { views.append(try container.decode(View.self)) }
    // A view may keep visible what is gone, but no view can be set so: what is gone is there meanwhile.
    let ids = Set(views.map(\.id))
    let gone = Set(views.compactMap(\.keepsVisible)).subtracting(ids)
    self.init()
    do throws(SceneError) {
      try update(set: views + gone.map { View(id: $0, frame: .zero) })
      try update(set: [], remove: Array(gone))
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "no tree of views: \(error)"))
    }
  }
}
