import Glibc

/// What tells a file from another that takes its place at the same path.
public struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// When it was written last, which a socket is when it is made: an inode's number may be given again.
  private let seconds: Int
  private let nanoseconds: Int

  /// nil if there is nothing at the path; a symbolic link is itself.
  public init?(of path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
