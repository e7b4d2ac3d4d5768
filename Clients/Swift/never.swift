// A plugin that keeps the keyboard closed. It is given a path, or its socket by systemd.

import KeyliftClient

let loop = try EventLoop()
let path = CommandLine.arguments.dropFirst().first
let never = try Plugin("never", [.showKeyboard], path: path, on: loop) { _ in .refuse }
_ = try loop.run()
