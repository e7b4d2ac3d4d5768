import Testing

@testable import TouchInput

@Test(
  "touch-input rule 24: what a device is taken for",
  arguments: [
    (Panels.tenSlots, DeviceRole.Kind.touchscreen, true), (Panels.resistive, .touchscreen, true),
    (Panels.touchpad, .touchpad, false), (Panels.tablet, .tablet, false), (Panels.mouse, .other, false),
    (Panels.keyboard, .keyboard, false),
  ])
func kinds(device: DeviceDescription, kind: DeviceRole.Kind, touch: Bool) {
  let role = DeviceRole(device)
  #expect(role.kind == kind)
  #expect(role.touch == touch)
}

@Test("touch-input rule 24: udev's word decides, and a touchscreen may have keys too")
func udevDecides() {
  var device = Panels.touchpad
  device.udevProperties["ID_INPUT_TOUCHSCREEN"] = "1"
  #expect(DeviceRole(device).touch)
  var panel = Panels.tenSlots
  panel.keys.insert(KEY.BACK)
  #expect(DeviceRole(panel).touch)
  #expect(DeviceRole(panel).keys)
  panel.udevProperties["ID_INPUT_TOUCHSCREEN"] = "0"
  #expect(!DeviceRole(panel).touch)
  #expect(DeviceRole(panel).refusal?.contains("ID_INPUT_TOUCHSCREEN=0") == true)
}

@Test(
  "touch-input rule 24: the keys of a tablet and of a touchpad are ignored",
  arguments: [Panels.tablet, Panels.touchpad])
func ignoredKeys(device: DeviceDescription) {
  var device = device
  device.keys.formUnion(Panels.keyboard.keys)
  #expect(!DeviceRole(device).keys)
  #expect(!DeviceRole(device).isKeyboard)
}

@Test(
  "touch-input rule 21: axes that cannot be used are refused with the reason",
  arguments: [
    (AbsoluteAxis?.none, "ABS_MT_POSITION_X"), (AbsoluteAxis(minimum: 5, maximum: 5), "5...5"),
    (AbsoluteAxis(minimum: 0, maximum: 0), "0...0"), (AbsoluteAxis(minimum: 9, maximum: 1), "9...1"),
    (AbsoluteAxis(minimum: .min, maximum: .max), "over 2^30"),
  ])
func refusedAxes(axis: AbsoluteAxis?, reason: String) throws {
  var device = Panels.tenSlots
  device.absoluteAxes[ABS.MT_POSITION_X] = axis
  let role = DeviceRole(device)
  #expect(!role.touch)
  #expect(try #require(role.refusal).contains(reason))
}

@Test(
  "touch-input rule 21: only one of X and Y is refused with the reason",
  arguments: [
    (ABS.X, "ABS_Y"), (ABS.Y, "ABS_X"), (ABS.MT_POSITION_X, "ABS_MT_POSITION_Y"),
    (ABS.MT_POSITION_Y, "ABS_MT_POSITION_X"),
  ])
func onlyOne(axis: UInt16, missing: String) {
  let device = DeviceDescription(
    name: "One axis", keys: [BTN.TOUCH], absoluteAxes: [axis: AbsoluteAxis(minimum: 0, maximum: 799)])
  let role = DeviceRole(device)
  #expect(role.kind == .touchscreen)
  #expect(!role.touch)
  #expect(role.refusal == "it has no \(missing)")
}

@Test(
  "as many slots as the device has, within reason",
  arguments: [
    (Int32(0), 1), (9, 10), (255, 256), (.max, TouchAxes.maximumSlots), (-1, 1), (.min, 1),
  ])
func slots(maximum: Int32, count: Int) throws {
  var device = Panels.tenSlots
  device.absoluteAxes[ABS.MT_SLOT] = AbsoluteAxis(minimum: 0, maximum: maximum)
  #expect(try TouchAxes(device).contacts == .slots(count))
}

@Test("touch-input rule 21: a negative resolution is no reason to refuse")
func resolution() {
  var device = Panels.tenSlots
  device.absoluteAxes[ABS.MT_POSITION_X] = AbsoluteAxis(minimum: 0, maximum: 799, resolution: -1)
  #expect(DeviceRole(device).touch)
}

@Test("touch-input rule 29: repeats, second presses and orphan releases are dropped")
func keys() {
  var keys = KeyTracker(heldAtOpen: [KEY.TAB])
  #expect(keys.handle(code: KEY.ESC, value: 0) == nil, "an orphan release")
  #expect(keys.handle(code: KEY.ESC, value: 1) == KeyChange(code: KEY.ESC, pressed: true))
  #expect(keys.handle(code: KEY.ESC, value: 2) == nil, "a repeat")
  #expect(keys.handle(code: KEY.ESC, value: 1) == nil, "a second press")
  #expect(keys.handle(code: KEY.ESC, value: 0) == KeyChange(code: KEY.ESC, pressed: false))
  #expect(keys.handle(code: KEY.TAB, value: 1) == nil, "held at open")
  #expect(keys.handle(code: BTN.TOUCH, value: 1) == nil, "no key")
  _ = keys.handle(code: KEY.LEFTSHIFT, value: 1)
  #expect(keys.holds([KEY.LEFTSHIFT]))
  #expect(keys.resynchronize(held: [KEY.ENTER]) == [KeyChange(code: KEY.LEFTSHIFT, pressed: false)])
  #expect(keys.handle(code: KEY.ENTER, value: 1) == nil, "a press that was lost is not invented")
}
