import Geometry
import Invariants
import Testing
import TouchInput
import Varlink

@testable import keyliftctl

private func panel(
  _ rotation: Rotation = .none, swapAxes: Bool = false, invertX: Bool = false, invertY: Bool = false
) -> PanelMapping {
  let size = rotation.swapsAxes ? Size(width: 480, height: 800) : Size(width: 800, height: 480)
  return PanelMapping(
    rangeX: -100...3995, rangeY: 200...3900, swapAxes: swapAxes, invertX: invertX, invertY: invertY,
    screen: Screen(name: "main", size: size, rotation: rotation))
}

/// The corners inset and the middle, in points of a panel's screen.
private func places(on panel: PanelMapping) -> [Point] {
  CrossPage.places.prefix(5).map {
    Point(x: $0.x * panel.screen.size.width, y: $0.y * panel.screen.size.height)
  }
}

/// What the axes of a panel say that needs a matrix, for a touch on a place.
private func raw(_ place: Point, _ panel: PanelMapping, needing matrix: Matrix) -> Point {
  let target = panel.target(place)
  let determinant = matrix.determinant
  let (x, y) = (target.x - matrix.c, target.y - matrix.f)
  var unit = Point(
    x: (matrix.e * x - matrix.b * y) / determinant, y: (matrix.a * y - matrix.d * x) / determinant)
  if panel.invertX { unit.x = 1 - unit.x }
  if panel.invertY { unit.y = 1 - unit.y }
  if panel.swapAxes { unit = Point(x: unit.y, y: unit.x) }
  func value(_ share: Double, _ range: ClosedRange<Int32>) -> Double {
    Double(range.lowerBound) + share * (Double(range.upperBound) - Double(range.lowerBound) + 1)
  }
  return Point(x: value(unit.x, panel.rangeX), y: value(unit.y, panel.rangeY))
}

private func made(_ panel: PanelMapping, needing matrix: Matrix) -> [Tap] {
  places(on: panel).map { Tap(point: $0, raw: raw($0, panel, needing: matrix)) }
}

@Suite("calibrate: the matrix (touch-input, rule 23 and \"Mapping to points\")")
struct CalibrationTests {
  @Test(
    "the matrix that a panel needs is found again", arguments: Rotation.allCases, [0, 1, 2, 3, 4, 5, 6, 7])
  func recovery(rotation: Rotation, flags: Int) throws {
    let panel = panel(rotation, swapAxes: flags & 1 != 0, invertX: flags & 2 != 0, invertY: flags & 4 != 0)
    var numbers = SeededChances(seed: UInt64(rotation.rawValue * 8 + flags))
    for _ in 0..<20 {
      let matrix = Matrix(
        .random(in: 0.5...2, using: &numbers), .random(in: -0.3...0.3, using: &numbers),
        .random(in: -0.5...0.5, using: &numbers), .random(in: -0.3...0.3, using: &numbers),
        .random(in: -2 ... -0.5, using: &numbers), .random(in: 0...1.5, using: &numbers))
      let found = try Calibration(made(panel, needing: matrix), on: panel)
      let pairs = zip(matrix.coefficients, found.matrix.coefficients)
      #expect(pairs.allSatisfy { abs($0 - $1) <= 1e-6 })
      #expect(found.worst < 0.01)
      #expect(!found.isUnneeded)
    }
  }

  @Test(
    "the daemon's own mapping with the matrix found brings each touch to its cross",
    arguments: Rotation.allCases)
  func throughTheDaemonsMapping(rotation: Rotation) throws {
    let settings = DeviceSettings(
      swapsAxes: true, invertsY: true, calibration: Matrix(0.93, 0.02, 0.04, -0.03, 1.1, -0.06))
    let panel = panel(rotation, swapAxes: true, invertY: true)
    let taps = made(panel, needing: try #require(settings.calibration))
    var found = settings
    found.calibration = try Calibration(taps, on: panel).matrix
    let mapping = AxisMapping(
      x: AbsoluteAxis(minimum: -100, maximum: 3995), y: AbsoluteAxis(minimum: 200, maximum: 3900),
      calibration: found.orientation, rotation: rotation, size: panel.screen.size)
    for tap in taps {
      let point = mapping.point(x: Int32(tap.raw.x.rounded()), y: Int32(tap.raw.y.rounded()))
      #expect(point.squaredDistance(to: tap.point) < 1)
    }
  }

  @Test("touches beside their crosses give an error of their size") func noise() throws {
    let panel = panel(.clockwise90)
    let matrix = Matrix(1.1, 0, -0.05, 0.02, 0.9, 0.04)
    var numbers = SeededChances(seed: 7)
    let taps = (0..<40).flatMap { _ in
      made(panel, needing: matrix).map { tap in
        let beside = Point(
          x: tap.point.x + .random(in: -4...4, using: &numbers),
          y: tap.point.y + .random(in: -4...4, using: &numbers))
        return Tap(point: tap.point, raw: raw(beside, panel, needing: matrix))
      }
    }
    let found = try Calibration(taps, on: panel)
    #expect(abs(found.matrix.a - matrix.a) < 0.01 && abs(found.matrix.e - matrix.e) < 0.01)
    // Evenly within 4 points on each axis: 4 * sqrt(2 / 3).
    #expect((2.8...3.7).contains(found.error))
    #expect(found.worst <= 4 * 2.0.squareRoot() + 1)
  }

  @Test("a touch that went astray shows") func astray() throws {
    let panel = panel()
    var taps = made(panel, needing: .identity)
    taps[2].raw.x += 500
    let found = try Calibration(taps, on: panel)
    #expect(found.worst > Calibration.acceptable(on: panel.screen))
  }

  @Test("a panel that is right says so", arguments: Rotation.allCases)
  func identity(rotation: Rotation) throws {
    let panel = panel(rotation)
    let found = try Calibration(made(panel, needing: .identity), on: panel)
    #expect(found.matrix == .identity)
    #expect(found.isUnneeded)
  }

  @Test func refusals() throws {
    let panel = panel()
    let good = made(panel, needing: .identity)
    func refusal(_ taps: [Tap]) -> CalibrationError? {
      #expect(throws: CalibrationError.self) { () throws(CalibrationError) in try Calibration(taps, on: panel)
      }
    }
    #expect(refusal(Array(good.prefix(3))) == .tooFew(3))
    #expect(refusal([]) == .tooFew(0))
    #expect(
      refusal(good.map { Tap(point: Point(x: $0.point.x, y: $0.point.x), raw: $0.raw) }) == .placesOnLine)
    #expect(refusal(good.map { Tap(point: Point(x: 400, y: 240), raw: $0.raw) }) == .placesOnLine)
    #expect(refusal(good.map { Tap(point: $0.point, raw: Point(x: 2000, y: 2000)) }) == .valuesOnLine)
    #expect(refusal(good.map { Tap(point: $0.point, raw: Point(x: $0.raw.x, y: 7)) }) == .valuesOnLine)
    for number in [Double.nan, .infinity, -.infinity, 1e300] {
      var bad = good
      bad[1].raw.x = number
      #expect(refusal(bad) == .notFinite)
      bad = good
      bad[1].point.y = number
      #expect(refusal(bad) == .notFinite)
    }
  }

  @Test func report() throws {
    let panel = panel()
    let report = try CalibrationReport(
      made(panel, needing: Matrix(1.05, 0, -0.025, 0, -1, 1)), panel, section: "0416:038f")
    #expect(report.lines.hasSuffix("[Device 0416:038f]\nMatrix=1.05 0 -0.025 0 -1 1\n"))
    #expect(report.lines.split(separator: "\n").dropLast(2).allSatisfy { $0.hasPrefix("#") })
    #expect(report.advice.contains { $0.contains("keylift.conf") })
    // What it prints can be computed again.
    let file = try TapFile(Array(encoded(report.json).utf8), title: "file")
    #expect(file.section == "0416:038f")
    #expect(
      try CalibrationReport(file.taps, try #require(file.mapping), section: file.section).lines
        == report.lines)
  }

  @Test("touches beside their places prove no panel good") func reportOfMissedPlaces() throws {
    let panel = panel()
    var taps = made(panel, needing: .identity)
    taps[1].raw = taps[0].raw
    let report = try CalibrationReport(taps, panel, section: "0416:038f")
    #expect(!report.lines.contains("No matrix is needed"))
    #expect(report.advice.first?.hasPrefix("Repeat it") == true)
    #expect(!report.advice.contains { $0.contains("keylift.conf") })
  }

  @Test func reportOfAGoodPanel() throws {
    let panel = panel()
    var report = try CalibrationReport(made(panel, needing: .identity), panel, section: "0416:038f")
    #expect(report.lines.contains("No matrix is needed"))
    #expect(!report.lines.contains("[Device"))
    #expect(report.advice == [])
    // A wrong matrix that is in effect must be taken back.
    report.panel = Panel(
      node: try json(#"{"mapping":{"matrix":[-1,0,1,0,1,0],"matrixFrom":"udev"}}"#))
    #expect(report.lines.hasSuffix("[Device 0416:038f]\nMatrix=1 0 0 0 1 0\n"))
    #expect(report.advice.last?.contains("udev's matrix") == true)
  }
}

@Suite struct TapFileTests {
  private func file(_ text: String) throws(Failure) -> TapFile {
    try TapFile(Array(text.utf8), title: "taps")
  }

  @Test func lines() throws {
    let text = "# by hand\n\n80,48 410,402.5\n 720,48\t3690,400\r\n"
    let tap = Tap(point: Point(x: 80, y: 48), raw: Point(x: 410, y: 402.5))
    let found = try file(text)
    #expect(found.taps.first == tap)
    #expect(found.taps.count == 2)
    #expect(found.mapping == nil)
  }

  @Test func settings() throws {
    let text = "Size=800x480\nRange = 0 4095 10 4000\nRotation=90\nSwapAxes=yes\nInvertX=no\n"
    let expected = PanelMapping(
      rangeX: 0...4095, rangeY: 10...4000, swapAxes: true,
      screen: Screen(name: "screen", size: Size(width: 480, height: 800), rotation: .clockwise90))
    #expect(try file(text).mapping == expected)
  }

  @Test(arguments: [
    ("80,48", "taps:1: \"80,48\" is no touch."), ("\n80,48 1,2,3", "taps:2: \"80,48 1,2,3\" is no touch."),
    ("80,48 1,nan", "taps:1:"), ("80,48 1,1e999", "taps:1:"), ("Size=800", "taps:1: \"Size=800\" is no use."),
    ("Range=5 5 0 1", "taps:1:"), ("Rotation=45", "taps:1:"), ("SwapAxes=maybe", "taps:1:"),
    ("Speed=9", "taps:1:"), ("Size=800x480", "give both Size= and Range="), ("{", "this is no JSON"),
    (#"{"section":"a]\n[Device b"}"#, "cannot stand in [Device MATCH]"),
    (#"{"section":"\u001b[2J"}"#, "cannot stand in [Device MATCH]"),
    (#"{"taps":[{}]}"#, "taps[0] has no point"), (#"{"width":800}"#, "rangeX, rangeY, width, height"),
    (#"{"width":800,"height":1e999,"rangeX":[0,9],"rangeY":[0,9]}"#, "rangeX, rangeY, width, height"),
  ])
  func refusals(text: String, why: String) {
    let failure = #expect(throws: Failure.self) { try file(text) }
    #expect(failure?.message.contains(why) == true, "\(failure?.message ?? "")")
  }
}

@Suite struct CalibrationRequestTests {
  @Test func requests() throws {
    #expect(try CalibrationRequest(Arguments()).source == .crosses(5))
    #expect(try CalibrationRequest(Arguments(options: ["crosses": "9"])).source == .crosses(9))
    #expect(try CalibrationRequest(Arguments(options: ["taps": "-"])).source == .taps("-"))
    let four = ["1,1", "9,1", "9,9.5", "1,9"]
    let source = try CalibrationRequest(Arguments(options: ["points": ""], operands: four)).source
    #expect(source == .points([1, 9, 9, 1].enumerated().map { Point(x: $1, y: [1, 1, 9.5, 9][$0]) }))
  }

  @Test(
    arguments: [
      (["crosses": "3"], []), (["crosses": "10"], []), (["crosses": "x"], []),
      (["points": ""], ["1,1", "2,2"]),
      (["points": ""], ["1,1", "9,1", "9,9", "1"]), (["points": ""], ["1,1", "9,1", "9,9", "1,1e10"]),
      (["points": "", "taps": "f"], []),
      (["points": "", "terminal": "/dev/tty1"], ["1,1", "9,1", "9,9", "1,2"]),
      ([:], ["1,1"]),
    ] as [([String: String], [String])])
  func refusals(options: [String: String], operands: [String]) {
    let failure = #expect(throws: Failure.self) {
      try CalibrationRequest(Arguments(options: options, operands: operands))
    }
    #expect(failure?.status == .usage)
  }
}
