/// The range of an absolute axis and its value at the time of asking, in the device's own units.
public struct AbsoluteAxis: Codable, Equatable, Sendable {
  public var minimum: Int32
  public var maximum: Int32
  public var value: Int32
  public var fuzz: Int32
  public var resolution: Int32

  public init(minimum: Int32, maximum: Int32, value: Int32 = 0, fuzz: Int32 = 0, resolution: Int32 = 0) {
    self.minimum = minimum
    self.maximum = maximum
    self.value = value
    self.fuzz = fuzz
    self.resolution = resolution
  }
}
