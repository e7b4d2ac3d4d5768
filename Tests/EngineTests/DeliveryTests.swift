import Geometry
import ResponderChain
import Testing
import TouchInput

@testable import Engine

@Suite("focus-and-layout: delivery")
struct DeliveryTests {
  @Test("rule 1: scenes: the higher level, then the one attached later")
  func scenes() {
    var stage = Stage()
    let a = stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)), name: "a", level: 1)
    let b = stage.attach(View(id: "v", frame: rect(0, 0, 480, 800)), name: "b")
    let c = stage.attach(View(id: "v", frame: rect(0, 0, 100, 100)), name: "c", frame: rect(0, 0, 100, 100))
    let touched = { (stage: inout Stage, x: Int32, y: Int32) -> SceneID? in
      stage.tap(x, y)
      guard case .touch(let touch)? = stage.take().first else { return nil }
      return touch.scene
    }
    #expect(touched(&stage, 50, 50) == a)
    stage.handle(.detach(a))
    _ = stage.take()
    #expect(touched(&stage, 50, 50) == c)
    #expect(touched(&stage, 200, 200) == b)
  }

  @Test("rule 3: while a scene is lifted by 80, screen y 300 is the scene's y 380")
  func lifted() {
    var stage = Stage()
    let scene = stage.attach(
      View(id: "above", frame: rect(0, 0, 480, 380)), View(id: "below", frame: rect(0, 380, 480, 1)),
      input("a", y: 530))
    stage.tap(100, 550)
    #expect(stage.offset(scene) == -80)
    stage.settle()
    _ = stage.take()
    stage.tap(100, 300)
    #expect(stage.take().touches.first == "began below")
  }

  @Test("rule 4: the hit view stays for the whole touch, though the finger leaves it or the layout moves")
  func fixed() {
    var stage = Stage()
    let scene = stage.attach(View(id: "v", frame: rect(0, 0, 480, 100)), input("a", y: 600))
    stage.down(100, 50)
    _ = stage.call { .focus($0, scene, view: "a") }
    #expect(stage.offset(scene) == -150)
    stage.move(100, 400)
    stage.up()
    #expect(stage.take().touches == ["began v", "moved v", "ended v"])
  }

  @Test("rule 6: a drag is cancelled for the views below the scroll view, and goes on for it")
  func takenOver() {
    for forwards in [true, false] {
      var stage = Stage()
      stage.attach(
        View(id: "root", frame: rect(0, 0, 480, 800)),
        View(
          id: "scroll", parent: "root", kind: .scroll, frame: rect(0, 0, 480, 800), forwardsTouches: forwards),
        View(id: "label", parent: "scroll", frame: rect(0, 0, 480, 40)))
      stage.down(100, 20)
      stage.move(100, 30)
      stage.move(100, 40)
      stage.up()
      let all = forwards ? "root,scroll,label" : "scroll,label"
      let rest = forwards ? "root,scroll" : "scroll"
      #expect(
        stage.take().touches == [
          "began \(all)", "moved \(all)", "cancelled label", "moved \(rest)", "ended \(rest)",
        ])
    }
  }

  @Test("rule 6: a scroll view that takes over what it had no part in begins with began")
  func takenOverFresh() {
    var stage = Stage()
    stage.attach(View(id: "scroll", kind: .scroll, frame: rect(0, 0, 480, 800)), input("a", "scroll", y: 100))
    stage.down(100, 120)
    stage.move(100, 200)
    stage.up()
    #expect(
      stage.take().touches == ["began a", "cancelled a", "began scroll", "moved scroll", "ended scroll"])
  }

  @Test("rule 6: a control keeps its touch")
  func control() {
    var stage = Stage()
    stage.attach(
      View(id: "scroll", kind: .scroll, frame: rect(0, 0, 480, 800)),
      View(id: "slider", parent: "scroll", kind: .control, frame: rect(0, 0, 480, 40)))
    stage.down(100, 20)
    stage.move(200, 20)
    stage.up()
    #expect(stage.take().touches == ["began slider", "moved slider", "ended slider"])
  }

  @Test("rule 8: several fingers, each with its own hit view")
  func fingers() {
    var stage = Stage()
    stage.attach(
      View(id: "left", frame: rect(0, 0, 240, 800)), View(id: "right", frame: rect(240, 0, 240, 800)))
    stage.down(100, 100, slot: 0)
    stage.down(300, 100, slot: 1)
    stage.move(400, 100, slot: 0)
    stage.up(slot: 1)
    stage.up(slot: 0)
    #expect(stage.take().touches == ["began left", "began right", "moved left", "ended right", "ended left"])
  }

  @Test("no touch is delivered to a view that is gone")
  func gone() {
    var stage = Stage()
    let scene = stage.attach(
      View(id: "page", frame: rect(0, 0, 480, 800)),
      View(id: "label", parent: "page", frame: rect(0, 0, 480, 100)))
    stage.down(100, 50)
    _ = stage.call { .update($0, scene, set: [], remove: ["label"], frame: nil) }
    stage.up()
    #expect(stage.take().touches == ["began page,label", "ended page"])
  }

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
}
