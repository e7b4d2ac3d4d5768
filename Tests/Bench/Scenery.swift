import Engine
import Geometry
import Invariants
import EngineCoding
import KeyliftProtocol
import ResponderChain
import TouchInput

/// A scene of so many views on so many levels: on each level its share of small views, and in front of them one that
/// fills the scene and has the next level in it. On the last are five inputs.
struct Scenery {
  static let inputs = 5
  private var engine = Engine()
  private var effects: [Effect] = []
  private var time: UInt64 = 1_000_000
  private let moving: View
  private let input: View

  init(views count: Int, depth: Int) {
    let shares = max(1, (count - depth + 1 - Scenery.inputs) / depth)
    var columns = 1
    while columns * columns < shares { columns += 1 }
    let cell = Size(width: 800 / Double(columns), height: 380 / Double(columns))
    var views: [View] = []
    var parent: String?
    for level in 0..<depth {
      for n in 0..<shares {
        let place = Point(x: Double(n % columns) * cell.width, y: Double(n / columns) * cell.height)
        views.append(View(id: "v\(level)-\(n)", parent: parent, frame: Rect(origin: place, size: cell)))
      }
      guard level < depth - 1 else { break }
      views.append(
        View(id: "level\(level)", parent: parent, frame: Rect(x: 0, y: 0, width: 800, height: 480)))
      parent = "level\(level)"
    }
    moving = views[views.count - 1 - shares / 2]
    for n in 0..<Scenery.inputs {
      views.append(
        View(
          id: "input\(n)", parent: parent, kind: .textInput,
          frame: Rect(x: Double(n) * 100, y: 420, width: 90, height: 40)))
    }
    input = views[views.count - 1]
    engine.handle(
      .deviceAdded(1, path: "p", .panel(width: 800, height: 480), DeviceState(), DeviceSettings()), at: 0,
      into: &effects)
    // As a client must, since a message has a limit: in several steps.
    engine.handle(
      .attach(1, SceneDescription(name: "bench", outsideTouch: .never), Array(views.prefix(800))), at: 0,
      into: &effects)
    for start in stride(from: 800, to: views.count, by: 800) {
      update(Array(views[start..<min(start + 800, views.count)]))
    }
    engine.handle(.focus(2, 1, view: input.id), at: time, into: &effects)
    settle()
  }

  private mutating func settle() {
    time += 400_000
    engine.handle(.timer, at: time, into: &effects)
  }

  private mutating func update(_ views: [View]) {
    effects.removeAll(keepingCapacity: true)
    engine.handle(.update(2, 1, set: views, remove: [], frame: nil), at: time, into: &effects)
  }

  /// Does so many of one thing; false if it is not known.
  mutating func run(_ operation: String, times: Int32) -> Bool {
    for n in 0..<times {
      time += 8000
      switch operation {
      case "tap": tap(n % 800, n % 280)
      case "set": set { $0.spacing = Double(n % 3) }
      case "move": set { $0.frame.x += Double(n % 7) }
      case "caret":
        var view = input
        view.caret = Rect(x: Double(n % 50), y: 10, width: 1, height: 20)
        update([view])
      case "tab":
        effects.removeAll(keepingCapacity: true)
        engine.handle(.keys([.next]), at: time, into: &effects)
      default: return false
      }
    }
    return true
  }

  private mutating func set(_ change: (inout View) -> Void) {
    var view = moving
    change(&view)
    update([view])
  }

  private mutating func tap(_ x: Int32, _ y: Int32) {
    effects.removeAll(keepingCapacity: true)
    for (code, value) in [(ABS.MT_TRACKING_ID, x), (ABS.MT_POSITION_X, x), (ABS.MT_POSITION_Y, y)] {
      events.append(InputEvent(type: EV.ABS, code: code, value: value))
    }
    frame()
    events.append(InputEvent(type: EV.ABS, code: ABS.MT_TRACKING_ID, value: -1))
    frame()
  }

  private var events: [InputEvent] = []

  private mutating func frame() {
    engine.handle(.frame(1, events), at: time, into: &effects)
    events.removeAll(keepingCapacity: true)
  }
}
