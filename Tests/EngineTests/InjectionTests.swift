import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("touches that somebody makes up")
struct InjectionTests {
  private var stage = Stage()

  private mutating func inject(
    _ touches: InjectedTouch..., by injector: InjectorID = 1, screen: String? = nil, key: KeyCommand? = nil
  ) -> Answer? {
    stage.time += 8000
    _ = stage.take()
    return stage.call { .inject($0, injector, screen: screen, touches, key: key) }
  }

  private func began(_ x: Double, _ y: Double, id: Int = 1) -> InjectedTouch {
    InjectedTouch(id: id, phase: .began, position: Point(x: x, y: y))
  }

  private func moved(_ x: Double, _ y: Double, id: Int = 1) -> InjectedTouch {
    InjectedTouch(id: id, phase: .moved, position: Point(x: x, y: y))
  }

  private func ended(_ id: Int = 1) -> InjectedTouch { InjectedTouch(id: id, phase: .ended) }

  /// The observed touches since the last call, as "began 3 20,30".
  private func observed() -> [String] {
    stage.effects.compactMap { effect in
      guard case .observed(let touch) = effect else { return nil }
      #expect(touch.path == "injected" && touch.x == nil)
      return "\(touch.touch.phase) \(Int(touch.touch.position.x)),\(Int(touch.touch.position.y))"
    }
  }

  @Test("a tap focuses a field, a key resigns it, and a drag is a drag")
  mutating func asReal() {
    let scene = stage.attach(
      View(id: "list", kind: .scroll, frame: rect(0, 0, 480, 800), dismissMode: .onDrag),
      input("a", "list", y: 100))
    #expect(inject(began(50, 110)) == .done)
    #expect(stage.effects.touches == ["began a"])
    #expect(inject(ended()) == .done)
    #expect(stage.focused == "a")
    #expect(stage.engine.keyboard.isShowing)
    #expect(inject(key: .dismiss) == .done)
    #expect(stage.focused == nil)
    _ = stage.call { .focus($0, scene, view: "a") }
    _ = inject(began(50, 300))
    #expect(inject(moved(50, 309)) == .done)
    #expect(stage.focused == "a", "within the slop")
    #expect(inject(moved(50, 320)) == .done)
    #expect(stage.focused == nil)
  }

  @Test("its touches have numbers that no other touch has, whatever the fingers are called")
  mutating func numbers() {
    stage.handle(.observeTouches(true))
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    stage.down(10, 10)
    _ = inject(began(1, 1, id: 1), began(2, 2, id: .max))
    _ = inject(began(3, 3, id: 1), by: 2)
    let ids = Set(stage.engine.deliveries.map(\.id))
    #expect(ids.count == 4)
    #expect(observed() == ["began 3,3"])
  }

  @Test(
    "what cannot be is refused with its reason, and the rest of the frame with it",
    arguments: [
      (InjectedTouch(id: 2, phase: .moved, position: .zero), "it is not down"),
      (InjectedTouch(id: 2, phase: .ended), "it is not down"),
      (InjectedTouch(id: 2, phase: .cancelled), "it is not down"),
      (InjectedTouch(id: 1, phase: .began, position: .zero), "it is down already"),
      (InjectedTouch(id: 2, phase: .began), "it has no position"),
      (InjectedTouch(id: 1, phase: .moved), "it has no position"),
      (
        InjectedTouch(id: 1, phase: .moved, position: Point(x: 480, y: 0)),
        "its position is not on the screen screen, which is 480x800"
      ),
      (
        InjectedTouch(id: 1, phase: .moved, position: Point(x: .nan, y: 0)),
        "its position is not on the screen screen, which is 480x800"
      ),
      (
        InjectedTouch(id: 2, phase: .began, position: Point(x: 0, y: -1)),
        "its position is not on the screen screen, which is 480x800"
      ),
    ])
  mutating func refused(touch: InjectedTouch, problem: String) {
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)), input("a", y: 100))
    _ = inject(began(5, 5))
    #expect(
      inject(moved(6, 6), began(7, 7, id: 3), touch, key: .dismiss)
        == .failed(.touch(id: touch.id, problem: problem)))
    #expect(stage.effects.touches == [])
    #expect(stage.effects.publications == 0)
    #expect(inject(moved(6, 6), began(7, 7, id: 3)) == .done, "nothing of it was done")
    #expect(stage.effects.touches == ["moved v", "began v"])
  }

  @Test("a screen that there is not, and one that the finger is not on, are refused")
  mutating func screens() {
    #expect(inject(began(5, 5), screen: "x") == .failed(.noSuchScreen("x")))
    #expect(inject(began(5, 5), screen: "screen") == .done)
    #expect(inject(ended(), screen: "screen") == .done)
  }

  @Test("64 fingers of all injectors together, and one more once one is up")
  mutating func most() {
    for id in 1...64 { #expect(inject(began(5, 5, id: id), by: id % 2) == .done) }
    let refusal = Answer.failed(.touch(id: 99, problem: "64 fingers are down, and no more can be"))
    #expect(inject(began(5, 5, id: 99)) == refusal)
    #expect(inject(ended(3), began(5, 5, id: 99)) == .done)
    #expect(stage.engine.injectedTouches == 64)
  }

  @Test("one that ends elsewhere moves there first; one that stays does not move")
  mutating func last() {
    stage.handle(.observeTouches(true))
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    _ = inject(began(5, 5))
    _ = inject(moved(5, 5))
    #expect(observed() == [])
    _ = inject(InjectedTouch(id: 1, phase: .ended, position: Point(x: 9, y: 9)))
    #expect(observed() == ["moved 9,9", "ended 9,9"])
    #expect(stage.effects.touches == ["moved v", "ended v"])
  }

  @Test("the fingers of an injector that goes are cancelled, and nobody else's")
  mutating func gone() {
    stage.handle(.observeTouches(true))
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    _ = inject(began(5, 5))
    _ = inject(began(9, 9), by: 2)
    _ = stage.take()
    stage.handle(.injectorGone(1))
    #expect(observed() == ["cancelled 5,5"])
    #expect(stage.effects.touches == ["cancelled v"])
    #expect(inject(ended()) == .failed(.touch(id: 1, problem: "it is not down")))
    #expect(inject(ended(), by: 2) == .done)
  }

  @Test("a screen that is turned cancels its fingers; they are silent until they have ended")
  mutating func turned() {
    stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)))
    _ = inject(began(5, 700))
    _ = stage.take()
    _ = stage.call { .setRotation($0, screen: "screen", .clockwise90) }
    #expect(stage.effects.touches == ["cancelled v"])
    #expect(inject(moved(5, 790)) == .done, "it may not know yet")
    #expect(inject(ended()) == .done)
    #expect(stage.effects.touches == [])
    #expect(inject(began(5, 5)) == .done)
    #expect(stage.effects.touches == ["began v"])
  }
}
