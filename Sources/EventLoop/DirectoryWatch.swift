import CSystemd
import Glibc

/// A directory whose entries are watched by inotify(7).
public final class DirectoryWatch: EventSource {
  private let handler: () -> Void

  init(_ loop: EventLoop, _ path: String, _ handler: @escaping () -> Void) throws(SystemError) {
    self.handler = handler
    super.init()
    let events = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR
    let result = unsafe sd_event_add_inotify(
      loop.event, &source, path, UInt32(events),
      { _, _, context in
        guard let self = unsafe object(context, DirectoryWatch.self) else { return 0 }
        self.handler()
        return 0
      }, context)
    guard result >= 0 else { throw SystemError(result, "inotify \(path)") }
  }
}

extension EventLoop {
  /// Calls the handler whenever an entry came to a directory or left it, and when some such changes were lost.
  /// Throws: ENOENT or ENOTDIR for what is no directory, ENOSPC where user limits are reached.
  public func watchDirectory(_ path: String, _ handler: @escaping () -> Void) throws(SystemError)
    -> DirectoryWatch
  { try DirectoryWatch(self, path, handler) }
}
