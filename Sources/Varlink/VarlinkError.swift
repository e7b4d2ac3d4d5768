/// An error that a method answered with.
public struct VarlinkError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The qualified name, such as `org.varlink.service.InvalidParameter`.
  public var name: String
  public var parameters: JSON

  public init(_ name: String, _ parameters: JSON = .empty) {
    self.name = name
    self.parameters = parameters
  }

  public var description: String {
    guard case .object(let members) = parameters, !members.isEmpty else { return name }
    var writer = JSONWriter()
    writer.value(parameters)
    return "\(name) \(String(decoding: writer.bytes, as: UTF8.self))"
  }

  public static let interfaceNotFound = "org.varlink.service.InterfaceNotFound"
  public static let methodNotFound = "org.varlink.service.MethodNotFound"
  public static let methodNotImplemented = "org.varlink.service.MethodNotImplemented"
  public static let invalidParameter = "org.varlink.service.InvalidParameter"
  public static let permissionDenied = "org.varlink.service.PermissionDenied"
  public static let expectedMore = "org.varlink.service.ExpectedMore"
}
