import Engine
import Geometry
import Glibc
import Invariants
import EngineCoding
import KeyliftProtocol
import ResponderChain
import TouchInput
import Varlink

/// A scene of a given number of views: ten children a view, the last of each level going on below.
func scene(_ count: Int) -> [View] {
  var views = [View(id: "root", frame: Rect(x: 0, y: 0, width: 800, height: 480))]
  views.append(
    View(id: "input", parent: "root", kind: .textInput, frame: Rect(x: 0, y: 400, width: 100, height: 40)))
  var number = 0
  while views.count < count {
    let parent = number < 10 ? "root" : "v\(number / 10 - 1)"
    let column = Double(number % 10)
    views.append(
      View(
        id: "v\(number)", parent: parent,
        frame: number < 10
          ? Rect(x: column * 80, y: 0, width: 80, height: 400)
          : Rect(x: column * 8, y: 0, width: 8, height: 400)))
    number += 1
  }
  return views
}

/// An engine under one finger, doing with its effects what the daemon does.
struct Workload {
  private var engine = Engine()
  private var effects: [Effect] = []
  private var events: [InputEvent] = []
  private var time: UInt64 = 1_000_000
  /// A subscriber to the touches: both ends of its socket, and what it reads into.
  private var sockets: [Int32] = [0, 0]
  private var message = Message()
  private var sink = [UInt8](repeating: 0, count: 65_536)
  private let streams: Bool

  init(views: Int, streams: Bool) {
    self.streams = streams
    effects.reserveCapacity(64)
    events.reserveCapacity(16)
    unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets)
    engine.handle(
      .deviceAdded(1, path: "p", .panel(width: 800, height: 480), DeviceState(), DeviceSettings()), at: 0,
      into: &effects)
    engine.handle(.attach(1, SceneDescription(name: "bench"), scene(views)), at: 0, into: &effects)
  }

  private mutating func event(_ code: UInt16, _ value: Int32) {
    events.append(InputEvent(type: EV.ABS, code: code, value: value))
  }

  private mutating func frame() {
    time += 8000
    effects.removeAll(keepingCapacity: true)
    engine.handle(.frame(1, events), at: time, into: &effects)
    events.removeAll(keepingCapacity: true)
    guard streams else { return }
    for effect in effects {
      guard case .touch(let touch) = effect else { continue }
      message.encode(continues: true) { touch.write(to: &$0) }
      let socket = sockets[0]
      unsafe message.bytes.withUnsafeBytes { unsafe _ = write(socket, $0.baseAddress, $0.count) }
      unsafe _ = read(sockets[1], &sink, sink.count)
    }
  }

  private mutating func down(_ id: Int32, _ x: Int32, _ y: Int32) {
    event(ABS.MT_TRACKING_ID, id)
    event(ABS.MT_POSITION_X, x)
    event(ABS.MT_POSITION_Y, y)
    frame()
  }

  private mutating func up() {
    event(ABS.MT_TRACKING_ID, -1)
    frame()
  }

  private mutating func settle() {
    time += 400_000
    engine.handle(.timer, at: time, into: &effects)
  }

  /// One finger down, and that many movements.
  mutating func moves(_ frames: Int32) {
    down(1, 400, 200)
    for n in 0..<frames {
      event(ABS.MT_POSITION_X, 400 + n % 7)
      event(ABS.MT_POSITION_Y, 200 + n % 5)
      frame()
    }
  }

  /// Taps all over, two frames each.
  mutating func taps(_ frames: Int32) {
    for n in 0..<frames / 2 {
      down(n, n % 800, n % 400)
      up()
    }
  }

  /// A tap on the input and one outside, until the keyboard is up and gone again: four frames each.
  mutating func focus(_ frames: Int32) {
    for n in 0..<frames / 4 {
      down(2 * n, 10, 420)
      up()
      settle()
      down(2 * n + 1, 700, 100)
      up()
      settle()
    }
  }
}
