import Geometry
import TouchInput

/// Fingers as they would be drawn on the screen, in characters.
struct TouchPicture {
  /// One finger, from its touch on until others come after it.
  private struct Finger {
    var symbol: Character
    var touch: SeenTouch
    /// Where it has been, the newest last.
    var trail: [Point] = []
    var isDown: Bool { touch.phase == .began || touch.phase == .moved }
  }

  static let longestTrail = 24
  private static let mostFingers = 64
  private static let symbols = Array("123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /// All screens; the one that was touched last is shown, unless one was asked for.
  var screens: [Screen] { didSet { fingers.removeAll { !$0.isDown } } }
  /// Said at the top, such as that there is no touchscreen any more.
  var remark: String?
  private let wanted: String?
  private let unicode: Bool
  private var fingers: [Finger] = []
  private var touched: String?

  init(screens: [Screen], wanted: String?, unicode: Bool) {
    self.screens = screens
    self.wanted = wanted
    self.unicode = unicode
  }

  private var screen: Screen? {
    let name = wanted ?? touched
    return screens.first { $0.name == name } ?? screens.first
  }

  mutating func take(_ touch: SeenTouch) {
    touched = touch.screen
    guard let place = fingers.firstIndex(where: { $0.touch.id == touch.id }) else {
      guard touch.phase == .began || touch.phase == .moved else { return }
      // What was lifted stays to be looked at until the next touch.
      if !fingers.contains(where: \.isDown) { fingers = [] }
      if fingers.count >= TouchPicture.mostFingers { fingers.removeFirst() }
      let taken = Set(fingers.map(\.symbol))
      let symbol = TouchPicture.symbols.first { !taken.contains($0) } ?? "*"
      fingers.append(Finger(symbol: symbol, touch: touch))
      return
    }
    if touch.phase == .moved {
      fingers[place].trail.append(fingers[place].touch.position)
      if fingers[place].trail.count > TouchPicture.longestTrail { fingers[place].trail.removeFirst() }
    }
    let raw = fingers[place].touch.raw
    fingers[place].touch = touch
    fingers[place].touch.raw = touch.raw ?? raw  // of one that was lifted, where it was last
  }

  // MARK: Drawing

  /// The lines that fill a terminal: what it is, the screen with the fingers, and a line for each finger.
  func lines(_ size: Terminal.Size) -> [String] {
    guard let screen else { return ["There is no screen."] }
    let heading = cut("\(screen.title)\(remark.map { "; \($0)" } ?? "; Ctrl-C ends")", size)
    let list = fingers.map { cut(line($0), size) }
    let room = size.rows - 1 - min(10, max(3, size.rows / 4))
    guard room >= 4, size.columns >= 12 else { return Array(([heading] + list).prefix(size.rows)) }
    return Array(([heading] + box(screen, size, height: room) + list).prefix(size.rows))
  }

  private func line(_ finger: Finger) -> String {
    let touch = finger.touch
    let facts = [
      padded(text(touch.position), to: 11), "raw \(padded(touch.raw.map(text) ?? "?", to: 11))",
      padded(finger.isDown ? "down" : touch.phase.rawValue, to: 9), printable(touch.device),
      screens.count > 1 ? "on \(printable(touch.screen))" : "", "touch \(touch.id)",
    ].filter { !$0.isEmpty }
    return "\(finger.symbol)  \(facts.joined(separator: "  "))"
  }

  private func cut(_ line: String, _ size: Terminal.Size) -> String { String(line.prefix(size.columns)) }

  /// The screen in its proportions, as large as there is room.
  private func box(_ screen: Screen, _ size: Terminal.Size, height: Int) -> [String] {
    let proportion = screen.size.width / screen.size.height * size.aspect
    var (columns, rows) = (size.columns - 2, height - 2)
    if Double(columns) > Double(rows) * proportion {
      columns = max(1, Int((Double(rows) * proportion).rounded()))
    } else {
      rows = max(1, Int((Double(columns) / proportion).rounded()))
    }
    var cells = Array(repeating: Array(repeating: Character(" "), count: columns), count: rows)
    func put(_ symbol: Character, _ point: Point) {
      let column = TouchPicture.cell(point.x, of: screen.size.width, columns)
      let row = TouchPicture.cell(point.y, of: screen.size.height, rows)
      cells[row][column] = symbol
    }
    let here = fingers.filter { $0.touch.screen == screen.name }
    for finger in here { for point in finger.trail { put(unicode ? "·" : ".", point) } }
    for finger in here where !finger.isDown { put("+", finger.touch.position) }
    for finger in here where finger.isDown { put(finger.symbol, finger.touch.position) }

    let (top, bottom) = unicode ? (["┌", "┐"], ["└", "┘"]) : (["+", "+"], ["+", "+"])
    let (edge, side) = unicode ? ("─", "│") : ("-", "|")
    let across = String(repeating: edge, count: columns)
    return [top[0] + across + top[1]] + cells.map { side + String($0) + side }
      + [bottom[0] + across + bottom[1]]
  }

  /// The cell that a coordinate falls into, of so many.
  static func cell(_ value: Double, of extent: Double, _ count: Int) -> Int {
    let place = value / extent * Double(count)
    guard place > 0 else { return 0 }  // nor a number that is none
    return min(place < Double(count) ? Int(place) : count - 1, count - 1)
  }
}
