import Engine
import EventLoop
import Glibc
import TouchInput

/// What became of an event node, for the people who ask.
struct NodeReport {
  var path: String
  /// Its place in sysfs; its path for a node that only the configuration names.
  var systemPath: String
  var name: String
  var role: DeviceRole?
  var description: DeviceDescription?
  var device: DeviceID?
  /// What keeps it from being used.
  var why: String?

  /// What a [Device MATCH] section can match it by; nil if it could not be opened.
  var identity: DeviceIdentity? {
    description.map { description in
      DeviceIdentity(
        path: path, name: description.name, vendor: description.vendor, product: description.product,
        udevProperties: description.udevProperties)
    }
  }
}

extension NodeReport {
  /// Why a node cannot be opened, in words that say what to do about it (touch-input, rule 30).
  ///
  /// Source: udev's 50-udev-default.rules sets owner and mode for the action add alone, not for change.
  static func reason(_ path: String, _ error: SystemError) -> String {
    var status = stat()
    guard error.code == EACCES, unsafe stat(path, &status) == 0 else { return error.description }
    let user = unsafe getpwuid(status.st_uid).map { unsafe String(cString: $0.pointee.pw_name) }
    let group = unsafe getgrgid(status.st_gid).map { unsafe String(cString: $0.pointee.gr_name) }
    let mode = String(status.st_mode & 0o7777, radix: 8)
    return "\(path) is \(user ?? "\(status.st_uid)"):\(group ?? "\(status.st_gid)") "
      + String(repeating: "0", count: max(0, 4 - mode.count)) + mode
      + ", which keyliftd may not read; udev's rules should give it to group input with mode 0660 (udevadm trigger "
      + "--action=add \(path)), and keyliftd should be in that group"
  }
}
