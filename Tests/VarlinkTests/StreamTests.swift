import EventLoop
import Glibc
import Testing

@testable import Varlink

private let count = #"{"method":"org.example.test.Count","more":true}"# + "\n"

private func state(_ number: Int, filler: Int = 1000) -> Message {
  Message(continues: true) {
    $0.field("number", number)
    $0.field("filler", String(repeating: "x", count: filler))
  }
}

private func numbers(_ text: String) throws -> [Int64] {
  try text.split(separator: "\n").compactMap { try JSON(String($0))["parameters"]["number"].asInteger }
}

@Suite struct StreamTests {
  func subscribe(_ harness: Harness) throws -> (Peer, Varlink.Stream) {
    let peer = try harness.connect()
    peer.send(count)
    try harness.turn()
    return (peer, try #require(harness.streams.last))
  }

  @Test("ipc rule 7: a slow reader gets the newest state, and not the backlog") func slow() throws {
    let harness = try Harness()
    let (peer, stream) = try subscribe(harness)
    var newest = 0
    var isBehind = false
    stream.onDrained = {
      if isBehind { stream.send(state(newest)) }
      isBehind = false
    }
    for number in 1...5000 {
      newest = number
      if stream.isBlocked { isBehind = true } else { stream.send(state(number)) }
    }
    #expect(isBehind)
    var received = ""
    for _ in 0..<20 {
      received += peer.take()
      try harness.turn(2)
    }
    let got = try numbers(received)
    #expect(got.last == 5000)
    #expect(got.count < 100, "the kernel keeps little")
    #expect(got == got.sorted())
    #expect(!stream.isBlocked && stream.isOpen)
  }

  @Test("ipc rule 8: more than the limit unsent is closed, and others never notice") func overflow() throws {
    let harness = try Harness()
    let (mute, slow) = try subscribe(harness)
    let (peer, quick) = try subscribe(harness)
    var got: [Int64] = []
    for number in 1...400 {
      let message = state(number)
      slow.send(message)
      quick.send(message)
      got += try numbers(peer.take())
      if number == 100 { #expect(slow.isBlocked && slow.isOpen) }
    }
    #expect(!slow.isOpen)
    #expect(harness.closed.isEmpty, "not from within send")
    try harness.turn()
    #expect(harness.closed == ["stream"])
    #expect(got == Array(1...400))
    #expect(quick.isOpen && !quick.isBlocked)
    mute.close()
  }

  @Test("ipc rule 8: no progress with something unsent is closed in time, others are not") func stall() throws
  {
    let harness = try Harness { $0.stall = 60_000 }
    let (mute, stuck) = try subscribe(harness)
    let (peer, slow) = try subscribe(harness)
    let (silent, idle) = try subscribe(harness)
    for number in 1...250 {
      stuck.send(state(number))
      slow.send(state(number))
    }
    let start = EventLoop.now
    while EventLoop.now - start < 150_000 {
      // The kernel has room again for each 32 KiB that were read.
      _ = peer.take(33_000)
      try harness.loop.runOnce(timeout: 10_000)
    }
    #expect(!stuck.isOpen)
    #expect(slow.isOpen && idle.isOpen)
    #expect(harness.closed == ["stream"])
    mute.close()
    silent.close()
  }

  @Test("nothing ticks while nobody is blocked") func idle() throws {
    let harness = try Harness { $0.stall = 20_000 }
    let (peer, stream) = try subscribe(harness)
    for number in 1...100 { stream.send(state(number)) }
    while stream.isBlocked {
      _ = peer.take()
      try harness.turn(2)
    }
    try harness.loop.runOnce(timeout: 40_000)
    try harness.turn()
    let start = EventLoop.now
    try harness.loop.runOnce(timeout: 100_000)
    #expect(EventLoop.now - start > 90_000)
  }

  @Test("ipc rule 9: a message is encoded once for all, and a partial write loses nothing") func shared()
    throws
  {
    let harness = try Harness()
    let all = try (0..<8).map { _ in try subscribe(harness) }
    let message = state(7, filler: 100_000)
    for (_, stream) in all { stream.send(message) }
    for (peer, stream) in all {
      var received = ""
      while received.utf8.count < message.bytes.count {
        let part = peer.take(5000)
        received += part
        try harness.turn(1)
      }
      #expect(received.utf8.elementsEqual(message.bytes.map { $0 == 0 ? 10 : $0 }))
      #expect(!stream.isBlocked)
    }
  }

  @Test("a stream may be closed, ended and let go from within its own callbacks") func within() throws {
    let harness = try Harness()
    let (peer, stream) = try subscribe(harness)
    stream.onDrained = { [unowned harness] in
      harness.streams[0].close()
      harness.streams = []
    }
    for number in 1...100 { stream.send(state(number)) }
    while !peer.isEnded {
      _ = peer.take()
      try harness.turn(2)
    }
    #expect(harness.closed == ["stream"])

    let (other, last) = try subscribe(harness)
    last.onDrained = { [unowned harness] in
      harness.streams[0].end { $0.field("number", 0) }
      harness.streams = []
    }
    for number in 1...100 { last.send(state(number)) }
    var received = ""
    for _ in 0..<50 {
      received += other.take()
      try harness.turn(2)
    }
    #expect(received.hasSuffix(#"{"parameters":{"number":0}}"# + "\n"))
    #expect(!last.isOpen)
  }

  @Test("ipc rule 17: a client that floods, half a message at a time, keeps nobody waiting") func flood()
    throws
  {
    let harness = try Harness()
    let flooder = try harness.connect()
    let (peer, stream) = try subscribe(harness)
    let call = #"{"method":"org.example.test.Echo","parameters":{"text":"x"}}"# + "\n"
    for number in 1...50 {
      for _ in 0..<100 { flooder.send(call) }
      stream.send(state(number))
      try harness.turn(2)
      #expect(try numbers(peer.take()) == [Int64(number)])
    }
    #expect(harness.server.connections.allSatisfy { $0.unsent <= 262_144 })
  }
}
