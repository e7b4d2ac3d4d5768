import EventLoop
import Glibc
import Testing

@testable import Varlink

private func echo(_ text: String) -> String {
  #"{"method":"org.example.test.Echo","parameters":{"text":"\#(text)"}}"# + "\n"
}
private func echoed(_ text: String) -> String { #"{"parameters":{"text":"\#(text)"}}"# + "\n" }
private let later = #"{"method":"org.example.test.Later"}"# + "\n"

@Suite struct ServerTests {
  @Test("ipc rule 1: a reply has parameters; continues only under more; an error ends the call")
  func replies() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(echo("a") + #"{"method":"org.example.test.Count","more":true}"# + "\n")
    try harness.turn()
    harness.streams.first?.send(Message(continues: true) { $0.field("number", 1) })
    #expect(peer.take() == echoed("a") + #"{"continues":true,"parameters":{"number":1}}"# + "\n")
    harness.streams.first?.fail("org.example.test.Failed") { $0.field("reason", "x") }
    harness.streams.first?.send(Message(continues: true) { $0.field("number", 2) })
    peer.send(echo("b"))
    try harness.turn()
    #expect(
      peer.take() == #"{"error":"org.example.test.Failed","parameters":{"reason":"x"}}"# + "\n" + echoed("b"))
    #expect(harness.closed.isEmpty)
  }

  @Test("ipc rule 2: messages split at every byte") func split() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    for byte in Array(echo("é").utf8) + Array(echo("b").utf8) {
      peer.send([byte == 10 ? 0 : byte])
      try harness.turn(2)
    }
    #expect(peer.take() == echoed("é") + echoed("b"))
  }

  @Test("ipc rule 2: pipelined calls are answered in order, also when one is answered later") func order()
    throws
  {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(echo("a") + later + echo("b") + later + echo("c"))
    try harness.turn()
    #expect(peer.take() == echoed("a"))
    #expect(harness.called == ["Echoa", "Later"])
    harness.later[0].reply { $0.field("text", "1") }
    #expect(harness.called.count == 2, "no handler runs within a reply")
    harness.later[0].reply { $0.field("text", "again") }
    try harness.turn()
    #expect(peer.take() == echoed("1") + echoed("b"))
    harness.later[1].fail("org.example.test.Failed")
    try harness.turn()
    #expect(peer.take() == #"{"error":"org.example.test.Failed","parameters":{}}"# + "\n" + echoed("c"))
    #expect(harness.closed.isEmpty)
  }

  @Test("ipc rule 2: a thousand pipelined calls") func pipeline() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    let texts = (0..<1000).map { "text number \($0)" }
    peer.send(texts.map(echo).joined())
    var received = ""
    for _ in 0..<200 {
      try harness.turn(2)
      received += peer.take()
    }
    #expect(received == texts.map(echoed).joined())
  }

  @Test("however many clients pipeline, the loop comes back in time to what is more urgent") func turns()
    throws
  {
    let harness = try Harness { $0.turn = 0 }
    let peers = try (0..<4).map { _ in try harness.connect() }
    for peer in peers { peer.send((0..<100).map { echo("\($0)") }.joined()) }
    var most = 0
    for _ in 0..<2_000 where harness.called.count < 400 {
      let before = harness.called.count
      try harness.turn(1)
      most = max(most, harness.called.count - before)
      for peer in peers { _ = peer.take() }
    }
    #expect(most == 16)
    #expect(harness.called.count == 400)
  }

  @Test("ipc rule 2: while a stream runs, later calls on it wait, and little is read") func streamFirst()
    throws
  {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(#"{"method":"org.example.test.Count","more":true}"# + "\n" + echo("a"))
    try harness.turn()
    for _ in 0..<10_000 { peer.send(echo("flood")) }
    try harness.turn()
    #expect(harness.called == ["Count"])
    harness.streams[0].end { $0.field("number", 3) }
    try harness.turn(3)
    #expect(peer.take().hasPrefix(#"{"parameters":{"number":3}}"# + "\n" + echoed("a")))
  }

  @Test("ipc rule 2: a client ends a stream by closing") func closing() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(#"{"method":"org.example.test.Count","more":true}"# + "\n" + echo("a"))
    try harness.turn()
    peer.close()
    try harness.turn()
    #expect(harness.closed == ["stream"])
    #expect(harness.server.connections.isEmpty)
    #expect(harness.called == ["Count"])
    harness.streams[0].send(Message(continues: true) { _ in })
  }

  @Test("ipc rule 2: oneway gets no reply, not even an error") func oneway() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    for method in [
      "org.example.test.Close2", "none.at.All", "org.example.test.Everything", "org.example.test.Count",
    ] {
      peer.send(#"{"method":"\#(method)","oneway":true}"# + "\n")
    }
    peer.send(
      #"{"method":"org.example.test.Echo","oneway":true,"parameters":{"text":"x"}}"# + "\n" + echo("y"))
    try harness.turn()
    #expect(peer.take() == echoed("y"))
    #expect(harness.called == ["Count", "Echox", "Echoy"])
  }

  @Test("ipc rule 2: oneway calls of a client that is gone are still carried out") func onewayAndGone() throws
  {
    let harness = try Harness()
    let peer = try harness.connect()
    for text in ["a", "b", "c"] {
      peer.send(#"{"method":"org.example.test.Echo","oneway":true,"parameters":{"text":"\#(text)"}}"# + "\n")
    }
    peer.close()
    try harness.turn()
    #expect(harness.called == ["Echoa", "Echob", "Echoc"])
    #expect(harness.server.connections.isEmpty)
  }

  @Test("a client that half-closes gets its replies, and its stream until it hangs up") func halfClose()
    throws
  {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(echo("a") + later + echo("b"))
    shutdown(peer.descriptor, Int32(SHUT_WR))
    try harness.turn()
    harness.later[0].reply()
    try harness.turn()
    #expect(peer.take() == echoed("a") + "{\"parameters\":{}}\n" + echoed("b"))
    #expect(peer.isEnded)

    let watcher = try harness.connect()
    watcher.send(#"{"method":"org.example.test.Count","more":true}"# + "\n")
    shutdown(watcher.descriptor, Int32(SHUT_WR))
    try harness.turn()
    harness.streams[0].send(Message(continues: true) { $0.field("number", 1) })
    try harness.turn()
    #expect(watcher.take() == #"{"continues":true,"parameters":{"number":1}}"# + "\n")
    #expect(harness.closed.isEmpty)
    watcher.close()
    try harness.turn()
    #expect(harness.closed == ["stream"])
  }

  @Test(
    "ipc rule 3: closed without a reply",
    arguments: [
      "x\n", "\n", "[]\n", "{}\n", #"{"method":"org.example.test.Close2","other":1}"# + "\n",
      #"{"method":"org.example.test.Echo","more":1}"# + "\n",
      #"{"method":"org.example.test.Echo","more":true,"oneway":true}"# + "\n",
      #"{"method":"org.example.test.Echo","parameters":{"text":NaN}}"# + "\n",
      #"{"method":"a.b.C","parameters":{"a":"# + String(repeating: "[", count: 15)
        + String(repeating: "]", count: 15) + "}}\n",
      echo(String(repeating: "a", count: 65_536)), String(repeating: " ", count: 262_145 + 65_536),
    ])
  func refused(text: String) throws {
    let harness = try Harness()
    let peer = try harness.connect()
    let other = try harness.connect()
    let bytes = text.utf8.map { $0 == 10 ? 0 : $0 }
    var start = 0
    while start < bytes.count {
      peer.send(Array(bytes[start..<min(start + 32_768, bytes.count)]))
      start += 32_768
      try harness.turn(3)
    }
    #expect(peer.take() == "")
    #expect(peer.isEnded)
    #expect(harness.called.isEmpty)
    other.send(echo("a"))
    try harness.turn()
    #expect(other.take() == echoed("a"))
  }

  @Test("ipc rule 3: depth 16 is no reason, nor is a message of exactly the limit") func limits() throws {
    let harness = try Harness {
      $0.message = 1000
      $0.framing = 5000
    }
    let peer = try harness.connect()
    let deep = String(repeating: "[", count: 14) + String(repeating: "]", count: 14)
    peer.send(#"{"method":"org.example.test.Everything","parameters":{"a":\#(deep)}}"# + "\n")
    try harness.turn()
    #expect(peer.take().contains("InvalidParameter"))
    let fill = String(repeating: "a", count: 1001 - echo("").utf8.count)
    peer.send(echo(fill))
    try harness.turn()
    #expect(peer.take() == echoed(fill))
    harness.server.setLimit(2000, for: "org.example.test.Echo")
    peer.send(echo(fill + fill))
    try harness.turn()
    #expect(peer.take() == echoed(fill + fill))
    peer.send(echo(fill + fill + fill))
    try harness.turn()
    #expect(peer.take() == "" && peer.isEnded)
  }

  @Test("ipc rule 3: file descriptors sent along are not received") func descriptors() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    try harness.turn()
    let pipe = try Peer()
    sendDescriptor(pipe.other, over: peer.descriptor, with: Array(echo("a").utf8.map { $0 == 10 ? 0 : $0 }))
    Glibc.close(pipe.other)
    try harness.turn()
    #expect(peer.take() == "" && peer.isEnded)
    #expect(harness.called.isEmpty)
    #expect(pipe.take() == "" && pipe.isEnded, "the other end of the passed descriptor is closed")
  }

  @Test(
    "ipc rule 4: the errors of org.varlink.service",
    arguments: [
      ("org.example.test.Echo", #"{"text":1}"#, "InvalidParameter", #"{"parameter":"text"}"#),
      ("org.example.test.Echo", #"{"text":"a","b":1}"#, "InvalidParameter", #"{"parameter":"b"}"#),
      ("org.example.test.Echo", "[]", "InvalidParameter", #"{"parameter":"parameters"}"#),
      ("org.example.other.Echo", "{}", "InterfaceNotFound", #"{"interface":"org.example.other"}"#),
      ("Echo", "{}", "InterfaceNotFound", #"{"interface":""}"#),
      ("org.example.test.Nothing", "{}", "MethodNotFound", #"{"method":"org.example.test.Nothing"}"#),
      ("org.example.test.Count", "{}", "ExpectedMore", "{}"),
      (
        "org.varlink.service.GetInterfaceDescription", #"{"interface":"a.b"}"#, "InterfaceNotFound",
        #"{"interface":"a.b"}"#
      ),
    ])
  func errors(method: String, parameters: String, error: String, answer: String) throws {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(#"{"method":"\#(method)","parameters":\#(parameters)}"# + "\n")
    try harness.turn()
    #expect(peer.take() == #"{"error":"org.varlink.service.\#(error)","parameters":\#(answer)}"# + "\n")
  }

  @Test("ipc rule 5: GetInfo and GetInterfaceDescription return exactly the descriptions")
  func introspection() throws {
    let harness = try Harness()
    let own = try ownText("Scene")
    harness.server.serve(try InterfaceDescription(own)) { $0.reply() }
    let peer = try harness.connect()
    peer.send(#"{"method":"org.varlink.service.GetInfo"}"# + "\n")
    try harness.turn()
    let info = try JSON(String(peer.take().dropLast()))["parameters"]
    #expect(info["vendor"].asString == "Example")
    #expect(
      info["interfaces"].asArray?.compactMap(\.asString) == [
        "org.varlink.service", "org.example.test", "io.keylift.Scene",
      ])
    for (name, text) in [
      ("org.example.test", exampleText), ("io.keylift.Scene", own),
      ("org.varlink.service", InterfaceDescription.serviceText),
    ] {
      peer.send(
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"\#(name)"}}"#
          + "\n")
      try harness.turn()
      #expect(try JSON(String(peer.take().dropLast()))["parameters"]["description"].asString == text)
    }
  }

  @Test("ipc rule 11: the kernel says who the client is") func credentials() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(later)
    try harness.turn()
    #expect(harness.later.first?.peer == Credentials(pid: getpid(), uid: getuid(), gid: getgid()))
  }

  @Test("a handler may close its own connection") func closeWithin() throws {
    let harness = try Harness()
    let peer = try harness.connect()
    peer.send(echo("a") + #"{"method":"org.example.test.Close"}"# + "\n" + echo("b"))
    try harness.turn()
    #expect(peer.take() == echoed("a") && peer.isEnded)
    #expect(harness.called == ["Echoa", "Close"])
    #expect(harness.closed == ["close"])
  }

  @Test("ipc rule 17: whatever bytes one client sends, the others are served") func noise() throws {
    let harness = try Harness()
    let other = try harness.connect()
    var generator = SystemRandomNumberGenerator()
    let seeds = [
      echo("a"), later, #"{"method":"org.example.test.Count","more":true}"# + "\n",
      #"{"method":"org.example.test.Everything","parameters":{"flag":true,"views":[{"id":"a"}]}}"# + "\n",
    ]
    for round in 0..<300 {
      let liar = try harness.connect()
      for _ in 0..<3 {
        var bytes = seeds.randomElement(using: &generator)?.utf8.map { $0 == 10 ? 0 : $0 } ?? []
        for _ in 0..<Int.random(in: 0..<3, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        liar.send(bytes)
      }
      try harness.turn(4)
      if round % 50 == 0 {
        other.send(echo("a"))
        try harness.turn(4)
        #expect(other.take() == echoed("a"))
      }
    }
    try harness.turn()
    #expect(harness.server.connections.count == 1)
  }

  @Test("a call outlives its server") func outlive() throws {
    var harness: Harness? = try Harness()
    let peer = try #require(try harness?.connect())
    peer.send(later)
    try harness?.turn()
    let call = harness?.later.first
    call?.onClose = nil
    harness = nil
    call?.reply()
    #expect(peer.take() == "" && peer.isEnded)
  }
}

/// sendmsg(2) with one descriptor in an SCM_RIGHTS message.
private func sendDescriptor(_ descriptor: Int32, over socket: Int32, with bytes: [UInt8]) {
  // cmsghdr: length, level and type, then the descriptor, aligned.
  var control: [UInt64] = [20, UInt64(SOL_SOCKET) | 1 << 32, UInt64(UInt32(bitPattern: descriptor))]
  var bytes = bytes
  var header = unsafe msghdr()
  unsafe bytes.withUnsafeMutableBytes { bytes in
    var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
    unsafe withUnsafeMutablePointer(to: &vector) { vector in
      unsafe control.withUnsafeMutableBytes { control in
        unsafe header.msg_iov = vector
        unsafe header.msg_iovlen = 1
        unsafe header.msg_control = control.baseAddress
        unsafe header.msg_controllen = control.count
        unsafe _ = sendmsg(socket, &header, 0)
      }
    }
  }
}
