/// One event of an input device, as the kernel delivers it.
public struct InputEvent: Codable, Equatable, Sendable {
  public var type: UInt16
  public var code: UInt16
  public var value: Int32

  public init(type: UInt16, code: UInt16, value: Int32) {
    self.type = type
    self.code = code
    self.value = value
  }
}
