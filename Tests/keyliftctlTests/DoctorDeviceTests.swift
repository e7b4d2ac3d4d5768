import Testing
import TouchInput
import Varlink

@testable import keyliftctl

private func first(_ check: Check, _ facts: Facts) -> Finding { check.findings(facts)[0] }

private func node(_ changes: (String, String)...) throws -> JSON {
  try json(changes.reduce(panelNode) { $0.replacing($1.0, with: $1.1) })
}

@Suite("doctor: touchscreens and screens") struct DoctorDeviceTests {
  @Test(
    "a touchscreen that is not used, with what helps",
    arguments: [
      ("the range of ABS_X is 0...0", "Range=minX"),
      (
        "/dev/input/event0 is root:root 0600, which keyliftd may not read; ...",
        "udevadm trigger --action=add"
      ),
      (
        "udev has LIBINPUT_IGNORE_DEVICE for it; it is used once no udev rule sets that",
        "grep -rn -e LIBINPUT"
      ),
    ])
  func unused(why: String, remedy: String) throws {
    var facts = try Facts.healthy()
    let unused = try node((#""used":true"#, #""used":false"#), (#""why":null"#, "\"why\":\"\(why)\""))
    facts.daemon.nodes = [unused]
    #expect(first(.touchscreen, facts).state == .failure)
    #expect(first(.touchscreen, facts).text.contains(why))
    #expect(first(.touchscreen, facts).remedy.joined(separator: "\n").contains(remedy))
    facts.daemon.nodes = [unused, try node()]  // another one is used
    #expect(facts.findings(.touchscreen).map(\.state) == [.ok, .warning])
  }

  @Test("none at all") func none() throws {
    var facts = try Facts.healthy()
    facts.daemon.nodes = []
    #expect(first(.touchscreen, facts).state == .failure)
    facts.daemon = DaemonAnswers()
    facts.inputs = []
    #expect(first(.touchscreen, facts).state == .failure)
    #expect(
      first(.touchscreen, facts).text.hasPrefix("there is no touchscreen, nor any other input device: "))
    facts.inputs = nil
    #expect(first(.touchscreen, facts).state == .unknown)
  }

  @Test("without root, and without a daemon") func seenFromElsewhere() throws {
    var facts = try Facts.healthy(user: "kiosk", session: [120], database: [120])
    #expect(first(.touchscreen, facts).text.contains("/dev/input/event0 (Goodix) is a touchscreen"))
    #expect(first(.touchscreen, facts).state == .failure)
    facts.daemon.state = try state(
      "",
      devices: #"[{"path":"/dev/input/event0","name":"Goodix","touch":true,"keys":false,"screen":"screen"}]"#)
    #expect(first(.touchscreen, facts).state == .ok)
    facts.daemon = DaemonAnswers()
    #expect(first(.touchscreen, facts).state == .ok)
    facts.inputs?[0].why = "udev has not initialised it yet"
    #expect(first(.touchscreen, facts).state == .warning)
  }

  @Test(
    "axes against the screen",
    arguments: [
      ("[0,799]", "[0,479]", "false", Finding.State.ok),
      ("[0,479]", "[0,799]", "false", .warning),
      ("[0,479]", "[0,799]", "true", .ok),
      ("[0,4095]", "[0,4095]", "false", .unknown),
    ])
  func axes(x: String, y: String, swapped: String, state: Finding.State) throws {
    var facts = try Facts.healthy()
    facts.displays = []
    let changed = panelNode.replacing("[0,799]", with: "#").replacing("[0,479]", with: y)
      .replacing("#", with: x)
    facts.daemon.nodes = [
      try json(changed.replacing(#""swapAxes":false"#, with: "\"swapAxes\":\(swapped)"))
    ]
    #expect(first(.screen, facts).state == state)
    if state == .warning { #expect(first(.screen, facts).remedy.contains("SwapAxes=yes")) }
  }

  @Test("a matrix that crosses the axes counts as swapping them") func crossed() throws {
    var facts = try Facts.healthy()
    facts.daemon.nodes = [
      try node(("[1,0,0,0,1,0]", "[0,1,0,-1,0,1]"), (#""matrixFrom":null"#, #""matrixFrom":"udev""#))
    ]
    #expect(first(.screen, facts).state == .warning)
  }

  @Test("the screen against the display") func displays() throws {
    var facts = try Facts.healthy()
    facts.displays = [Display(name: "DSI-1", width: 480, height: 800)]
    #expect(facts.findings(.screen).map(\.state) == [.ok, .note])  // the axes say that the picture is turned
    facts.daemon.nodes = nil
    #expect(first(.screen, facts).remedy.contains("Size=480x800"))
    facts = try Facts.healthy()
    facts.displays = [Display(name: "DSI-1", width: 1600, height: 960)]  // points are not pixels
    #expect(first(.screen, facts).state == .ok)
    facts.displays = [Display(name: "DSI-1", width: 1024, height: 768)]
    #expect(first(.screen, facts).text.contains("another shape"))
    facts.displays = [
      Display(name: "DSI-1", width: 800, height: 480), Display(name: "HDMI-A-1", width: 1920, height: 1080),
    ]
    #expect(facts.findings(.screen).map(\.state) == [.ok, .note])
    facts.daemon.nodes = [try node(("ID_INPUT_TOUCHSCREEN=1", "WL_OUTPUT=HDMI-A-1"))]
    let stray = facts.findings(.screen).last
    #expect(stray?.state == .warning)
    #expect(stray?.remedy.prefix(2) == ["[Screen HDMI-A-1]", "Size=1920x1080"])
  }

  @Test("the console's rotation tells how the panel is built in") func console() throws {
    var facts = try Facts.healthy()
    facts.consoleRotation = 90
    #expect(first(.screen, facts).state == .warning)
    #expect(first(.screen, facts).firstRemedy.hasPrefix("sudo keyliftctl rotate 90"))
    facts.consoleRotation = 0
    #expect(first(.screen, facts).state == .ok)
  }

  @Test("shapes") func shapes() {
    #expect(Shape.compare(800.0 / 480, 1600.0 / 960, within: 0.03) == .same)
    #expect(Shape.compare(800.0 / 480, 480.0 / 800, within: 0.03) == .turned)
    #expect(Shape.compare(1, 1.6, within: 0.15) == .square)
    #expect(Shape.compare(4.0 / 3, 16.0 / 9, within: 0.03) == .other)
    #expect(Shape.compare(.infinity, 1, within: 0.03) == .square)
  }

  @Test("touches") func touches() throws {
    var facts = try Facts.healthy()
    facts.touch = .skipped
    #expect(first(.touch, facts).state == .unknown)
    facts.touch = .notifications(["focusChanged"])
    #expect(first(.touch, facts).state == .ok)
    facts.touch = .nothing(seconds: 10, seesTouches: false)
    #expect(first(.touch, facts).state == .unknown)
    facts.touch = .nothing(seconds: 10, seesTouches: true)
    #expect(first(.touch, facts).state == .warning)
    #expect(first(.touch, facts).remedy.contains { $0.contains("/dev/input/event0") })
    facts.touch = .skipped
    facts.daemon = DaemonAnswers()
    #expect(facts.findings(.touch).map(\.text) == [Finding.needsDaemon.text])
  }
}
