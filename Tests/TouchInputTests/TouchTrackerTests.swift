import Testing

@testable import TouchInput

@Suite("touch-input: frames and slots")
struct SlotTests {
  @Test("rule 1: nothing happens before SYN_REPORT, and a frame has one position")
  func frames() throws {
    var player = try Panels.Player(Panels.tenSlots)
    #expect(player.frame(slot(0), id(7), mtX(1), mtX(100), mtY(300)) == ["began 1 (100,300)"])
    #expect(player.frame(mtX(110), mtX(120)) == ["moved 1 (120,300)"])
    #expect(player.frame(id(-1)) == ["ended 1 (120,300)"])
    #expect(player.frame() == [])
  }

  @Test("rule 2: a down frame may leave out what did not change; the cache begins with the kernel's values")
  func cachedAxes() throws {
    var state = DeviceState(slots: Array(repeating: SlotState(), count: 10))
    state.slots[3] = SlotState(trackingID: -1, x: 40, y: 50)
    state.currentSlot = 3
    var player = try Panels.Player(Panels.tenSlots, state: state)
    #expect(player.frame(id(1)) == ["began 1 (40,50)"], "the current slot was never sent")
    #expect(player.frame(id(-1)) == ["ended 1 (40,50)"])
    #expect(player.frame(id(2), mtY(60)) == ["began 2 (40,60)"])
  }

  @Test("rule 2: a movement is measured from where its own touch began")
  func movesToWhereAnotherWas() throws {
    var player = try Panels.Player(Panels.tenSlots)
    #expect(player.frame(id(1), mtX(50), mtY(60)) == ["began 1 (50,60)"])
    #expect(player.frame(mtX(0), mtY(0)) == ["moved 1 (0,0)"])
  }

  @Test("rule 3: after SYN_DROPPED the difference is played, and a tap is never invented")
  func dropped() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(slot(0), id(10), mtX(10), mtY(10), slot(1), id(11), mtX(20), mtY(20))
    _ = player.frame(slot(2), id(12), mtX(30), mtY(30))
    var state = DeviceState(slots: Array(repeating: SlotState(), count: 10))
    state.slots[0] = SlotState(trackingID: 10, x: 15, y: 10)  // the same: moved
    state.slots[1] = SlotState(trackingID: -1, x: 20, y: 20)  // gone: cancelled
    state.slots[2] = SlotState(trackingID: 99, x: 35, y: 30)  // another: cancelled, began
    state.slots[3] = SlotState(trackingID: 13, x: 40, y: 40)  // new: began
    state.currentSlot = 3
    #expect(
      player.resynchronize(state) == [
        "moved 1 (15,10)", "cancelled 2 (20,20)", "cancelled 3 (30,30)", "began 4 (35,30)",
        "began 5 (40,40)",
      ])
    #expect(player.frame(mtX(41)) == ["moved 5 (41,40)"], "the current slot is the kernel's")
  }

  @Test("rules 4 and 5: an id replaced in a slot, with and without -1: ended, then began")
  func replaced() throws {
    for withoutLift in [true, false] {
      var player = try Panels.Player(Panels.tenSlots)
      _ = player.frame(slot(0), id(1), mtX(10), mtY(10))
      let touches =
        withoutLift
        ? player.frame(id(2), mtX(50), mtY(60)) : player.frame(id(-1), id(2), mtX(50), mtY(60))
      #expect(touches == ["ended 1 (10,10)", "began 2 (50,60)"])
    }
  }

  @Test("rule 6: a new id and -1 in one frame: began, then ended, at that position")
  func tapWithinOneFrame() throws {
    var player = try Panels.Player(Panels.tenSlots)
    #expect(player.frame(id(1), mtX(50), mtY(60), id(-1)) == ["began 1 (50,60)", "ended 1 (50,60)"])
  }

  @Test("rule 7: the same id sent again changes nothing")
  func sameID() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(id(1), mtX(50), mtY(60))
    #expect(player.frame(id(1), mtX(50), mtY(60)) == [])
  }

  @Test(
    "rule 8: what follows a slot number out of range is dropped until a valid one", arguments: [10, -1, .max])
  func slotOutOfRange(number: Int32) throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(slot(9), id(1), mtX(50), mtY(60))
    #expect(player.frame(slot(number), id(5), mtX(1), mtY(1)) == [])
    #expect(player.frame(mtX(2), id(-1)) == [])
    #expect(player.frame(slot(9), mtX(51)) == ["moved 1 (51,60)"])
  }

  @Test("rule 9: a contact that is down at open is silent until it lifts")
  func downAtOpen() throws {
    var state = DeviceState(slots: Array(repeating: SlotState(), count: 10))
    state.slots[0] = SlotState(trackingID: 5, x: 40, y: 50)
    var player = try Panels.Player(Panels.tenSlots, state: state)
    #expect(player.frame(mtX(60)) == [])
    #expect(player.frame(id(-1)) == [])
    #expect(player.frame(id(6)) == ["began 1 (60,50)"])
  }

  @Test("rule 10: a hundred slots work")
  func manySlots() throws {
    var device = Panels.tenSlots
    device.absoluteAxes[ABS.MT_SLOT] = AbsoluteAxis(minimum: 0, maximum: 99)
    var player = try Panels.Player(device)
    for n in Int32(0)..<100 {
      #expect(player.frame(slot(n), id(n), mtX(n), mtY(n)) == ["began \(n + 1) (\(n),\(n))"])
    }
    #expect(player.touchscreen.livingTouches == 100)
  }

  @Test("rule 16: BTN_TOUCH 0 without -1 leaves no stuck touch")
  func buttonUp() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(id(1), mtX(50), mtY(60), touched(1))
    #expect(player.frame(touched(0)) == ["ended 1 (50,60)"])
    #expect(player.frame(id(2)) == ["began 2 (50,60)"])
  }

  @Test("rule 16: a contact that BTN_TOUCH ended goes on as another when it is pressed again, not before")
  func buttonAgain() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(id(1), mtX(50), mtY(60), touched(1))
    _ = player.frame(touched(0))
    #expect(player.frame(mtX(51)) == [], "nothing would ever end it")
    #expect(
      player.frame(slot(1), id(2), mtX(70), mtY(80), touched(1)) == ["began 2 (70,80)"], "no ghost beside it")
    #expect(player.frame(slot(0), mtX(52)) == ["began 3 (52,60)"])
    #expect(player.frame(touched(0)).sorted() == ["ended 2 (70,80)", "ended 3 (52,60)"])
  }

  @Test(
    "rule 27: on suspend the kernel releases BTN_TOUCH and leaves the slots: cancelled, and anew once pressed"
  )
  func suspended() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(id(1), mtX(50), mtY(60), touched(1))
    var slots = Array(repeating: SlotState(), count: 10)
    slots[0] = SlotState(trackingID: 1, x: 50, y: 60)
    #expect(player.resynchronize(DeviceState(slots: slots)) == ["cancelled 1 (50,60)"])
    #expect(player.frame(mtX(51)) == [])
    #expect(player.frame(mtX(52), touched(1)) == ["began 2 (52,60)"])
  }

  @Test("rule 12: on a multitouch panel no other button lifts a finger")
  func otherButton() throws {
    var device = Panels.tenSlots
    device.keys = [BTN.LEFT]
    var player = try Panels.Player(device)
    _ = player.frame(id(1), mtX(50), mtY(60), (EV.KEY, BTN.LEFT, 1))
    #expect(player.frame((EV.KEY, BTN.LEFT, 0)) == [])
  }

  @Test("rule 12: the emulated single touch of a multitouch device is ignored")
  func emulation() throws {
    var player = try Panels.Player(Panels.tenSlots)
    #expect(player.frame(touched(1), absX(5), absY(5)) == [])
  }

  @Test("rule 26: a device that goes cancels its touches")
  func cancelled() throws {
    var player = try Panels.Player(Panels.tenSlots)
    _ = player.frame(id(1), mtX(50), mtY(60))
    let touches = player.cancelAll()
    #expect(touches == ["cancelled 1 (50,60)"])
    #expect(player.frame(mtX(70)) == [])
  }
}

@Suite("touch-input: single touch")
struct SingleTouchTests {
  @Test("rule 12: ABS_X, ABS_Y and a button", arguments: [BTN.TOUCH, BTN.LEFT, BTN.ZERO])
  func single(button: UInt16) throws {
    var device = Panels.resistive
    device.keys = [button]
    var player = try Panels.Player(device)
    #expect(player.frame((EV.KEY, button, 1), absX(10), absY(20)) == ["began 1 (10,20)"])
    #expect(player.frame(absX(11)) == ["moved 1 (11,20)"])
    #expect(player.frame((EV.KEY, button, 2), (EV.KEY, button, 1)) == [], "a repeat is no new touch")
    #expect(player.frame((EV.KEY, button, 0)) == ["ended 1 (11,20)"])
    #expect(player.frame(absX(12)) == [], "nothing is down")
  }

  @Test("rule 15: ABS_MT_SLOT together with code 0x2e is not multitouch")
  func countedThrough() throws {
    var device = Panels.tenSlots
    device.absoluteAxes[ABS.RESERVED] = AbsoluteAxis(minimum: 0, maximum: 255)
    #expect(try TouchAxes(device).contacts == .single)
  }

  @Test("rule 3: a lift and press within the gap cannot be seen; the touch goes on")
  func droppedSingle() throws {
    var player = try Panels.Player(Panels.resistive)
    _ = player.frame(touched(1), absX(10), absY(20))
    #expect(player.resynchronize(DeviceState(x: 30, y: 20, keysDown: [BTN.TOUCH])) == ["moved 1 (30,20)"])
    #expect(player.resynchronize(DeviceState(x: 30, y: 20)) == ["cancelled 1 (30,20)"])
  }
}
