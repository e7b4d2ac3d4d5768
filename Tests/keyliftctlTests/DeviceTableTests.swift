import Geometry
import Testing
import Varlink

@testable import keyliftctl

@Suite struct DeviceTableTests {
  private let screen = Screen(name: "main", size: Size(width: 800, height: 480))
  private let panel = #"""
    {"path":"/dev/input/event4","name":"Goodix","id":"0416:038f","kind":"touchscreen","touch":true,"keys":false,
     "used":true,"screen":"main","rangeX":[0,4095],"rangeY":[0,4095],"why":null,"contacts":"slots","slots":10,
     "mapping":{"rangeX":[100,3900],"rangeY":[0,4095],"swapAxes":false,"invertX":true,"invertY":false,
     "matrix":[1.0123456,0,-0.01,0,1,0],"matrixFrom":"configuration","rotation":90},
     "filters":{"fuzz":8,"minimumPressure":null,"minimumTime":20000,"debounce":null,
     "deadZones":[{"x":0,"y":0,"width":40,"height":40}]},"grabbed":true,"sections":["0416:038f"],"udev":["A=1"]}
    """#
  private let button = #"""
    {"path":"/dev/input/event0","name":"Broken \u001b[2J","id":"0000:0000","kind":"touchscreen","touch":false,
     "keys":false,"used":false,"screen":null,"rangeX":null,"rangeY":null,"why":"the range of ABS_X is 0...0"}
    """#

  @Test func devices() throws {
    let devices = try json(
      #"[{"path":"/dev/input/event3","name":"Panel","touch":true,"keys":false,"screen":"screen","grabbed":false}]"#
    )
    #expect(
      DeviceTable.devices(devices.asArray ?? []) == """
        PATH               NAME   READ FOR  SCREEN
        /dev/input/event3  Panel  touch     screen

        """)
    #expect(DeviceTable.devices([]) == "No input devices are read.\n")
    #expect(DeviceTable.nodes([]) == "No input devices were found.\n")
  }

  @Test("what an older daemon does not say is left out") func sparseNodes() throws {
    let nodes = try json(
      """
      [{"path":"/dev/input/event3","id":"0416:038f","name":"Panel","kind":"touchscreen","touch":true,"keys":false,"used":true,
        "screen":"screen","rangeX":[0,799],"rangeY":[0,479],"why":null},
       {"path":"/dev/input/event4","id":"1209:4b4c","name":"Mouse","kind":"other","touch":false,"keys":false,"used":false,
        "screen":null,"rangeX":null,"rangeY":null,"why":"neither touch nor keys"}]
      """)
    #expect(
      DeviceTable.nodes(nodes.asArray ?? []) == """
        PATH               ID         KIND         READ FOR  SCREEN  NAME
        /dev/input/event3  0416:038f  touchscreen  touch     screen  Panel
            range 0...799 by 0...479
        /dev/input/event4  1209:4b4c  other        not used          Mouse
            why not: neither touch nor keys

        """)
  }

  @Test func nodes() throws {
    let table = DeviceTable.nodes([try json(panel), try json(button)])
    #expect(
      table == #"""
        PATH               ID         KIND         READ FOR  SCREEN  NAME
        /dev/input/event4  0416:038f  touchscreen  touch     main    Goodix
            range 0...4095 by 0...4095; 10 slots; grabbed
            read as 100...3900 by 0...4095; X inverted; matrix 1.012346 0 -0.01 0 1 0 (configuration); rotated by 90
            filters: fuzz 8, touches under 20 ms disregarded, dead at 0,0 40x40
            from [Device 0416:038f]
        /dev/input/event0  0000:0000  touchscreen  not used          Broken \u{1b}[2J
            why not: the range of ABS_X is 0...0

        """#)
  }

  @Test("who smooths is told, for Fuzz= is not used where the kernel does") func kernelFuzz() throws {
    let node = try json(#"{"path":"/dev/input/event0","filters":{"fuzz":null,"kernelFuzz":8}}"#)
    #expect(DeviceTable.nodes([node]).contains("filters: fuzz 8 (kernel)\n"))
  }

  @Test func panels() throws {
    let panels = try [Panel]([try json(panel), try json(button)], for: "touches")
    #expect(panels.map(\.path) == ["/dev/input/event4"])
    for match in ["/dev/input/event4", "0416:038F", "416:38f", "Goodix", "A=1"] {
      #expect(try panels.matching(match, for: "touches").count == 1)
    }
    #expect(throws: Failure.self) { try panels.matching("Elan", for: "touches") }
    let null = Panel(node: try json(#"{"path":"/dev/null"}"#))
    #expect(null.matches("/proc/self/root/dev/null"))
    #expect(!null.matches("/dev/zero") && !null.matches("/nonexistent"))
    let failure = #expect(throws: Failure.self) { try [Panel]([try json(button)], for: "touches") }
    #expect(failure?.message.contains("the range of ABS_X is 0...0") == true)
    #expect(throws: Failure.self) { try [Panel]([], for: "touches") }
    let mapping = panels[0].mapping(on: [screen])
    #expect(mapping == PanelMapping(rangeX: 100...3900, rangeY: 0...4095, invertX: true, screen: screen))
    #expect(panels[0].mapping(on: []) == nil)
    #expect(panels[0].matrix == Matrix(1.0123456, 0, -0.01, 0, 1, 0))
  }

  @Test("a section matches its touchscreen alone") func sections() throws {
    func panel(_ path: String, _ name: String, _ id: String) throws -> Panel {
      Panel(node: try json(#"{"path":"\#(path)","name":"\#(name)","id":"\#(id)"}"#))
    }
    let (one, twin) = (try panel("/dev/1", "One", "0001:0001"), try panel("/dev/2", "Twin", "0001:0001"))
    #expect(one.section(among: [one]) == "0001:0001")
    #expect(one.section(among: [one, twin]) == "One")
    let odd = try panel("/dev/3", "a]b", "0000:0000")
    #expect(odd.section(among: [odd]) == "/dev/3")
  }
}
