import CEvdev
import EventLoop
import Glibc
import TouchInput

@testable import Evdev

/// An event of the multitouch kind, or the end of a frame.
func event(_ type: Int32, _ code: Int32, _ value: Int32) -> InputEvent {
  InputEvent(type: UInt16(type), code: UInt16(code), value: value)
}

let report = event(EV_SYN, SYN_REPORT, 0)
let lost = event(EV_SYN, SYN_DROPPED, 0)
func slot(_ value: Int32) -> InputEvent { event(EV_ABS, ABS_MT_SLOT, value) }
func trackingID(_ value: Int32) -> InputEvent { event(EV_ABS, ABS_MT_TRACKING_ID, value) }
func x(_ value: Int32) -> InputEvent { event(EV_ABS, ABS_MT_POSITION_X, value) }

/// A device's stand-in: what is written at one end of a socket is drained at the other.
final class Panel {
  private let ends: (reading: Int32, writing: Int32)
  private var stream: FrameStream
  /// What the next questions for the state are answered with; the last answer stays.
  var answers: [Result<DeviceState, SystemError>] = [.success(DeviceState())]
  /// Runs when the state is asked, before the answer.
  var whenAsked: () -> Void = {}
  private(set) var questions = 0
  /// How often a drain said that events were lost.
  private(set) var losses = 0

  /// What came out of a drain, in order.
  enum Output: Equatable {
    case frame([InputEvent], UInt64)
    case dropped(DeviceState, UInt64)
    case again
    case gone(Int32)
  }

  /// - device: one of protocol A, if its contacts are to be put into slots.
  init(hasClock: Bool = true, device: DeviceDescription? = nil) {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    unsafe _ = socketpair(AF_UNIX, type, 0, &pair)
    var size: Int32 = 4 << 20
    for end in pair {
      unsafe _ = setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    ends = (pair[0], pair[1])
    stream = FrameStream(hasClock: hasClock)
    stream.slots = device.flatMap { ContactSlots($0) }
  }

  deinit {
    close(ends.reading)
    unplug()
  }

  /// Sends events at a time in microseconds, all in one write.
  func send(_ events: [InputEvent], at time: Int = 0) { write(Panel.bytes(events, at: time)) }

  func write(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    unsafe _ = bytes.withUnsafeBytes { unsafe Glibc.write(ends.writing, $0.baseAddress, $0.count) }
  }

  func unplug() { close(ends.writing) }

  func drain() -> [Output] {
    var output: [Output] = []
    let result = stream.drain(
      ends.reading,
      state: { () throws(SystemError) in
        questions += 1
        whenAsked()
        return try (answers.count > 1 ? answers.removeFirst() : answers[0]).get()
      },
      frame: { output.append(.frame($0, $1)) },
      dropped: { state, time, hasLost in
        output.append(.dropped(state, time))
        losses += hasLost ? 1 : 0
      })
    switch result {
    case .again: output.append(.again)
    case .gone(let error): output.append(.gone(error.code))
    }
    return output
  }

  static func bytes(_ events: [InputEvent], at time: Int = 0) -> [UInt8] {
    let raw = events.map { event in
      var raw = input_event()
      raw.time = timeval(tv_sec: time / 1_000_000, tv_usec: time % 1_000_000)
      raw.type = event.type
      raw.code = event.code
      raw.value = event.value
      return raw
    }
    return unsafe raw.withUnsafeBytes { unsafe Array($0) }
  }
}
