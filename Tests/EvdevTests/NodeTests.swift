import EventLoop
import Glibc
import Testing
import TouchInput

@testable import Evdev

private func node(_ number: Int, _ properties: [String: String] = [:]) -> DeviceMonitor.Node {
  DeviceMonitor.Node(
    path: "/dev/input/event\(number)", systemPath: "/sys/devices/virtual/input/input\(number)/event\(number)",
    name: "panel", deviceNumber: dev_t(13 << 8 | 64 + number), udevProperties: properties)
}

@Suite("Nodes: what is known, and what of it is reported")
struct NodeTests {
  private let path = node(1).systemPath

  @Test("A node seen by the monitor and by the enumeration is added once")
  func duplicates() {
    var known = KnownNodes()
    #expect(known.seen(node(1)) == KnownNodes.Change(added: node(1)))
    #expect(known.seen(node(1)) == KnownNodes.Change())
  }

  @Test("A node is removed once, and only if it was added")
  func removal() {
    var known = KnownNodes()
    #expect(known.lost(path) == KnownNodes.Change())
    _ = known.seen(node(1))
    #expect(known.lost(path) == KnownNodes.Change(removed: path))
    #expect(known.lost(path) == KnownNodes.Change())
    #expect(known.seen(node(1)) == KnownNodes.Change(added: node(1)))
  }

  @Test("Changed properties, or another device number, remove and add")
  func change() {
    var known = KnownNodes()
    _ = known.seen(node(1))
    let calibrated = node(1, ["LIBINPUT_CALIBRATION_MATRIX": "0 1 0 1 0 0"])
    #expect(known.seen(calibrated) == KnownNodes.Change(removed: path, added: calibrated))
    var other = calibrated
    other.deviceNumber &+= 1
    #expect(known.seen(other) == KnownNodes.Change(removed: path, added: other))
  }

  @Test("A node that udev has initialised by now is removed and added")
  func initialized() {
    var known = KnownNodes()
    var fresh = node(1)
    fresh.isInitialized = false
    #expect(known.seen(fresh) == KnownNodes.Change(added: fresh))
    #expect(known.seen(node(1)) == KnownNodes.Change(removed: path, added: node(1)))
  }

  @Test("touch-input, rule 25: what is not to be used says why, and what to do")
  func refusal() throws {
    #expect(node(1).refusal() == nil)
    #expect(node(1, ["ID_SEAT": "seat-bar"]).refusal(seat: "seat-bar") == nil)
    var fresh = node(1)
    fresh.isInitialized = false
    #expect(try #require(fresh.refusal()).contains("udevadm trigger --action=add /dev/input/event1"))
    #expect(
      try #require(node(1, ["LIBINPUT_IGNORE_DEVICE": "1"]).refusal()).contains("LIBINPUT_IGNORE_DEVICE"))
    let other = try #require(node(1, ["ID_SEAT": "seat-bar"]).refusal())
    #expect(other.contains("seat-bar"))
    #expect(other.contains("loginctl attach seat0 \(path)"))
  }

  @Test(
    "The seat is ID_SEAT's, or seat0",
    arguments: [([:], "seat0"), (["ID_SEAT": ""], "seat0"), (["ID_SEAT": "seat-bar"], "seat-bar")])
  func seat(properties: [String: String], seat: String) { #expect(node(1, properties).seat == seat) }

  @Test("LIBINPUT_IGNORE_DEVICE counts unless it is 0", arguments: [("1", true), ("0", false), ("", true)])
  func ignored(value: String, isIgnored: Bool) {
    #expect(node(1, ["LIBINPUT_IGNORE_DEVICE": value]).isIgnored == isIgnored)
    #expect(!node(1).isIgnored)
  }

  @Test(
    "Only the properties of input are kept",
    arguments: [
      ("ID_INPUT", true), ("ID_INPUT_TOUCHSCREEN", true), ("LIBINPUT_CALIBRATION_MATRIX", true),
      ("WL_OUTPUT", true), ("ID_PATH", true), ("ID_PATH_TAG", false), ("DEVLINKS", false), ("SEQNUM", false),
    ])
  func relevance(property: String, isRelevant: Bool) {
    #expect(DeviceMonitor.Node.isRelevant(property) == isRelevant)
  }
}

@Suite("Device opener: patience")
struct DeviceOpenerTests {
  /// Opens with errors in turn, the last one for ever, and gives the error reported, the tries and the time in µs.
  private func open(_ errors: [Int32], for patience: UInt64) throws -> (
    code: Int32?, tries: Int, time: UInt64
  ) {
    let loop = try EventLoop()
    var tries = 0
    var code: Int32?
    let opener = try DeviceOpener(loop: loop) { _ throws(SystemError) in
      defer { tries += 1 }
      throw SystemError(errors[min(tries, errors.count - 1)], "open")
    }
    let start = EventLoop.now
    var waits = 0
    opener.open(node(1)) { _ in
      waits += 1
    } done: { result in
      if case .failure(let error) = result { code = error.code }
    }
    while code == nil, EventLoop.now - start < patience { try loop.runOnce(timeout: 20_000) }
    #expect(waits == (tries > 1 ? 1 : 0))
    return (code, tries, EventLoop.now - start)
  }

  @Test("Other errors than EACCES are final at once", arguments: [ENOENT, ENODEV])
  func final(code: Int32) throws {
    let result = try open([code], for: 100_000)
    #expect(result.code == code)
    #expect(result.tries == 1)
  }

  @Test("EACCES is tried again after 50 ms, then 100 ms, until it is something else")
  func again() throws {
    let result = try open([EACCES, EACCES, ENOENT], for: 3_000_000)
    #expect(result.code == ENOENT)
    #expect(result.tries == 3)
    #expect(result.time >= 150_000)
  }

  @Test("After 5 s EACCES is final, after no more than a dozen tries or so")
  func patience() throws {
    let result = try open([EACCES], for: 8_000_000)
    #expect(result.code == EACCES)
    #expect(result.time >= DeviceOpener.patience)
    #expect((8...14).contains(result.tries))
  }

  @Test("Without a descriptor it is tried until there is one, twice a second", arguments: [EMFILE, ENFILE])
  func descriptors(code: Int32) throws {
    let result = try open([code], for: 6_500_000)
    #expect(result.code == nil)
    #expect((11...17).contains(result.tries))
    let later = try open([code, code, ENOENT], for: 3_000_000)
    #expect(later.code == ENOENT)
  }

  @Test("A cancelled node is tried no more")
  func cancel() throws {
    let loop = try EventLoop()
    var tries = 0
    let opener = try DeviceOpener(loop: loop) { _ throws(SystemError) in
      tries += 1
      throw SystemError(EACCES, "open")
    }
    opener.open(node(1)) { _ in Issue.record("reported after cancel") }
    opener.cancel(node(1).systemPath)
    try loop.runOnce(timeout: 120_000)
    #expect(tries == 1)
  }
}

@Suite("What is held before a grab (touch-input, rule 28)")
struct HeldInputsTests {
  @Test("Keys and contacts are held until each is up")
  func held() {
    var held = HeldInputs(
      DeviceState(
        currentSlot: 1, slots: [SlotState(trackingID: 4), SlotState(), SlotState()], keysDown: [30]))
    #expect(!held.isEmpty)
    held.take([InputEvent(type: EV.KEY, code: 30, value: 0)])
    held.take([trackingID(9), slot(0), trackingID(-1)])
    #expect(!held.isEmpty)
    held.take([x(3), InputEvent(type: EV.KEY, code: 31, value: 1), slot(1), trackingID(-1)])
    #expect(!held.isEmpty)
    held.take([InputEvent(type: EV.KEY, code: 31, value: 2)])
    #expect(!held.isEmpty)
    held.take([InputEvent(type: EV.KEY, code: 31, value: 0)])
    #expect(held.isEmpty)
  }

  @Test("BTN_TOUCH 0 says that no contact is left (rule 16)")
  func released() {
    var held = HeldInputs(DeviceState(slots: [SlotState(trackingID: 4)], keysDown: [BTN.TOUCH, 30]))
    held.take([InputEvent(type: EV.KEY, code: BTN.TOUCH, value: 0)])
    #expect(!held.isEmpty, "a key is down")
    held.take([InputEvent(type: EV.KEY, code: 30, value: 0)])
    #expect(held.isEmpty)
  }
}
