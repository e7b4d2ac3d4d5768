import EventLoop
import Testing

@testable import Varlink

@Suite("what is known of a connection")
struct ConnectionTests {
  private let harness: Harness
  private let peer: Peer
  private let connection: Connection

  init() throws {
    harness = try Harness { $0.connections = 1 }
    peer = try harness.connect()
    connection = try #require(harness.server.connections.first)
  }

  @Test("its calls, and the one that is not answered yet")
  func calls() throws {
    #expect(connection.method == nil)
    peer.send(
      #"{"method":"org.example.test.Everything"}"# + "\n" + #"{"method":"org.example.test.Later"}"# + "\n")
    try harness.turn()
    #expect(connection.method == "org.example.test.Later")
    #expect(connection.calls == 2, "one that was wrong counts too")
    harness.later.first?.reply()
    #expect(connection.method == nil)
    #expect(connection.openedAt <= EventLoop.now)
    _ = try harness.connect()
    #expect(harness.server.refused == 1)
  }

  @Test(
    "who waits for its end hears of it once, from the loop, also while a call is unanswered",
    arguments: [true, false])
  func end(isIdle: Bool) throws {
    var ends = 0
    connection.onClose = { ends += 1 }
    if !isIdle { peer.send(#"{"method":"org.example.test.Later"}"# + "\n") }
    try harness.turn()
    peer.close()
    try harness.turn()
    #expect(ends == 1)
    #expect(harness.closed == (isIdle ? [] : ["later"]))
    connection.close()
    try harness.turn()
    #expect(ends == 1)
  }

  @Test("nor does closing it call back from within")
  func later() throws {
    var ends = 0
    connection.onClose = { ends += 1 }
    connection.close()
    #expect(ends == 0)
    try harness.turn()
    #expect(ends == 1)
  }
}
