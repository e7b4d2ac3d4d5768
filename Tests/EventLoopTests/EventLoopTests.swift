import Glibc
import Testing

@testable import EventLoop

@Suite("the loop")
struct EventLoopTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  /// Turns the loop until it has been idle for 20 ms.
  private func settle() throws { try loop.runOnce(timeout: 20_000) }

  @Test("a timer is off until it is armed, fires once, and not at all once disarmed")
  func timer() throws {
    var fired = 0
    let timer = try loop.timer { fired += 1 }
    try settle()
    #expect(fired == 0)
    timer.arm(at: loop.now)
    try settle()
    try settle()
    #expect(fired == 1)
    timer.arm(at: loop.now)
    timer.disarm()
    try settle()
    #expect(fired == 1)
  }

  @Test("a source may cancel itself in its own handler, and cancelling twice is harmless")
  func cancel() throws {
    var ends: [Int32] = [0, 0]
    unsafe _ = pipe(&ends)
    defer { for end in ends { close(end) } }
    var calls = 0
    var source: DescriptorSource?
    source = try loop.watch(ends[0]) { ready in
      #expect(ready.contains(.readable))
      calls += 1
      source?.cancel()
      source?.cancel()
      source = nil
    }
    unsafe _ = write(ends[1], "x", 1)
    try settle()
    try settle()
    #expect(calls == 1)
  }

  @Test("what is ready on a device comes before what is ready elsewhere")
  func priorities() throws {
    var ends: [Int32] = [0, 0]
    unsafe _ = pipe(&ends)
    defer { for end in ends { close(end) } }
    var order: [String] = []
    let elsewhere = try loop.timer { order.append("elsewhere") }
    elsewhere.arm(at: 1)  // long due
    let device = try loop.watch(ends[0], priority: .device) { _ in
      var byte: UInt8 = 0
      unsafe _ = read(ends[0], &byte, 1)
      order.append("device")
    }
    unsafe _ = write(ends[1], "x", 1)
    try settle()
    try settle()
    #expect(order == ["device", "elsewhere"])
    device.cancel()
  }

  @Test("run ends with the status that exit was given")
  func exit() throws {
    let timer = try loop.timer { loop.exit(3) }
    timer.arm(at: loop.now)
    #expect(try loop.run() == 3)
  }

  @Test("a poller is readable when one of its descriptors or its clock is, and says which descriptor")
  func poller() throws {
    let poller = try Poller()
    func isReadable() -> Bool {
      var entry = pollfd(fd: poller.descriptor, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&entry, 1, 100) == 1
    }
    var ends: [Int32] = [0, 0]
    unsafe _ = pipe(&ends)
    defer { for end in ends { close(end) } }
    try poller.watch(ends[0], as: 7, for: .readable)
    #expect(!isReadable())
    unsafe _ = write(ends[1], "x", 1)
    #expect(isReadable())
    #expect(poller.ready().map(\.key) == [7])
    try poller.watch(ends[0], as: 7, for: [])
    #expect(poller.ready().isEmpty)
    poller.forget(ends[0])
    try poller.watch(ends[0], as: 8, for: .readable)
    #expect(poller.ready().map(\.key) == [8])
    poller.forget(ends[0])

    poller.arm(at: loop.now + 1000)
    #expect(isReadable())
    #expect(poller.ready().isEmpty)
    #expect(!isReadable(), "it fires once")
    poller.arm(at: 0)
    #expect(isReadable(), "long due")
    poller.arm(at: nil)
    #expect(!isReadable())
  }
}
