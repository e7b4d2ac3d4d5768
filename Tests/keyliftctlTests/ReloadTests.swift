import Testing
import Varlink

@testable import keyliftctl

@Test(
  "reload: a line for each change",
  arguments: [
    (#"{"section":"Keyboard","key":"Height","from":"40%","to":"192"}"#, "[Keyboard] Height 40% -> 192\n"),
    (#"{"section":"Log","key":"Level","from":null,"to":"debug"}"#, "[Log] Level default -> debug\n"),
    (#"{"section":"Log","key":"Level","from":"debug"}"#, "[Log] Level debug -> default\n"),
    (#"{"section":"Access","key":"Keyboard","from":"*","to":""}"#, "[Access] Keyboard * -> empty\n"),
    (#"{"section":"Screen b","from":null,"to":""}"#, "[Screen b] is new\n"),
    (#"{"section":"Screen b","from":"","to":null}"#, "[Screen b] is gone\n"),
    (#"{"section":"Screen \u001b","from":"","to":""}"#, "[Screen \\u{1b}] stands elsewhere\n"),
  ])
func reloadLine(change: String, line: String) throws { #expect(ReloadLine.text(try json(change)) == line) }
