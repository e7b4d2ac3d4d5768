import Glibc
import KeyliftProtocol
import Varlink

/// How often clients were answered, and how.
struct AnswerCount: CustomStringConvertible {
  private var states = 0
  private var replies = 0
  private var errors = 0

  mutating func enter(_ reply: Reply) {
    if reply.error != nil { errors += 1 } else if reply.continues { states += 1 } else { replies += 1 }
  }

  static func += (a: inout AnswerCount, b: AnswerCount) {
    a.states += b.states
    a.replies += b.replies
    a.errors += b.errors
  }

  var description: String { "\(replies) replies, \(states) of streams, \(errors) errors" }
}

/// A client of the daemon who knows what it must be answered.
final class Talker {
  /// What must come of a message.
  private enum Outcome {
    /// A call of a method is answered once, or by a stream if it asked for more.
    case answer(method: String, isStream: Bool)
    /// Nothing, as it is oneway.
    case nothing
    /// The end of the connection, as it is no call.
    case end
  }

  let name: String
  let sockets: SocketPair
  let isRoot: Bool
  /// It reads only when it is told to.
  let isSlow: Bool
  private(set) var isOpen = true
  /// Scenes and drivers that it was told of.
  private(set) var scenes: [String] = []
  private(set) var drivers: [String] = []
  private(set) var answers = AnswerCount()

  private var unsent: [UInt8] = []
  /// What was queued of a message whose end was not.
  private var begun: [UInt8] = []
  private var outcomes: ArraySlice<Outcome> = []
  private var framer = Framer(limit: 1 << 24)
  private var serial: Int64 = -1
  private var repliesOfStream = 0
  private var hasHalfClosed = false
  private var isForgiven: Bool

  /// - isForgiven: the daemon may close whenever it likes, as it does with who does not read soon enough.
  init?(name: String, isRoot: Bool, isSlow: Bool, isForgiven: Bool) {
    guard let sockets = SocketPair() else { return nil }
    self.name = name
    self.sockets = sockets
    self.isRoot = isRoot
    self.isSlow = isSlow
    self.isForgiven = isForgiven || isSlow
  }

  // MARK: Sending

  /// Takes bytes that are to be sent, whatever they are.
  func queue(_ bytes: [UInt8], limit: (String) -> Int) {
    guard isOpen, !hasHalfClosed else { return }
    unsent += bytes
    begun += bytes
    while let end = begun.firstIndex(of: 0) {
      outcomes.append(Talker.outcome(of: Array(begun[..<end]), limit: limit))
      begun.removeSubrange(...end)
    }
  }

  private static func outcome(of text: [UInt8], limit: (String) -> Int) -> Outcome {
    guard let call = CallMessage(text.span), text.count <= limit(call.method) else { return .end }
    return switch call.flag {
    case .oneway: .nothing
    case .more: .answer(method: call.method, isStream: true)
    case .none, .upgrade: .answer(method: call.method, isStream: false)
    }
  }

  /// Sends what the socket takes of it, at most so many bytes. Returns: whether it took some.
  @discardableResult
  func send(_ most: Int = .max) -> Bool {
    guard isOpen, !hasHalfClosed, !unsent.isEmpty, most > 0 else { return false }
    let sent = unsafe unsent.prefix(most).withUnsafeBytes {
      unsafe Glibc.send(sockets.service, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
    if sent > 0 { unsent.removeFirst(sent) }
    return sent > 0
  }

  /// Sends a file descriptor along with a byte, for which the daemon closes (ipc, rule 3).
  func sendDescriptor() {
    guard isOpen, !hasHalfClosed else { return }
    isForgiven = true
    var byte: UInt8 = 0x20
    // struct cmsghdr and the descriptor: length, SOL_SOCKET, SCM_RIGHTS.
    var control: (Int, Int32, Int32, Int32, Int32) = (20, SOL_SOCKET, 1, STDIN_FILENO, 0)
    unsafe withUnsafeMutablePointer(to: &byte) { byte in
      unsafe withUnsafeMutablePointer(to: &control) { control in
        var vector = unsafe iovec(iov_base: byte, iov_len: 1)
        unsafe withUnsafeMutablePointer(to: &vector) { vector in
          var header = unsafe msghdr()
          unsafe header.msg_iov = vector
          unsafe header.msg_iovlen = 1
          unsafe header.msg_control = UnsafeMutableRawPointer(control)
          unsafe header.msg_controllen = 24
          unsafe _ = sendmsg(sockets.service, &header, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
      }
    }
  }

  /// Says that it sends no more.
  func halfClose() {
    guard isOpen else { return }
    hasHalfClosed = true
    if !unsent.isEmpty { isForgiven = true }
    _ = shutdown(sockets.service, Int32(SHUT_WR))
  }

  func close() {
    isOpen = false
    sockets.close()
  }

  /// Whether a call of its is still to be answered, or a stream runs.
  var waits: Bool { !outcomes.isEmpty }

  /// Whether the daemon has not closed; for one who said nothing yet.
  var isOpenToTheDaemon: Bool {
    var byte: UInt8 = 0
    return unsafe recv(sockets.service, &byte, 1, Int32(MSG_DONTWAIT)) < 0
  }

  /// Whether everything that it said was sent.
  var hasSentAll: Bool { unsent.isEmpty || !isOpen || hasHalfClosed }

  // MARK: Receiving

  /// Reads what is there. Returns: whether something was.
  func receive(_ problems: inout [String], instance: String) -> Bool {
    guard isOpen else { return false }
    var hasRead = false
    while isOpen {
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
        let count = unsafe recv(sockets.service, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { unsafe framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return count
      }
      if count < 0, errno == EAGAIN { break }
      hasRead = true
      if count > 0 { take(&problems, instance) } else { ended(&problems) }
    }
    return hasRead
  }

  private func take(_ problems: inout [String], _ instance: String) {
    while let range = framer.next() {
      let text = framer.bytes.span.extracting(range)
      guard let reply = Reply(text, limits: JSON.Limits(containers: 1_000_000)) else {
        problems.append("\(name): no reply: \(String(decoding: framer.bytes[range], as: UTF8.self))")
        continue
      }
      if let problem = problem(with: reply, instance) {
        problems.append(
          "\(name): \(problem): \(String(decoding: framer.bytes[range].prefix(500), as: UTF8.self))")
      }
    }
    framer.trim()
  }

  private func dropSilent() {
    while case .nothing? = outcomes.first { outcomes.removeFirst() }
  }

  private func problem(with reply: Reply, _ instance: String) -> String? {
    dropSilent()
    guard case .answer(let method, let isStream)? = outcomes.first else { return "a reply to nothing" }
    if !reply.continues { next() } else if !isStream { return "continues, and the call did not ask for more" }
    repliesOfStream += reply.continues ? 1 : 0
    answers.enter(reply)
    if let error = reply.error { return Talker.problem(with: error, reply.parameters, to: method) }
    guard let (description, name) = Talker.described(method), let described = description.methods[name] else {
      return "an answer of \(method), which there is not"
    }
    if let path = description.validate(reply: reply.parameters, of: described) {
      return "\(path) of \(method) is not as described"
    }
    return note(reply.parameters, of: method, instance)
  }

  private func next() {
    outcomes.removeFirst()
    repliesOfStream = 0
    serial = -1
  }

  private func note(_ parameters: JSON, of method: String, _ instance: String) -> String? {
    if let number = parameters["serial"].asInteger {
      if number < serial { return "serial \(number) after \(serial)" }
      if parameters["instance"].asString != instance { return "another instance" }
      serial = number
    }
    if method.hasSuffix(".Attach"), let scene = parameters["scene"].asString, !scenes.contains(scene) {
      scenes.append(scene)
    }
    if let driver = parameters["driver"].asString, !drivers.contains(driver) { drivers.append(driver) }
    return nil
  }

  private static func problem(with error: String, _ parameters: JSON, to method: String) -> String? {
    guard let (description, name) = described(error), description.errors[name] != nil else {
      return "\(error) is described nowhere"
    }
    if let path = description.validate(parameters: parameters, ofError: name) {
      return "\(path) of \(error) is not as described"
    }
    let isOwn = method.hasPrefix(description.name + ".")
    return isOwn || description.name == "org.varlink.service"
      ? nil : "\(error) is not of \(method)'s interface"
  }

  private func ended(_ problems: inout [String]) {
    dropSilent()
    isOpen = false
    sockets.close()
    if !framer.isEmpty, !isForgiven { problems.append("\(name): closed within a reply") }
    switch outcomes.first {
    case .end?: return
    // The reader of a scene's touches is closed with the scene.
    case .answer("io.keylift.Scene.Touches", true)?: return
    case nil where hasHalfClosed: return
    default:
      if !isForgiven {
        problems.append("\(name): closed, before \(outcomes.first.map { "\($0)" } ?? "any call")")
      }
    }
  }

  /// What it still waits for though the daemon has nothing more to do; nil for nothing.
  var missing: String? {
    dropSilent()
    guard isOpen else { return nil }
    switch outcomes.first {
    case nil: return hasHalfClosed && !isForgiven ? "\(name): still open, and it was half closed" : nil
    case .end?: return "\(name): still open after what is no call"
    case .answer(let method, let isStream)?:
      // A stream has its first reply at once, but for the touches of a scene.
      if isStream, repliesOfStream > 0 || method == "io.keylift.Scene.Touches" { return nil }
      return "\(name): no answer of \(method)"
    case .nothing?: return nil
    }
  }

  // MARK: Interfaces

  static let interfaces = [
    Interfaces.scene, Interfaces.keyboard, Interfaces.monitor, Interfaces.control,
    try? InterfaceDescription(InterfaceDescription.serviceText),
  ].compactMap(\.self)

  /// The description that a qualified name belongs to, and the name within it.
  private static func described(_ name: String) -> (InterfaceDescription, String)? {
    guard let dot = name.lastIndex(of: "."),
      let description = interfaces.first(where: { $0.name == name[..<dot] })
    else { return nil }
    return (description, String(name[name.index(after: dot)...]))
  }
}
