import Geometry
import Testing

@testable import Avoidance

private let display = Screen(name: "main", size: Size(width: 480, height: 800))
private let screen = display.bounds

private func docked(_ y: Double, _ height: Double) throws -> KeyboardFrame {
  try #require(
    KeyboardFrame(Rect(x: 0, y: y, width: 480, height: height), docked: true, on: display))
}

private let hiddenFrame = Rect(x: 0, y: 800, width: 480, height: 0)

@Suite("focus-and-layout: offset")
struct OffsetTests {
  private func offset(
    _ keyboardTop: Double, top: Double = 0, bottom: Double, spacing: Double = 10, safeTop: Double = -.infinity
  ) -> Double {
    Avoid.panOffset(
      keyboardTop: keyboardTop, focus: Focus(top: top, bottom: bottom, spacing: spacing), safeTop: safeTop)
  }

  @Test(
    "the table: H 800, K 300, spacing 10",
    arguments: [
      (200.0, 0.0), (490, 0), (500, -10), (760, -270), (800, -310),
    ])
  func table(bottom: Double, expected: Double) { #expect(offset(500, bottom: bottom) == expected) }

  @Test(
    "rule 24: a negative spacing lets the view be covered by that much",
    arguments: [
      (-10.0, -81.0), (10, -101),
    ])
  func spacing(spacing: Double, expected: Double) {
    #expect(offset(667 - 258, bottom: 500, spacing: spacing) == expected)
  }

  @Test("rule 25: the top of what is edited stays in the safe area; with a caret, the caret's")
  func safeTop() {
    #expect(offset(500, top: 120, bottom: 720, safeTop: 44) == -76)
    #expect(offset(500, top: 120 + 500, bottom: 120 + 520, safeTop: 44) == -150)
    #expect(offset(500, top: 20, bottom: 720, safeTop: 44) == 0)
  }

  @Test("rule 26: A at bottom 760, then B at bottom 600")
  func another() {
    #expect(offset(500, bottom: 760) == -270)
    #expect(offset(500, bottom: 600) == -110)
  }

  @Test(
    "rules 27 to 31",
    arguments: [
      (456.0, 760.0, -314.0), (476, 500, -34), (500, 480, 0), (760, 780, -30), (260, 300, -50),
    ])
  func cases(top: Double, bottom: Double, expected: Double) {
    #expect(offset(top, bottom: bottom) == expected)
  }

  @Test("rule 30: a keyboard that reaches below the screen covers what it covers on it")
  func cut() throws {
    let frame = try docked(760, 300)
    #expect(frame.rect == Rect(x: 0, y: 760, width: 480, height: 40))
    #expect(frame.docked)
  }
}

@Suite("focus-and-layout: keyboard")
struct KeyboardTests {
  @Test("rule 19: showing and hiding, each pair complete")
  func pairs() throws {
    var keyboard = Keyboard(on: display)
    #expect(
      try keyboard.show(docked(500, 300), duration: 0.3, reason: .focus, at: 0) == [
        .keyboardWillChangeFrame, .keyboardWillShow,
      ])
    #expect(keyboard.state.phase == .willShow)
    #expect(keyboard.state.previousFrame == hiddenFrame)
    #expect(keyboard.settle(at: 299_999) == [])
    #expect(keyboard.settle(at: 300_000) == [.keyboardDidChangeFrame, .keyboardDidShow])
    #expect(keyboard.state.phase == .shown)
    #expect(keyboard.settle(at: 900_000) == [])
    #expect(
      keyboard.hide(on: display, duration: 0.3, reason: .outsideTouch, at: 1_000_000) == [
        .keyboardWillChangeFrame, .keyboardWillHide,
      ])
    #expect(keyboard.settle(at: 1_300_000) == [.keyboardDidChangeFrame, .keyboardDidHide])
    #expect(keyboard.state.frame == hiddenFrame)
  }

  @Test("rule 19: turned round in the middle: the new will, from where it is, and never the old did")
  func turnedRound() throws {
    var keyboard = Keyboard(on: display)
    _ = try keyboard.show(docked(500, 300), duration: 0.3, reason: .focus, at: 0)
    let will = keyboard.hide(on: display, duration: 0.3, reason: .client, at: 150_000)
    #expect(will == [.keyboardWillChangeFrame, .keyboardWillHide])
    #expect(keyboard.state.previousFrame == Rect(x: 0, y: 650, width: 480, height: 150))
    #expect(keyboard.settle(at: 300_000) == [])
    #expect(keyboard.settle(at: 450_000) == [.keyboardDidChangeFrame, .keyboardDidHide])
  }

  @Test("the way is eased in and out: a quarter of the time is 5/32 of it")
  func eased() throws {
    var keyboard = Keyboard(on: display)
    _ = try keyboard.show(docked(480, 320), duration: 0.4, reason: .focus, at: 1_000_000)
    #expect(keyboard.currentFrame(at: 0) == hiddenFrame, "an event may be older than what was before it")
    #expect(keyboard.currentFrame(at: 1_100_000) == Rect(x: 0, y: 750, width: 480, height: 50))
    #expect(keyboard.currentFrame(at: 1_400_000) == keyboard.state.frame)
  }

  @Test("rule 23: the same once more is nothing; duration 0 is applied at once")
  func atOnce() throws {
    var keyboard = Keyboard(on: display)
    #expect(keyboard.hide(on: display, duration: 0, reason: .client, at: 0) == [])
    #expect(
      try keyboard.show(docked(500, 300), duration: 0, reason: .focus, at: 5) == [
        .keyboardWillChangeFrame, .keyboardWillShow, .keyboardDidChangeFrame, .keyboardDidShow,
      ])
    #expect(keyboard.deadline == nil)
    #expect(try keyboard.show(docked(500, 300), duration: 0, reason: .focus, at: 6) == [])
  }

  @Test("rule 27: a frame that changes while it is shown")
  func frameChanges() throws {
    var keyboard = Keyboard(on: display)
    _ = try keyboard.show(docked(500, 300), duration: 0, reason: .focus, at: 0)
    #expect(
      try keyboard.show(docked(456, 344), duration: 0.3, reason: .driver, at: 10) == [
        .keyboardWillChangeFrame
      ])
    #expect(keyboard.state.phase == .shown)
    #expect(keyboard.settle(at: 300_010) == [.keyboardDidChangeFrame])
    let floating = try #require(KeyboardFrame(keyboard.state.frame, docked: false, on: display))
    #expect(
      keyboard.show(floating, duration: 0, reason: .driver, at: 400_000) == [
        .keyboardWillChangeFrame, .keyboardDidChangeFrame,
      ], "undocked where it is")
    #expect(keyboard.state.coveredFrom == nil)
  }

  @Test(
    "rule 21: an empty, negative or impossible frame counts as hidden",
    arguments: [
      Rect(x: 0, y: 500, width: 480, height: 0), Rect(x: 0, y: 500, width: -480, height: 300),
      Rect(x: 0, y: .nan, width: 480, height: 300), Rect(x: 0, y: 0, width: .infinity, height: 300),
      Rect(x: 0, y: 900, width: 480, height: 300),
    ])
  func noFrame(rect: Rect) { #expect(KeyboardFrame(rect, docked: true, on: display) == nil) }

  @Test(
    "rule 21: a floating keyboard, or one not at the bottom edge, covers nothing",
    arguments: [
      (Rect(x: 50, y: 300, width: 300, height: 200), true),
      (Rect(x: 0, y: 500, width: 480, height: 300), false),
    ])
  func floating(rect: Rect, docked: Bool) throws {
    var keyboard = Keyboard(on: display)
    let frame = try #require(KeyboardFrame(rect, docked: docked, on: display))
    _ = keyboard.show(frame, duration: 0, reason: .focus, at: 0)
    #expect(keyboard.state.isShowing)
    #expect(keyboard.state.coveredFrom == nil)
    #expect(Avoid.overlap(of: screen, keyboard: keyboard.state) == 0)
  }

  @Test("rule 35: overlap is what is covered of the scene's bottom")
  func overlap() throws {
    var keyboard = Keyboard(on: display)
    _ = try keyboard.show(docked(500, 300), duration: 0, reason: .focus, at: 0)
    #expect(Avoid.overlap(of: screen, keyboard: keyboard.state) == 300)
    #expect(Avoid.overlap(of: Rect(x: 0, y: 100, width: 480, height: 600), keyboard: keyboard.state) == 200)
    #expect(Avoid.overlap(of: Rect(x: 0, y: 0, width: 480, height: 400), keyboard: keyboard.state) == 0)
    #expect(Avoid.overlap(of: Rect(x: 0, y: 600, width: 480, height: 90), keyboard: keyboard.state) == 90)
    let beside = Rect(x: 480, y: 0, width: 480, height: 800)
    #expect(Avoid.overlap(of: beside, keyboard: keyboard.state) == 0, "the keyboard is not below it")
  }
}

@Suite("focus-and-layout rule 15: a keyboard that follows a finger")
struct FollowingTests {
  @Test(
    "its top is the finger's, no higher than it rests and no lower than the screen's edge",
    arguments: [
      (499.0, 500.0), (500, 500), (500.5, 500.5), (650, 650), (800, 800), (-1e9, 500), (1e9, 800),
    ])
  func pulled(y: Double, top: Double) throws {
    let pulled = try docked(500, 300).pulled(to: y)
    #expect(pulled.rect == Rect(x: 0, y: top, width: 480, height: 800 - top))
    #expect(pulled.docked)
  }

  @Test(
    "it goes past half of its height, or moving down at over 300 points/s",
    arguments: [
      (647.0, 0.0, false), (650, 0, false), (653, 0, true), (501, 299, false), (501, 300, false),
      (501, 301, true), (653, -1000, true), (640, -1000, false), (500, 1000, false), (499, 1000, false),
    ])
  func goes(y: Double, velocity: Double, goes: Bool) throws {
    #expect(try docked(500, 300).goes(liftedAt: y, velocity: velocity) == goes)
  }

  /// Shown at rest, at 0.
  private func shown() throws -> Keyboard {
    var keyboard = Keyboard(on: display)
    _ = try keyboard.show(docked(500, 300), duration: 0, reason: .focus, at: 0)
    return keyboard
  }

  @Test("each frame is published as applied at once, and none twice")
  func frames() throws {
    var keyboard = try shown()
    let resting = try docked(500, 300)
    #expect(keyboard.follow(500, from: resting, at: 1) == [])
    #expect(keyboard.restingTop == 500)
    #expect(
      keyboard.follow(560, from: resting, at: 2) == [.keyboardWillChangeFrame, .keyboardDidChangeFrame])
    #expect(keyboard.state.frame == Rect(x: 0, y: 560, width: 480, height: 240))
    #expect(keyboard.state.previousFrame == resting.rect)
    #expect(keyboard.state.phase == .shown)
    #expect(keyboard.state.reason == .drag)
    #expect(keyboard.state.duration == 0)
    #expect(keyboard.deadline == nil)
    #expect(keyboard.restingTop == 500)
    #expect(keyboard.follow(560, from: resting, at: 3) == [])
    _ = keyboard.follow(900, from: resting, at: 4)
    #expect(keyboard.state.coveredFrom == nil, "all of it is off the screen")
    #expect(keyboard.state.isShowing)
    #expect(keyboard.restingTop == 500)
  }

  @Test("it comes back from where it is, and was never hidden")
  func comesBack() throws {
    var keyboard = try shown()
    let resting = try docked(500, 300)
    _ = keyboard.follow(620, from: resting, at: 1)
    #expect(keyboard.show(resting, duration: 0.3, reason: .drag, at: 2) == [.keyboardWillChangeFrame])
    #expect(keyboard.state.previousFrame == Rect(x: 0, y: 620, width: 480, height: 180))
    #expect(keyboard.resting == nil)
    #expect(
      keyboard.follow(560, from: resting, at: 150_002) == [
        .keyboardWillChangeFrame, .keyboardDidChangeFrame,
      ], "had once more on its way")
    #expect(keyboard.state.previousFrame == Rect(x: 0, y: 560, width: 480, height: 240))
    _ = keyboard.show(resting, duration: 0.3, reason: .drag, at: 200_000)
    #expect(keyboard.settle(at: 500_000) == [.keyboardDidChangeFrame])
    #expect(keyboard.state.phase == .shown)
  }

  @Test("it hides from where it is; one that is hidden, or hiding, does not follow")
  func hides() throws {
    var keyboard = try shown()
    let resting = try docked(500, 300)
    _ = keyboard.follow(620, from: resting, at: 1)
    let will = keyboard.hide(on: display, duration: 0.3, reason: .drag, at: 2)
    #expect(will == [.keyboardWillChangeFrame, .keyboardWillHide])
    #expect(keyboard.state.previousFrame == Rect(x: 0, y: 620, width: 480, height: 180))
    #expect(keyboard.resting == nil)
    #expect(keyboard.follow(700, from: resting, at: 3) == [])
    #expect(keyboard.settle(at: 300_002) == [.keyboardDidChangeFrame, .keyboardDidHide])
    #expect(keyboard.follow(700, from: resting, at: 400_000) == [])
    #expect(keyboard.resting == nil)
  }

  @Test("rule 19: had on its way up, it has been shown; the pair is complete")
  func onItsWayUp() throws {
    var keyboard = Keyboard(on: display)
    let resting = try docked(500, 300)
    _ = keyboard.show(resting, duration: 0.3, reason: .focus, at: 0)
    #expect(
      keyboard.follow(700, from: resting, at: 150_000) == [
        .keyboardWillChangeFrame, .keyboardDidChangeFrame, .keyboardDidShow,
      ])
    #expect(keyboard.state.previousFrame == Rect(x: 0, y: 650, width: 480, height: 150))
    #expect(keyboard.settle(at: 300_000) == [])
  }
}

@Test(
  "focus-and-layout rule 33: scroll views take what they can from inside out, the scene the rest",
  arguments: [
    (500.0, 0.0, [540.0, 490.0], [140.0, 50.0], -40.0), (500, 0, [100, 0], [230, 0], 0),
    (800, 0, [540], [0], 0),
    (500, 600, [540], [80], 0), (500, 0, [], [], -230), (500, 0, [.infinity, 490], [0, 190], -40),
    (500, 0, [700, 0], [-20, 250], 0), (500, 0, [900, 0], [-60, 290], 0),
  ])
func scrollsFirst(top: Double, safeTop: Double, tops: [Double], scrolls: [Double], offset: Double) {
  let found = Avoid.reveal(
    keyboardTop: top, focus: Focus(top: 680, bottom: 720, spacing: 10), safeTop: safeTop,
    scrollViews: tops.map { ScrollRoom(top: $0, position: 60) })
  #expect(found.scrolls == scrolls)
  #expect(Avoid.panOffset(keyboardTop: top, focus: found.focus, safeTop: safeTop) == offset)
}
