import Desktop
import Geometry
import Testing

@testable import KeyliftOSK

private let screen = Screen(name: "main", size: Size(width: 800, height: 480))
private let frame = Rect(x: 0, y: 280, width: 800, height: 200)

private func seen(_ frame: Rect = frame, coveredBy: String? = nil) -> Sight {
  .seen(.init(output: "HDMI-A-1", size: Size(width: 800, height: 480), frame: frame, coveredBy: coveredBy))
}

/// A keyboard that is driven, with a clock that stands until it is moved.
private struct Driven {
  var performance = Performance()
  var now: UInt64 = 1_000_000
  var word: Bool?
  var sight = Sight.unknown

  mutating func step(_ ordered: Bool) -> Performance.Step {
    performance.step(ordered: ordered, .init(word: word, sight: sight), on: screen, of: 1, at: now)
  }
}

@Suite("Keeping a keyboard at its order (focus-and-layout, rules 20 to 22)")
struct PerformanceTests {
  @Test("One that says nothing and is not seen is taken to do what it is told") func silent() {
    var driven = Driven()
    #expect(driven.step(false) == .init(command: false, wakeAt: driven.now))
    #expect(driven.step(false) == .init(hint: .keyboardIsHidden, appearance: .hidden))
    #expect(driven.step(true) == .init(command: true, wakeAt: driven.now))
    #expect(driven.step(true) == .init(appearance: Appearance(isVisible: true)), "it is told once")
  }

  @Test("What it says only once it was told is waited for") func saysLater() {
    var driven = Driven()
    _ = driven.step(true)
    driven.word = false
    #expect(driven.step(true).appearance == nil)
    driven.word = nil
    #expect(driven.step(true).appearance == Appearance(isVisible: true))
  }

  @Test("One that hides what did not show is not taken to show by itself") func hidesInVain() {
    var driven = Driven(word: false)
    _ = driven.step(true)
    driven.now += Performance.keyboardPatience
    _ = driven.step(true)
    #expect(driven.step(false).command == false)
    driven.word = true  // until it has done what hides it
    #expect(driven.step(false).appearance == nil)
    driven.word = false
    #expect(driven.step(false).appearance?.isVisible == false)
  }

  @Test("It is reported once it is seen, and where") func seenLater() {
    var driven = Driven(sight: .hidden)
    _ = driven.step(false)
    let told = driven.step(true)
    #expect(told == .init(command: true, wakeAt: driven.now + Performance.pause))
    driven.sight = seen()
    #expect(driven.step(true) == .init(appearance: Appearance(isVisible: true, frame: frame)))
  }

  @Test("It is told again while it does nothing, and given up in the end") func givenUp() {
    var driven = Driven(sight: .hidden)
    _ = driven.step(false)
    let began = driven.now
    var commands = 0
    var last = driven.step(true)
    while let time = last.wakeAt {
      commands += last.command == true ? 1 : 0
      driven.now = time
      last = driven.step(true)
    }
    #expect(driven.now == began + Performance.keyboardPatience)
    #expect(commands == 5)
    #expect(last.appearance == Appearance(isVisible: false, problem: "it was told to show, and does not"))
    #expect(driven.step(false).command == false, "it may still come")
    #expect(driven.step(false).appearance?.problem != nil, "for the operator, until it has shown")
    driven.sight = seen()
    #expect(driven.step(true).appearance == Appearance(isVisible: true, frame: frame))
    driven.sight = .hidden
    #expect(driven.step(false).appearance == .hidden)
  }

  @Test("One that says that it shows, and takes no room, is shown, with no frame") func floating() {
    var driven = Driven(word: false, sight: .hidden)
    _ = driven.step(false)
    _ = driven.step(true)
    driven.word = true
    #expect(driven.step(true).appearance == nil)
    driven.now += Performance.desktopPatience
    #expect(driven.step(true).appearance == Appearance(isVisible: true))
  }

  @Test("What it does by itself is reported at once, and it is not told what it has done") func itsOwn() {
    var driven = Driven(word: false, sight: .hidden)
    _ = driven.step(false)
    _ = driven.step(true)
    (driven.word, driven.sight) = (true, seen())
    _ = driven.step(true)
    (driven.word, driven.sight) = (false, .hidden)
    #expect(driven.step(true).appearance == .hidden, "no problem: the person's own hide key")
    #expect(driven.step(false).command == nil, "as the daemon orders then")
    (driven.word, driven.sight) = (true, seen())
    #expect(driven.step(false).appearance == Appearance(isVisible: true, frame: frame))
  }

  @Test("One that was told to show a moment ago is told to hide, though it does not show yet")
  func turnedRound() {
    var driven = Driven(sight: .hidden)
    _ = driven.step(false)
    _ = driven.step(true)
    #expect(driven.step(false).command == false)
  }

  @Test("One that is told to hide and says nothing, and is seen, may be a panel") func panel() {
    var driven = Driven(sight: seen())
    #expect(driven.step(false).hint == nil)
    driven.now += Performance.keyboardPatience
    #expect(driven.step(false).hint == .keyboardShouldBeHidden)
  }

  @Test("Behind a full-screen window it is not visible, and that is a problem until it is seen")
  func covered() {
    var driven = Driven(sight: .hidden)
    _ = driven.step(false)
    _ = driven.step(true)
    driven.sight = seen(coveredBy: "Timetable")
    let problem = "the full-screen window \"Timetable\" lies above it"
    #expect(driven.step(true).appearance == Appearance(isVisible: false, problem: problem))
    driven.sight = .hidden
    #expect(driven.step(false).appearance == Appearance(isVisible: false, problem: problem))
    driven.sight = seen()
    #expect(driven.step(true).appearance == Appearance(isVisible: true, frame: frame))
  }

  @Test("Another keyboard is told anew") func another() {
    var driven = Driven()
    _ = driven.step(true)
    driven.performance.forget()
    #expect(driven.step(true).command == true)
  }
}
