import Evdev
import Geometry
import Glibc
import TouchInput

/// Reads a touchscreen until it is unplugged, and counts what it gives; prints "ready" once it is open, and at the
/// end the frames and the touches. Beside libinput.c, which does the same through libinput.
func read(_ path: String) -> Int32 {
  let screen = Screen(name: "screen", size: Size(width: 800, height: 480))
  guard let device = try? Evdev.Device(path: path), let state = try? device.state(),
    var touchscreen = try? Touchscreen(
      device.description, state: state, settings: DeviceSettings(), screen: screen)
  else {
    print("bench read NODE: not a touchscreen")
    return 2
  }
  var ids = TouchIDs()
  var touches: [Touch] = []
  var (frames, count, sum) = (0, 0, 0.0)
  print("ready")
  fflush(nil)

  var wait = pollfd(fd: device.descriptor, events: Int16(POLLIN), revents: 0)
  var isThere = true
  while isThere, unsafe poll(&wait, 1, -1) > 0 {
    let result = device.drain(
      frame: { events, time in
        touchscreen.handle(events, at: time, ids: &ids, into: &touches)
        frames += 1
        count += touches.count
        for touch in touches { sum += touch.position.x + touch.position.y }
        touches.removeAll(keepingCapacity: true)
      }, dropped: { _, _, _ in print("overrun") })
    if case .gone = result { isThere = false }
  }
  print(frames, count)
  return sum < 0 ? 1 : 0
}
