import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout: delivery, besides Tests/Scenarios")
struct DeliveryTests {
  @Test("a scene that goes takes its touches along")
  func sceneGone() {
    var stage = Stage()
    let scene = stage.attach(View(id: "page", frame: rect(0, 0, 480, 800)))
    stage.down(100, 100)
    stage.handle(.detach(scene))
    _ = stage.take()
    stage.move(100, 110)
    stage.up()
    #expect(stage.take() == [])
  }

  @Test("touch-input rule 3: after dropped events touches are cancelled, never tapped")
  func dropped() {
    var stage = Stage()
    stage.attach(input("a", y: 100))
    stage.down(100, 120)
    stage.handle(.dropped(1, DeviceState(slots: Array(repeating: SlotState(), count: 10))))
    #expect(stage.take().touches == ["began a", "cancelled a"])
    #expect(stage.focused == nil)
  }

  @Test("rule 7: around a view that keeps the focus nothing resigns by a touch on it, though it forwards")
  func keepsFocus() {
    var stage = Stage()
    stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800), resigns: .began), input("a", "page", y: 100),
      View(id: "button", parent: "page", kind: .control, frame: rect(0, 200, 100, 40), forwardsTouches: true),
      View(id: "icon", parent: "button", frame: rect(0, 0, 40, 40)))
    stage.tap(100, 120)
    _ = stage.take()
    stage.tap(20, 220)
    #expect(stage.take().touches == ["began page,button,icon", "ended page,button,icon"])
    #expect(stage.focused == "a")
  }
}
