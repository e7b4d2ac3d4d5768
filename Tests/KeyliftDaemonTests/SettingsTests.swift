import Engine
import Geometry
import Glibc
import Testing
import TouchInput

@testable import KeyliftDaemon

/// A folder with a configuration file and its drop-ins, gone with this.
final class ConfigurationFolder {
  let path: String
  private var files: [String] = []

  init() throws {
    var template = Array("/tmp/keylift-test-XXXXXX".utf8CString)
    let made = unsafe mkdtemp(&template)
    path = unsafe String(cString: try #require(made))
    unsafe _ = mkdir(path + "/keylift.conf.d", 0o755)
  }

  deinit {
    for file in files { unsafe _ = unlink(file) }
    unsafe _ = rmdir(path + "/keylift.conf.d")
    unsafe _ = rmdir(path)
  }

  func write(_ text: String, to name: String = "keylift.conf") throws {
    let file = unsafe try #require(fopen("\(path)/\(name)", "w"))
    unsafe _ = fputs(text, file)
    unsafe _ = fclose(file)
    files.append("\(path)/\(name)")
  }

  /// The file, which must be there, and its drop-ins.
  func read() throws(ConfigurationError) -> Settings {
    try ConfigurationPlace.file(path + "/keylift.conf").read()
  }
}

private let panel = DeviceIdentity(
  path: "/dev/input/event0", name: "Panel", vendor: 0x1234, product: 0xabcd,
  udevProperties: ["ID_PATH": "platform-1"])

@Suite("keylift.conf")
struct SettingsTests {
  private let folder: ConfigurationFolder

  init() throws { folder = try ConfigurationFolder() }

  @Test("of several sections that match a device the later wins, key by key")
  func laterWins() throws {
    try folder.write(
      """
      [Device Panel]
      Ignore=yes
      Keyboard=no
      Matrix=-1 0 1 0 1 0
      Range=0 99 0 99
      [Device 1234:ABCD]
      Ignore=no
      Keyboard=yes
      Matrix=1 0 0 0 1 0
      """)
    let settings = try #require(try folder.read().settings(for: panel))
    #expect(settings.countsAsKeyboard)
    #expect(settings.calibration == .identity)
    #expect(settings.xRange == 0...99, "the later one says nothing of it")
  }

  @Test("a later section may leave alone what an earlier one did not")
  func ignoredLater() throws {
    try folder.write("[Device Panel]\nIgnore=no\n[Device ID_PATH=platform-1]\nIgnore=yes\n")
    #expect(try folder.read().settings(for: panel) == nil)
  }

  @Test("drop-ins come after the file, by name, and need no file")
  func dropIns() throws {
    try folder.write("[Keyboard]\nSpacing=2\nDuration=1\n", to: "keylift.conf.d/20.conf")
    try folder.write("[Keyboard]\nSpacing=1\n", to: "keylift.conf.d/10.conf")
    try folder.write("[Keyboard]\nSpacing=9\n", to: "keylift.conf.d/99.off")
    #expect(try ConfigurationPlace.folders([folder.path]).read().spacing == 2)
    try folder.write("[Keyboard]\nSpacing=0\nHeight=50%\n")
    let settings = try folder.read()
    #expect(settings.spacing == 2)
    #expect(settings.duration == 1)
    #expect(settings.keyboardHeight == .fraction(0.5))
  }

  @Test("a section may be as long as a link below /dev/input/by-path")
  func longSection() throws {
    let link = "/dev/input/by-path/platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.2:1.0-event"
    try folder.write("\u{FEFF}[Device \(link)]\nIgnore=yes\n  [Log]\nLevel=debug\n")
    let settings = try folder.read()
    #expect(settings.devices.map(\.match) == [link])
    #expect(settings.logLevel == .debug)
  }

  @Test(
    "what is wrong is said with its line",
    arguments: [
      ("Size=800x480\n", 1, "before any [Section]"), ("[Screen main]\n\nSize=800\n", 3, "800x480"),
      ("[Screen main]\nRotation=45\n", 2, "rotation"), ("[Keyboard]\nHight=1\n", 2, "it has Height"),
      ("[Keyboard]\nSpacing=nan\n", 2, "not a number"), ("[Screen main\n", 1, "neither a [Section]"),
      ("[Device a]\nMatrix=1 0 0 0 1 inf\n", 2, "finite"),
      ("[Device a]\nMatrix=0 0 1 0 0 1\n", 2, "one line"),
      ("[Device a]\nMatrix=1e308 1e308 0 1e308 1e308 0\n", 2, "too large"),
      ("[Device a]\nDeadZone=0 0 40\n", 2, "rectangles"),
      ("[Device a]\nDeadZone=0 0 0 40\n", 2, "rectangles"),
      ("[Device a]\nDebounce=20\n", 2, "seconds from 0 to 1"), ("[Device a]\nFuzz=-1\n", 2, "from 0"),
      ("[Device a]\nGrab=maybe\n", 2, "yes nor no"), ("[Device a]\nRange=5 5 0 9\n", 2, "range"),
      ("[Device a]\nRange=-2147483648 2147483647 0 9\n", 2, "2^30"),
      ("[Keyboard]\nHeight=101%\n", 2, "100%"), ("[Log]\nLevel=loud\n", 2, "Level=loud is none of error, "),
      ("[Keyboard]\nHardware=show\n", 2, "Hardware=show is neither"),
      ("[Keyboard]\nAutoFocus=hide\n", 2, "AutoFocus=hide is neither"),
      ("[Device a]\nScreen=none\n", 2, "no [Screen none]"), ("\n[Screens]\n", 2, "no section [Screens]"),
      ("[Plugins]\nDeadline=11\n", 2, "seconds from 0 to 10"),
      ("[Log]\n" + String(repeating: "x", count: 50) + "=1\n", 2, "49 bytes"),
    ])
  func mistakes(text: String, line: Int, reason: String) throws {
    try folder.write(text)
    let error = #expect(throws: ConfigurationError.self) { try folder.read() }
    #expect(error?.line == line)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func everyKey() throws {
    try folder.write(
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
      SwapAxes=yes
      InvertX=yes
      InvertY=on
      Fuzz=8
      MinimumPressure=20
      MinimumTime=0.0157
      Debounce=0.02
      DeadZone=0 0 40 40, 760 440 40 40
      Grab=yes
      Keyboard=no
      [Keyboard]
      Height=25%
      Spacing=-10
      Duration=0
      Hardware=ignore
      [Log]
      Level=debug
      """)
    let settings = try folder.read()
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
    #expect(device?.swapsAxes == true && device?.invertsX == true && device?.invertsY == true)
    #expect(device?.fuzz == 8)
    #expect(device?.minimumPressure == 20)
    #expect(device?.minimumTime == 15_700)
    #expect(device?.debounce == 20_000)
    #expect(
      device?.deadZones == [
        Rect(x: 0, y: 0, width: 40, height: 40), Rect(x: 760, y: 440, width: 40, height: 40),
      ])
    #expect(device?.grabs == true)
    #expect(device?.countsAsKeyboard == false)
  }

  @Test("touch-input rules 20, 23 and 28: what a device needs is off unless it is configured")
  func nothingConfigured() throws {
    try folder.write("[Device 0001:0002]\n")
    #expect(try folder.read().settings(for: identity()) == DeviceSettings())
  }

  @Test func aMissingFileIsAnErrorOnlyIfItWasAskedFor() throws {
    #expect(throws: ConfigurationError.self) { try ConfigurationPlace.file("/nowhere/keylift.conf").read() }
    #expect(try ConfigurationPlace.folders(["/nowhere", "/nowhere/else"]).read() == Settings())
  }

  @Test("of several folders the later wins, then come all drop-ins by name, each once")
  func folders() throws {
    let vendor = folder
    let operators = try ConfigurationFolder()
    let place = ConfigurationPlace.folders([vendor.path, "/nowhere", operators.path])
    try vendor.write("[Screen panel]\nSize=1024x600\n[Keyboard]\nSpacing=1\nDuration=1\n")
    #expect(try place.read().spacing == 1, "an empty /etc works")
    try operators.write("[Keyboard]\nSpacing=2\n")
    #expect(try place.read().spacing == 2)
    #expect(try place.read().duration == 1, "what the later one does not say stays")
    #expect(try place.read().screens.map(\.name) == ["panel"])

    try vendor.write("[Keyboard]\nSpacing=5\nDuration=5\n", to: "keylift.conf.d/50-vendor.conf")
    #expect(try place.read().spacing == 5, "a drop-in comes after every keylift.conf")
    try operators.write("[Keyboard]\nSpacing=4\n", to: "keylift.conf.d/40-operator.conf")
    #expect(try place.read().spacing == 5, "whichever folder it is in, its name counts")
    try operators.write("", to: "keylift.conf.d/50-vendor.conf")
    #expect(try place.read().spacing == 4, "one of the same name takes its place")
    #expect(try place.read().duration == 1)
    let read = ["keylift.conf", "keylift.conf.d/40-operator.conf", "keylift.conf.d/50-vendor.conf"]
    #expect(try place.files() == ["\(vendor.path)/keylift.conf"] + read.map { "\(operators.path)/\($0)" })
  }

  @Test("a mistake is told with the folder that it is in")
  func mistakeInAFolder() throws {
    let operators = try ConfigurationFolder()
    try folder.write("[Keyboard]\n\nSpacing=far\n")
    try operators.write("[Keyboard]\nSpacing=2\n")
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationPlace.folders([folder.path, operators.path]).read()
    }
    #expect(error?.file == "\(folder.path)/keylift.conf")
    #expect(error?.line == 3)
  }

  @Test("all mistakes are told, by file and line, and what follows from one is not") func allMistakes() throws
  {
    try folder.write(
      """
      [Keyboard]
      Hight=1
      not an entry
      Spacing=far
      [Sreen main]
      Size=800x480
      Rotation=1
      [Device a]
      Screen=main
      Fuzz=-1
      [Device b
      Fuzz=-1
      """)
    try folder.write("[Log]\nLevel=loud\n", to: "keylift.conf.d/20.conf")
    try folder.write(
      "[Log]\nno\n\n  [Keyboard]\n    ; a comment\nDuration=11\n", to: "keylift.conf.d/10.conf")
    var mistakes = Mistakes()
    _ = Settings.read(try ConfigurationPlace.file(folder.path + "/keylift.conf").files(), &mistakes)
    let places = mistakes.all.map { "\($0.file.dropFirst(folder.path.utf8.count + 1)):\($0.line)" }
    #expect(
      places == [2, 3, 4, 5, 10, 11].map { "keylift.conf:\($0)" }
        + ["keylift.conf.d/10.conf:2", "keylift.conf.d/10.conf:6", "keylift.conf.d/20.conf:2"])
    #expect(mistakes.count == 9)
    let error = #expect(throws: ConfigurationError.self) { try folder.read() }
    #expect(error?.line == 2 && error?.others == 8)
    #expect(error?.description.hasSuffix("; and 8 more mistakes, which keyliftctl check tells") == true)
  }

  @Test("of very many mistakes the first are told, and how many there are") func manyMistakes() throws {
    try folder.write("[Keyboard]\n" + (0..<500).map { $0 % 2 == 0 ? "Hight=1\n" : "nothing\n" }.joined())
    var mistakes = Mistakes()
    _ = Settings.read(try ConfigurationPlace.file(folder.path + "/keylift.conf").files(), &mistakes)
    #expect(mistakes.count == 500)
    #expect(mistakes.all.map(\.line) == Array(2...101))
    #expect(mistakes.text.hasSuffix("\nand 400 more mistakes\n"))
  }

  @Test("a link to /dev/null is told with what it takes away") func masked() throws {
    let operators = try ConfigurationFolder()
    let place = ConfigurationPlace.folders([folder.path, operators.path])
    try folder.write("[Keyboard]\nSpacing=5\n", to: "keylift.conf.d/50-vendor.conf")
    try operators.write("", to: "keylift.conf.d/60-own.conf")
    let links = ["keylift.conf", "keylift.conf.d/50-vendor.conf", "keylift.conf.d/70-none.conf"].map {
      "\(operators.path)/\($0)"
    }
    for link in links { unsafe _ = symlink("/dev/null", link) }
    let own = "\(operators.path)/keylift.conf.d/60-own.conf"
    #expect(try place.files() == [links[0], links[1], own, links[2]])
    #expect(place.masking(by: links[0])?.contains("those of other folders are read all the same") == true)
    #expect(
      place.masking(by: links[1])
        == "a link to /dev/null, which takes \(folder.path)/keylift.conf.d/50-vendor.conf away")
    #expect(place.masking(by: links[2])?.contains("none of that name") == true)
    #expect(place.masking(by: own) == nil)
    for link in links { unsafe _ = unlink(link) }
  }

  @Test("a configuration that would keep the daemon from all else is refused: pipe, device, or without end")
  func whatTakesForEver() throws {
    func reason(_ body: () throws -> Void) rethrows -> String? {
      do { try body() } catch let error as ConfigurationError { return error.reason }
      return nil
    }
    try folder.write("# a comment\n", to: "keylift.conf.d/1.conf")
    try folder.write(String(repeating: "# a comment\n", count: 21_845))
    #expect(try reason { _ = try folder.read() } == "the configuration is longer than 256 KiB")
    try folder.write("")
    #expect(try folder.read() == Settings())
    try folder.write((0...256).map { "[Device \($0)]\n" }.joined())
    #expect(try reason { _ = try folder.read() } == "over 256 sections of screens and devices")
    unsafe _ = unlink(folder.path + "/keylift.conf")
    unsafe _ = mkfifo(folder.path + "/keylift.conf", 0o600)
    #expect(try reason { _ = try folder.read() } == "is a pipe, not a file")
    unsafe _ = unlink(folder.path + "/keylift.conf")
    unsafe _ = symlink("/dev/zero", folder.path + "/keylift.conf")
    #expect(try reason { _ = try folder.read() } == "is a device, not a file")
    unsafe _ = unlink(folder.path + "/keylift.conf")
    unsafe _ = symlink("/dev/null", folder.path + "/keylift.conf")
    #expect(try folder.read() == Settings())
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

  @Test func withoutAScreenTheDisplayOrTheTouchscreenSaysTheSize() {
    #expect(Settings().configuration(displaySize: nil).adoptsTouchscreenSize)
    let configuration = Settings().configuration(displaySize: Size(width: 1024, height: 600))
    #expect(!configuration.adoptsTouchscreenSize)
    #expect(configuration.screens == [Screen(name: "screen", size: Size(width: 1024, height: 600))])
  }

  @Test("a screen's size is the panel's own; turned, it changes places")
  func screens() throws {
    try folder.write("[Screen main]\nSize=800x480\nRotation=90\n[Screen other]\n")
    let configuration = try folder.read().configuration(displaySize: Size(width: 1920, height: 1080))
    #expect(
      configuration.screens.map(\.size) == [Size(width: 480, height: 800), Size(width: 1920, height: 1080)])
    #expect(!configuration.adoptsTouchscreenSize)
  }

  @Test("ipc rule 11: [Access] names users by name or number, everybody or nobody") func access() throws {
    try folder.write(
      """
      [Access]
      Monitor=root 4711
      Keyboard=*
      Levels=
      Connections=10
      ConnectionsPerUser=5
      ViewsPerUser=30000
      """)
    #expect(
      try folder.read().access
        == Access(
          monitor: .only([0, 4711]), keyboard: .all, levels: .only([]), connections: 10,
          connectionsPerUser: 5,
          viewsPerUser: 30_000))
  }

  @Test(
    "a wrong [Access] is refused with its line and what is wrong",
    arguments: [
      ("Monitor=root no-such-user", "no user no-such-user"),
      ("Monitor=0,1", "no user 0,1; names or numbers with spaces between"), ("Monitor=root *", "or * alone"),
      ("Connections=0", "1 to 100000"),
      ("Users=root", "has no Users"),
    ])
  func wrongAccess(line: String, why: String) throws {
    try folder.write("[Access]\n\(line)\n")
    let error = try #require(throws: ConfigurationError.self) { try folder.read() }
    #expect(error.line == 2)
    #expect(error.reason.contains(why))
  }
}

@Test(
  "a display's mode, as /sys/class/drm has it",
  arguments: [
    ("800x480", Size(width: 800, height: 480)), ("1920x1080i", Size(width: 1920, height: 1080)), ("", nil),
    ("0x480", nil), ("wide", nil),
  ] as [(String, Size?)])
func mode(text: String, size: Size?) {
  #expect(Display.parse(text) == size)
}
