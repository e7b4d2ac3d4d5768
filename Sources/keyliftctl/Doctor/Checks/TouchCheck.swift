import Varlink

extension Check {
  /// Whether what somebody touches arrives.
  static let touch = Check(id: "touch") { facts in
    switch facts.touch {
    // Nobody is asked for what could not be seen.
    case .skipped where !facts.daemon.isAnswering: return [.needsDaemon]
    case .skipped:
      return [.unknown("nobody was asked to touch the screen", "sudo keyliftctl doctor --wait 10")]
    case .touch(let touch):
      return [
        .ok(
          "a touch arrived, at \(text(touch.position)) on \(touch.screen), from \(touch.device)",
          facts: [.init("device", .string(touch.device)), .init("screen", .string(touch.screen))])
      ]
    case .notifications(let names): return [.ok("a touch took effect: \(names.joined(separator: ", "))")]
    case .nothing(let seconds, seesTouches: false):
      return [
        .unknown(
          "no focus and no keyboard changed within \(decimal(seconds, places: 1)) s; the touches themselves are told "
            + "to root", "sudo keyliftctl doctor")
      ]
    case .nothing(let seconds, seesTouches: true):
      let path = (facts.daemon.nodes ?? []).first {
        $0["used"] == .bool(true) && $0["touch"] == .bool(true)
      }?["path"]
      return [
        .warning(
          "no touch arrived within \(decimal(seconds, places: 1)) s: nobody touched, the panel is silent, or another "
            + "program has grabbed it", "sudo keyliftctl touches",
          "sudo evtest \(path?.asString ?? "/dev/input/eventN"), which says so if it is grabbed",
          "sudo fuser -v \(path?.asString ?? "/dev/input/event*"), for who else reads it")
      ]
    }
  }
}
