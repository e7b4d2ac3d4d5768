import EventLoop
import Glibc

/// Why no socket could be made at a path.
public enum BindError: Error, CustomStringConvertible {
  /// Somebody accepts connections there.
  case inUse(path: String)
  /// There is something at the path that is no socket.
  case notASocket(path: String)
  /// Longer than the 107 bytes that an address has room for, or empty.
  case unusablePath(String)
  case system(SystemError)

  public var description: String {
    switch self {
    case .inUse(let path): "another daemon is listening at \(path)"
    case .notASocket(let path): "\(path) is there and is no socket"
    case .unusablePath(let path):
      path.isEmpty ? "there is neither a socket nor a path for one" : "no socket can have the path \(path)"
    case .system(let error): error.description
    }
  }
}

extension Server {
  /// A listening socket at a path, with its mode and group set before anybody can connect.
  ///
  /// A socket file whose owner is gone is replaced. A file `.lock` beside it is locked meanwhile (flock(2)), so
  /// that of two daemons that start at once one is told that the other is there. The directory itself would not
  /// do: whoever may read it can lock it, and keep the daemon from starting.
  /// - Parameters:
  ///   - mode: permission bits, such as 0o660
  ///   - group: the group's number, or nil for the process's own
  /// - Returns: the descriptor, for `Server.init`, which owns it then.
  public static func bind(path: String, mode: UInt32, group: UInt32? = nil) throws(BindError) -> Int32 {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard unsafe Socket.withAddress(path, { _, _ in true }) != nil else { throw .unusablePath(path) }
    let lock = unsafe open("\(directory)/.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw .system(SystemError(errno, "open \(directory)/.lock")) }
    defer { Glibc.close(lock) }
    // Another one holds it for as long as it takes to make a socket.
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .system(SystemError(errno, "flock \(directory)/.lock")) }
    }
    try clear(path)

    let descriptor = socket(AF_UNIX, Socket.stream | Socket.flags, 0)
    guard descriptor >= 0 else { throw .system(SystemError(errno, "socket")) }
    do throws(BindError) {
      guard let result = unsafe Socket.withAddress(path, { unsafe Glibc.bind(descriptor, $0, $1) }) else {
        throw .unusablePath(path)
      }
      guard result == 0 else { throw .system(SystemError(errno, "bind \(path)")) }
      // Until listen(2) nobody gets in, whatever the umask gave.
      if let group {
        guard unsafe chown(path, uid_t.max, group) == 0 else {
          throw .system(SystemError(errno, "chown \(path)"))
        }
      }
      guard unsafe chmod(path, mode) == 0 else { throw .system(SystemError(errno, "chmod \(path)")) }
      guard Glibc.listen(descriptor, SOMAXCONN) == 0 else {
        throw .system(SystemError(errno, "listen \(path)"))
      }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Removes a socket that nobody listens at.
  private static func clear(_ path: String) throws(BindError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw .system(SystemError(errno, "stat \(path)"))
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe = socket(AF_UNIX, Socket.stream | Socket.flags, 0)
    guard probe >= 0 else { throw .system(SystemError(errno, "socket")) }
    defer { Glibc.close(probe) }
    guard let result = unsafe Socket.withAddress(path, { unsafe connect(probe, $0, $1) }) else {
      throw .unusablePath(path)
    }
    // EAGAIN: it listens, and more wait than it lets wait.
    if result == 0 || errno == EAGAIN { throw .inUse(path: path) }
    guard errno == ECONNREFUSED else { throw .system(SystemError(errno, "connect \(path)")) }
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw .system(SystemError(errno, "unlink \(path)"))
    }
  }
}
