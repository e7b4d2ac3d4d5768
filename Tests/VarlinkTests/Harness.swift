import EventLoop
import Glibc
import Testing

@testable import Varlink

let exampleText = """
  # An interface to test with.
  interface org.example.test

  type Mode (one, two)
  type Point (x: float, y: float)
  type View (id: string, frame: Point, mode: ?Mode, order: ?int)

  method Echo(text: string) -> (text: string)
  method Later(text: ?string) -> (text: ?string)
  method Count(to: ?int) -> (number: int)
  method Everything(
    flag: bool,
    number: int,
    views: []View,
    names: [string]Point,
    free: ?object,
    inline: ?(a: int, b: ?(c, d)),
    matrix: ?[]?[]float
  ) -> ()
  method Close() -> ()

  error Failed (reason: string)
  """

/// A server with the example interface, its loop, and clients on socket pairs.
final class Harness {
  let loop: EventLoop
  let server: Server
  var later: [Call] = []
  var streams: [Stream] = []
  var closed: [String] = []
  var called: [String] = []

  init(listening: [Int32] = [], _ change: (inout Server.Limits) -> Void = { _ in }) throws {
    loop = try EventLoop()
    var limits = Server.Limits()
    change(&limits)
    server = try Server(
      loop: loop, listening: listening,
      identity: .init(vendor: "Example", product: "Test", version: "1", url: "https://example.org"),
      limits: limits)
    server.serve(try InterfaceDescription(exampleText)) { [unowned self] in handle($0) }
  }

  private func handle(_ call: Call) {
    called.append(call.name + (call.parameters["text"].asString ?? ""))
    switch call.name {
    case "Echo": call.reply { $0.field("text", call.parameters["text"].asString ?? "") }
    case "Later":
      call.onClose = { [unowned self] in closed.append("later") }
      later.append(call)
    case "Count":
      guard let stream = call.openStream() else { return }
      stream.onClose = { [unowned self] in closed.append("stream") }
      streams.append(stream)
    case "Close":
      call.onClose = { [unowned self] in closed.append("close") }
      call.connection?.close()
    default: call.reply()
    }
  }

  /// Handles all that is ready.
  func turn(_ times: Int = 12) throws {
    for _ in 0..<times { try loop.runOnce(timeout: 0) }
  }

  func connect() throws -> Peer {
    let peer = try Peer()
    server.adopt(peer.other)
    return peer
  }
}

/// The raw other end of a connection.
final class Peer {
  let descriptor: Int32
  let other: Int32
  private(set) var received: [UInt8] = []
  private(set) var isEnded = false

  init() throws {
    var pair: [Int32] = [0, 0]
    let result = unsafe socketpair(AF_UNIX, Socket.stream | Socket.flags, 0, &pair)
    try #require(result == 0)
    descriptor = pair[0]
    other = pair[1]
  }

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Socket.stream | Socket.flags, 0)
    other = -1
    let result = unsafe Socket.withAddress(path) { unsafe Glibc.connect(descriptor, $0, $1) }
    try #require(result == 0)
  }

  private var isOpen = true

  deinit { close() }

  func close() {
    if isOpen { Glibc.close(descriptor) }
    isOpen = false
  }

  /// Sends the text, with a NUL in place of each newline.
  func send(_ text: String) { send(text.utf8.map { $0 == 10 ? 0 : $0 }) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Socket.send(descriptor, $0) }
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
  }

  /// What came since, with a newline in place of each NUL.
  func take(_ most: Int = .max) -> String {
    let buffer = ReadBuffer(capacity: 65_536)
    var text: [UInt8] = []
    while text.count < most {
      let result = unsafe buffer.withBytes { bytes in
        let part = unsafe UnsafeMutableRawBufferPointer(
          rebasing: bytes[..<min(bytes.count, most - text.count)])
        let result = unsafe Socket.receive(descriptor, into: part)
        if case .bytes(let count) = result { unsafe text.append(contentsOf: part[..<count]) }
        return result
      }
      if case .bytes = result { continue }
      if result != .nothing { isEnded = true }
      break
    }
    return String(decoding: text.map { $0 == 0 ? 10 : $0 }, as: UTF8.self)
  }
}

/// A directory that goes with the test.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/varlink-test-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template)
    path = unsafe String(cString: try #require(made))
  }

  deinit {
    unsafe unlink(path + "/socket")
    unsafe unlink(path + "/.lock")
    unsafe rmdir(path)
  }
}

extension JSON {
  init(_ text: String, limits: Limits = Limits()) throws {
    self = try JSON.parse(Array(text.utf8), limits: limits)
  }
}
