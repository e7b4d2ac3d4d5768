// Some clients with one scene each, driven by lines on the standard input; every line goes to all of them.
//
// driver COUNT SCENE [touches]: as the one in C, whose comment says what goes in and comes out. Its loop is poll(2), since
// form.swift has the other way.

import Glibc
import KeyliftClient

func json(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

func tell(_ words: Any...) {
  print(words.map { "\($0)" }.joined(separator: " "))
  fflush(nil)
}

/// As %g has it.
func number(_ value: Double) -> String {
  Int(exactly: value).map { "\($0)" } ?? "\(value)"
}

func clients(_ count: Int, of scene: JSON, withTouches: Bool) throws -> [Scene] {
  let phases = [KeyboardPhase.hidden: 0, .willShow: 1, .shown: 2, .willHide: 3]
  let touchPhases = [TouchPhase.began: 0, .moved: 1, .ended: 2, .cancelled: 3]
  return try (0..<count).map { index in
    let client = try Scene(json: scene)
    client.onState = { state in
      tell(
        index, "state", Double(EventLoop.now) / 1_000_000, state.instance, state.revision,
        state.focused ?? "-", number(state.layout.offset.y), phases[state.keyboard.phase] ?? 9)
    }
    if withTouches {
      client.onTouch = { tell(index, "touch", touchPhases[$0.phase] ?? 9, $0.view ?? "-") }
    }
    client.onError = { error in
      guard case .varlink(let error) = error.cause else {
        return tell(index, "error", "io.keylift.Disconnected", error)
      }
      var writer = JSONWriter()
      writer.value(error.parameters)
      tell(index, "error", error.name, String(decoding: writer.bytes, as: UTF8.self))
    }
    return client
  }
}

func run(_ client: Scene, _ word: Substring, _ rest: String) throws {
  switch word {
  case "set": try client.set(json: json(rest))
  case "remove": try client.remove([rest])
  case "focus": client.focus(rest)
  case "resign": client.resign()
  default:
    let sides = rest.split(separator: " ").compactMap { Double($0) }
    try client.setFrame(Rect(x: sides[0], y: sides[1], width: sides[2], height: sides[3]))
  }
}

func main() throws {
  let arguments = CommandLine.arguments
  let all = try clients(
    Int(arguments[1]) ?? 1, of: json(arguments[2]), withTouches: arguments.count > 3)
  var entries = (all.map(\.descriptor) + [STDIN_FILENO]).map {
    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
  }
  var input: [UInt8] = []
  while true {
    unsafe _ = poll(&entries, nfds_t(entries.count), -1)
    for (client, entry) in zip(all, entries) where entry.revents != 0 { client.dispatch() }
    guard entries[all.count].revents != 0 else { continue }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let size = buffer.count
    let count = unsafe read(STDIN_FILENO, &buffer, size)
    guard count > 0 else { return }
    input += buffer.prefix(count)
    while let end = input.firstIndex(of: 10) {
      let line = String(decoding: input[..<end], as: UTF8.self)
      input.removeSubrange(...end)
      let word = line.prefix { $0 != " " }
      for (index, client) in all.enumerated() {
        do { try run(client, word, String(line.dropFirst(word.count + 1))) } catch {
          tell(index, "failed", error)
        }
      }
    }
  }
}

try main()
