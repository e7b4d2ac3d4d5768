import Geometry
import Testing
import TouchInput
import Varlink

@testable import keyliftctl

private let main = Screen(name: "main", size: Size(width: 800, height: 480))

private func touch(
  _ phase: TouchPhase, _ x: Double, _ y: Double, id: Int = 1, screen: String = "main", raw: Point? = nil
) -> SeenTouch {
  SeenTouch(
    device: "/dev/input/event0", screen: screen, id: id, phase: phase, time: 0, position: Point(x: x, y: y),
    raw: raw)
}

@Suite("touches: fingers as they would be drawn on the screen")
struct TouchPictureTests {
  private var picture = TouchPicture(screens: [main], wanted: nil, unicode: false)
  private let size = Terminal.Size(columns: 82, rows: 40)

  /// Column and row of a symbol within the box, and the box's size.
  private func place(of symbol: Character) -> [Int]? {
    for (row, line) in picture.lines(size).enumerated() {
      guard line.first == "|", let column = Array(line).firstIndex(of: symbol) else { continue }
      return [column - 1, row - 2]
    }
    return nil
  }

  private func box(_ size: Terminal.Size) -> (columns: Int, rows: Int) {
    let lines = picture.lines(size).filter { $0.first == "|" }
    return ((lines.first?.count ?? 2) - 2, lines.count)
  }

  @Test("the box has the screen's proportions and fits the terminal")
  mutating func proportions() {
    #expect(box(size) == (80, 24))
    #expect(box(Terminal.Size(columns: 200, rows: 24)).rows == 15)
    #expect(box(Terminal.Size(columns: 200, rows: 24)).columns == 50)
    picture.screens = [Screen(name: "main", size: Size(width: 480, height: 800), rotation: .clockwise90)]
    let (columns, rows) = box(size)
    #expect(rows == 27)
    #expect(columns == 32)
    #expect(picture.lines(size)[0].hasPrefix("main 480x800, rotated by 90"))
  }

  @Test(
    "a finger is where it is",
    arguments: [(0, 0, 0, 0), (799.999, 479.999, 79, 23), (400, 240, 40, 12), (100, 300, 10, 15)])
  mutating func position(x: Double, y: Double, column: Int, row: Int) {
    picture.take(touch(.began, x, y))
    #expect(place(of: "1") == [column, row])
  }

  @Test("it leaves a trail, and a mark where it was lifted, until the next touch")
  mutating func trail() {
    picture.take(touch(.began, 0, 0, raw: Point(x: 7, y: 8)))
    picture.take(touch(.moved, 100, 0, raw: Point(x: 9, y: 10)))
    #expect(place(of: ".") == [0, 0])
    #expect(place(of: "1") == [10, 0])
    picture.take(touch(.ended, 100, 0))
    #expect(place(of: "+") == [10, 0])
    #expect(picture.lines(size).last?.contains("raw 9,10") == true)
    #expect(picture.lines(size).last?.contains("ended") == true)
    picture.take(touch(.began, 400, 240, id: 2))
    #expect(place(of: "+") == nil)
    #expect(place(of: ".") == nil)
    #expect(place(of: "1") == [40, 12])
  }

  @Test("fingers have symbols of their own, which do not change while others come and go")
  mutating func symbols() {
    for id in 1...10 { picture.take(touch(.began, Double(id) * 50, 100, id: id)) }
    #expect(place(of: "A")?.first == 50)
    picture.take(touch(.ended, 50, 100, id: 1))
    #expect(place(of: "2")?.first == 10)
    for id in 100...400 { picture.take(touch(.began, 1, 1, id: id)) }
    #expect(picture.lines(size).count <= size.rows)
  }

  @Test("another screen that is touched is shown, unless one was asked for")
  mutating func screens() {
    let other = Screen(name: "other", size: Size(width: 100, height: 100))
    picture.screens.append(other)
    picture.take(touch(.began, 50, 50, screen: "other"))
    #expect(picture.lines(size)[0].hasPrefix("other"))
    var asked = TouchPicture(screens: [main, other], wanted: "main", unicode: true)
    asked.take(touch(.began, 50, 50, screen: "other"))
    #expect(asked.lines(size)[0].hasPrefix("main"))
  }

  @Test(
    "no terminal is too small, no screen too odd, no position too far", arguments: [1, 2, 3, 5, 9, 13, 40])
  mutating func small(side: Int) throws {
    picture.screens = [Screen(name: "main", size: Size(width: 100_000, height: 1))]
    picture.take(touch(.began, .nan, .infinity))
    picture.take(touch(.began, -1e300, 1e300, id: 2))
    for columns in [1, side, 300] {
      let size = Terminal.Size(columns: columns, rows: side)
      let lines = picture.lines(size)
      #expect(lines.count <= side)
      #expect(lines.allSatisfy { $0.count <= columns })
    }
    picture.screens = [Screen(try json(#"{"name":"main","width":1e999,"height":1e999}"#))]
    #expect(picture.lines(size).count <= size.rows)
    picture.screens = []
    #expect(picture.lines(size) == ["There is no screen."])
  }

  @Test func lines() throws {
    var lines = TouchLines()
    let began = try json(
      #"""
      {"touch":{"device":"/dev/input/event0","screen":"main","id":3,"phase":"began","time":1000000,
       "position":{"x":100.04,"y":300},"x":410,"y":402}}
      """#)
    let line = lines.line(try #require(SeenTouch(began)))
    #expect(line == "   0.000  began      3      100,300         raw 410,402         /dev/input/event0  main")
    #expect(SeenTouch(try json(#"{"touch":null}"#)) == nil)
    var ended = try #require(SeenTouch(began))
    ended.phase = .ended
    ended.time += 1_500_000
    ended.raw = nil
    let end = lines.line(ended)
    #expect(end.hasPrefix("   1.500  ended "))
  }
}

@Suite struct RotateTests {
  @Test(arguments: ["45", "360", "-90", "", "ninety"]) func refusals(text: String) {
    #expect(throws: Failure.self) { try Command.degrees(text) }
  }

  @Test func degrees() throws {
    #expect(try ["0", "90", "180", "270"].map(Command.degrees) == [0, 90, 180, 270])
  }
}

@Test(
  "numbers to so many places",
  arguments: [
    (1.5, 1, "1.5"), (1.05, 6, "1.05"), (-0.0000001, 6, "0"), (-0.025, 6, "-0.025"), (2, 3, "2"),
    (0.999, 1, "1"),
    (.nan, 2, "?"), (1e12, 2, "?"), (123456.789, 0, "123457"),
  ] as [(Double, Int, String)])
func decimals(value: Double, places: Int, expected: String) {
  #expect(decimal(value, places: places) == expected)
}
