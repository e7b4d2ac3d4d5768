import Engine
import EventLoop
import Glibc
import Invariants
import KeyliftDaemon
import KeyliftProtocol
import TouchInput
import Varlink

/// A daemon without devices or files, and clients and plugins who say anything to it, over real sockets.
///
/// Every call is answered once, in order and as the interfaces describe it; who says what is no call is cut off, and
/// nobody else; what waits for somebody is bounded; and when all have gone nothing of them is left.
final class ConversationPlay<Chances: RandomNumberGenerator> {
  /// What the last step did.
  private(set) var last = ""

  private var values: MadeUpValue<Chances>
  private let daemon: Daemon
  private let limits: Server.Limits
  private let atStart: Remains
  private var talkers: [Talker] = []
  private var lastTalker = 0
  private(set) var answers = AnswerCount()
  private let folder: TemporaryFolder?
  private var plugins: [MadeUpPlugin] = []
  private var fingers: [Int32: Int32] = [:]
  private var lastTrackingID: Int32 = 0
  private var problems: [String] = []

  private static var mostTalkers: Int { 10 }

  /// Nil if the system has no more descriptors, or the like.
  init?(_ chances: Chances) {
    values = MadeUpValue(chances)
    var settings = Settings()
    settings.duration = values.pick([0, 0.002])
    settings.pluginDeadline = 2_000
    settings.pluginTotalDeadline = 4_000
    var limits = Server.Limits()
    limits.sendBuffer = values.pick([4_608, 32_768])
    if values.chance(4) { limits.stall = 3_000 }
    if values.chance(4) { limits.connections = 6 }
    self.limits = limits
    folder = values.chance(3) ? TemporaryFolder() : nil
    guard let daemon = try? Daemon(settings: settings, log: Log(level: .debug, to: nowhere)),
      (try? daemon.serve(main: [], control: [], limits: limits)) != nil
    else { return nil }
    self.daemon = daemon
    if let folder { daemon.listenForPlugins(in: folder.path) }
    daemon.feed(
      .deviceAdded(1, path: "1", .panel(width: 480, height: 800), DeviceState(), DeviceSettings()),
      at: daemon.loop.now)
    atStart = Remains(of: daemon, but: notOfClients)
  }

  // MARK: Steps

  /// Somebody does something, and everything comes of it that does. Returns: what is wrong then.
  func step() -> [String] {
    switch Int.random(in: 0..<32, using: &values.random) {
    case 0..<4: connect()
    case 4..<18: withTalker { call($0) }
    case 18: withTalker { say($0, garbage(), "garbage") }
    case 19:
      withTalker { talker in
        last = "\(talker.name) half closes"
        talker.halfClose()
      }
    case 20: leave()
    case 21 where values.chance(4):
      withTalker { talker in
        last = "\(talker.name) sends a descriptor"
        talker.sendDescriptor()
      }
    case 22: readSlowly()
    case 23: wait()
    case 24: changePlugins()
    case 25:
      last = "a key"
      daemon.feed(
        .keys([KeyCommand.allCases[Int.random(in: 0..<KeyCommand.allCases.count, using: &values.random)]]),
        at: daemon.loop.now)
    default: touch()
    }
    settle()
    check()
    return problems
  }

  private func connect() {
    if talkers.count >= Self.mostTalkers { return leave() }
    let isRoot = values.chance(4)
    lastTalker += 1
    let name = "\(isRoot ? "root" : "client") \(lastTalker)"
    // With so little time, who reads at once may be late as well, on a machine that has much to do.
    let isForgiven = limits.stall < 1_000_000
    guard let talker = Talker(name: name, isRoot: isRoot, isSlow: values.chance(5), isForgiven: isForgiven)
    else {
      return
    }
    let uid: UInt32 = isRoot ? 0 : values.pick([0, 1000, 1000, 1000, 1001])
    last = "\(name) connects as \(uid)\(talker.isSlow ? ", slow" : "")"
    let server = daemon.servers[isRoot ? 1 : 0].server
    let isFull = server.connections.count >= limits.connections
    server.adopt(talker.sockets.client, peer: Credentials(pid: 1, uid: uid, gid: uid))
    if isFull {
      // ipc rule 10: refused at once.
      settle()
      if talker.isOpenToTheDaemon { problems.append("\(name) was let in over the limit") }
      talker.close()
    } else {
      talkers.append(talker)
    }
  }

  private func withTalker(_ body: (Talker) -> Void) {
    let idle = talkers.filter { $0.isOpen && !$0.waits }
    let those = idle.isEmpty || values.chance(8) ? talkers : idle
    if those.isEmpty { connect() } else { body(values.pick(those)) }
  }

  private func say(_ talker: Talker, _ bytes: [UInt8], _ what: String) {
    last = "\(talker.name): \(what)"
    let server = daemon.servers[talker.isRoot ? 1 : 0].server
    talker.queue(bytes, limit: server.limit)
    // Now and then only a part of it comes first.
    talker.send(values.chance(4) ? Int.random(in: 0...bytes.count, using: &values.random) : .max)
  }

  private func leave() {
    guard !talkers.isEmpty else { return connect() }
    let talker = values.pick(talkers)
    last = "\(talker.name) closes"
    talker.close()
  }

  private func readSlowly() {
    last = "slow ones read"
    for talker in talkers where talker.isSlow {
      _ = talker.receive(&problems, instance: daemon.stamp.instance)
    }
  }

  private func wait() {
    last = "time passes"
    for _ in 0..<3 { _ = try? daemon.loop.runOnce(timeout: 1_000) }
  }

  private func changePlugins() {
    guard let folder, plugins.count < 3, !values.chance(4) else {
      last = "a plugin goes"
      return plugins = Array(plugins.dropLast())
    }
    last = "a plugin comes"
    // A name that was there before would be one that comes back.
    lastTalker += 1
    if let plugin = MadeUpPlugin(path: "\(folder.path)/\(lastTalker)") { plugins.append(plugin) }
  }

  /// One frame of one finger.
  private func touch() {
    let slot = Int32.random(in: 0...2, using: &values.random)
    func event(_ code: UInt16, _ value: Int32) -> InputEvent {
      InputEvent(type: EV.ABS, code: code, value: value)
    }
    var events = [event(ABS.MT_SLOT, slot)]
    if fingers[slot] != nil, values.chance(2) {
      fingers[slot] = nil
      events.append(event(ABS.MT_TRACKING_ID, -1))
    } else {
      if fingers[slot] == nil {
        lastTrackingID += 1
        fingers[slot] = lastTrackingID
        events.append(event(ABS.MT_TRACKING_ID, lastTrackingID))
      }
      events.append(event(ABS.MT_POSITION_X, .random(in: 0...479, using: &values.random)))
      events.append(event(ABS.MT_POSITION_Y, .random(in: 0...799, using: &values.random)))
    }
    last = "touch \(events.map { "\($0.code) \($0.value)" })"
    daemon.feed(.frame(1, events), at: daemon.loop.now)
  }

  // MARK: What is said

  private func call(_ talker: Talker) {
    var bytes: [UInt8] = []
    var what = ""
    repeat {
      let (text, one) = message(talker)
      bytes += text
      what += one + " "
    } while values.chance(4)
    if values.chance(30) {
      bytes[Int.random(in: bytes.indices, using: &values.random)] ^=
        1 << Int.random(in: 0..<8, using: &values.random)
    }
    say(talker, bytes, what)
  }

  private func garbage() -> [UInt8] {
    (0..<Int.random(in: 1...40, using: &values.random)).map { _ in
      values.chance(2)
        ? .random(in: 0...255, using: &values.random) : values.pick(Array("{}[]\",:0-eE. \u{0}".utf8))
    }
  }

  private func message(_ talker: Talker) -> (bytes: [UInt8], text: String) {
    let descriptions = Talker.interfaces.filter {
      ($0.name == Interfaces.control.name) == talker.isRoot || values.chance(9)
    }
    let description = values.pick(values.chance(2) ? Array(descriptions.prefix(1)) : descriptions)
    let methods = description.methods.keys.sorted()
    var name = values.pick(methods)
    if methods.contains("Attach"), daemon.engine.scenes.isEmpty { name = "Attach" }
    values.names = [
      "scene": talkers.flatMap(\.scenes), "driver": talkers.flatMap(\.drivers), "screen": ["screen"],
      "name": ["form", "list"], "id": viewNames, "parent": viewNames, "view": viewNames,
      "keepsVisible": viewNames,
      "remove": viewNames, "interface": Talker.interfaces.map(\.name),
    ]
    values.mistakes = values.chance(4) ? 30 : 0
    values.extremes = values.chance(3) ? 20 : 0
    let parameters =
      description.methods[name].flatMap { values.parameters($0.input, in: description) } ?? .empty
    var message = Message()
    let qualified = "\(description.name).\(values.chance(60) ? "Nothing" : name)"
    message.encode(method: qualified, flag: flag(of: name)) { writer in
      for member in parameters.asMembers ?? [] {
        writer.key(member.key)
        writer.value(member.key == "views" || member.key == "set" ? orderly(member.value) : member.value)
      }
    }
    let text = String(decoding: message.bytes.dropLast(), as: UTF8.self)
    // 1e300 is a number, and 1e999 none that a double has.
    let bytes = values.chance(8) ? Array(text.replacing("e+300", with: "e+999").utf8) + [0] : message.bytes
    return (bytes, text)
  }

  private func flag(of method: String) -> CallFlag {
    let isStream = ["Attach", "Touches", "Drive", "Subscribe", "Tree", "Record"].contains(method)
    if isStream ? !values.chance(12) : values.chance(12) { return .more }
    return values.pick([.none, .none, .none, .none, .none, .none, .none, .oneway, .upgrade])
  }

  /// Views that mostly make a tree: each has an id of its own, and the parent is one before it.
  private func orderly(_ views: JSON) -> JSON {
    guard case .array(var elements) = views, !elements.isEmpty, !values.chance(6) else { return views }
    // Now and then so many that a scene takes more than one reply.
    if values.chance(60) { while elements.count < 400 { elements += elements } }
    for (place, element) in elements.enumerated() {
      guard case .object(var members) = element else { continue }
      members.removeAll { ["id", "parent"].contains($0.key) }
      members.append(JSON.Member("id", .string("v\(place)")))
      if place > 0, values.chance(2) {
        members.append(JSON.Member("parent", .string("v\(Int.random(in: 0..<place, using: &values.random))")))
      }
      elements[place] = .object(members)
    }
    return .array(elements)
  }

  // MARK: What comes of it

  /// Lets the loop turn, and the clients and plugins read and answer, until nothing more happens.
  private func settle() {
    var turns = 0
    var goesOn = true
    while goesOn {
      goesOn = false
      while (try? daemon.loop.runOnce(timeout: 0)) ?? false {
        turns += 1
        if turns > 20_000 { return problems.append("the loop does not come to rest") }
      }
      for talker in talkers {
        if talker.send() { goesOn = true }
        if !talker.isSlow, talker.receive(&problems, instance: daemon.stamp.instance) { goesOn = true }
      }
      for plugin in plugins where plugin.turn(&values) { goesOn = true }
    }
    for talker in talkers where !talker.isOpen { answers += talker.answers }
    talkers.removeAll { !$0.isOpen }
  }

  private func check() {
    for connection in daemon.servers.flatMap(\.server.connections) where connection.unsent > limits.unsent {
      problems.append("\(connection.unsent) bytes wait")
    }
    if daemon.engine.scenes.count > talkers.count { problems.append("more scenes than clients") }
  }

  /// Everybody gets what is still to come, and goes. Returns: what is wrong then.
  func finish() -> [String] {
    last = "the end"
    plugins = []
    settle()
    // A plugin that has just gone may be waited for a moment longer.
    for _ in 0..<100 where talkers.contains(where: { !$0.isSlow && $0.missing != nil }) {
      _ = try? daemon.loop.runOnce(timeout: 1_000)
      settle()
    }
    while talkers.contains(where: { $0.isSlow && $0.receive(&problems, instance: daemon.stamp.instance) }) {
      settle()
    }
    problems += talkers.filter(\.hasSentAll).compactMap(\.missing)
    for talker in talkers { talker.close() }
    settle()
    if !daemon.engine.scenes.isEmpty { problems.append("\(daemon.engine.scenes.count) scenes are left") }
    if !daemon.engine.drivers.isEmpty { problems.append("\(daemon.engine.drivers.count) drivers are left") }
    let atEnd = Remains(of: daemon, but: notOfClients)
    if atEnd != atStart { problems.append("left is \(atEnd.since(atStart))") }
    return problems
  }
}

/// Where the daemon's log goes.
private let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
/// Of the daemon's properties, those that no client leaves anything in, or no more than a bounded number of entries: of
/// kinds of closes, and of lines that the log counts.
private let notOfClients: Set = ["daemon", "engine", "settings", "description", "totals", "log"]
private let viewNames = (0..<5).map { "v\($0)" }

extension ConversationPlay<ByteChances> {
  /// Plays what the bytes stand for. Returns: what was wrong, nil for nothing.
  static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    guard let play = ConversationPlay(ByteChances(bytes)) else { return "no daemon" }
    while !play.values.random.isEmpty {
      let problems = play.step()
      trace?(play.last)
      if !problems.isEmpty { return problems.joined(separator: "; ") }
    }
    let problems = play.finish()
    return problems.isEmpty ? nil : problems.joined(separator: "; ")
  }
}
