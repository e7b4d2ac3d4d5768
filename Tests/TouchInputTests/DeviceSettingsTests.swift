import Geometry
import Testing

@testable import TouchInput

@Suite("touch-input: what is configured of a device")
struct DeviceSettingsTests {
  @Test(
    "rule 23: swapped and inverted axes, then the matrix",
    arguments: [
      (DeviceSettings(swapsAxes: true), "began 1 (500,60)"),
      (DeviceSettings(invertsX: true), "began 1 (700,300)"),
      (DeviceSettings(invertsY: true), "began 1 (100,180)"),
      (DeviceSettings(swapsAxes: true, invertsX: true), "began 1 (300,60)"),
      (DeviceSettings(invertsX: true, calibration: Matrix(0.5, 0, 0, 0, 1, 0)), "began 1 (350,300)"),
    ])
  func orientation(settings: DeviceSettings, touch: String) throws {
    var player = try Panels.Player(Panels.tenSlots, settings: settings)
    #expect(player.frame(id(1), mtX(100), mtY(300)) == [touch])
  }

  @Test("rules 21 and 23: a configured range makes a panel usable that publishes 0..0")
  func range() throws {
    var device = Panels.tenSlots
    device.absoluteAxes[ABS.MT_POSITION_X] = AbsoluteAxis(minimum: 0, maximum: 0)
    #expect(!DeviceRole(device).touch)
    let settings = DeviceSettings(xRange: 0...1599)
    let repaired = device.replacingRanges(by: settings)
    #expect(DeviceRole(repaired).touch)
    var player = try Panels.Player(repaired, settings: settings)
    #expect(player.frame(id(1), mtX(800), mtY(300)) == ["began 1 (400,300)"])
  }

  private func completed(_ properties: [String: String], _ settings: DeviceSettings = DeviceSettings())
    -> (settings: DeviceSettings, problem: String?)
  {
    settings.completed(
      by: DeviceDescription(name: "", udevProperties: properties), screens: ["left", "HDMI-1"])
  }

  @Test("rule 23: udev's LIBINPUT_CALIBRATION_MATRIX holds, unless the configuration has one")
  func udevMatrix() {
    let properties = ["LIBINPUT_CALIBRATION_MATRIX": "-1 0 1 0 1 0.0"]
    #expect(completed(properties).settings.calibration == Matrix(-1, 0, 1, 0, 1, 0))
    let own = DeviceSettings(calibration: .identity)
    #expect(completed(properties, own).settings.calibration == .identity)
  }

  @Test(
    "rule 23: a matrix of udev that is none is said, and not used",
    arguments: [
      "", "1 0 0", "1 0 0 0 1 x", "1 0 0 0 1 inf", "1e308 1e308 0 1e308 1e308 0", "0 0 0 0 0 0",
      "1 0 0 0 1 0 0",
    ])
  func wrongMatrix(text: String) throws {
    let (settings, problem) = completed(["LIBINPUT_CALIBRATION_MATRIX": text])
    #expect(settings.calibration == nil)
    #expect(try #require(problem).contains("LIBINPUT_CALIBRATION_MATRIX"))
  }

  @Test("a matrix is six coefficients in libinput's order")
  func coefficients() {
    let matrix = Matrix(1, 2, 3, 4, 5, 6)
    #expect(matrix.coefficients == [1, 2, 3, 4, 5, 6])
    #expect(Matrix(matrix.coefficients) == matrix)
    #expect(Matrix([1, 2, 3, 4, 5]) == nil)
  }

  @Test("rule 19: the fuzz that libinput's udev rules took from the kernel")
  func udevFuzz() {
    #expect(completed(["LIBINPUT_FUZZ_35": "8", "LIBINPUT_FUZZ_36": "8"]).settings.fuzz == 8)
    #expect(completed(["LIBINPUT_FUZZ_35": "0", "LIBINPUT_FUZZ_36": "6"]).settings.fuzz == 6)
    #expect(completed(["LIBINPUT_FUZZ_00": "3"]).settings.fuzz == 3)
    #expect(completed(["LIBINPUT_FUZZ_35": "8"], DeviceSettings(fuzz: 0)).settings.fuzz == 0)
    #expect(completed(["LIBINPUT_FUZZ_35": "much"]).settings.fuzz == nil)
  }

  @Test("mapping to points: udev's WL_OUTPUT names the screen, if there is one of that name")
  func output() {
    #expect(completed(["WL_OUTPUT": "HDMI-1"]).settings.screen == "HDMI-1")
    #expect(completed(["WL_OUTPUT": "DSI-1"]).settings.screen == nil)
    #expect(completed(["WL_OUTPUT": "HDMI-1"], DeviceSettings(screen: "left")).settings.screen == "left")
  }
}
