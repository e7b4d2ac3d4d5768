import Varlink

@testable import keyliftctl

let panelNode = #"""
  {"path":"/dev/input/event0","name":"Goodix","id":"0416:1001","kind":"touchscreen","touch":true,"keys":false,
   "used":true,"screen":"screen","rangeX":[0,799],"rangeY":[0,479],"why":null,"hidesKeyboard":false,
   "mapping":{"rangeX":[0,799],"rangeY":[0,479],"swapAxes":false,"invertX":false,"invertY":false,
   "matrix":[1,0,0,0,1,0],"matrixFrom":null,"rotation":0},"udev":["ID_INPUT_TOUCHSCREEN=1"]}
  """#

/// - more: other members, such as `"driver":"osk"`
func client(_ id: Int, pid: Int, unsent: Int = 0, _ more: String...) -> String {
  let members =
    [#""id":\#(id),"socket":"main","uid":1000,"pid":\#(pid),"process":"kiosk","unsent":\#(unsent)"#] + more
  return "{\(members.joined(separator: ","))}"
}

extension Facts {
  /// Of a kiosk that is as it should be, looked at by root.
  static func healthy() throws -> Facts {
    var facts = Facts()
    facts.socketFile = SocketFile(mode: 0o660, uid: 0, gid: 120, group: "keylift")
    facts.account = Account(
      name: "root", uid: 0, sessionGroups: [0], databaseGroups: [0], keyliftGroup: 120,
      keyliftMembers: ["kiosk"], isRoot: true)
    facts.systemd = Systemd(service: Systemd.Unit(mainPID: 50), socket: Systemd.Unit(subState: "listening"))
    facts.processes = [Process(pid: 50, name: "keyliftd"), Process(pid: 60, uid: 1000, name: "kiosk")]
    facts.configuration = ConfigurationVerdict(status: 0, text: "nothing is wrong")
    facts.displays = [Display(name: "DSI-1", width: 800, height: 480)]
    facts.inputs = [InputNode(path: "/dev/input/event0", name: "Goodix", isTouchscreen: true)]
    facts.touch = .touch(
      SeenTouch(
        device: "/dev/input/event0", screen: "screen", id: 1, phase: .began, time: 0, position: .zero))
    facts.journal = JournalLines(lines: 10)
    facts.daemon = DaemonAnswers(
      reach: .answers, version: "1.0", state: try state("", keyboard: showing("shown")))
    facts.daemon.nodes = [try json(panelNode)]
    facts.daemon.plugins = []
    facts.daemon.clients = [
      try json(client(1, pid: 60, #""scene":"scene-1","name":"form""#)),
      try json(client(2, pid: 61, #""driver":"osk","reported":true"#)),
    ]
    facts.daemon.sockets = [
      try json(
        #"{"socket":"main","connections":3,"mostConnections":1024,"mostPerUser":256,"mostUnsent":262144,"refused":0}"#
      )
    ]
    return facts
  }

  /// As a user of this name sees the same kiosk.
  static func healthy(user name: String, session: [UInt32], database: [UInt32]) throws -> Facts {
    var facts = try healthy()
    facts.account = Account(
      name: name, uid: 1000, sessionGroups: session, databaseGroups: database, keyliftGroup: 120,
      keyliftMembers: database.contains(120) ? [name] : [])
    facts.daemon.nodes = nil
    facts.daemon.clients = nil
    facts.daemon.plugins = nil
    return facts
  }

  /// The findings of a check, and so that the test reads well.
  func findings(_ check: Check) -> [Finding] { check.findings(self) }
}

func showing(_ phase: String) -> String {
  showingKeyboard.replacing("willShow", with: phase)
}

extension Finding {
  /// Empty if there is none.
  var firstRemedy: String { remedy.first ?? "" }
}
