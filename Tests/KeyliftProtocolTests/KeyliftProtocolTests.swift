import Geometry
import ResponderChain
import Testing
import Varlink

@testable import KeyliftProtocol

@Test(
  "every interface that is compiled in can be parsed, and is served as its file is",
  arguments: [
    (Interfaces.scene, "io.keylift.Scene", ["Attach", "Focus", "Resign", "Touches", "Update"]),
    (Interfaces.monitor, "io.keylift.Monitor", ["Subscribe"]),
    (Interfaces.keyboard, "io.keylift.Keyboard", ["Drive", "Hide", "Report", "Show"]),
    (Interfaces.plugin, "io.keylift.Plugin", ["Decide", "Describe"]),
    (Interfaces.control, "io.keylift.Control", ["Devices", "Tree"]),
  ])
func interfaces(interface: InterfaceDescription, name: String, methods: [String]) {
  #expect(interface.name == name)
  #expect(interface.methods.keys.sorted() == methods)
}

@Test(
  "absent members of a view take the defaults that the interface names",
  arguments: [
    ("view", true, false, false), ("control", false, true, false), ("textInput", false, true, true),
    ("scroll", false, false, false),
  ])
func defaults(kind: String, forwards: Bool, keepsFocus: Bool, editable: Bool) throws {
  let view = View(.object([.init("id", .string("v")), .init("kind", .string(kind))]))
  #expect(view.forwardsTouches == forwards)
  #expect(view.keepsFocus == keepsFocus)
  #expect(view.editable == editable)
  #expect(view.alpha == 1)
  #expect(view.interactive)
  #expect(view.resigns == .never)
}
