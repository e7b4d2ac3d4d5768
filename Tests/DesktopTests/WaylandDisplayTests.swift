import EventLoop
import Glibc
import Testing

@testable import Desktop

@Suite(.serialized) struct ConnectionToACompositor {
  /// The connection's end of a pair of sockets, whose other end is given to do something with it.
  private func display(_ loop: EventLoop, _ compositor: (Int32) -> Void) throws -> WaylandDisplay {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    compositor(ends[1])
    unsafe setenv("WAYLAND_SOCKET", "\(ends[0])", 1)  // libwayland unsets it
    return try WaylandDisplay(nil, on: loop)
  }

  @Test func isRefusedIfItIsLostAtOnce() throws {
    let loop = try EventLoop()
    #expect(throws: SystemError.self) { try display(loop) { close($0) } }
  }
}
