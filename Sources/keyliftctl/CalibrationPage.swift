import Geometry
import Glibc

/// Touches on places, one after the other, and what is to be said meanwhile.
struct TapSession {
  /// Where to touch, in screen points.
  var places: [Point]
  private(set) var taps: [Tap] = []
  /// What to do.
  var prompt: String {
    let step = "Touch \(taps.count + 1) of \(places.count)"
    return isHeld ? "\(step): hold still, then lift the finger." : "\(step): hold the middle of the cross."
  }
  /// What was wrong with the last touch.
  private(set) var complaint: String?
  private var isHeld = false
  private var collector: TapCollector

  init(places: [Point], collector: TapCollector) {
    self.places = places
    self.collector = collector
  }

  var isDone: Bool { taps.count >= places.count }
  /// Where to touch now.
  var place: Point? { isDone ? nil : places[taps.count] }

  /// Returns: whether there is something else to say now.
  mutating func take(_ touch: SeenTouch) -> Bool {
    guard let place, let outcome = collector.take(touch) else { return false }
    isHeld = outcome == .began
    complaint = nil
    switch outcome {
    case .began: break
    case .tap(let raw): taps.append(Tap(point: place, raw: raw))
    case .again(let why): complaint = why
    }
    return true
  }
}

/// Where a person is told what to touch.
protocol CalibrationPage: AnyObject {
  /// In screen points.
  var places: [Point] { get }
  func show(_ session: TapSession) throws
  func close()
}

/// Says points in words, for crosses that something else draws.
final class PointPage: CalibrationPage {
  let places: [Point]
  private var told: Int?

  init(_ places: [Point]) { self.places = places }

  func show(_ session: TapSession) {
    if let complaint = session.complaint { Output.remark("  \(complaint)") }
    guard let place = session.place, told != session.taps.count || session.complaint != nil else { return }
    told = session.taps.count
    Output.remark(
      "Touch \(text(place)) and hold for a moment (\(session.taps.count + 1) of \(places.count)).")
  }

  func close() {}
}

/// Draws crosses on a terminal that fills the screen.
final class CrossPage: CalibrationPage {
  /// As parts of the screen: the corners, the middle, the middles of the edges.
  static let places = [
    Point(x: 0.1, y: 0.1), Point(x: 0.9, y: 0.1), Point(x: 0.9, y: 0.9), Point(x: 0.1, y: 0.9),
    Point(x: 0.5, y: 0.5), Point(x: 0.5, y: 0.1), Point(x: 0.9, y: 0.5), Point(x: 0.5, y: 0.9),
    Point(x: 0.1, y: 0.5),
  ]

  private let count: Int
  private let screen: Screen
  private let terminal: Terminal

  init(_ count: Int, on screen: Screen, _ path: String?) throws {
    self.count = count
    self.screen = screen
    if path == nil, let ssh = unsafe getenv("SSH_CONNECTION"), unsafe ssh.pointee != 0 {
      throw Failure.refused(
        "calibrate: this terminal is at the other end of ssh, and its crosses would be too. Draw them on the "
          + "touchscreen with --terminal /dev/tty1, or use --points.")
    }
    if let path {
      terminal = try Terminal(path: path, for: "calibrate")
    } else if Terminal.isOutput {
      terminal = Terminal()
    } else if let own = try? Terminal(path: "/dev/tty", for: "calibrate") {
      terminal = own  // the lines go into a file or a pipe
    } else {
      throw Failure.refused(
        "calibrate: there is no terminal to draw crosses on. Name one with --terminal /dev/tty1, or use --points."
      )
    }
    let size = terminal.size
    guard size.columns >= 40, size.rows >= 12 else {
      throw Failure.refused(
        "calibrate: a terminal of \(size.columns)x\(size.rows) characters is too small for crosses; it takes 40x12."
      )
    }
    try terminal.enter()
  }

  func close() { terminal.leave() }

  /// The middles of the characters that the crosses are drawn around.
  var places: [Point] {
    let size = terminal.size
    return CrossPage.places.prefix(count).map { place in
      let (column, row) = CrossPage.cell(of: place, size)
      return Point(
        x: (Double(column) + 0.5) / Double(size.columns) * screen.size.width,
        y: (Double(row) + 0.5) / Double(size.rows) * screen.size.height)
    }
  }

  private static func cell(of place: Point, _ size: Terminal.Size) -> (column: Int, row: Int) {
    (
      TouchPicture.cell(place.x, of: 1, size.columns), TouchPicture.cell(place.y, of: 1, size.rows)
    )
  }

  func show(_ session: TapSession) throws {
    let size = terminal.size
    let lines = CrossPage.lines(session, size, unicode: Terminal.isUnicode)
    try terminal.show(lines, in: size)
  }

  /// The terminal's lines, with the cross to be touched and what is to be said.
  static func lines(_ session: TapSession, _ size: Terminal.Size, unicode: Bool) -> [String] {
    var cells = Array(
      repeating: Array(repeating: Character(" "), count: size.columns), count: size.rows)
    func put(_ symbol: Character, _ column: Int, _ row: Int) {
      guard cells.indices.contains(row), cells[row].indices.contains(column) else { return }
      cells[row][column] = symbol
    }
    func write(_ text: String, _ row: Int) {
      let start = max(0, (size.columns - text.count) / 2)
      for (place, symbol) in text.enumerated() { put(symbol, start + place, row) }
    }
    let row = size.rows * 3 / 10
    write(session.prompt, row)
    write(session.complaint ?? "", row + 1)
    write("Ctrl-C ends", size.rows - 1)
    if !session.isDone, session.taps.count < places.count {
      let cross = cell(of: places[session.taps.count], size)
      for distance in 1...4 {
        put(unicode ? "─" : "-", cross.column - distance, cross.row)
        put(unicode ? "─" : "-", cross.column + distance, cross.row)
      }
      for distance in 1...2 {
        put(unicode ? "│" : "|", cross.column, cross.row - distance)
        put(unicode ? "│" : "|", cross.column, cross.row + distance)
      }
      put(unicode ? "┼" : "+", cross.column, cross.row)
    }
    return cells.map { cells in
      let end = cells.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0
      return String(cells[..<end])
    }
  }
}
