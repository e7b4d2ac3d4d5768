import CEvdev
import Testing
import TouchInput

@testable import Evdev

@Suite("Frame reader: events into frames")
struct FrameReaderTests {
  /// Takes events one after the other, with their index as the time, and gives what each came to.
  private func take(_ events: [InputEvent], _ reader: inout FrameReader) -> [FrameReader.Outcome] {
    var outcomes: [FrameReader.Outcome] = []
    for (time, event) in events.enumerated() { outcomes.append(reader.take(event, at: UInt64(time))) }
    return outcomes
  }

  @Test("Nothing before SYN_REPORT; then the frame's own events and its time")
  func wholeFrame() {
    var reader = FrameReader()
    #expect(take([slot(1), x(5), report], &reader) == [.more, .more, .frame])
    #expect(reader.events == [slot(1), x(5)])
    #expect(reader.time == 2)
  }

  @Test("A frame does not leak into the next")
  func twoFrames() {
    var reader = FrameReader()
    #expect(take([x(1), report, x(2), report], &reader) == [.more, .frame, .more, .frame])
    #expect(reader.events == [x(2)])
  }

  @Test("A replaced tracking id, and both ends of a contact in one frame, come through in order")
  func trackingIDs() {
    var reader = FrameReader()
    _ = take([trackingID(5), report, trackingID(6), trackingID(-1), trackingID(7), report], &reader)
    #expect(reader.events == [trackingID(6), trackingID(-1), trackingID(7)])
  }

  @Test("A slot number out of range comes through as it is", arguments: [-1, 10, Int32.max, Int32.min])
  func slotOutOfRange(number: Int32) {
    var reader = FrameReader()
    #expect(take([slot(number), report], &reader) == [.more, .frame])
    #expect(reader.events == [slot(number)])
  }

  @Test("SYN_MT_REPORT stays within the frame")
  func protocolA() {
    var reader = FrameReader()
    let contact = event(EV_SYN, SYN_MT_REPORT, 0)
    #expect(take([x(1), contact, x(2), contact, report], &reader).last == .frame)
    #expect(reader.events == [x(1), contact, x(2), contact])
  }

  @Test("After SYN_DROPPED everything up to and including SYN_REPORT is skipped")
  func dropped() {
    var reader = FrameReader()
    #expect(
      take([x(1), lost, x(2), report, x(3), report], &reader)
        == [.more, .dropped, .more, .more, .more, .frame])
    #expect(reader.events == [x(3)])
  }

  @Test("A second SYN_DROPPED while skipping begins again")
  func droppedTwice() {
    var reader = FrameReader()
    #expect(take([lost, x(1), lost, x(2), report], &reader) == [.dropped, .more, .dropped, .more, .more])
    #expect(!reader.isSkipping)
  }

  @Test("A frame of 4096 events is whole, one more is dropped to its end")
  func overlong() {
    var reader = FrameReader()
    let longest = Array(repeating: x(1), count: FrameReader.limit)
    #expect(take(longest + [report], &reader).last == .frame)
    #expect(reader.events.count == FrameReader.limit)
    #expect(take(longest + [x(1)], &reader).last == .dropped)
    #expect(take([x(1), report, x(2), report], &reader) == [.more, .more, .more, .frame])
    #expect(reader.events == [x(2)])
  }

  @Test("What the kernel ends by itself, on inhibit and suspend, counts as lost")
  func kernelReport() {
    var reader = FrameReader()
    let forced = event(EV_SYN, SYN_REPORT, 1)
    #expect(take([slot(0), trackingID(-1), forced], &reader).last == .dropped)
    #expect(take([event(EV_KEY, BTN_TOUCH, 0), forced], &reader).last == .dropped)
    #expect(take([x(2), report], &reader) == [.more, .frame])
  }

  @Test("A key that repeats, and a frame too long for the kernel, are frames all the same")
  func kernelReportOfOthers() {
    var reader = FrameReader()
    let forced = event(EV_SYN, SYN_REPORT, 1)
    #expect(take([event(EV_KEY, KEY_A, 2), forced], &reader).last == .frame)
    #expect(take([trackingID(4), x(1), forced], &reader).last == .frame)
  }

  @Test("The buffer is reused: a hundred thousand frames in the same storage")
  func reuse() {
    var reader = FrameReader()
    let capacity = reader.events.capacity
    for _ in 0..<100_000 { _ = take([slot(1), x(5), report], &reader) }
    #expect(reader.events.capacity == capacity)
  }
}
