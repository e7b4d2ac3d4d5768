import CSystemd
import Glibc

/// Readiness of a descriptor, as epoll(7) names it.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  public static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  public static let error = Readiness(rawValue: EPOLLERR.rawValue)
}
