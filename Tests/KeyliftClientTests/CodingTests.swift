import Testing
import Varlink

@testable import KeyliftClient
@testable import KeyliftProtocol

@Suite struct CodingTests {
  private func json(_ write: (inout JSONWriter) -> Void) throws -> JSON {
    var writer = JSONWriter()
    writer.object(write)
    return try JSON.parse(writer.bytes)
  }

  @Test("a view comes over the wire as it is, with the defaults of its kind left out") func views() throws {
    for kind in Kind.allCases {
      for isPlain in [true, false] {
        let frame = Rect(x: 1, y: 2.5, width: 3, height: 4)
        let view =
          isPlain
          ? View(id: "v", kind: kind, frame: frame)
          : View(
            id: "v", parent: "p", kind: kind, frame: frame, hidden: true, alpha: 0.5, interactive: false,
            forwardsTouches: kind != .view, resigns: .tap, keepsFocus: kind == .view || kind == .scroll,
            editable: kind != .textInput, purpose: .email, returnKey: .next, keepsVisible: "w", spacing: -5,
            caret: Rect(x: 5, y: 6, width: 7, height: 8), order: 9, contentSize: Size(width: 10, height: 11),
            contentOffset: Point(x: 12, y: 13), dismissMode: .onDrag)
        let encoded = try json { view.write(to: &$0) }
        #expect(View(encoded) == view)
        #expect(encoded.asMembers?.count == (isPlain ? (kind == .view ? 2 : 3) : (kind == .view ? 19 : 20)))
      }
    }
  }

  @Test("a scene comes over the wire as it is") func scenes() throws {
    let scene = SceneDescription(
      name: "s", screen: "main", level: 5, avoidance: .resize, outsideTouch: .began,
      safeArea: Insets(top: 6, left: 7, bottom: 8, right: 9))
    #expect(SceneDescription(try json { scene.write(to: &$0) }) == scene)
    let plain = SceneDescription(name: "s")
    #expect(try json { plain.write(to: &$0) }.asMembers?.count == 1)
  }

  @Test("the keyboard and a layout are read as they are written") func states() throws {
    let keyboard = KeyboardState(
      phase: .willHide, frame: Rect(x: 1, y: 2, width: 3, height: 4), previousFrame: .zero, docked: false,
      duration: 0.25, reason: .drag, screen: "main")
    #expect(KeyboardState(try json { $0.field("it", keyboard) }["it"]) == keyboard)
    let layout = Layout(
      offset: Point(x: 0, y: -5),
      scrolls: [ScrollAdjustment(view: "v", contentOffset: Point(x: 1, y: 2), insetBottom: 3)], overlap: 4,
      duration: 0.3)
    #expect(Layout(try json { $0.field("it", layout) }["it"]) == layout)
  }

  @Test("an offset moves along UIKit's curve, and turns round from where it is") func animation() throws {
    func state(_ y: Int) throws -> SceneState {
      SceneState(json: try JSON.parse(Array(scene(y: y).utf8)))
    }
    var animation = Animation()
    #expect(animation.offset(at: 0) == .zero)
    animation.animate(try state(-100), at: 10)
    for (time, expected) in [
      9: 0, 10: 0, 10.075: -12.916, 10.15: -50, 10.225: -87.084, 10.3: -100, 99: -100,
    ] as [Double: Double] {
      #expect(abs(animation.offset(at: time).y - expected) < 0.001)
    }
    animation.animate(try state(0), at: 10.15)
    #expect(abs(animation.offset(at: 10.15).y + 50) < 0.001)
    animation.animate(try state(0), at: 10.3)
    #expect(abs(animation.offset(at: 10.3).y + 25) < 0.001, "on its way there already")
  }
}
