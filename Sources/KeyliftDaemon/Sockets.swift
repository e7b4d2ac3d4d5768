import CSystemd
import Glibc
import Varlink

/// The daemon's listening sockets: what systemd passed, and what it had to make itself.
struct Sockets {
  private(set) var main: [Int32] = []
  let control: Int32
  /// Files to remove at the end.
  private(set) var ownPaths: [String] = []

  /// - directory: where keylift.sock (0660, group keylift) and control.sock (0600) are.
  /// Throws: why a socket cannot be made, such as that another daemon listens there.
  init(directory: String) throws {
    let passed = sd_listen_fds(1)
    if passed > 0 {
      for descriptor in SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + passed
      where sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 {
        main.append(descriptor)
      }
    }
    guard unsafe mkdir(directory, 0o755) == 0 || errno == EEXIST else {
      throw StartError(description: "cannot make \(directory): \(Sockets.reason())")
    }
    if main.isEmpty {
      let path = "\(directory)/keylift.sock"
      let group = unsafe geteuid() == 0 ? getgrnam("keylift").map { unsafe $0.pointee.gr_gid } : nil
      main.append(try Server.bind(path: path, mode: 0o660, group: group))
      ownPaths.append(path)
    }
    let controlPath = "\(directory)/control.sock"
    control = try Server.bind(path: controlPath, mode: 0o600)
    ownPaths.append(controlPath)
  }

  private static func reason() -> String { unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "" }
}
