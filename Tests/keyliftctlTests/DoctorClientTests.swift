import Testing
import Varlink

@testable import keyliftctl

private func first(_ check: Check, _ facts: Facts) -> Finding { check.findings(facts)[0] }

@Suite("doctor: clients, drivers, plugins and other keyboards") struct DoctorClientTests {
  @Test func applications() throws {
    var facts = try Facts.healthy()
    #expect(first(.client, facts).text.contains("form (process 60, kiosk)"))
    facts.daemon.clients = []
    #expect(first(.client, facts).state == .warning)
    facts.daemon.clients = nil
    #expect(first(.client, facts).state == .unknown)
    facts.daemon.state = try state("", scenes: "[\(scene("scene-1", "form"))]")
    #expect(first(.client, facts).state == .ok)
  }

  @Test(
    "a driver that does not do what it is told",
    arguments: [
      ("shown", "true", Finding.State.ok), ("shown", "null", .warning), ("shown", "false", .warning),
      ("hidden", "true", .warning), ("hidden", "false", .ok), ("hidden", "null", .ok),
      ("willShow", "null", .ok),
    ])
  func drivers(phase: String, reported: String, state: Finding.State) throws {
    var facts = try Facts.healthy()
    facts.daemon.state = try keyliftctlTests.state("", keyboard: showing(phase))
    facts.daemon.clients = [try json(client(2, pid: 61, #""driver":"osk","reported":\#(reported)"#))]
    #expect(first(.keyboard, facts).state == state)
  }

  @Test("the driver that came last drives; a stopped one is a failure") func whichDriver() throws {
    var facts = try Facts.healthy()
    facts.daemon.clients = [
      try json(client(9, pid: 62, #""driver":"new","reported":true"#)),
      try json(client(2, pid: 61, #""driver":"old","reported":null"#)),
    ]
    #expect(first(.keyboard, facts).text.hasPrefix("new "))
    facts.processes.append(Process(pid: 62, name: "new", state: "T"))
    #expect(first(.keyboard, facts).state == .failure)
    facts.daemon.clients = []
    #expect(first(.keyboard, facts).state == .note)
    facts.daemon.clients = nil
    #expect(first(.keyboard, facts).state == .unknown)
  }

  @Test("a hardware keyboard keeps it hidden") func hidden() throws {
    var facts = try Facts.healthy()
    facts.daemon.nodes?.append(
      try json(#"{"path":"/dev/input/event1","name":"AT","id":"0001:0001","used":true,"hidesKeyboard":true}"#)
    )
    let finding = first(.keyboard, facts)
    #expect(finding.state == .warning)
    #expect(finding.remedy.contains("[Device 0001:0001]") && finding.remedy.contains("Keyboard=no"))
  }

  @Test(
    "who shows a keyboard by itself",
    arguments: [
      Process(pid: 70, name: "squeekboard", arguments: ["/usr/bin/squeekboard"]),
      Process(pid: 70, name: "wvkbd-mobintl", arguments: ["wvkbd-mobintl", "-L", "300"]),
      Process(pid: 70, name: "phosh-osk-stevi", arguments: ["phosh-osk-stevia"]),
      Process(pid: 70, name: "maliit-keyboard"),
      Process(pid: 70, name: "matchbox-keyboa"),
      Process(pid: 70, name: "python3", arguments: ["/usr/bin/python3", "/usr/bin/onboard"]),
      Process(pid: 70, name: "gnome-shell"),
      Process(
        pid: 70, name: "chromium", arguments: ["/usr/lib/chromium/chromium", "--enable-virtual-keyboard"]),
      Process(pid: 70, name: "app", inputMethod: "qtvirtualkeyboard"),
    ])
  func others(process: Process) throws {
    var facts = try Facts.healthy()
    facts.processes.append(process)
    #expect(first(.otherKeyboards, facts).state == .note)  // there is a driver, which may be what moves it
    facts.daemon.clients = []
    #expect(first(.otherKeyboards, facts).state == .warning)
    #expect(first(.otherKeyboards, facts).text.contains("process 70"))
    #expect(!first(.otherKeyboards, facts).remedy.isEmpty)
  }

  @Test("who does not") func innocent() throws {
    var facts = try Facts.healthy()
    facts.daemon.clients = [try json(client(1, pid: 71, #""scene":"scene-1","name":"form""#))]
    facts.processes += [
      Process(
        pid: 70, name: "chromium", arguments: ["/usr/lib/chromium/chromium", "--disable-virtual-keyboard"]),
      Process(pid: 71, name: "app", inputMethod: "qtvirtualkeyboard"),  // a client of Keylift's
      Process(pid: 72, name: "vi", arguments: ["vi", "squeekboard"]),
    ]
    #expect(first(.otherKeyboards, facts).state == .ok)
    facts.processes = [Process(pid: 73, uid: 1000, name: "sh")]
    facts.account.uid = 1000
    facts.account.isRoot = false
    #expect(first(.otherKeyboards, facts).state == .unknown)
  }

  @Test(
    "plugins",
    arguments: [
      (#""state":"resting","asked":3,"unanswered":3"#, Finding.State.warning, "left out"),
      (#""state":"connecting","asked":0,"unanswered":0"#, .warning, "not described itself"),
      (#""state":"ready","asked":9,"unanswered":2"#, .warning, "2 times of 9"),
      (#""state":"ready","asked":9,"unanswered":0"#, .ok, "answering: night"),
    ])
  func plugins(members: String, state: Finding.State, words: String) throws {
    var facts = try Facts.healthy()
    facts.daemon.plugins = [
      try json(#"{"name":"night","socket":"/run/keylift/plugins/late.sock",\#(members)}"#)
    ]
    #expect(first(.plugins, facts).state == state)
    #expect(first(.plugins, facts).text.contains(words))
    if state == .warning { #expect(first(.plugins, facts).firstRemedy.contains("keylift-plugin@late")) }
    facts.daemon.plugins = nil
    #expect(first(.plugins, facts).state == .ok)
    facts.pluginSockets = ["late.sock"]
    #expect(first(.plugins, facts).state == .unknown)
  }

  @Test("limits") func limits() throws {
    let unchanged = ("main", "main")
    func facts(_ change: (String, String), _ clients: [String] = []) throws -> Facts {
      var facts = try Facts.healthy()
      let socket =
        #"{"socket":"main","connections":3,"mostConnections":10,"mostPerUser":3,"mostUnsent":100,"refused":0}"#
      facts.daemon.sockets = [try json(socket.replacing(change.0, with: change.1))]
      facts.daemon.clients = try clients.map { try json($0) }
      return facts
    }
    #expect(try first(.limits, facts(unchanged)).state == .ok)
    #expect(try first(.limits, facts((#""connections":3"#, #""connections":7"#))).state == .ok)
    #expect(try first(.limits, facts((#""connections":3"#, #""connections":8"#))).state == .warning)
    #expect(try first(.limits, facts((#""refused":0"#, #""refused":7"#))).text.contains("7 connections"))
    let crowd = (1...3).map { client($0, pid: 60) }
    #expect(try first(.limits, facts(unchanged, crowd)).text.contains("user 1000 has 3 of 3"))
    let slow = client(1, pid: 60, unsent: 60)
    #expect(try first(.limits, facts(unchanged, [slow])).text.contains("60 bytes wait"))
    #expect(try first(.limits, facts((#""connections":3"#, #""connections":8"#))).text.hasPrefix("8 of 10"))
  }

  @Test("where no more connections are taken, who has them is told to root") func full() throws {
    var facts = try Facts.healthy()
    facts.daemon = DaemonAnswers(reach: .closed)
    #expect(first(.limits, facts).state == .failure)
    #expect(first(.limits, facts).text.contains("as many are taken as [Access] allows"))
    facts.daemon.sockets = [
      try json(
        #"{"socket":"main","connections":5,"mostConnections":5,"mostPerUser":256,"mostUnsent":262144,"refused":9}"#
      )
    ]
    facts.daemon.clients = try [(1, 60), (2, 61), (3, 61), (4, 62), (5, 61)].map {
      try json(client($0.0, pid: $0.1))
    }
    let finding = first(.limits, facts)
    #expect(finding.state == .failure)
    #expect(
      finding.text == "5 of 5 connections to main are taken, and keyliftd refuses more; most are of "
        + "kiosk (process 61) 3, kiosk (process 60) 1, kiosk (process 62) 1")
    #expect(finding.remedy.contains { $0.contains("Connections= below [Access]") })
    facts.daemon.sockets = [
      try json(
        #"{"socket":"main","connections":5,"mostConnections":9,"mostPerUser":5,"mostUnsent":262144,"refused":9}"#
      )
    ]
    #expect(
      first(.limits, facts).text.hasPrefix("user 1000 has 5 of 5 connections to main, and keyliftd refuses"))
    facts.daemon.clients = []
    #expect(first(.limits, facts).state == .warning, "it was full a moment ago")
    // What root is told all the same.
    #expect(first(.client, facts).state == .warning && first(.plugins, facts).state == .unknown)
    facts.daemon.plugins = []
    #expect(first(.plugins, facts).state == .ok)
  }

  @Test(
    "what was refused or not answered an hour ago is a note",
    arguments: [
      ("30", Finding.State.warning, "the last 30 s ago"), ("3500", .warning, "the last 58 min ago"),
      ("7200", .note, "the last 2 h ago"), ("null", .warning, ""),
    ])
  func longAgo(since: String, state: Finding.State, words: String) throws {
    var facts = try Facts.healthy()
    facts.daemon.sockets = [
      try json(
        #"{"socket":"main","connections":3,"mostConnections":9,"mostPerUser":9,"mostUnsent":9,"refused":2,"#
          + #""sinceRefused":\#(since)}"#)
    ]
    facts.daemon.plugins = [
      try json(
        #"{"name":"night","socket":"/run/keylift/plugins/late.sock","state":"ready","asked":9,"unanswered":2,"#
          + #""sinceUnanswered":\#(since)}"#)
    ]
    for check in [Check.limits, .plugins] {
      #expect(first(check, facts).state == state)
      #expect(first(check, facts).text.hasSuffix(words))
    }
  }
}
