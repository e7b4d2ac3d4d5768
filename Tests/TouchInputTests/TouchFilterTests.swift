import Geometry
import Testing

@testable import TouchInput

@Suite("touch-input: jitter")
struct FuzzTests {
  private func wiggle(_ player: inout Panels.Player) -> [String] {
    _ = player.frame(id(1), mtX(400), mtY(240))
    return (0..<50).flatMap { n in player.frame(mtX(400 + Int32(n % 2)), mtY(240 - Int32(n % 2))) }
  }

  @Test("rule 19: 50 wiggles of 1 unit at fuzz 10 give no moved")
  func wiggles() throws {
    var player = try Panels.Player(Panels.tenSlots, settings: DeviceSettings(fuzz: 10))
    #expect(wiggle(&player) == [])
    var bare = try Panels.Player(Panels.tenSlots)
    #expect(wiggle(&bare).count == 49, "without fuzz each is one")
  }

  @Test("rule 19: a finger that goes somewhere gets there")
  func moves() throws {
    var player = try Panels.Player(Panels.tenSlots, settings: DeviceSettings(fuzz: 10))
    _ = player.frame(id(1), mtX(400), mtY(240))
    #expect(player.frame(mtX(405)) == [], "half of it is none")
    #expect(player.frame(mtX(408)) == ["moved 1 (402,240)"], "a quarter of the way")
    #expect(player.frame(mtX(420)) == ["moved 1 (411,240)"], "half of the way")
    #expect(player.frame(mtX(500)) == ["moved 1 (500,240)"])
    #expect(player.frame(id(-1)) == ["ended 1 (500,240)"])
    #expect(player.frame(id(2), mtX(503)) == ["began 2 (503,240)"], "a new finger is where it is")
  }

  @Test("rule 19: where the kernel filters, it is not done twice")
  func notTwice() throws {
    var device = Panels.tenSlots
    device.absoluteAxes[ABS.MT_POSITION_X]?.fuzz = 4
    var player = try Panels.Player(device, settings: DeviceSettings(fuzz: 10))
    _ = player.frame(id(1), mtX(400), mtY(240))
    #expect(player.frame(mtX(403)) == ["moved 1 (403,240)"])
  }
}

@Suite("touch-input: filters")
struct TouchFilterTests {
  @Test("rule 20: a contact shorter than the minimum is no touch")
  func tooShort() throws {
    var player = try Panels.Player(Panels.tenSlots, settings: DeviceSettings(minimumTime: 30_000))
    #expect(player.frame(id(1), mtX(50), mtY(60)) == [])
    #expect(player.wait(29) == [])
    #expect(player.frame(id(-1)) == [])
    #expect(player.wait(100) == [])
  }

  @Test("rule 20: one that lasts is told when it has, though it lies still, and where it began")
  func longEnough() throws {
    var player = try Panels.Player(Panels.tenSlots, settings: DeviceSettings(minimumTime: 30_000))
    _ = player.frame(id(1), mtX(50), mtY(60))
    player.time += 10
    #expect(player.frame(mtX(55)) == [])
    #expect(player.wait(20) == ["began 1 (50,60)", "moved 1 (55,60)"])
    #expect(player.frame(id(-1)) == ["ended 1 (55,60)"])
    _ = player.frame(id(2))
    player.time += 30
    #expect(player.frame(id(-1)) == ["began 2 (55,60)", "ended 2 (55,60)"], "before any timer")
  }

  @Test("rule 20: a lift shorter than the debounce is none, and the touch goes on")
  func debounce() throws {
    var player = try Panels.Player(Panels.tenSlots, settings: DeviceSettings(debounce: 20_000))
    #expect(player.frame(id(1), mtX(50), mtY(60)) == ["began 1 (50,60)"])
    #expect(player.frame(id(-1)) == [])
    #expect(player.wait(19) == [])
    #expect(player.frame(id(2), mtX(58)) == ["moved 1 (58,60)"], "the same touch")
    #expect(player.frame(id(-1)) == [])
    #expect(player.wait(20) == ["ended 1 (58,60)"])
    #expect(player.frame(id(3)) == ["began 3 (58,60)"])
  }

  @Test("rule 20: another finger within the debounce is another touch")
  func farAway() throws {
    var player = try Panels.Player(Panels.tenSlots, settings: DeviceSettings(debounce: 20_000))
    _ = player.frame(id(1), mtX(50), mtY(60))
    _ = player.frame(id(-1))
    #expect(player.frame(id(2), mtX(700)) == ["began 2 (700,60)"])
    #expect(player.wait(20) == ["ended 1 (50,60)"])
  }

  @Test("rule 20: a flicker counts as one contact for the minimum time too")
  func both() throws {
    let settings = DeviceSettings(minimumTime: 30_000, debounce: 20_000)
    var player = try Panels.Player(Panels.tenSlots, settings: settings)
    _ = player.frame(id(1), mtX(50), mtY(60))
    player.time += 20
    #expect(player.frame(id(-1)) == [])
    player.time += 5
    #expect(player.frame(id(2)) == [])
    #expect(player.wait(5) == ["began 1 (50,60)"])
    #expect(player.frame(id(-1)) == [])
    #expect(player.wait(20) == ["ended 1 (50,60)"])
    _ = player.frame(id(3))
    #expect(player.frame(id(-1)) == [])
    #expect(player.wait(20) == [], "too short, and the lift was one")
  }

  @Test("rule 20: a ghost touch every 13 s at one fixed point is never seen; a finger that passes is")
  func deadZone() throws {
    let settings = DeviceSettings(deadZones: [Rect(x: 760, y: 0, width: 40, height: 40)])
    var player = try Panels.Player(Panels.tenSlots, settings: settings)
    for n in Int32(0)..<10 {
      #expect(player.frame(id(n), mtX(780), mtY(7)) == [])
      #expect(player.frame(mtX(700)) == [], "wherever it goes")
      #expect(player.frame(id(-1)) == [])
      _ = player.wait(13_000)
    }
    #expect(player.frame(id(100), mtX(759), mtY(7)) == ["began 11 (759,7)"])
    #expect(player.frame(mtX(780)) == ["moved 11 (780,7)"])
  }

  @Test(
    "rule 20: a dead zone stays where it is on the panel when the screen turns",
    arguments: [
      (Rotation.none, 800.0, 480.0), (.clockwise90, 480, 800), (.clockwise180, 800, 480),
      (.clockwise270, 480, 800),
    ])
  func turned(rotation: Rotation, width: Double, height: Double) throws {
    let settings = DeviceSettings(deadZones: [Rect(x: 760, y: 0, width: 40, height: 40)])
    var player = try Panels.Player(Panels.tenSlots, settings: settings)
    let screen = Screen(name: "screen", size: Size(width: width, height: height), rotation: rotation)
    _ = player.describe { touchscreen, time, _, touches in
      touchscreen.setScreen(screen, at: time, into: &touches)
    }
    #expect(player.frame(slot(0), id(1), mtX(780), mtY(20)) == [])
    #expect(player.frame(slot(1), id(2), mtX(20), mtY(20)).count == 1)
    #expect(player.frame(slot(2), id(3), mtX(780), mtY(460)).count == 1)
  }

  @Test("rules 20 and 26: a device that goes cancels what was told, and nothing else comes of it")
  func cancelled() throws {
    let settings = DeviceSettings(minimumTime: 30_000, debounce: 20_000)
    var player = try Panels.Player(Panels.tenSlots, settings: settings)
    _ = player.frame(slot(0), id(1), mtX(50), mtY(60), slot(1), id(2), mtX(300), mtY(60))
    #expect(player.wait(30) == ["began 1 (50,60)", "began 2 (300,60)"])
    _ = player.frame(slot(0), id(-1), slot(2), id(3), mtX(600), mtY(60))
    let touches = player.cancelAll()
    #expect(touches.sorted() == ["cancelled 1 (50,60)", "cancelled 2 (300,60)"])
    #expect(player.touchscreen.deadline == nil)
    #expect(player.touchscreen.livingTouches == 0)
  }
}
