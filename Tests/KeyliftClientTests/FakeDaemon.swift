import EventLoop
import Glibc
import KeyliftProtocol
import Testing
import Varlink

@testable import KeyliftClient

/// A daemon that answers as a test wants it, at a path in a directory of its own, and clients on the same loop.
final class FakeDaemon {
  let loop: EventLoop
  let directory: String
  var socket: DaemonSocket { DaemonSocket(path: directory + "/socket") }
  private(set) var calls: [(name: String, parameters: JSON)] = []
  private(set) var streams: [Varlink.Stream] = []
  /// What a call is answered; a stream is begun with its snapshot if there is nothing.
  var answer: (Varlink.Call) -> Bool = { _ in false }
  private var server: Server?

  init() throws {
    loop = try EventLoop()
    var template = Array("/tmp/keylift-test-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template)
    directory = unsafe String(cString: try #require(made))
    try start()
  }

  deinit {
    for file in ["socket", ".lock", "plugin"] { unsafe unlink("\(directory)/\(file)") }
    unsafe rmdir(directory)
  }

  func start() throws {
    let server = try Server(
      loop: loop, listening: [Server.bind(path: socket.path, mode: 0o600)],
      identity: .init(vendor: "", product: "fake", version: "", url: ""))
    for interface in [Interfaces.scene, Interfaces.monitor, Interfaces.keyboard] {
      server.serve(interface) { [unowned self] in take($0) }
    }
    self.server = server
  }

  func stop() {
    server?.close()
    server = nil
    streams = []
  }

  private func take(_ call: Varlink.Call) {
    calls.append((call.name, call.parameters))  // a call that streams keeps none
    if answer(call) { return }
    guard call.wantsMore else { return call.reply { if call.name == "Update" { $0.field("revision", 2) } } }
    guard let stream = call.openStream() else { return }
    streams.append(stream)
    switch call.name {
    case "Attach": say(scene())
    case "Drive": say(order(visible: false, 1))
    case "Subscribe": say(monitor())
    default: break  // touches
    }
  }

  /// Sends a reply on the stream that began last.
  func say(_ text: String) { streams.last.map { say(text, on: $0) } }

  func say(_ text: String, on stream: Varlink.Stream) {
    let members = (try? JSON.parse(Array(text.utf8)))?.asMembers ?? []
    stream.send(
      Message(continues: true) { writer in
        for member in members {
          writer.key(member.key)
          writer.value(member.value)
        }
      })
  }

  /// The methods that were called so far.
  var called: [String] { calls.map(\.name) }

  /// Turns the loop until something holds, for five seconds at most.
  func until(_ what: Comment, _ holds: () -> Bool) throws {
    let end = EventLoop.now + 5_000_000
    while !holds() {
      try #require(EventLoop.now < end, what)
      try loop.runOnce(timeout: 10_000)
    }
  }

  /// Turns it until all that was to be done is.
  func settle() throws {
    for _ in 0..<20 { try loop.runOnce(timeout: 1000) }
  }
}

private let keyboard = #"""
  {"phase":"hidden","frame":{"x":0,"y":480,"width":800,"height":0},"previousFrame":{"x":0,"y":480,"width":800,
   "height":0},"docked":true,"duration":0,"curve":"easeInOut","reason":"none","screen":"main"}
  """#

func scene(focused: String? = nil, y: Int = 0, change: String = "snapshot", more: String = "") -> String {
  #"""
  {"instance":"i","serial":1,"scene":"scene-1","revision":1,"change":["\#(change)"],
   "screen":{"name":"main","size":{"width":800,"height":480},"rotation":90},
   "focused":\#(focused.map { "\"\($0)\"" } ?? "null"),"keyboard":\#(keyboard),
   "layout":{"offset":{"x":0,"y":\#(y)},"scrolls":[{"view":"v","contentOffset":{"x":1,"y":2},"insetBottom":3}],
   "overlap":4,"duration":0.3,"curve":"easeInOut"}\#(more)}
  """#
}

func order(visible: Bool, _ number: Int) -> String {
  #"""
  {"driver":"osk (2)","visible":\#(visible),"purpose":"email","screen":"main","order":\#(number),"frame":null}
  """#
}

func monitor() -> String {
  #"""
  {"instance":"i","serial":1,"notifications":["snapshot"],"time":5,"keyboard":\#(keyboard),
   "screens":[{"name":"main","width":800,"height":480,"rotation":0}],"scenes":[{"scene":"scene-1","name":"form",
   "screen":"main","frame":{"x":0,"y":0,"width":800,"height":480},"level":0,"focused":"city",
   "offset":{"x":0,"y":-9},"overlap":192}],"devices":[{"path":"/dev/input/event0","name":"panel","touch":true,
   "keys":false,"screen":"main","grabbed":false}]}
  """#
}

func field(_ id: String, _ y: Double = 0) -> View {
  View(id: id, kind: .textInput, frame: Rect(x: 0, y: y, width: 10, height: 10))
}
