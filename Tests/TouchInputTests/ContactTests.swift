import Geometry
import Testing

@testable import TouchInput

@Suite("touch-input: hover")
struct HoverTests {
  @Test("rule 14: a distance above 0 is no touch")
  func distanceAbove() throws {
    var player = try Panels.Player(Panels.reporting(ABS.MT_DISTANCE))
    #expect(player.frame(id(1), mtX(50), mtY(60), distance(10)) == [])
    #expect(player.frame(mtX(55)) == [])
    #expect(player.frame(distance(0)) == ["began 1 (55,60)"])
    #expect(player.frame(mtX(58)) == ["moved 1 (58,60)"])
    #expect(player.frame(distance(1)) == ["ended 1 (58,60)"])
    #expect(
      player.frame(distance(0)) == ["began 2 (58,60)"], "the same contact, another touch")
    #expect(player.frame(id(-1)) == ["ended 2 (58,60)"])
  }

  @Test("rule 14: a pressure of 0 is no touch on a device that reports pressure")
  func noPressure() throws {
    var player = try Panels.Player(Panels.reporting(ABS.MT_PRESSURE))
    #expect(player.frame(id(1), mtX(50), mtY(60)) == [], "the kernel leaves out a value that did not change")
    #expect(player.frame(pressure(40)) == ["began 1 (50,60)"])
    #expect(player.frame(pressure(0)) == ["ended 1 (50,60)"])
    #expect(player.frame(id(-1)) == [])
  }

  @Test("rule 14: a lift with pressure 0 in the same frame is a lift")
  func liftWithPressure() throws {
    var player = try Panels.Player(Panels.reporting(ABS.MT_PRESSURE))
    _ = player.frame(id(1), mtX(50), mtY(60), pressure(40))
    #expect(player.frame(pressure(0), id(-1)) == ["ended 1 (50,60)"])
  }

  @Test("rule 14: a pressure axis of one value reports none")
  func bogusPressure() throws {
    var device = Panels.tenSlots
    device.absoluteAxes[ABS.MT_PRESSURE] = AbsoluteAxis(minimum: 0, maximum: 0)
    var player = try Panels.Player(device)
    #expect(player.frame(id(1), mtX(50), mtY(60)) == ["began 1 (50,60)"])
  }

  @Test("rule 14: single touch hovers by ABS_PRESSURE and ABS_DISTANCE")
  func single() throws {
    var player = try Panels.Player(Panels.reporting(ABS.PRESSURE, ABS.DISTANCE, on: Panels.resistive))
    #expect(player.frame(touched(1), absX(10), absY(20), (EV.ABS, ABS.DISTANCE, 5)) == [])
    #expect(player.frame((EV.ABS, ABS.DISTANCE, 0)) == [], "nothing presses")
    #expect(player.frame((EV.ABS, ABS.PRESSURE, 9)) == ["began 1 (10,20)"])
    #expect(player.frame((EV.ABS, ABS.PRESSURE, 0), touched(0)) == ["ended 1 (10,20)"])
  }

  @Test("rules 3 and 14: what hovers after lost events was lifted: cancelled")
  func dropped() throws {
    var player = try Panels.Player(Panels.reporting(ABS.MT_DISTANCE))
    _ = player.frame(id(1), mtX(50), mtY(60))
    var state = DeviceState(slots: Array(repeating: SlotState(), count: 10))
    state.slots[0] = SlotState(trackingID: 1, x: 51, y: 60, distance: 4)
    #expect(player.resynchronize(state) == ["cancelled 1 (50,60)"])
    #expect(player.frame(distance(0)) == ["began 2 (51,60)"])
  }

  @Test("rule 20: a minimum pressure, and 0 for a panel that never reports any")
  func minimum() throws {
    let device = Panels.reporting(ABS.MT_PRESSURE)
    var strict = try Panels.Player(device, settings: DeviceSettings(minimumPressure: 30))
    #expect(strict.frame(id(1), mtX(50), mtY(60), pressure(29)) == [])
    #expect(strict.frame(pressure(30)) == ["began 1 (50,60)"])
    #expect(strict.frame(pressure(29)) == ["ended 1 (50,60)"])
    var blind = try Panels.Player(device, settings: DeviceSettings(minimumPressure: 0))
    #expect(blind.frame(id(1), mtX(50), mtY(60), pressure(-5)) == ["began 1 (50,60)"])
  }
}

@Suite("touch-input: palm")
struct PalmTests {
  private let device = Panels.reporting(ABS.MT_TOOL_TYPE)

  @Test("rule 17: a palm in mid-touch cancels, and is silent until a new id; other fingers go on")
  func midTouch() throws {
    var player = try Panels.Player(device)
    _ = player.frame(slot(0), id(1), mtX(50), mtY(60), slot(1), id(2), mtX(70), mtY(80))
    #expect(player.frame(slot(0), toolType(MT_TOOL.PALM)) == ["cancelled 1 (50,60)"])
    #expect(player.frame(toolType(MT_TOOL.FINGER), mtX(51)) == [])
    #expect(player.frame(slot(1), mtX(71)) == ["moved 2 (71,80)"])
    #expect(player.frame(slot(0), id(-1)) == [])
    #expect(player.frame(id(3)) == ["began 3 (51,60)"])
  }

  @Test("rule 17: a touch that starts as palm is never seen")
  func start() throws {
    var player = try Panels.Player(device)
    #expect(player.frame(id(1), mtX(50), mtY(60), toolType(MT_TOOL.PALM)) == [])
    #expect(player.frame(toolType(MT_TOOL.FINGER), mtX(51)) == [])
    #expect(player.frame(id(-1)) == [])
  }

  @Test("rule 17: the tool type goes on into the slot's next contact")
  func persists() throws {
    var player = try Panels.Player(device)
    _ = player.frame(id(1), mtX(50), mtY(60), toolType(MT_TOOL.PALM))
    #expect(player.frame(id(-1)) == [])
    #expect(player.frame(id(2)) == [])
    #expect(player.frame(id(-1), toolType(MT_TOOL.FINGER)) == [])
    #expect(player.frame(id(3)) == ["began 1 (50,60)"])
  }

  @Test("rule 17: a palm that lifts within the frame in which it became one was no tap")
  func liftsAtOnce() throws {
    var player = try Panels.Player(device)
    _ = player.frame(id(1), mtX(50), mtY(60))
    #expect(player.frame(toolType(MT_TOOL.PALM), id(-1)) == ["cancelled 1 (50,60)"])
  }

  @Test("rules 3 and 17: a palm after lost events")
  func dropped() throws {
    var player = try Panels.Player(device)
    _ = player.frame(id(1), mtX(50), mtY(60))
    var state = DeviceState(slots: Array(repeating: SlotState(), count: 10))
    state.slots[0] = SlotState(trackingID: 1, x: 50, y: 60, toolType: MT_TOOL.PALM)
    state.slots[1] = SlotState(trackingID: 2, x: 70, y: 80, toolType: MT_TOOL.PALM)
    #expect(player.resynchronize(state) == ["cancelled 1 (50,60)"])
    #expect(player.frame(toolType(MT_TOOL.FINGER), mtX(52)) == [])
  }
}

@Suite("touch-input: pen")
struct PenTests {
  @Test("rule 18: a pen near cancels touches, which work again 90 ms after it left")
  func near() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(slot(0), id(1), mtX(50), mtY(60))
    #expect(player.pen(isNear: true) == ["cancelled 1 (50,60)"])
    #expect(player.frame(mtX(51)) == [])
    #expect(player.frame(slot(1), id(2), mtX(70), mtY(80)) == [])
    #expect(player.pen(isNear: false) == [])
    player.time += 89
    #expect(player.frame(slot(2), id(3), mtX(70), mtY(80)) == [], "too early")
    player.time += 1
    #expect(
      player.frame(slot(0), mtX(52), slot(1), mtX(72), slot(2), mtX(73)) == [], "what was down stays silent")
    #expect(player.frame(slot(3), id(4), mtX(1), mtY(2)) == ["began 2 (1,2)"])
  }

  @Test("rules 3 and 18: contacts that came with lost events while a pen was near are silent")
  func dropped() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.pen(isNear: true)
    var state = DeviceState(slots: Array(repeating: SlotState(), count: 10))
    state.slots[0] = SlotState(trackingID: 1, x: 50, y: 60)
    #expect(player.resynchronize(state) == [])
    _ = player.pen(isNear: false)
    player.time += 90
    #expect(player.frame(mtX(51)) == [])
  }

  @Test("rule 18: the pen of a node that is a touchscreen too")
  func sameNode() throws {
    var device = Panels.tenSlots
    device.keys.insert(BTN.TOOL_PEN)
    device.udevProperties["ID_INPUT_TOUCHSCREEN"] = "1"
    #expect(DeviceRole(device).touch)
    var player = try Panels.Player(device)
    _ = player.frame(id(1), mtX(50), mtY(60))
    #expect(player.frame((EV.KEY, BTN.TOOL_PEN, 1)) == ["cancelled 1 (50,60)"])
    #expect(player.frame((EV.KEY, BTN.TOOL_PEN, 0), id(-1)) == [])
    player.time += 90
    #expect(player.frame(id(2)) == ["began 2 (50,60)"])
    #expect(player.resynchronize(DeviceState(keysDown: [BTN.TOOL_PEN])) == ["cancelled 2 (50,60)"])
    #expect(player.frame(id(3)) == [])
  }

  @Test(
    "rule 18: the same panel is that of udev's group, else of the physical path, else of the numbers",
    arguments: [
      ("a", "", "a", "usb-1/input0", true), ("a", "usb-1/input0", "b", "usb-1/input1", true),
      ("a", "", "b", "", false),
      ("a", "usb-1/input0", "b", "usb-2/input1", false),
      ("", "usb-1/input0", "", "usb-1/input1", true), ("", "usb-1/input0", "", "usb-2/input0", false),
      ("", "", "", "", true), ("", "usb-1/input0", "", "", true),
    ])
  func panel(group: String, path: String, otherGroup: String, otherPath: String, isSame: Bool) {
    func device(_ group: String, _ path: String) -> DeviceDescription {
      DeviceDescription(
        name: "", vendor: 1, product: 2, physicalPath: path,
        udevProperties: group.isEmpty ? [:] : ["LIBINPUT_DEVICE_GROUP": group])
    }
    #expect(device(group, path).isOnSamePanel(as: device(otherGroup, otherPath)) == isSame)
    #expect(
      !DeviceDescription(name: "").isOnSamePanel(as: DeviceDescription(name: "")), "no numbers, no panel")
  }
}

@Suite("touch-input: protocol A")
struct AnonymousTests {
  private var device: DeviceDescription {
    var device = Panels.tenSlots
    device.absoluteAxes[ABS.MT_SLOT] = nil
    device.absoluteAxes[ABS.MT_TRACKING_ID] = nil
    return device
  }

  @Test("rule 13: multitouch without ABS_MT_SLOT is protocol A, which comes numbered")
  func contacts() throws {
    #expect(try TouchAxes(device).contacts == .anonymous)
    var player = try Panels.Player(device)
    #expect(player.frame(slot(30), id(1), mtX(50), mtY(60)) == ["began 1 (50,60)"])
    #expect(player.frame(id(-1)) == ["ended 1 (50,60)"])
  }

  @Test("rule 13: BTN_TOUCH 0 alone means that there is none, and the next finger may have its number")
  func button() throws {
    var player = try Panels.Player(device)
    _ = player.frame(slot(0), id(1), mtX(50), mtY(60), touched(1))
    #expect(player.frame(touched(0)) == ["ended 1 (50,60)"])
    #expect(player.frame(touched(1), mtX(55)) == ["began 2 (55,60)"])
  }

  @Test("rule 3: after lost events all are cancelled, and what is down is silent")
  func dropped() throws {
    var player = try Panels.Player(device)
    _ = player.frame(slot(0), id(1), mtX(50), mtY(60), touched(1))
    #expect(player.resynchronize(DeviceState(keysDown: [BTN.TOUCH])) == ["cancelled 1 (50,60)"])
    #expect(player.frame(slot(0), id(1), mtX(51), mtY(60)) == [])
    #expect(player.frame(id(-1), touched(0)) == [], "a tap is never invented")
    #expect(player.frame(id(2), touched(1)) == ["began 2 (51,60)"])
  }

  @Test("rules 9 and 13: what was down at open and ends by BTN_TOUCH 0 alone makes room for the next")
  func downAtOpenWithoutLift() throws {
    var player = try Panels.Player(device, state: DeviceState(keysDown: [BTN.TOUCH]))
    #expect(player.frame(slot(0), id(1), mtX(50), mtY(60)) == [])
    #expect(player.frame(touched(0)) == [])
    #expect(player.frame(slot(1), id(2), mtX(70), mtY(60), touched(1)) == ["began 1 (70,60)"])
    #expect(
      player.frame(slot(0), mtX(51)) == ["began 2 (51,60)"], "the number of the old one, and another finger")
  }

  @Test("rule 9: contacts that are down at open are silent until all have gone")
  func downAtOpen() throws {
    var player = try Panels.Player(device, state: DeviceState(keysDown: [BTN.TOUCH]))
    #expect(player.frame(slot(0), id(1), mtX(50), mtY(60)) == [])
    #expect(player.frame(slot(1), id(2), mtX(70), mtY(60)) == [], "known only to be after the first")
    #expect(player.frame(slot(0), id(-1), slot(1), id(-1)) == [])
    #expect(player.frame(slot(0), id(3)) == ["began 1 (50,60)"])
  }
}
