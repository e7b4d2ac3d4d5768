import EventLoop
import Glibc
import Testing
import TouchInput

@testable import KeyliftDaemon
@testable import Varlink

private struct FakeTouch: StreamedTouch, Equatable {
  var id: Int
  var phase: TouchPhase

  func replaces(_ older: FakeTouch) -> Bool { true }

  func write(to writer: inout JSONWriter) {
    writer.field("id", id)
    writer.field("phase", phase.rawValue)
    writer.field("filler", String(repeating: "x", count: 1000))
  }
}

/// Readers of touches, one of them with a connection whose other end is `client`.
private final class Reading {
  let loop: EventLoop
  let server: Server
  let readers = TouchReaders<FakeTouch>()
  let client: Client

  init() throws {
    loop = try EventLoop()
    server = try Server(
      loop: loop, listening: [], identity: .init(vendor: "", product: "", version: "", url: ""))
    var pair: [Int32] = [0, 0]
    try #require(unsafe socketpair(AF_UNIX, Socket.stream | Socket.flags, 0, &pair) == 0)
    client = Client(adopting: pair[0])
    server.serve(try InterfaceDescription("interface org.example.touches method Read() -> ()")) {
      [unowned self] call in
      if let stream = call.openStream() { readers.add(stream) {} }
    }
    server.adopt(pair[1])
    try client.send("org.example.touches.Read", .more)
    while readers.isEmpty { try loop.runOnce(timeout: 0) }
  }

  func send(_ id: Int, _ phase: TouchPhase) {
    readers.append(FakeTouch(id: id, phase: phase))
    readers.flush()
  }

  /// What a reader has who reads all that is there.
  func receive() throws -> [FakeTouch] {
    try client.receive().map { reply in
      FakeTouch(
        id: Int(reply.parameters["id"].asInteger ?? -1),
        phase: try #require(TouchPhase(rawValue: reply.parameters["phase"].asString ?? "")))
    }
  }
}

@Suite struct TouchStreamTests {
  @Test("ipc rule 7: who reads all the time is not closed, however long the devices keep the loop busy")
  func starved() throws {
    let reading = try Reading()
    var got: [FakeTouch] = []
    // The loop does not turn once, so that it never says that there is room.
    for id in 0..<5000 {
      reading.send(id, .began)
      if id > 100, id % 20 == 0 { got += try reading.receive() }
    }
    for _ in 0..<200 where got.count < 5000 {
      try reading.loop.runOnce(timeout: 0)
      got += try reading.receive()
    }
    #expect(got == (0..<5000).map { FakeTouch(id: $0, phase: .began) })
  }

  @Test("ipc rule 7: phases are kept for a reader who is behind, movements are merged, 256 are too many")
  func behind() throws {
    let reading = try Reading()
    var sent: [FakeTouch] = []
    func send(_ phase: TouchPhase) {
      sent.append(FakeTouch(id: sent.count, phase: phase))
      reading.send(sent.count - 1, phase)
    }
    // More than the kernel holds, then as many phases as are kept.
    while sent.count < 200 { send(.began) }
    for _ in 0..<1000 { reading.send(1000, .moved) }
    reading.send(1000, .ended)
    var got: [FakeTouch] = []
    for _ in 0..<200 where got.last?.phase != .ended {
      try reading.loop.runOnce(timeout: 0)
      got += try reading.receive()
    }
    #expect(got.filter { $0.phase == .began } == sent)
    #expect(got.filter { $0.phase == .moved }.count == 1)

    for id in 0..<1000 { reading.send(id, .began) }
    #expect(throws: ClientError.self) {
      while true {
        _ = try reading.receive()
        try reading.loop.runOnce(timeout: 0)
      }
    }
  }
}
