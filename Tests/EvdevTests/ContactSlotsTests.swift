import CEvdev
import Geometry
import Invariants
import Testing
import TouchInput

@testable import Evdev

/// A protocol A panel of 1000x1000 on a screen of the same size: what its fingers come to as touches.
private final class AnonymousPanel {
  private let panel: Panel
  private var screen: Touchscreen
  private var ids = TouchIDs()
  /// The state that is answered after lost events.
  var state = DeviceState() { didSet { panel.answers = [.success(state)] } }

  init(hasIDs: Bool = false, more: [UInt16: AbsoluteAxis] = [:], maximum: Int32 = 999) throws {
    var axes = more
    axes[ABS.MT_POSITION_X] = axes[ABS.MT_POSITION_X] ?? AbsoluteAxis(minimum: 0, maximum: maximum)
    axes[ABS.MT_POSITION_Y] = axes[ABS.MT_POSITION_Y] ?? AbsoluteAxis(minimum: 0, maximum: maximum)
    if hasIDs { axes[ABS.MT_TRACKING_ID] = AbsoluteAxis(minimum: 0, maximum: 65535) }
    let device = DeviceDescription(name: "panel", keys: [BTN.TOUCH], absoluteAxes: axes)
    panel = Panel(device: device)
    screen = try Touchscreen(
      device, state: DeviceState(), settings: DeviceSettings(),
      screen: Screen(name: "screen", size: Size(width: 1000, height: 1000)))
  }

  /// Sends a frame, and says what came of it: phases by touch, such as "1 began 10,20".
  func frame(_ events: [InputEvent]...) -> [String] { send(events.flatMap { $0 } + [report]) }

  func send(_ events: [InputEvent]) -> [String] {
    var touches: [Touch] = []
    panel.send(events)
    for output in panel.drain() {
      switch output {
      case .frame(let events, let time): screen.handle(events, at: time, ids: &ids, into: &touches)
      case .dropped(let state, let time):
        screen.resynchronize(state, at: time, ids: &ids, into: &touches)
      case .again, .gone: break
      }
    }
    return touches.map { touch in
      let (x, y) = (Int(touch.position.x.rounded()), Int(touch.position.y.rounded()))
      return "\(touch.id) \(touch.phase.rawValue)" + (touch.phase == .ended ? "" : " \(x),\(y)")
    }
  }

  var livingTouches: Int { screen.livingTouches }
}

private func y(_ value: Int32) -> InputEvent { event(EV_ABS, ABS_MT_POSITION_Y, value) }
private let end = event(EV_SYN, SYN_MT_REPORT, 0)
private func button(_ value: Int32) -> [InputEvent] { [event(EV_KEY, BTN_TOUCH, value)] }

/// A contact as a protocol A driver lists it.
private func at(_ a: Int32, _ b: Int32, id: Int32? = nil, _ more: InputEvent...) -> [InputEvent] {
  (id.map { [trackingID($0)] } ?? []) + [x(a), y(b)] + more + [end]
}

@Suite("Protocol A: contacts into slots (touch-input, rule 13)")
struct ContactSlotsTests {
  @Test("A finger comes, moves and goes with a lone SYN_MT_REPORT")
  func oneFinger() throws {
    let panel = try AnonymousPanel()
    #expect(panel.frame(button(1), at(100, 200)) == ["1 began 100,200"])
    #expect(panel.frame(at(101, 200)) == ["1 moved 101,200"])
    #expect(panel.frame(at(101, 200)).isEmpty)
    #expect(panel.frame([end]) == ["1 ended"])
  }

  @Test("BTN_TOUCH 0 alone means none, and the next contact at that very place is a new touch")
  func buttonAlone() throws {
    let panel = try AnonymousPanel()
    #expect(panel.frame(button(1), at(0, 0)) == ["1 began 0,0"])
    #expect(panel.frame(button(0)) == ["1 ended"])
    #expect(panel.frame(button(1), at(0, 0)) == ["2 began 0,0"])
    #expect(panel.frame(button(0), [end]) == ["2 ended"])
    #expect(panel.frame(button(1), at(0, 0)) == ["3 began 0,0"])
    #expect(panel.frame(button(0), at(0, 0)) == ["3 ended"])
  }

  @Test(
    "A panel without BTN_TOUCH events lives by SYN_MT_REPORT; a frame of keys alone says nothing of fingers")
  func noButton() throws {
    let panel = try AnonymousPanel()
    #expect(panel.frame(at(10, 10)) == ["1 began 10,10"])
    #expect(panel.frame([event(EV_KEY, KEY_HOME, 1)]).isEmpty)
    #expect(panel.livingTouches == 1)
    #expect(panel.frame([end]) == ["1 ended"])
  }

  @Test("A finger that leaves and comes back near is another touch")
  func backAgain() throws {
    let panel = try AnonymousPanel()
    #expect(panel.frame(at(100, 100), at(800, 800)) == ["1 began 100,100", "2 began 800,800"])
    #expect(panel.frame(at(800, 800)) == ["1 ended"])
    #expect(panel.frame(at(800, 800), at(101, 100)) == ["3 began 101,100"])
  }

  @Test("Two fingers crossing keep their touches, in whichever order they are listed")
  func crossing() throws {
    let panel = try AnonymousPanel()
    var places: [Int32: String] = [:]
    for step in Int32(0)...20 {
      // Apart in Y by a little, as fingers are.
      let fingers = [at(100 + step * 40, 480), at(900 - step * 40, 520)]
      for line in step % 2 == 0 ? panel.frame(fingers[0], fingers[1]) : panel.frame(fingers[1], fingers[0]) {
        places[line.hasPrefix("1") ? 1 : 2] = line
      }
    }
    #expect(places == [1: "1 moved 900,480", 2: "2 moved 100,520"])
  }

  @Test("Ten fingers, listed backwards and moved a little, are the same ten")
  func tenFingers() throws {
    let panel = try AnonymousPanel()
    let places = (0..<10).map { (Int32($0 * 90), Int32($0 % 3 * 300)) }
    #expect(panel.frame(places.flatMap { at($0.0, $0.1) }).count == 10)
    let moved = panel.frame(places.reversed().flatMap { at($0.0 + 5, $0.1 + 5) })
    #expect(
      moved.sorted()
        == (0..<10).map { "\($0 + 1) moved \(places[$0].0 + 5),\(places[$0].1 + 5)" }.sorted())
    #expect(panel.frame([end]).count == 10)
    #expect(panel.livingTouches == 0)
  }

  @Test("The device's own ids decide where it has them, however far a finger jumps")
  func ownIDs() throws {
    let panel = try AnonymousPanel(hasIDs: true)
    #expect(panel.frame(at(100, 100, id: 0), at(900, 900, id: 1)) == ["1 began 100,100", "2 began 900,900"])
    #expect(
      panel.frame(at(900, 900, id: 0), at(100, 100, id: 1)).sorted() == [
        "1 moved 900,900", "2 moved 100,100",
      ])
    #expect(panel.frame(at(100, 101, id: 1)).sorted() == ["1 ended", "2 moved 100,101"])
    #expect(panel.frame(at(100, 101, id: 7)).sorted() == ["2 ended", "3 began 100,101"])
  }

  @Test("Ids that are announced and not sent are done without, after the touches were cancelled")
  func missingIDs() throws {
    let panel = try AnonymousPanel(hasIDs: true)
    #expect(panel.frame(at(100, 100, id: 3)) == ["1 began 100,100"])
    #expect(panel.frame(at(101, 100)) == ["1 cancelled 100,100"])
    #expect(panel.frame([end]).isEmpty)
    #expect(panel.frame(at(300, 300)) == ["2 began 300,300"])
    #expect(panel.frame(at(301, 300)) == ["2 moved 301,300"])
  }

  @Test("One id twice in a frame is one contact")
  func doubleID() throws {
    let panel = try AnonymousPanel(hasIDs: true)
    #expect(panel.frame(at(100, 100, id: 5), at(300, 300, id: 5)) == ["1 began 100,100"])
    #expect(panel.frame([end]) == ["1 ended"])
  }

  @Test("More contacts than can be followed: 31 are, and the rest does no harm", arguments: [false, true])
  func tooMany(hasIDs: Bool) throws {
    let panel = try AnonymousPanel(hasIDs: hasIDs)
    for round in Int32(0)..<4 {  // other ids each time: all go and as many come in one frame
      let fingers = (Int32(0)..<1000).flatMap { at($0, 0, id: hasIDs ? round * 1000 + $0 : nil) }
      _ = panel.frame(fingers)
      #expect(panel.livingTouches == TouchAxes.mostAnonymous)
    }
    _ = panel.frame([end])
    #expect(panel.livingTouches == 0)
    #expect(panel.frame(at(7, 8, id: hasIDs ? 9 : nil)).count == 1)
  }

  @Test("A contact without X or Y, or with ABS_MT_TOUCH_MAJOR 0, is none")
  func noContact() throws {
    let size = AbsoluteAxis(minimum: 0, maximum: 255)
    let panel = try AnonymousPanel(more: [ABS.MT_TOUCH_MAJOR: size])
    #expect(panel.frame([x(5), end]).isEmpty)
    #expect(panel.frame(at(5, 6)) == ["1 began 5,6"])
    #expect(panel.frame(at(5, 6, event(EV_ABS, ABS_MT_TOUCH_MAJOR, 0))) == ["1 ended"])
    #expect(panel.frame(at(5, 6, event(EV_ABS, ABS_MT_TOUCH_MAJOR, 3))) == ["2 began 5,6"])
  }

  @Test("Pressure and tool type go with their contact (rules 14 and 17)")
  func attributes() throws {
    let pressure = AbsoluteAxis(minimum: 0, maximum: 255)
    let panel = try AnonymousPanel(more: [ABS.MT_PRESSURE: pressure])
    func press(_ value: Int32) -> InputEvent { event(EV_ABS, ABS_MT_PRESSURE, value) }
    func tool(_ value: Int32) -> InputEvent { event(EV_ABS, ABS_MT_TOOL_TYPE, value) }
    #expect(panel.frame(at(10, 10, press(9)), at(900, 10, press(0))) == ["1 began 10,10"])
    #expect(
      panel.frame(at(10, 10, press(0)), at(900, 10, press(9))).sorted() == ["1 ended", "2 began 900,10"])
    #expect(
      panel.frame(at(10, 10, press(0)), at(900, 10, press(9), tool(MT_TOOL_PALM))) == ["2 cancelled 900,10"])
  }

  @Test("After lost events all is cancelled, and what is down stays silent until it lifts (rule 3)")
  func lostEvents() throws {
    let panel = try AnonymousPanel()
    _ = panel.frame(button(1), at(100, 100), at(500, 500))
    panel.state = DeviceState(keysDown: [BTN.TOUCH])
    #expect(panel.send([lost, x(3), report]) == ["1 cancelled 100,100", "2 cancelled 500,500"])
    #expect(panel.frame(at(110, 100), at(500, 500)).isEmpty)
    #expect(panel.frame(button(0), [end]).isEmpty)
    #expect(panel.frame(button(1), at(110, 100)) == ["3 began 110,100"])
  }

  @Test("Values of any size end on the screen, at its edge (rule 22)")
  func anyValue() throws {
    let panel = try AnonymousPanel()
    #expect(panel.frame(at(Int32.max, Int32.min)) == ["1 began 1000,0"])
    #expect(panel.frame(at(499, -3616)) == ["1 moved 499,0"])
    let wide = try AnonymousPanel(maximum: 1 << 30)
    #expect(wide.frame(at(1 << 29, 1 << 28)) == ["1 began 500,250"])
    #expect(wide.frame(at(1 << 30, 0)) == ["1 moved 1000,0"])
    let odd = AbsoluteAxis(minimum: -2000, maximum: -1001)
    let negative = try AnonymousPanel(more: [ABS.MT_POSITION_X: odd, ABS.MT_POSITION_Y: odd])
    #expect(negative.frame(at(-2000, -2000)) == ["1 began 0,0"])
    #expect(negative.frame(at(-1877, -1544)) == ["1 moved 123,456"])
  }

  @Test("Its fuzz, which the kernel leaves to us, holds a finger still (rule 19)")
  func fuzz() throws {
    let axis = AbsoluteAxis(minimum: 0, maximum: 999, fuzz: 10)
    let panel = try AnonymousPanel(more: [ABS.MT_POSITION_X: axis, ABS.MT_POSITION_Y: axis])
    #expect(panel.frame(at(100, 100)) == ["1 began 100,100"])
    for step in Int32(0)..<50 { #expect(panel.frame(at(100 + step % 2, 100)).isEmpty) }
    #expect(panel.frame(at(200, 100)) == ["1 moved 200,100"])
  }

  @Test("Any events at all: no touch is left once the finger is lifted")
  func noise() throws {
    let seed = SeededChances.seedOfRun
    print("KEYLIFT_SEED=\(seed)")
    var generator = SeededChances(seed: seed)
    for hasIDs in [false, true] {
      let panel = try AnonymousPanel(hasIDs: hasIDs)
      let codes = [ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID, ABS_MT_SLOT, ABS_MT_TOOL_TYPE]
      for _ in 0..<300 {
        let events = (0..<Int.random(in: 1...300, using: &generator)).map { _ in
          switch Int.random(in: 0...9, using: &generator) {
          case 0...2: end
          case 3: event(EV_KEY, BTN_TOUCH, .random(in: 0...2, using: &generator))
          default:
            event(
              EV_ABS, codes.randomElement(using: &generator) ?? 0,
              Bool.random(using: &generator)
                ? .random(in: -5...70, using: &generator)
                : .random(in: Int32.min...Int32.max, using: &generator))
          }
        }
        _ = panel.frame(events)
      }
      _ = panel.frame(button(0))
      #expect(panel.livingTouches == 0, "KEYLIFT_SEED=\(seed)")
    }
  }
}
