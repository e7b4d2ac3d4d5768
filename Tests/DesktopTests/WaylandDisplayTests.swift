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

  @Test("is told to be lost once, with the reason", arguments: [false, true])
  func isToldToBeLost(byError: Bool) throws {
    let loop = try EventLoop()
    var compositor: Int32 = -1
    let display = try display(loop) { compositor = $0 }
    var reasons: [String] = []
    display.onLost = { reasons.append($0) }
    if byError {
      // wl_display.error: of the display, code 3 (implementation), "ended", and a removed object after it.
      let words: [UInt32] = [1, 28 << 16, 1, 3, 6, 0x6564_6E65, 0x64, 1, 12 << 16 | 1, 2]
      try #require(unsafe write(compositor, words, 40) == 40)
    } else {
      close(compositor)
    }
    while reasons.isEmpty { try #require(try loop.runOnce(timeout: 10_000_000)) }
    if byError { close(compositor) }
    _ = try loop.runOnce(timeout: 0)
    #expect(reasons.count == 1)
    #expect(byError ? reasons != ["it hung up"] : reasons.first?.isEmpty == false)
  }
}
