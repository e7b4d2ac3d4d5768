import Geometry
import TestFiles
import Testing

@testable import TouchInput

extension DeviceFile: CustomTestStringConvertible {
  public var testDescription: String { name }
}

@Suite("touch-input rules 12, 13, 15, 21 and 24: the devices of Tests/Devices")
struct DeviceFileTests {
  @Test("every file can be read, and there are as many as promised")
  func readable() {
    #expect(DeviceFile.all.count >= 20)
    for file in DeviceFile.all { #expect(throws: Never.self) { try file.get() } }
  }

  @Test("is taken for what it is", arguments: DeviceFile.readable)
  func role(file: DeviceFile) throws {
    let role = DeviceRole(file.description)
    #expect(role.kind == file.kind)
    #expect(role.touch == file.touch)
    #expect(!role.touch || role.refusal == nil)
    #expect(role.isKeyboard == file.isKeyboard)
    #expect(role.keys == file.keys)
    #expect(role.refusal == file.refusal)
    #expect((role.touch ? try TouchAxes(file.description).contacts.name : nil) == file.contacts)
  }

  @Test(
    "a tap and a drag are two touches where the finger was", arguments: DeviceFile.readable.filter(\.touch))
  func tapAndDrag(file: DeviceFile) throws {
    var player = try Panels.Player(file.description)
    let finger = try Finger(file)
    #expect(player.frame(finger.down(0.25, 0.5)) == ["began 1 (200,240)"])
    #expect(player.frame(finger.up) == ["ended 1 (200,240)"])
    #expect(player.frame(finger.down(0.5, 0.25)) == ["began 2 (400,120)"])
    #expect(player.frame(finger.move(0.75, 0.75)) == ["moved 2 (600,360)"])
    #expect(player.frame(finger.up) == ["ended 2 (600,360)"])
    // Unplugged in the middle of a touch (rule 26).
    #expect(player.frame(finger.down(0, 0)) == ["began 3 (0,0)"])
    #expect(player.cancelAll() == ["cancelled 3 (0,0)"])
    #expect(player.touchscreen.livingTouches == 0)
  }
}

/// One finger on a device, in the frames that its driver sends, or that mtdev makes of anonymous contacts.
private struct Finger {
  typealias Event = (UInt16, UInt16, Int32)

  private let axes: [UInt16: AbsoluteAxis]
  private let hasSlots: Bool
  private let button: UInt16

  init(_ file: DeviceFile) throws {
    axes = file.description.absoluteAxes
    hasSlots = try #require(file.contacts) != "single"
    button = file.description.keys.contains(BTN.TOUCH) ? BTN.TOUCH : BTN.LEFT
  }

  /// x and y: shares of the panel, from 0 up to 1.
  func down(_ x: Double, _ y: Double) -> [Event] {
    (hasSlots ? [slot(0), id(7)] : []) + move(x, y) + [(EV.KEY, button, 1)]
  }

  func move(_ x: Double, _ y: Double) -> [Event] {
    var events: [Event] = []
    if hasSlots { events += [at(x, ABS.MT_POSITION_X), at(y, ABS.MT_POSITION_Y)] }
    events += [at(x, ABS.X), at(y, ABS.Y)]
    for code in axes.keys where code == ABS.MT_PRESSURE || code == ABS.PRESSURE {
      events.append((EV.ABS, code, axes[code]?.maximum ?? 0))
    }
    return events
  }

  var up: [Event] { (hasSlots ? [id(-1)] : []) + [(EV.KEY, button, 0)] }

  private func at(_ share: Double, _ code: UInt16) -> Event {
    let axis = axes[code] ?? AbsoluteAxis(minimum: 0, maximum: 0)
    let extent = Double(axis.maximum) - Double(axis.minimum) + 1
    return (EV.ABS, code, axis.minimum + Int32((share * extent).rounded()))
  }
}

extension TouchAxes.Contacts {
  /// As the files have it.
  fileprivate var name: String {
    switch self {
    case .single: "single"
    case .slots: "slots"
    case .anonymous: "anonymous"
    }
  }
}
