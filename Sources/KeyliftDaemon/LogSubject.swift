import Varlink

/// What a line of the log is about, and who has to act on it if it is a warning or an error.
struct LogSubject {
  enum Blame: String {
    /// The kernel, or the machine that it runs on: events that were lost, limits.
    case kernel
    /// A device, its driver, its cable or what udev says of it.
    case device
    /// A program that is connected.
    case client
    case plugin
    /// keylift.conf, or what it names.
    case configuration
    /// The daemon itself: that it starts and ends, or a fault of its own.
    case keylift
  }

  let blame: Blame
  /// The node, such as /dev/input/event3.
  private(set) var device: String?
  /// What the interfaces call a scene.
  private(set) var scene: String?
  private(set) var peer: Credentials?
  /// What a plugin calls itself, and where its socket is.
  private(set) var plugin: (name: String?, socket: String)?
  private(set) var cause: String?
  private(set) var file: String?
  /// From 1; 0 for the file as a whole.
  private(set) var line = 0

  static let keylift = LogSubject(blame: .keylift)
  static let configuration = LogSubject(blame: .configuration)
  /// All devices together.
  static let devices = LogSubject(blame: .device)
  static let kernel = LogSubject(blame: .kernel)
  /// All plugins together.
  static let plugins = LogSubject(blame: .plugin)

  /// What is in the directory of their sockets, which comes and goes.
  static func plugins(in directory: String) -> LogSubject {
    LogSubject(blame: .plugin, plugin: (nil, directory))
  }

  static func device(_ path: String) -> LogSubject { LogSubject(blame: .device, device: path) }

  static func kernel(device path: String) -> LogSubject { LogSubject(blame: .kernel, device: path) }

  /// - cause: one of several things that one place of the source tells of
  static func client(_ peer: Credentials, scene: String? = nil, cause: String? = nil) -> LogSubject {
    LogSubject(blame: .client, scene: scene, peer: peer, cause: cause)
  }

  static func plugin(_ plugin: Plugin) -> LogSubject {
    LogSubject(blame: .plugin, plugin: (plugin.name, plugin.path))
  }

  static func configuration(_ error: ConfigurationError) -> LogSubject {
    LogSubject(blame: .configuration, file: error.file, line: error.line)
  }

  /// What the configuration says of a device.
  static func configuration(device path: String) -> LogSubject {
    LogSubject(blame: .configuration, device: path)
  }

  /// What the configuration means for a scene.
  static func configuration(scene: String, of peer: Credentials?) -> LogSubject {
    LogSubject(blame: .configuration, scene: scene, peer: peer)
  }

  /// What its lines are counted together by; nil for what nobody can bring about as often as they like.
  var about: String? { device ?? plugin?.socket ?? peer.map { "uid \($0.uid) \(cause ?? "")" } }
}
