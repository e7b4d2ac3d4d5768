import Glibc

/// The user whose access is judged, and what it needs.
struct Account: Equatable, Sendable {
  var name = ""
  var uid: UInt32 = 0
  /// The groups of this session; nil for another user, whose sessions are only seen by their processes.
  var sessionGroups: [UInt32]? = []
  /// The groups that the user has in the system's database, and so at the next login.
  var databaseGroups: [UInt32] = []
  /// The group keylift; nil if there is none.
  var keyliftGroup: UInt32?
  /// Whom the database lists in that group.
  var keyliftMembers: [String] = []

  /// Whether doctor runs as root, whoever is judged.
  var isRoot = false

  /// Of the one who runs this; or of another, by name.
  /// Throws: that there is no such user.
  static func gather(_ user: String?) throws(Failure) -> Account {
    var account = Account(uid: getuid(), isRoot: geteuid() == 0)
    if let user {
      guard let entry = unsafe getpwnam(user) else { throw .usage("doctor: no user \"\(user)\".") }
      account.uid = unsafe entry.pointee.pw_uid
    }
    var primary = getgid()
    if let entry = unsafe getpwuid(account.uid) {
      account.name = unsafe String(cString: entry.pointee.pw_name)
      primary = unsafe entry.pointee.pw_gid
    } else {
      account.name = "\(account.uid)"
    }
    account.sessionGroups = account.uid == getuid() ? sessionGroups() : nil
    account.databaseGroups = databaseGroups(of: account.name, primary)
    if let group = unsafe getgrnam("keylift") {
      account.keyliftGroup = unsafe group.pointee.gr_gid
      var member = unsafe group.pointee.gr_mem
      while let name = unsafe member?.pointee {
        account.keyliftMembers.append(unsafe String(cString: name))
        unsafe member = member?.successor()
      }
    }
    return account
  }

  private static func sessionGroups() -> [UInt32] {
    var groups = [gid_t](repeating: 0, count: 65_536)  // NGROUPS_MAX
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return [getegid()] + groups.prefix(Int(max(0, count)))
  }

  private static func databaseGroups(of name: String, _ primary: gid_t) -> [UInt32] {
    var count: Int32 = 1024
    var groups = [gid_t](repeating: 0, count: Int(count))
    guard unsafe getgrouplist(name, primary, &groups, &count) >= 0 else { return [primary] }
    return Array(groups.prefix(Int(max(0, count))))
  }
}

/// The clients' socket as a file.
struct SocketFile: Equatable, Sendable {
  /// Permission bits.
  var mode: UInt32
  var uid: UInt32
  var gid: UInt32
  /// The group's name, or its number.
  var group: String
  var isSocket = true

  /// nil if it is not there.
  static func gather(_ path: String) -> SocketFile? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let group = unsafe getgrgid(status.st_gid).map { unsafe String(cString: $0.pointee.gr_name) }
    return SocketFile(
      mode: status.st_mode & 0o7777, uid: status.st_uid, gid: status.st_gid,
      group: group ?? "\(status.st_gid)", isSocket: status.st_mode & S_IFMT == S_IFSOCK)
  }

  /// Whether a user with these groups may connect, which takes the right to write.
  func admits(_ uid: UInt32, _ groups: [UInt32]) -> Bool {
    if uid == 0 { return true }
    if uid == self.uid { return mode & 0o200 != 0 }
    return groups.contains(gid) ? mode & 0o020 != 0 : mode & 0o002 != 0
  }
}
