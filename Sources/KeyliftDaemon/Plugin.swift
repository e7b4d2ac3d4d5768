import Engine
import EventLoop
import EngineCoding
import KeyliftProtocol
import ResponderChain
import Statistics
import Varlink

/// A deciding plugin: somebody who serves io.keylift.Plugin on a socket of their own (ipc, rules 15 and 16).
///
/// Nothing here waits: a question is sent, and its answer comes, or is not waited for any longer.
final class Plugin {
  enum State: String {
    /// Being connected to or described.
    case connecting
    case ready
    /// Left out until it is tried again.
    case resting
  }

  let path: String
  /// The socket as it was when it was found.
  let file: FileIdentity?
  private(set) var state = State.connecting
  /// What it calls itself; until it did, its socket's name.
  private(set) var description: PluginDescription
  private(set) var asked = 0
  private(set) var refused = 0
  private(set) var unanswered = 0
  /// When it last did not answer, in microseconds.
  private var unansweredAt: UInt64?
  /// How long the answers took that came in time, in microseconds.
  private(set) var duration = Histogram()
  private var askedAt: UInt64 = 0
  /// When it is tried again, or given up as it does not describe itself; in microseconds.
  private(set) var deadline: UInt64?
  private(set) var health = PluginHealth()

  private unowned let daemon: Daemon
  /// Called when it becomes ready, or is not any more.
  private let onChange: () -> Void
  private var client: Client?
  private var source: DescriptorSource?
  private var answer: ((Decision?) -> Void)?
  /// Answers that are still to come to questions that are not waited for any more.
  private var late = 0
  /// How often a socket that has just appeared has refused; its owner listens a moment after it made it.
  private var refusals = 0

  /// How long it may take to describe itself, in microseconds; systemd may have to start it first.
  private static let describing: UInt64 = 10_000_000
  private static let mostRefusals = 10
  private static let betweenRefusals: UInt64 = 50_000
  private static let limits = JSON.Limits(depth: 16, containers: 1_024)

  init(path: String, name: String, daemon: Daemon, onChange: @escaping () -> Void) {
    self.path = path
    file = FileIdentity(of: path)
    self.daemon = daemon
    self.onChange = onChange
    description = PluginDescription(name: name, transitions: [])
  }

  var name: String { description.name }

  func decides(_ transition: Transition) -> Bool {
    state == .ready && description.transitions.contains(transition)
  }

  /// Writes Control's Plugin.
  func write(at now: UInt64, to writer: inout JSONWriter) {
    writer.field("name", name)
    writer.field("socket", path)
    writer.field("state", state.rawValue)
    writer.field("transitions", transitions)
    writer.field("order", description.order)
    writer.field("asked", asked)
    writer.field("refused", refused)
    writer.field("unanswered", unanswered)
    if state == .resting, let deadline {
      writer.field("retryIn", Double(deadline - min(now, deadline)) / 1_000_000)
    } else {
      writer.null("retryIn")
    }
    if let unansweredAt {
      writer.field("sinceUnanswered", Double(now - min(now, unansweredAt)) / 1_000_000)
    } else {
      writer.null("sinceUnanswered")
    }
  }

  /// By name, in the interface's order.
  private var transitions: [String] {
    Transition.allCases.filter { description.transitions.contains($0) }.map(\.rawValue)
  }

  // MARK: Connecting

  /// Connects, and asks it to describe itself.
  func connect() {
    state = .connecting
    late = 0
    do throws(ClientError) {
      let client = try Client(path: path, waits: false, longestReply: 65_536, limits: Plugin.limits)
      self.client = client
      try client.send("io.keylift.Plugin.Describe", waits: false)
      deadline = daemon.loop.now + Plugin.describing
      do throws(SystemError) {
        source = try daemon.loop.watch(client.descriptor) { [unowned self] _ in receive() }
      } catch {
        throw ClientError.system(error)
      }
    } catch {
      if asked == 0, refusals < Plugin.mostRefusals {
        refusals += 1
        client = nil
        state = .resting
        deadline = daemon.loop.now + Plugin.betweenRefusals
      } else {
        leaveOut("cannot be asked: \(error)")
      }
    }
  }

  /// What `deadline` was for has come.
  func expire() {
    switch state {
    case .connecting: leaveOut("does not describe itself")
    case .resting: connect()
    case .ready: deadline = nil
    }
  }

  /// Lets go of it for good.
  func close() {
    source?.cancel()
    source = nil
    client?.close()
    client = nil
    deadline = nil
    state = .connecting
    finish(nil)
  }

  private func describe(_ reply: Reply) {
    guard reply.error == nil, let description = PluginDescription(reply: reply.parameters),
      !description.name.isEmpty, ViewTree.isName(description.name)
    else { return leaveOut("does not describe itself as io.keylift.Plugin has it") }
    self.description = description
    state = .ready
    deadline = nil
    daemon.log.info(
      .plugin(self),
      "plugin \(name) decides about \(transitions.joined(separator: ", ")), order \(description.order)")
    onChange()
  }

  // MARK: Asking

  /// Sends it a question; nil is answered if it cannot be asked, or its answer is none.
  func ask(_ question: Question, answer: @escaping (Decision?) -> Void) {
    asked += 1
    askedAt = daemon.loop.now
    self.answer = answer
    do throws(ClientError) {
      guard let client else { throw .closed }
      try client.send("io.keylift.Plugin.Decide", waits: false) { question.write(to: &$0) }
    } catch {
      leaveOut("cannot be asked: \(error)")
    }
  }

  /// The answer is not waited for any longer.
  ///
  /// - isItsFault: whether it had all the time that an answer may take.
  func passOver(isItsFault: Bool) {
    guard answer != nil else { return }
    answer = nil
    late += 1
    guard isItsFault else { return }
    countUnanswered()
    daemon.log.warning(.plugin(self), "plugin \(name) did not answer in time")
    if health.fail() { leaveOut("has failed \(PluginHealth.mostFailures) times in a row") }
  }

  private func receive() {
    do throws(ClientError) {
      guard let client else { return }
      for reply in try client.receive() {
        take(reply)
        if self.client !== client { return }
      }
    } catch {
      if case .closed = error {
        leaveOut("has closed its socket")
      } else {
        leaveOut("does not speak Varlink")
      }
    }
  }

  private func take(_ reply: Reply) {
    if state == .connecting { return describe(reply) }
    if late > 0 {
      late -= 1
      return
    }
    guard answer != nil else { return leaveOut("says what it was not asked") }
    guard reply.error == nil, let decision = Decision(reply: reply.parameters, by: name) else {
      daemon.log.warning(
        .plugin(self), "plugin \(name) answered \(reply.error ?? "not as io.keylift.Plugin has it")")
      if health.fail() { return leaveOut("has failed \(PluginHealth.mostFailures) times in a row") }
      countUnanswered()
      return finish(nil)
    }
    health.succeed()
    duration.take(daemon.loop.now &- askedAt)
    if !decision.isAllowed { refused += 1 }
    finish(decision)
  }

  private func countUnanswered() {
    unanswered += 1
    unansweredAt = daemon.loop.now
  }

  private func finish(_ decision: Decision?) {
    let answer = answer
    self.answer = nil
    answer?(decision)
  }

  /// Closes the connection and tries again after a while; what it was asked counts as allowed.
  private func leaveOut(_ why: String) {
    let wasReady = state == .ready
    source?.cancel()
    source = nil
    client?.close()
    client = nil
    state = .resting
    let rest = health.takeRest()
    deadline = daemon.loop.now + rest
    daemon.log.warning(
      .plugin(self), "plugin \(name) \(why); it is left out for \(rest / 1_000_000) s", .pluginLeftOut)
    if answer != nil { countUnanswered() }
    if wasReady { onChange() }
    finish(nil)
  }
}
