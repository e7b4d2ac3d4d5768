import Glibc
import Varlink

/// Where keyliftd listens.
public struct DaemonSocket: Equatable, Sendable {
  /// The socket for clients, or root's control socket.
  public enum Role: Sendable { case clients, control }

  public let path: String
  public let role: Role

  public static let defaultPath = "/run/keylift/keylift.sock"
  /// The environment variable that names another socket.
  public static let variable = "KEYLIFT_SOCKET"

  /// The clients' socket: at the path if one is given, else where the environment says, else `defaultPath`.
  public init(path: String? = nil) {
    self.init(
      path: path, environment: unsafe getenv(DaemonSocket.variable).map { unsafe String(cString: $0) })
  }

  /// As the other, with the environment variable's value; an empty one counts as none.
  init(path: String?, environment: String?) {
    self.path = [path, environment].lazy.compactMap(\.self).first { !$0.isEmpty } ?? DaemonSocket.defaultPath
    role = .clients
  }

  private init(controlPath: String) {
    path = controlPath
    role = .control
  }

  /// The control socket, in the same directory.
  public var control: DaemonSocket {
    guard let slash = path.lastIndex(of: "/") else { return DaemonSocket(controlPath: "control.sock") }
    return DaemonSocket(controlPath: path[...slash] + "control.sock")
  }

  /// Connects, waiting while the daemon has more connections to accept than it lets wait.
  public func connect() throws(DaemonError) -> Client {
    do {
      return try Client(path: path)
    } catch {
      throw DaemonError(error, at: self)
    }
  }

  /// Calls a method and waits for its one answer, for so many microseconds at most.
  ///
  /// - subject: what an error is about
  public func call(
    _ method: String, subject: String? = nil, timeout: UInt64 = 5_000_000,
    _ fields: (inout JSONWriter) -> Void = { _ in }
  ) throws(DaemonError) -> JSON {
    let client: Client
    do {
      client = try Client(path: path, timeout: timeout)
    } catch {
      throw DaemonError(error, at: self)
    }
    do {
      return try client.call(method, timeout: timeout, fields)
    } catch {
      throw DaemonError(error, at: self, doing: subject ?? method)
    }
  }
}
