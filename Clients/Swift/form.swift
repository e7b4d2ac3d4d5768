// A form of two fields, as an application has it: prints where it is to move, and which field is edited.
//
// In a package of your own: .package(path: "../keylift"), and .product(name: "KeyliftClient", package: "keylift"),
// where keylift is the name of the directory that this project is in.

import Glibc
import KeyliftClient

let views = [
  View(id: "name", kind: .textInput, frame: Rect(x: 40, y: 40, width: 720, height: 60), returnKey: .next),
  View(id: "city", kind: .textInput, frame: Rect(x: 40, y: 380, width: 720, height: 60), returnKey: .done),
]

func say(_ line: String) {
  print(line)
  fflush(nil)
}

let loop = try EventLoop()
let scene = try Scene("form", views: views)
scene.onState = { state in
  let (keyboard, layout) = (state.keyboard, state.layout)
  say(
    "focus: \(state.focused ?? "nothing"), keyboard: \(keyboard.phase), "
      + "move by \(layout.offset.y) in \(layout.duration) s")
}
scene.onDisconnect = { say("\($0)") }
scene.onError = { say("\($0)") }
try scene.start(on: loop)
_ = try loop.run()
