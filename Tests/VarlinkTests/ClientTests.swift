import EventLoop
import Glibc
import Testing

@testable import Varlink

/// A server on a thread of its own, for clients that wait.
private final class Service {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/socket" }
  private var thread = pthread_t()

  init(calls: Int) throws {
    directory = try TemporaryDirectory()
    let descriptor = try Server.bind(path: directory.path + "/socket", mode: 0o600)
    let start = unsafe Unmanaged.passRetained(Start(descriptor, calls))
    unsafe pthread_create(
      &thread, nil,
      { start in
        guard let start = unsafe start else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
  }

  deinit { pthread_join(thread, nil) }

  private final class Start {
    let descriptor: Int32
    let calls: Int
    init(_ descriptor: Int32, _ calls: Int) {
      self.descriptor = descriptor
      self.calls = calls
    }

    func run() {
      guard let harness = try? Harness(listening: [descriptor]) else { return }
      let end = EventLoop.now + 5_000_000
      while harness.called.count < calls, EventLoop.now < end {
        try? harness.loop.runOnce(timeout: 10_000)
        for stream in harness.streams where stream.isOpen {
          for number in 1...3 { stream.send(Message(continues: true) { $0.field("number", number) }) }
          stream.end { $0.field("number", 4) }
        }
      }
      try? harness.turn()
    }
  }
}

@Suite struct ClientTests {
  @Test("a call, an error and a stream, waiting for each") func waiting() throws {
    let service = try Service(calls: 3)
    let client = try Client(path: service.path)
    #expect(try client.call("org.example.test.Echo") { $0.field("text", "é\0") }["text"].asString == "é\0")
    do throws(ClientError) {
      _ = try client.call("org.example.test.Echo") { $0.field("text", 1) }
      Issue.record("no error")
    } catch {
      guard case .varlink(let error) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(
        error == VarlinkError(VarlinkError.invalidParameter, .object([.init("parameter", .string("text"))])))
    }
    try client.send("org.example.test.Count", .more)
    let replies = try (0..<4).map { _ in try client.next(timeout: 1_000_000) }
    #expect(replies.map(\.continues) == [true, true, true, false])
    #expect(replies.map { $0.parameters["number"].asInteger } == [1, 2, 3, 4])
    #expect(throws: ClientError.self) { try client.next(timeout: 1000) }
    _ = try client.call("org.example.test.Echo") { $0.field("text", "end") }
    #expect(throws: ClientError.self) { try client.next(timeout: 1_000_000) }
  }

  @Test("ipc rule 1: a call has one reply, and does not wait for the last of a stream without end")
  func oneReply() throws {
    let peer = try Peer()
    let client = Client(adopting: peer.other)
    peer.send(#"{"continues":true}"# + "\n" + "{}\n")
    do throws(ClientError) {
      _ = try client.call("a.b.C", timeout: 1_000_000)
      Issue.record("taken")
    } catch {
      guard case .malformed = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("replies come by the loop, without waiting") func watching() throws {
    let harness = try Harness()
    let peer = try Peer()
    harness.server.adopt(peer.other)
    let client = Client(adopting: dup(peer.descriptor))
    peer.close()
    var replies: [Reply] = []
    var failure: ClientError?
    let source = try harness.loop.watch(client.descriptor) { _ in
      do throws(ClientError) { replies += try client.receive() } catch { failure = error }
    }
    #expect(try client.receive() == [])
    try client.send("org.example.test.Count", .more, waits: false)
    try harness.turn()
    harness.streams[0].send(Message(continues: true) { $0.field("number", 1) })
    harness.streams[0].fail("org.example.test.Failed")
    try harness.turn()
    #expect(
      replies == [
        Reply(parameters: .object([.init("number", .integer(1))]), continues: true),
        Reply(error: "org.example.test.Failed"),
      ])
    harness.server.close()
    try harness.turn(2)
    guard case .closed? = failure else {
      Issue.record("not closed")
      return
    }
    source.cancel()
  }

  @Test("typed errors say why there is no connection") func errors() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/socket"
    func failure() -> ClientError? {
      do throws(ClientError) { _ = try Client(path: path) } catch { return error }
      return nil
    }
    guard case .noSocket? = failure() else {
      Issue.record("noSocket")
      return
    }
    Glibc.close(try Server.bind(path: path, mode: 0o600))
    guard case .notListening? = failure() else {
      Issue.record("notListening")
      return
    }
  }

  @Test(
    "ipc rule 1: what is no reply",
    arguments: [
      "x", "[]", #"{"parameters":[]}"#, #"{"continues":1}"#, #"{"error":1}"#,
      #"{"error":"a.b.C","continues":true}"#,
    ])
  func malformed(text: String) throws {
    let peer = try Peer()
    let client = Client(adopting: peer.other)
    peer.send(text + "\n")
    do throws(ClientError) {
      _ = try client.receive()
      Issue.record("taken")
    } catch {
      guard case .malformed = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("absent parameters of a reply are none") func absent() throws {
    let peer = try Peer()
    let client = Client(adopting: peer.other)
    peer.send("{}\n{\"parameters\":null}\n")
    #expect(try client.receive() == [Reply(), Reply()])
  }

  @Test("a long call goes out in parts, without waiting") func parts() throws {
    let peer = try Peer()
    let client = Client(adopting: peer.other)
    let text = String(repeating: "x", count: 2_000_000)
    try client.enqueue("org.example.test.Echo") { $0.field("text", text) }
    #expect(client.hasUnsent)
    var received = peer.take()
    while client.hasUnsent {
      try client.flush()
      received += peer.take()
    }
    #expect(received == #"{"method":"org.example.test.Echo","parameters":{"text":"\#(text)"}}"# + "\n")
  }

  @Test("a service that takes nothing, or does not accept, is waited for no longer than asked")
  func deadlines() throws {
    let peer = try Peer()
    let text = String(repeating: "x", count: 2_000_000)
    do throws(ClientError) {
      _ = try Client(adopting: peer.other).call("org.example.test.Echo", timeout: 10_000) {
        $0.field("text", text)
      }
      Issue.record("an answer")
    } catch {
      guard case .timedOut = error else {
        Issue.record("\(error)")
        return
      }
    }
    let directory = try TemporaryDirectory()
    let path = directory.path + "/socket"
    let listener = try Server.bind(path: path, mode: 0o600)
    defer { Glibc.close(listener) }
    #expect(listen(listener, 0) == 0)
    let first = try Client(path: path)
    do throws(ClientError) {
      _ = try Client(path: path, timeout: 10_000)
      Issue.record("connected")
    } catch {
      guard case .wouldBlock = error else {
        Issue.record("\(error)")
        return
      }
    }
    first.close()
  }
}
