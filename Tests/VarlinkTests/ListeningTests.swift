import EventLoop
import Glibc
import Testing

@testable import Varlink

@Suite struct ListeningTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/socket" }

  init() throws { directory = try TemporaryDirectory() }

  @Test("ipc rule 11: the socket has its mode before anybody can connect") func mode() throws {
    let group = geteuid() == 0 ? getgid() + 1 : getgid()
    let descriptor = try Server.bind(path: path, mode: 0o660, group: group)
    var status = stat()
    unsafe stat(path, &status)
    #expect(status.st_mode & 0o7777 == 0o660)
    #expect(status.st_gid == group)
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    let harness = try Harness(listening: [descriptor])
    let peer = try Peer(path: path)
    peer.send(#"{"method":"org.example.test.Echo","parameters":{"text":"a"}}"# + "\n")
    try harness.turn()
    #expect(peer.take() == #"{"parameters":{"text":"a"}}"# + "\n")
  }

  @Test("a stale socket is replaced, a live one is not, nor is a file") func stale() throws {
    let first = try Server.bind(path: path, mode: 0o600)
    let error = #expect(throws: BindError.self) { try Server.bind(path: path, mode: 0o600) }
    #expect(error?.description == "another daemon is listening at \(path)")
    Glibc.close(first)
    let second = try Server.bind(path: path, mode: 0o600)
    Glibc.close(second)
    unsafe unlink(path)
    Glibc.close(unsafe open(path, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: BindError.self) { try Server.bind(path: path, mode: 0o600) }
    #expect(unsafe access(path, F_OK) == 0)
  }

  @Test("who may only read the directory cannot keep a daemon from starting") func lock() throws {
    let other = unsafe open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { Glibc.close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    Glibc.close(try Server.bind(path: path, mode: 0o600))
    var status = stat()
    #expect(unsafe stat(directory.path + "/.lock", &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
  }

  @Test(
    "a path that cannot be a socket's",
    arguments: ["", String(repeating: "a", count: 200), "/nowhere/at/all"])
  func unusable(path: String) { #expect(throws: BindError.self) { try Server.bind(path: path, mode: 0o600) } }

  @Test("ipc rule 10: connections past the limits are refused at once, and room is made again") func refusal()
    throws
  {
    for perUser in [true, false] {
      let harness = try Harness(listening: [try Server.bind(path: path, mode: 0o600)]) {
        if perUser { $0.connectionsPerUser = 3 } else { $0.connections = 3 }
      }
      let peers = try (0..<5).map { _ in try Peer(path: path) }
      try harness.turn()
      #expect(
        peers.map {
          _ = $0.take()
          return $0.isEnded
        } == [false, false, false, true, true])
      peers[0].close()
      try harness.turn()
      let next = try Peer(path: path)
      try harness.turn()
      _ = next.take()
      #expect(!next.isEnded)
      #expect(harness.server.connections.count == 3)
    }
  }

  @Test("ipc rule 10: without descriptors accepting pauses, nothing is lost, nothing spins") func exhaustion()
    throws
  {
    let harness = try Harness(listening: [try Server.bind(path: path, mode: 0o600)]) {
      $0.acceptPause = 50_000
    }
    let peer = try Peer(path: path)
    harness.server.acceptor = { _ in
      errno = EMFILE
      return -1
    }
    peer.send(#"{"method":"org.example.test.Echo","parameters":{"text":"a"}}"# + "\n")
    var turns = 0
    let start = EventLoop.now
    while EventLoop.now - start < 170_000 {
      try harness.loop.runOnce(timeout: 20_000)
      turns += 1
    }
    #expect(turns < 30, "\(turns) turns")
    #expect(harness.server.connections.isEmpty)
    harness.server.acceptor = Socket.accept
    while EventLoop.now - start < 300_000 { try harness.loop.runOnce(timeout: 20_000) }
    #expect(peer.take() == #"{"parameters":{"text":"a"}}"# + "\n")
  }
}
