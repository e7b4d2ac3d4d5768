import Glibc

/// A system call or a libsystemd call that failed, with errno's number and what was being done.
public struct SystemError: Error, CustomStringConvertible, Sendable {
  /// A positive errno value.
  public var code: Int32
  public var operation: String

  public init(_ code: Int32, _ operation: String) {
    self.code = code < 0 ? -code : code
    self.operation = operation
  }

  public var description: String { "\(operation): \(SystemError.text(code))" }

  /// strerror(3)'s words for an errno value.
  public static func text(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
