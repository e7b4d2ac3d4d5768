import CEvdev
import EventLoop
import Glibc
import Testing
import TouchInput

@testable import Evdev

@Suite("Frame stream: a descriptor drained")
struct FrameStreamTests {
  private let state = DeviceState(currentSlot: 1, slots: [SlotState(trackingID: 8, x: 1, y: 2)])

  @Test("Several frames in one read, each with its own time")
  func severalFrames() {
    let panel = Panel()
    panel.send([x(1), report], at: 3_000_007)
    panel.send([x(2), report], at: 3_000_009)
    #expect(panel.drain() == [.frame([x(1)], 3_000_007), .frame([x(2)], 3_000_009), .again])
    #expect(panel.drain() == [.again])
  }

  @Test("More frames than a read holds")
  func manyFrames() {
    let panel = Panel()
    for value in 0..<500 { panel.send([x(Int32(value)), report]) }
    let output = panel.drain()
    #expect(output.count == 501)
    #expect(output.dropLast().last == .frame([x(499)], 0))
  }

  @Test("A frame that comes in two parts is one frame")
  func partsOfAFrame() {
    let panel = Panel()
    panel.send([slot(0), x(1)])
    #expect(panel.drain() == [.again])
    panel.send([x(2), report])
    #expect(panel.drain() == [.frame([slot(0), x(1), x(2)], 0), .again])
  }

  @Test("An event that comes byte by byte is one event", arguments: [1, 5, 23, 25])
  func partsOfAnEvent(size: Int) {
    let panel = Panel()
    var bytes = Panel.bytes([x(1), x(2), report], at: 9)[...]
    var output: [Panel.Output] = []
    while !bytes.isEmpty {
      panel.write(bytes.prefix(size))
      bytes = bytes.dropFirst(size)
      output += panel.drain().filter { $0 != .again }
    }
    #expect(output == [.frame([x(1), x(2)], 9)])
  }

  @Test("Lost events: the queue is emptied first, then the state asked, and old frames stay unplayed")
  func dropped() {
    let panel = Panel()
    panel.answers = [.success(state)]
    panel.send([x(1), report, lost, x(2), report, x(3), report], at: 4)
    panel.send([x(4), report], at: 5)
    #expect(panel.drain() == [.frame([x(1)], 4), .dropped(state, 5), .again])
    panel.send([x(5), report], at: 6)
    #expect(panel.drain() == [.frame([x(5)], 6), .again])
    #expect(panel.losses == 1)
  }

  @Test("What the kernel ends by itself is asked for too, and is not lost")
  func cancelled() {
    let panel = Panel()
    panel.answers = [.success(state)]
    let forced = event(EV_SYN, SYN_REPORT, 1)
    panel.send([slot(0), trackingID(-1), forced], at: 4)
    #expect(panel.drain() == [.dropped(state, 4), .again])
    #expect(panel.losses == 0)
    panel.send([lost, report], at: 5)
    #expect(panel.drain() == [.dropped(state, 5), .again])
    #expect(panel.losses == 1)
  }

  @Test("What comes while the state is asked makes it be asked again")
  func droppedWhileAsked() {
    let panel = Panel()
    panel.answers = [.success(DeviceState()), .success(state)]
    panel.whenAsked = {
      panel.whenAsked = {}
      panel.send([x(9), report], at: 8)
    }
    panel.send([lost, report], at: 7)
    #expect(panel.drain() == [.dropped(state, 8), .again])
    #expect(panel.questions == 2)
  }

  @Test("Under constant fire the eighth answer is taken")
  func droppedUnderFire() {
    let panel = Panel()
    panel.answers = [.success(state)]
    panel.whenAsked = { panel.send([x(9), report], at: 8) }
    panel.send([lost, report], at: 7)
    #expect(panel.drain() == [.dropped(state, 8), .frame([x(9)], 8), .again])
    #expect(panel.questions == FrameStream.questions)
  }

  @Test("The state waits for the end of the broken frame")
  func droppedInParts() {
    let panel = Panel()
    panel.answers = [.success(state)]
    panel.send([lost, x(1)])
    #expect(panel.drain() == [.again])
    panel.send([x(2), report], at: 2)
    #expect(panel.drain() == [.dropped(state, 2), .again])
  }

  @Test("A device that goes while its state is asked is gone")
  func goneWhileAsked() {
    let panel = Panel()
    panel.answers = [.failure(SystemError(ENODEV, "test"))]
    panel.send([lost, report])
    #expect(panel.drain() == [.gone(ENODEV)])
  }

  @Test("End of file is gone, after what was there")
  func endOfFile() {
    let panel = Panel()
    panel.send([x(1), report])
    panel.unplug()
    #expect(panel.drain() == [.frame([x(1)], 0), .again])
    #expect(panel.drain() == [.gone(ENODEV)])
  }

  @Test("A flood gives way to others and goes on later")
  func flood() {
    let panel = Panel()
    let frames = FrameStream.limit * EventBuffer.capacity / 2 + 10
    panel.send(Array(repeating: [x(1), report], count: frames).flatMap { $0 })
    #expect(panel.drain().count == frames - 10 + 1)
    #expect(panel.drain().count == 10 + 1)
  }

  @Test("Without the kernel's clock, frames are stamped as they are read")
  func noClock() throws {
    let panel = Panel(hasClock: false)
    let before = EventLoop.now
    panel.send([x(1), report], at: 1_700_000_000_000_000)
    guard case .frame(_, let time)? = panel.drain().first else { return #expect(Bool(false)) }
    #expect((before...EventLoop.now).contains(time))
  }

  @Test("Any bytes at all do no harm")
  func noise() {
    var generator = SystemRandomNumberGenerator()
    let panel = Panel()
    for _ in 0..<200 {
      panel.write((0..<Int.random(in: 1...700, using: &generator)).map { _ in UInt8.random(in: 0...255) })
      #expect(panel.drain().last == .again)
    }
  }
}
