import Testing
import Varlink

@testable import keyliftctl

@Suite("keyliftctl tree --at: what a touch would do, in sentences")
struct TouchAnswerTests {
  private static let scenes = ["scene-1", "scene-2"].enumerated().map { number, id in
    #"{"scene":"\#(id)","name":"\#(number == 0 ? "form" : "menu")","screen":"screen","outsideTouch":"never"}"#
  }

  private func answer(_ members: String) throws -> TouchAnswer {
    TouchAnswer(
      try json(#"{"screen":"screen","position":{"x":10,"y":20.5},"keyboard":false,\#(members)}"#),
      scenes: try TouchAnswerTests.scenes.map(json))
  }

  private static func link(
    _ id: String, _ kind: String, forwards: Bool, reached: Bool, resigns: String = "never", may: Bool = true
  ) -> String {
    #"{"view":"\#(id)","kind":"\#(kind)","forwardsTouches":\#(forwards),"resigns":"\#(resigns)","keepsFocus":false,"reached":\#(reached),"mayResign":\#(may)}"#
  }

  private let stopped = """
    "scene":"scene-1","below":["scene-2"],"view":"label","chain":[\
    \(link("label", "view", forwards: true, reached: true)),\
    \(link("list", "scroll", forwards: false, reached: true)),\
    \(link("page", "view", forwards: true, reached: false, resigns: "tap", may: false))],\
    "responders":["list","label"],"scrollView":"list","outside":true,"focused":"name","focusedScene":"scene-1",\
    "passedOver":[{"view":"ok","reason":"hidden","cause":"sheet"}]
    """

  @Test("rule 14: why the chain stops, and what to change")
  func stops() throws {
    #expect(
      try answer(stopped).sentences == [
        "goes to the scene form (scene-1); menu (scene-2) below gets nothing of it.",
        "passes over ok: sheet, in which it is, is hidden. If it can be seen, set hidden of sheet to false.",
        "hits label, a view.",
        "is delivered to list and label, in this order.",
        "stops at list: a scroll view does not forward unless forwardsTouches is true. So page does not get it.",
        "never comes to page, which resigns tap: set forwardsTouches on list to let page resign.",
        "as a drag is taken over by list, cancelled for label.",
        "makes nothing resign: it is outside of the first responder name, but outsideTouch of the scene form "
          + "(scene-1) is never.",
      ])
  }

  @Test("rule 15: a drag that the keyboard follows")
  func pulls() throws {
    let pulling = stopped.replacing(#""outside":true"#, with: #""outside":true,"pulls":true"#)
    #expect(
      try answer(pulling).sentences.contains(
        "as a drag is taken over by list, cancelled for label; over the keyboard's top edge it has the keyboard "
          + "follow it (dismissMode interactive)."))
  }

  @Test("rule 7: the keyboard's")
  func keyboard() throws {
    let page = try TouchAnswer(
      json(#"{"screen":"screen","position":{"x":1,"y":2},"keyboard":true}"#), scenes: []
    ).page(columns: 60)
    #expect(
      page == """
        A touch at 1,2 on screen:
        - is the keyboard's: no view gets it, no focus changes,
          nothing is dismissed.

        """)
  }

  @Test(
    "rules 9, 13 and 14: what becomes of the focus",
    arguments: [
      (#""input":"name""#, "as a tap asks the focus for name."),
      (
        #""input":"name","focused":"name","focusedScene":"scene-1""#,
        "as a tap on the first responder name shows the keyboard again if it was hidden."
      ),
      (
        #""tap":"outsideTouch","outside":true,"focused":"name","focusedScene":"scene-1""#,
        "makes the first responder name resign as it ends as a tap, being outside of it: the scene's outsideTouch is tap."
      ),
      (
        #""began":"responder","focused":"name","focusedScene":"scene-1""#,
        "makes the first responder name resign as it begins: page resigns began."
      ),
      (
        #""focusKeeper":"page","outside":false"#,
        "makes nothing resign: page keeps the focus (keepsFocus), and nothing up to it resigns."
      ),
    ])
  func focus(members: String, sentence: String) throws {
    let chain = TouchAnswerTests.link("page", "view", forwards: true, reached: true, resigns: "began")
    let answer = try answer(
      #""scene":"scene-1","view":"page","chain":[\#(chain)],"responders":["page"],\#(members)"#)
    #expect(answer.sentences.last == sentence)
  }

  @Test func wayInTheTree() throws {
    let answer = try answer(stopped)
    let way = answer.way(in: try json(TouchAnswerTests.scenes[0]))
    #expect(way == ["label": .hit, "list": .reached, "page": .missed, "ok": .passedOver])
    #expect(answer.way(in: try json(TouchAnswerTests.scenes[1])).isEmpty)
    let views = try ["page", "list", "label", "field"].enumerated().map { depth, id in
      try json(
        #"{"id":"\#(id)","depth":\#(min(depth, 2)),"kind":"view","frame":{"x":0,"y":0,"width":1,"height":1}}"#
      )
    }
    let drawn = SceneTree(scene: try json(TouchAnswerTests.scenes[0]), views: views)
      .drawn(with: .init(unicode: false), answer).split(separator: "\n").dropFirst()
    #expect(drawn.map { String($0.prefix(3)) } == [" x ", " > ", "=> ", "   "])
  }
}

@Suite struct TreeRequestTests {
  @Test func options() throws {
    let request = try TreeRequest(
      Arguments(options: ["at": "1,2.5", "screen": "main", "svg": "-"], operands: ["form"]))
    #expect(request.point?.y == 2.5)
    #expect(request.screen == "main")
    #expect(request.picture == "-")
    #expect(request.scene == "form")
  }

  @Test(
    "Refused with what is wrong",
    arguments: [
      (["at": "here"], "here"), (["json": "", "svg": "-"], "--json"), (["screen": "main"], "--screen"),
    ])
  func refused(options: [String: String], word: String) {
    #expect(
      performing: {
        try TreeRequest(Arguments(options: options))
      }, throws: { ($0 as? Failure)?.message.contains(word) ?? false })
  }
}
