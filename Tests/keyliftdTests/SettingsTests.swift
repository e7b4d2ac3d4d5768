import Engine
import Geometry
import Glibc
import Testing

@testable import keyliftd

/// A configuration file with this text, read; with the drop-ins by name.
private func read(_ text: String, dropIns: [String: String] = [:]) throws -> Settings {
  let directory = "/tmp/keylift-settings-\(UInt64.random(in: 0 ... .max))"
  let file = "\(directory)/keylift.conf"
  unsafe mkdir(directory, 0o700)
  write(text, file)
  if !dropIns.isEmpty { unsafe mkdir("\(file).d", 0o700) }
  for (name, text) in dropIns { write(text, "\(file).d/\(name)") }
  defer {
    for name in dropIns.keys { unsafe unlink("\(file).d/\(name)") }
    unsafe rmdir("\(file).d")
    unsafe unlink(file)
    unsafe rmdir(directory)
  }
  return try Settings.read(file, mustExist: true)
}

private func write(_ text: String, _ path: String) {
  guard let file = unsafe fopen(path, "we") else { return }
  unsafe fputs(text, file)
  unsafe fclose(file)
}

@Suite("configuration")
struct SettingsTests {
  @Test func everyKey() throws {
    let settings = try read(
      """
      ; a comment
      [Screen main]
      Size = 800x480
      Rotation=90
      [Screen other]
      Size=1920x1080
      [Device 0416:038f]
      Screen=other
      Matrix=0 -1 1 1 0 0
      Range=0 4095 100 3900
      Keyboard=no
      [Keyboard]
      Height=25%
      Spacing=-10
      Duration=0
      Hardware=ignore
      [Log]
      Level=debug
      """)
    let configuration = settings.configuration(displaySize: nil)
    #expect(configuration.screens.map(\.name) == ["main", "other"])
    #expect(configuration.screens[0].size == Size(width: 480, height: 800), "rotated by 90")
    #expect(!configuration.adoptsTouchscreenSize)
    #expect(configuration.keyboardHeight == .fraction(0.25))
    #expect(configuration.spacing == -10)
    #expect(configuration.duration == 0)
    #expect(configuration.hardwareKeyboard == .ignore)
    #expect(settings.logLevel == .debug)
    let device = settings.settings(for: identity(vendor: 0x416, product: 0x38f))
    #expect(device?.screen == "other")
    #expect(device?.calibration == Matrix(0, -1, 1, 1, 0, 0))
    #expect(device?.xRange == 0...4095)
    #expect(device?.yRange == 100...3900)
    #expect(device?.countsAsKeyboard == false)
  }

  @Test(
    "what is wrong is told with its line",
    arguments: [
      ("[Keyboard]\nHeight=tall\n", 2, "Height"), ("[Keyboard]\n\nColour=red\n", 3, "Colour"),
      ("[Oven]\nHeat=1\n", 2, "Oven"), ("Height=1\n", 1, "before any"), ("[Screen]\nSize=1x1\n", 2, "name"),
      ("[Screen a]\nRotation=45\n", 2, "45"), ("[Device x]\nMatrix=1 2 3\n", 2, "1 2 3"),
      ("[Device x]\nRange=5 5 0 1\n", 2, "5 5 0 1"), ("[Log]\nLevel=loud\n", 2, "Level"),
      ("[Keyboard]\nnonsense\n", 2, "neither"), ("[Keyboard\n", 1, "neither"),
      ("[Device \(String(repeating: "x", count: 60))]\n", 1, "more than 49"),
      ("[Device x]\nScreen=nowhere\n", 2, "nowhere"),
    ])
  func wrong(text: String, line: Int, word: String) throws {
    #expect {
      try read(text)
    } throws: { error in
      guard let error = error as? ConfigurationError else { return false }
      return error.line == line && error.reason.contains(word) && error.file.hasSuffix("keylift.conf")
    }
  }

  @Test func aDropInWinsAndIsNamedWhenItIsWrong() throws {
    let settings = try read(
      "[Keyboard]\nSpacing=1\nDuration=1\n",
      dropIns: ["20.conf": "[Keyboard]\nSpacing=3\n", "10.conf": "[Keyboard]\nSpacing=2\n", "x": "nonsense"])
    #expect(settings.spacing == 3)
    #expect(settings.duration == 1)
    #expect {
      try read("", dropIns: ["10.conf": "[Keyboard]\nSpacing=wide\n"])
    } throws: { error in
      (error as? ConfigurationError)?.file.hasSuffix("keylift.conf.d/10.conf") == true
    }
  }

  @Test func aMissingFileIsAnErrorOnlyIfItWasAskedFor() throws {
    #expect(throws: ConfigurationError.self) { try Settings.read("/nowhere/keylift.conf", mustExist: true) }
    #expect(try Settings.read("/nowhere/keylift.conf", mustExist: false) == Settings())
  }

  private func identity(vendor: UInt16 = 1, product: UInt16 = 2) -> DeviceIdentity {
    DeviceIdentity(
      path: "/dev/input/event7", name: "A Panel", vendor: vendor, product: product,
      udevProperties: ["ID_PATH": "platform-i2c"])
  }

  @Test(
    "a device is matched by path, vendor:product, udev property or name",
    arguments: [
      ("/dev/input/event7", true), ("/dev/input/event8", false), ("0001:0002", true), ("0001:0003", false),
      ("A Panel", true), ("A Pan", false), ("ID_PATH=platform-i2c", true), ("ID_PATH=usb", false),
    ])
  func match(match: String, matches: Bool) { #expect(identity().matches(match) == matches) }

  @Test(
    "a mode as DRM names it",
    arguments: [
      ("800x480", Size(width: 800, height: 480)), ("1920x1080i", Size(width: 1920, height: 1080)), ("", nil),
      ("x", nil), ("axb", nil),
    ])
  func mode(text: String, size: Size?) { #expect(Display.parse(text) == size) }

  @Test func withoutAScreenTheDisplayOrTheTouchscreenSaysTheSize() {
    #expect(Settings().configuration(displaySize: nil).adoptsTouchscreenSize)
    let configuration = Settings().configuration(displaySize: Size(width: 1024, height: 600))
    #expect(!configuration.adoptsTouchscreenSize)
    #expect(configuration.screens == [Screen(name: "screen", size: Size(width: 1024, height: 600))])
  }
}
