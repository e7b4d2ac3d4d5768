import EventLoop
import Glibc
import KeyliftProtocol
import Testing
import Varlink

@testable import KeyliftClient

@Suite struct DaemonClientTests {
  let daemon: FakeDaemon

  init() throws { daemon = try FakeDaemon() }

  @Test(
    "a callback may call back into the client and close it; nothing is called then",
    arguments: ["connect", "disconnect", "error", "state", "touch", "answer"])
  func closing(which: String) throws {
    var scene: Scene? = try Scene("form", views: [field("a")], socket: daemon.socket)
    var isClosed = false
    weak let gone = scene
    func heard(_ callback: String) {
      #expect(!isClosed, "\(callback) after it was closed")
      guard callback == which else { return }
      isClosed = true
      try? scene?.set([field("b")])
      scene?.focus("b")
      scene?.dispatch()
      scene?.close()
      scene?.focus("a")
      scene = nil
    }
    scene?.onConnect = { heard("connect") }
    scene?.onDisconnect = { _ in heard("disconnect") }
    scene?.onError = { _ in heard("error") }
    scene?.onState = { _ in heard("state") }
    scene?.onTouch = { _ in heard("touch") }
    try scene?.showKeyboard { _ in heard("answer") }
    try scene?.start(on: daemon.loop)
    daemon.answer = { call in
      guard call.name == "Focus" else { return false }
      call.fail("io.keylift.Scene.NoSuchView") { $0.field("view", "a") }
      return true
    }
    try daemon.until("asked for touches, and answered") { isClosed || daemon.called.contains("Show") }
    try daemon.settle()
    if let attached = daemon.streams.first { daemon.say(KeyliftClientTests.scene(), on: attached) }
    if let touches = daemon.streams.last {
      for _ in 0..<3 {
        daemon.say(
          #"""
          {"touch":{"id":1,"phase":"began","time":7,"position":{"x":1,"y":2},"view":null,"responders":[]}}
          """#, on: touches)
      }
    }
    try daemon.settle()
    scene?.focus("a")
    try daemon.settle()
    daemon.stop()
    try daemon.until(Comment(rawValue: which)) { isClosed }
    try daemon.settle()
    #expect(gone == nil, "nothing holds it any more")
  }

  @Test("an answer that does not come ends the wait, and the connection") func timeLimit() throws {
    let monitor = try Monitor(socket: daemon.socket)
    monitor.patience = 30_000
    var answers: [Result<String?, DaemonError>] = []
    var connects = 0
    monitor.onConnect = { connects += 1 }
    daemon.answer = { $0.name == "Show" }
    try monitor.start(on: daemon.loop)
    try daemon.until("connected") { connects == 1 }
    try monitor.showKeyboard { answers.append($0) }
    try daemon.until("no answer in time") { answers.count == 1 }
    guard case .failure(let error)? = answers.first, case .timedOut = error.cause else {
      Issue.record("\(answers)")
      return
    }
    try daemon.until("connected again") { connects == 2 }
    try monitor.hideKeyboard { answers.append($0) }
    try daemon.until("answered") { answers.count == 2 }
    guard case .success(nil)? = answers.last else {
      Issue.record("\(answers)")
      return
    }
  }

  @Test("a call that waits behind another has the time from when it was asked for, and ends no connection")
  func queued() throws {
    let monitor = try Monitor(socket: daemon.socket)
    monitor.patience = 1_000_000
    var held: [Varlink.Call] = []
    daemon.answer = { call in
      guard !call.wantsMore else { return false }
      held.append(call)
      return true
    }
    try monitor.start(on: daemon.loop)
    try daemon.until("connected") { monitor.isConnected }
    let asked = EventLoop.now
    var answers: [Bool] = []
    var wasConnected = false
    try monitor.showKeyboard { answers.append((try? $0.get()) != nil) }
    try monitor.hideKeyboard {
      if case .failure(let error) = $0, case .timedOut = error.cause { answers.append(false) }
      wasConnected = monitor.isConnected
    }
    try daemon.until("the second half of the time") { EventLoop.now > asked + 500_000 }
    held[0].reply { _ in }
    try daemon.until("both ended") { answers.count == 2 }
    #expect(wasConnected, "the daemon has had the second for half of the time")
    #expect(held.map(\.name) == ["Show", "Hide"])
  }

  @Test("calls while there is no daemon wait for it, so many and so long") func bounds() throws {
    daemon.stop()
    let monitor = try Monitor(socket: daemon.socket)
    monitor.patience = 30_000
    var late = 0
    try monitor.start(on: daemon.loop)
    for _ in 0..<64 { try monitor.showKeyboard { if case .failure = $0 { late += 1 } } }
    #expect(throws: DaemonError.self) { try monitor.showKeyboard() }
    try daemon.until("none of them in time") { late == 64 }
    try monitor.showKeyboard { if case .success = $0 { late += 1 } }
    try daemon.start()
    monitor.patience = 10_000_000
    try monitor.showKeyboard { if case .success = $0 { late += 1 } }
    try daemon.until("the daemon came, and answered") { daemon.called.contains("Show") && late >= 65 }
  }

  @Test("who refuses is told") func refusedBy() throws {
    daemon.answer = { call in
      guard call.name == "Show" else { return false }
      call.reply { $0.field("refusedBy", "night") }
      return true
    }
    let monitor = try Monitor(socket: daemon.socket)
    var answer: String??
    try monitor.showKeyboard { answer = try? $0.get() }
    try monitor.start(on: daemon.loop)
    try daemon.until("answered") { answer != nil }
    #expect(answer == .some("night"))
  }

  @Test("it is tried again at once, then after a pause that doubles") func backOff() throws {
    func pauses(_ count: Int) throws -> [UInt64] {
      let monitor = try Monitor(socket: daemon.socket)
      var times: [UInt64] = []
      daemon.answer = { call in
        times.append(EventLoop.now)
        call.connection?.close()
        return true
      }
      try monitor.start(on: daemon.loop)
      try daemon.until("so many attempts") { times.count > count }
      monitor.close()
      return zip(times, times.dropFirst()).map { $1 - $0 }
    }
    for (pause, least) in zip(try pauses(4).dropFirst(), [90_000, 190_000, 390_000] as [UInt64]) {
      #expect(pause > least)
    }
    // A busy machine may make a pause longer, but hardly each.
    var first = UInt64.max
    for _ in 0..<20 where first >= 90_000 { first = try pauses(1)[0] }
    #expect(first < 90_000)
  }

  @Test("the reply of a stream that says nothing follows is its last") func lastReply() throws {
    let keyboard = try Keyboard("osk", socket: daemon.socket)
    var orders: [Int64?] = []
    var connects = 0
    keyboard.onConnect = { connects += 1 }
    keyboard.onOrder = { orders.append($0.order) }
    try keyboard.start(on: daemon.loop)
    try daemon.until("driving") { orders.count == 1 }
    let members = try JSON.parse(Array(order(visible: true, 2).utf8)).asMembers ?? []
    daemon.streams.last?.end { writer in
      for member in members {
        writer.key(member.key)
        writer.value(member.value)
      }
    }
    try daemon.until("driving again") { connects == 2 }
    #expect(orders == [1, 2, 1])
  }

  @Test(
    "ipc rule 17, the other way round: whatever a service says, the client connects again",
    arguments: [
      "", "nonsense", "[]", #"{"parameters":1}"#, #"{"error":7}"#, #"{"parameters":{}}"#,
      #"{"continues":true,"parameters":{"instance":1}}"#, String(repeating: "[", count: 100_000),
    ])
  func hostile(lie: String) throws {
    daemon.stop()
    let listener = try Server.bind(path: daemon.socket.path, mode: 0o600)
    defer { Glibc.close(listener) }
    let scene = try Scene("x", views: [field("a")], socket: daemon.socket)
    scene.onState = { _ in Issue.record("a state") }
    try scene.start(on: daemon.loop)
    var said = 0
    try daemon.until("connected twice") {
      let connection = Glibc.accept(listener, nil, nil)
      if connection >= 0 {
        said += 1
        unsafe _ = send(connection, lie + "\0", lie.utf8.count + 1, Int32(MSG_NOSIGNAL))
        try? daemon.settle()
        Glibc.close(connection)
      }
      return said == 2
    }
  }

  @Test("a keyboard's driver reports what it was told last; for a new daemon it begins anew") func keyboard()
    throws
  {
    let keyboard = try Keyboard("osk", socket: daemon.socket)
    var orders: [KeyboardOrder] = []
    keyboard.onOrder = { orders.append($0) }
    keyboard.report(visible: true)  // nothing is known yet
    try keyboard.start(on: daemon.loop)
    try daemon.until("driving") { orders.count == 1 }
    daemon.say(order(visible: true, 2))
    try daemon.until("told") { orders.count == 2 }
    #expect(orders[1].visible)
    #expect(orders[1].purpose == .email)
    keyboard.report(visible: true, frame: .zero)
    keyboard.report(visible: true, frame: Rect(x: 0, y: 240, width: 800, height: 240), docked: false)
    try daemon.until("reported") { daemon.called == ["Drive", "Report"] }
    let report = daemon.calls[1].parameters
    #expect(report["driver"].asString == "osk (2)")
    #expect(report["order"].asInteger == 2)
    #expect(report["frame"]["y"].asInteger == 240)
    #expect(report["docked"] == .bool(false))
    try daemon.settle()
    daemon.stop()
    try daemon.until("gone") { !keyboard.isConnected }
    keyboard.report(visible: true)
    try daemon.start()
    try daemon.until("driving again") { orders.count == 3 }
    try daemon.settle()
    #expect(daemon.called == ["Drive", "Report", "Drive"])
  }

  @Test("a report whose connection is closed is made again, and the keyboard drives on") func cutOff() throws
  {
    let keyboard = try Keyboard("osk", socket: daemon.socket)
    daemon.answer = { [daemon] call in
      guard call.name == "Report", daemon.called.filter({ $0 == "Report" }).count == 1 else { return false }
      call.connection?.close()
      return true
    }
    keyboard.onOrder = { _ in keyboard.report(visible: true) }
    try keyboard.start(on: daemon.loop)
    try daemon.until("reported again") { daemon.called == ["Drive", "Report", "Report"] }
    #expect(keyboard.isConnected)
    keyboard.close()
  }

  @Test("a monitor's state") func monitor() throws {
    let monitor = try Monitor(.keyboardDidShow, .sceneGone, socket: daemon.socket)
    try monitor.start(on: daemon.loop)
    try daemon.until("a state") { monitor.latest != nil }
    let asked = daemon.calls[0].parameters["notifications"].asArray?.compactMap(\.asString)
    #expect(asked == ["keyboardDidShow", "sceneGone"])
    let state = try #require(monitor.latest)
    #expect(state.notifications == [.snapshot])
    #expect(state.screens == [Screen(name: "main", size: Size(width: 800, height: 480))])
    #expect(state.scenes.map(\.focused) == ["city"])
    #expect(state.scenes.map(\.offset.y) == [-9])
    #expect(state.devices.map(\.name) == ["panel"])
    #expect(state.devices.map(\.touch) == [true])
  }

  @Test("names are those of the interfaces") func names() {
    func names(_ interface: InterfaceDescription, _ type: String) -> [String] {
      if case .enumeration(let names)? = interface.type(type) { names } else { [] }
    }
    #expect(Monitor.Notification.allCases.map(\.rawValue) == names(Interfaces.monitor, "Notification"))
    #expect(Plugin.Transition.allCases.map(\.rawValue) == names(Interfaces.plugin, "Transition"))
    #expect(SceneState.Change.allCases.map(\.rawValue) == names(Interfaces.scene, "Change"))
  }
}
