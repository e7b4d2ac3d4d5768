import EventLoop
import Geometry
import Glibc
import KeyliftClient
import TouchInput
import Varlink

extension Command {
  static let inject = Command(
    name: "inject", summary: "Touch the screen, or press a key, as if somebody did; for root",
    synopsis: "[--screen NAME] [--duration S] tap X,Y | drag X,Y X,Y | key COMMAND",
    details: """
        tap X,Y         a finger at this point of the screen, and up again
        drag X,Y X,Y    a finger from here to there, at one speed, and up again
        key COMMAND     dismiss (as Escape), next (Tab), previous (Shift-Tab) or enter
        --screen NAME   the screen, as status lists it; else the first
        --duration S    seconds that the finger is down: 0.05 for a tap, 0.3 for a drag

      keyliftd takes it for real, also in touches, monitor and recordings; the application
      beside it reads the touchscreen itself, and gets nothing. A drag is lifted at its
      speed, as one that flings. Ctrl-C cancels the touch.
      """,
    options: [Option("screen", takesArgument: true), Option("duration", takesArgument: true)],
    operands: 2...3
  ) { arguments, daemon in
    let gesture = try InjectedGesture(arguments)
    let control = Daemon(socket: daemon.socket.control)
    let client = try control.connect()
    let start = EventLoop.now
    for step in gesture.steps {
      let due = start &+ step.time
      let now = EventLoop.now
      if now < due { _ = usleep(UInt32(clamping: due - now)) }
      do throws(ClientError) {
        _ = try client.call("io.keylift.Control.Inject", timeout: Daemon.patience) { writer in
          if let screen = arguments["screen"] { writer.field("screen", screen) }
          step.write(to: &writer)
        }
      } catch {
        throw control.failure(error, doing: "inject")
      }
    }
  }
}

/// A tap, a drag or a key, as calls at their times.
struct InjectedGesture: Equatable {
  struct Step: Equatable {
    /// Since the beginning, in microseconds.
    var time: UInt64
    var phase: TouchPhase?
    var position = Point.zero
    var key: KeyCommand?
  }

  private(set) var steps: [Step]

  /// Between two movements, in microseconds: as a panel of 100 frames a second.
  private static let pace: UInt64 = 10_000

  /// Throws: which word is no use.
  init(_ arguments: Arguments) throws(Failure) {
    let words = arguments.operands
    let seconds = try arguments["duration"].map { (text) throws(Failure) in try InjectedGesture.seconds(text)
    }
    switch (words[0], words.count) {
    case ("key", 2):
      guard let key = KeyCommand(rawValue: words[1]) else {
        let names = KeyCommand.allCases.map(\.rawValue).joined(separator: ", ")
        throw .usage("inject: \"\(words[1])\" is no command of a key. There are: \(names).")
      }
      steps = [Step(time: 0, key: key)]
    case ("tap", 2):
      let point = try InjectedGesture.point(words[1])
      steps = InjectedGesture.drag(from: point, to: point, in: seconds ?? 0.05)
    case ("drag", 3):
      steps = InjectedGesture.drag(
        from: try InjectedGesture.point(words[1]), to: try InjectedGesture.point(words[2]),
        in: seconds ?? 0.3)
    default:
      throw .usage("inject: give tap X,Y, drag X,Y X,Y or key COMMAND. See keyliftctl inject --help.")
    }
  }

  private static func drag(from start: Point, to end: Point, in seconds: Double) -> [Step] {
    let duration = UInt64(seconds * 1_000_000)
    var steps = [Step(time: 0, phase: .began, position: start)]
    if start != end {
      let count = max(1, duration / pace)
      for number in 1...count {
        let share = Double(number) / Double(count)
        let point = Point(
          x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share)
        steps.append(Step(time: duration * number / count, phase: .moved, position: point))
      }
    }
    return steps + [Step(time: duration, phase: .ended, position: end)]
  }

  private static func point(_ word: String) throws(Failure) -> Point {
    guard let point = Point(word) else {
      throw .usage("inject: \"\(word)\" is no point. Give X,Y in screen points, such as 400,120.")
    }
    return point
  }

  private static func seconds(_ text: String) throws(Failure) -> Double {
    guard let seconds = Double(text), seconds >= 0, seconds <= 60 else {
      throw .usage("inject: --duration: \"\(text)\" is no time. Give seconds, 60 at most, such as 0.5.")
    }
    return seconds
  }
}

extension InjectedGesture.Step {
  /// Writes the parameters of io.keylift.Control.Inject, but for the screen.
  func write(to writer: inout JSONWriter) {
    if let key { writer.field("key", key.rawValue) }
    guard let phase else { return }
    writer.array("touches") { writer in
      writer.object { writer in
        writer.field("id", 1)
        writer.field("phase", phase.rawValue)
        writer.object("position") { writer in
          writer.key("x")
          writer.value(exactly: position.x)
          writer.key("y")
          writer.value(exactly: position.y)
        }
      }
    }
  }
}
