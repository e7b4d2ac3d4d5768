import Testing
import Varlink

@testable import KeyliftClient

@Suite struct DaemonSocketTests {
  @Test(
    "An option goes before the environment, and that before the usual place; empty is none",
    arguments: [
      ("/a/b.sock", "/c/d.sock", "/a/b.sock"), (nil, "/c/d.sock", "/c/d.sock"),
      (nil, "", "/run/keylift/keylift.sock"), (nil, nil, "/run/keylift/keylift.sock"), ("", "/c/d", "/c/d"),
    ] as [(String?, String?, String)])
  func path(option: String?, variable: String?, expected: String) {
    #expect(DaemonSocket(path: option, environment: variable).path == expected)
  }

  @Test(
    "The control socket is in the same directory",
    arguments: [
      ("/run/keylift/keylift.sock", "/run/keylift/control.sock"), ("keylift.sock", "control.sock"),
      ("/k", "/control.sock"),
    ])
  func control(path: String, expected: String) {
    let control = DaemonSocket(path: path).control
    #expect(control.path == expected)
    #expect(control.role == .control)
  }

  @Test func connectingSaysWhatWhereAndWhatToDo() {
    let path = "/nowhere/keylift.sock"
    let error = #expect(throws: DaemonError.self) { try DaemonSocket(path: path).connect() }
    #expect(
      error?.description
        == "/nowhere/keylift.sock: no such socket, so keyliftd does not seem to be running. "
        + "Start it: keyliftd --runtime-directory /nowhere")
  }

  @Test(
    "A daemon is started by systemd if its socket is the system's, else by hand",
    arguments: [
      (DaemonSocket.defaultPath, "systemctl start keylift.socket", "systemctl start keylift.service"),
      ("/s/keylift.sock", "keyliftd --runtime-directory /s", "keyliftd --runtime-directory /s"),
      ("keylift.sock", "keyliftd --runtime-directory .", "keyliftd --runtime-directory ."),
      ("/keylift.sock", "keyliftd --runtime-directory /", "keyliftd --runtime-directory /"),
    ])
  func start(path: String, clients: String, control: String) {
    let socket = DaemonSocket(path: path)
    for (socket, expected) in [(socket, clients), (socket.control, control)] {
      #expect(DaemonError(.noSocket(path: socket.path), at: socket).advice == "Start it: \(expected)")
    }
  }

  @Test func permissionDependsOnTheSocket() {
    let socket = DaemonSocket(path: "/s/keylift.sock")
    #expect(
      DaemonError(.permissionDenied(path: socket.path), at: socket).description
        == "/s/keylift.sock: permission denied. "
        + "Add the user to the group keylift: usermod -aG keylift USER, then log in again.")
    #expect(
      DaemonError(.permissionDenied(path: socket.control.path), at: socket.control).description
        == "/s/control.sock: permission denied. Run this as root.")
  }

  @Test(
    "What the daemon refuses is told by what it names",
    arguments: [
      (
        "io.keylift.Scene.InvalidScene", #"{"view":"city","problem":"its parent is not there"}"#,
        #"it: view "city": its parent is not there."#
      ),
      ("io.keylift.Scene.InvalidScene", #"{"view":null,"problem":"too many views"}"#, "it: too many views."),
      (
        "io.keylift.Scene.NoSuchView", #"{"view":"x"}"#,
        #"it: no view "x" that could be focused. keyliftctl tree lists a scene's views."#
      ),
      (
        "io.keylift.Scene.Refused", #"{"by":"view page: not an editable textInput"}"#,
        "it: refused by view page: not an editable textInput. keyliftctl tree shows what it is."
      ),
      (
        "org.varlink.service.PermissionDenied", "{}",
        "it: keyliftd does not permit it. Run this as root, as the scene's own user, "
          + "or as one whom [Access] names: Keyboard= for the keyboard, Monitor= for stats."
      ),
      (
        "org.varlink.service.InvalidParameter", #"{"parameter":"views[3].frame"}"#,
        "it: views[3].frame is missing, unknown or of the wrong type."
      ),
      ("com.example.Other", #"{"a":1}"#, #"it: com.example.Other {"a":1}."#),
    ])
  func refusal(name: String, parameters: String, expected: String) throws {
    let error = VarlinkError(name, try JSON.parse(Array(parameters.utf8)))
    #expect(DaemonError(.varlink(error), at: DaemonSocket(), doing: "it").description == expected)
  }
}
