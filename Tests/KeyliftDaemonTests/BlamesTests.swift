import Testing
import Varlink

@testable import KeyliftDaemon

@Suite("What is logged of clients that are closed") struct BlamesTests {
  private let peer = Credentials(pid: 7, uid: 1000, gid: 1000)

  @Test("the first of a kind at once, then one line a minute with how many there were") func rate() {
    var blames = Blames()
    func take(_ blame: Server.Blame, at now: UInt64) -> String? {
      blames.take(blame, of: peer, Access(), at: now)
    }
    let first = take(.connectionsPerUser, at: 5)
    #expect(first?.contains("process 7 of uid 1000 is refused: its user has 256 connections") == true)
    for second: UInt64 in 1..<60 { #expect(take(.connectionsPerUser, at: second * 1_000_000) == nil) }
    #expect(take(.stall, at: 6) != nil, "another kind is another matter")
    let next = take(.connectionsPerUser, at: 60_000_005)
    #expect(next?.hasSuffix("; so were 59 before it") == true)
  }
}
