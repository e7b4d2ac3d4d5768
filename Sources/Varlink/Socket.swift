import Glibc

/// Who is at the other end, as the kernel says it was when the connection was made (SO_PEERCRED).
public struct Credentials: Equatable, Sendable {
  public var pid: Int32
  public var uid: UInt32
  public var gid: UInt32

  public init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  init?(of descriptor: Int32) {
    // struct ucred, which Glibc's module leaves out: pid, uid, gid.
    var credentials: (UInt32, UInt32, UInt32) = (0, 0, 0)
    let size = socklen_t(MemoryLayout.size(ofValue: credentials))
    var length = size
    let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
    guard result == 0, length == size else { return nil }
    self.init(pid: Int32(bitPattern: credentials.0), uid: credentials.1, gid: credentials.2)
  }
}

/// The socket calls, with EINTR dealt with.
enum Socket {
  enum Read: Equatable {
    case bytes(Int)
    case end
    case nothing
    /// File descriptors came along; none of them was received.
    case descriptors
    case failed(Int32)
  }

  static let stream = Int32(SOCK_STREAM.rawValue)
  static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

  /// accept(2), with the descriptor neither blocking nor inherited; -1 and errno if it failed.
  static func accept(_ listener: Int32) -> Int32 {
    let descriptor = Glibc.accept(listener, nil, nil)
    if descriptor >= 0 { prepare(descriptor) }
    return descriptor
  }

  /// Makes a descriptor neither block nor be inherited.
  static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// recvmsg(2) with no room for control data: the kernel then drops descriptors that were sent along,
  /// instead of giving them to this process, and tells so by MSG_CTRUNC.
  static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Read {
    while true {
      var header = unsafe msghdr()
      var vector = unsafe iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
      let count = unsafe withUnsafeMutablePointer(to: &vector) { vector in
        unsafe header.msg_iov = vector
        unsafe header.msg_iovlen = 1
        return unsafe recvmsg(descriptor, &header, Int32(MSG_DONTWAIT))
      }
      let code = errno
      if count < 0 {
        if code == EINTR { continue }
        return code == EAGAIN ? .nothing : .failed(code)
      }
      if unsafe header.msg_flags & Int32(MSG_CTRUNC) != 0 { return .descriptors }
      return count == 0 ? .end : .bytes(count)
    }
  }

  /// How much send(2) took without waiting, 0 if the peer has to read first; a negative errno if it failed.
  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
      let count = unsafe Glibc.send(
        descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return 0
      default: return -Int(errno)
      }
    }
  }

  /// Calls with the address of a path; nil if the path is empty or does not fit (107 bytes).
  static func withAddress<T>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = path.utf8
    guard !path.isEmpty, path.count < MemoryLayout.size(ofValue: address.sun_path), !path.contains(0) else {
      return nil
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    return unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
