import EventLoop
import Glibc

/// What a client can run into.
public enum ClientError: Error, CustomStringConvertible {
  /// There is nothing at the path.
  case noSocket(path: String)
  /// There is a socket, and nobody listens at it.
  case notListening(path: String)
  case permissionDenied(path: String)
  /// The service has closed the connection.
  case closed
  /// What the service sent is no reply.
  case malformed
  case timedOut
  /// The service does not take what is sent.
  case wouldBlock
  /// The method answered with an error.
  case varlink(VarlinkError)
  case system(SystemError)

  init(connecting path: String, _ code: Int32) {
    switch code {
    case ENOENT, ENOTDIR: self = .noSocket(path: path)
    case ECONNREFUSED: self = .notListening(path: path)
    case EACCES, EPERM: self = .permissionDenied(path: path)
    case EAGAIN: self = .wouldBlock
    default: self = .system(SystemError(code, "connect \(path)"))
    }
  }

  public var description: String {
    switch self {
    case .noSocket(let path): "no socket at \(path)"
    case .notListening(let path): "nobody listens at \(path)"
    case .permissionDenied(let path): "no permission to connect to \(path)"
    case .closed: "the service closed the connection"
    case .malformed: "the service sent what is no reply"
    case .timedOut: "no answer in time"
    case .wouldBlock: "the service takes nothing"
    case .varlink(let error): error.description
    case .system(let error): error.description
    }
  }
}
