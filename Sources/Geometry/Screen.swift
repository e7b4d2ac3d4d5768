/// A screen that touches are mapped to and scenes live on.
public struct Screen: Codable, Equatable, Sendable {
  public var name: String
  /// The size after rotation, in points.
  public var size: Size
  public var rotation: Rotation

  public init(name: String, size: Size, rotation: Rotation = .none) {
    self.name = name
    self.size = size
    self.rotation = rotation
  }

  /// The panel's own size, before rotation.
  public var unrotatedSize: Size {
    rotation.swapsAxes ? Size(width: size.height, height: size.width) : size
  }

  /// The same panel in another rotation.
  public func turned(to rotation: Rotation) -> Screen {
    let size = unrotatedSize
    return Screen(
      name: name, size: rotation.swapsAxes ? Size(width: size.height, height: size.width) : size,
      rotation: rotation)
  }

  public var bounds: Rect { Rect(origin: .zero, size: size) }
}
