import CSystemd
import Glibc

/// A directory whose entries are watched by inotify(7).
public final class DirectoryWatch: EventSource {
  private let handler: (_ isGone: Bool) -> Void

  init(_ loop: EventLoop, _ path: String, _ handler: @escaping (_ isGone: Bool) -> Void) throws(SystemError) {
    self.handler = handler
    super.init()
    let events =
      IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    let result = unsafe sd_event_add_inotify(
      loop.event, &source, path, UInt32(events),
      { _, event, context in
        guard let self = unsafe object(context, DirectoryWatch.self) else { return 0 }
        let mask = unsafe event.map { unsafe $0.pointee.mask } ?? 0
        self.handler(mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0)
        return 0
      }, context)
    guard result >= 0 else { throw SystemError(result, "inotify \(path)") }
  }
}

extension EventLoop {
  /// Calls the handler whenever an entry came to a directory or left it, and when some such changes were lost.
  ///
  /// `isGone` says that the directory itself was removed or renamed; what is at its path has to be watched anew.
  /// Throws: ENOENT or ENOTDIR for what is no directory, ENOSPC where user limits are reached.
  public func watchDirectory(_ path: String, _ handler: @escaping (_ isGone: Bool) -> Void)
    throws(SystemError) -> DirectoryWatch
  { try DirectoryWatch(self, path, handler) }
}
