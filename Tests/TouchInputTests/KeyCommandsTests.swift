import Testing

@testable import TouchInput

@Suite("focus-and-layout rule 16: what keys ask for")
struct KeyCommandsTests {
  private var keys = KeyCommands()

  init() {
    keys.add(1, held: [])
    keys.add(2, held: [KEY.LEFTSHIFT])
  }

  private func events(_ list: (UInt16, Int32)...) -> [InputEvent] {
    list.map { InputEvent(type: EV.KEY, code: $0.0, value: $0.1) }
  }

  @Test(
    "each key",
    arguments: [
      (KEY.ESC, KeyCommand.dismiss), (KEY.BACK, .dismiss), (KEY.TAB, .next), (KEY.ENTER, .enter),
      (KEY.KPENTER, .enter), (30, nil),
    ] as [(UInt16, KeyCommand?)])
  func each(key: UInt16, command: KeyCommand?) {
    var keys = keys
    #expect(keys.commands(of: events((key, 1), (key, 2), (key, 0)), on: 1) == (command.map { [$0] } ?? []))
  }

  @Test("a modifier on whichever device; held at open it is silent until it is pressed anew")
  func modifiers() {
    var keys = keys
    #expect(keys.commands(of: events((KEY.TAB, 1), (KEY.TAB, 0)), on: 1) == [.next])
    _ = keys.commands(of: events((KEY.LEFTSHIFT, 0), (KEY.LEFTSHIFT, 1)), on: 2)
    #expect(keys.commands(of: events((KEY.TAB, 1), (KEY.ENTER, 1)), on: 1) == [.previous])
    keys.remove(2)
    #expect(keys.commands(of: events((KEY.ENTER, 0), (KEY.ENTER, 1)), on: 1) == [.enter])
    _ = keys.commands(of: events((KEY.LEFTCTRL, 1)), on: 1)
    #expect(keys.commands(of: events((KEY.TAB, 0), (KEY.TAB, 1)), on: 1) == [])
    keys.resynchronize(1, held: [])
    #expect(keys.commands(of: events((KEY.TAB, 1)), on: 1) == [.next])
  }

  @Test("touch-input rule 29: no key code is left in a frame, nor a scan code beside it")
  func withoutKeys() {
    let frame = [
      InputEvent(type: EV.KEY, code: BTN.TOUCH, value: 1), InputEvent(type: EV.KEY, code: 30, value: 1),
      InputEvent(type: EV.ABS, code: 30, value: 1), InputEvent(type: 4, code: 4, value: 0x70004),
    ]
    #expect(KeyCommands.concern(frame))
    #expect(KeyCommands.withoutKeys(frame) == [frame[0], frame[2]])
    #expect(!KeyCommands.concern([frame[0], frame[2]]))
  }
}
