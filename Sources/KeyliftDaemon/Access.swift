/// Who may do what, and how much of it, as [Access] says. Root and the daemon's own user may everything.
struct Access: Equatable {
  /// Who sees the scenes of all users in io.keylift.Monitor, not only their own (ipc, rule 11).
  var monitor = Users.only([])
  /// Who may use io.keylift.Keyboard: draw the keyboard, show it and hide it.
  var keyboard = Users.all
  /// Whose scenes may lie above level 0, before those of others.
  var levels = Users.all
  /// At once, to the clients' socket (ipc, rule 10).
  var connections = 1024
  var connectionsPerUser = 256
  /// Of all scenes of a user together.
  var viewsPerUser = 100_000
}

/// Users, by their numbers.
enum Users: Equatable {
  case all
  case only(Set<UInt32>)

  func contains(_ uid: UInt32) -> Bool {
    switch self {
    case .all: true
    case .only(let users): users.contains(uid)
    }
  }
}
