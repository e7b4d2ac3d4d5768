// One workload of `make bench`:
//   bench moved|stream|tap|focus VIEWS FRAMES
//   bench scene tap|set|move|caret|tab VIEWS DEPTH TIMES
//   bench read NODE
//
// The first prints nanoseconds a frame. Run under valgrind with two numbers of frames, the difference is what the frames
// alone cost, in instructions and in allocations.

import EventLoop
import Glibc

private func run(_ arguments: [String]) -> Int32 {
  if arguments.count == 3, arguments[1] == "read" { return read(arguments[2]) }
  if arguments.count == 6, arguments[1] == "scene", let views = Int(arguments[3]),
    let depth = Int(arguments[4]),
    let times = Int32(arguments[5]), depth > 0
  {
    var scenery = Scenery(views: views, depth: depth)
    return scenery.run(arguments[2], times: times) ? 0 : 2
  }
  guard arguments.count == 4, let views = Int(arguments[2]), let frames = Int32(arguments[3]), frames > 0
  else {
    print(
      "bench moved|stream|tap|focus VIEWS FRAMES, bench scene tap|set|move|caret|tab VIEWS DEPTH TIMES, bench read NODE"
    )
    return 2
  }
  var workload = Workload(views: views, streams: arguments[1] == "stream")
  let start = EventLoop.now
  switch arguments[1] {
  case "moved", "stream": workload.moves(frames)
  case "tap": workload.taps(frames)
  default: workload.focus(frames)
  }
  print((EventLoop.now - start) * 1000 / UInt64(frames))
  return 0
}

exit(run(CommandLine.arguments))
