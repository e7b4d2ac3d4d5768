import Testing
import Varlink

@testable import keyliftctl

@Suite struct TreeTests {
  private func view(_ id: String, _ depth: Int, _ kind: String = "view", _ more: String = "") throws -> JSON {
    let usual = kind == "textInput"
    var members = try #require(
      try json(
        """
        {"id":"\(id)","depth":\(depth),"kind":"\(kind)","frame":{"x":0,"y":0,"width":10,"height":20},
         "hidden":false,"interactive":true,"forwardsTouches":\(kind == "view"),"resigns":"never",
         "keepsFocus":\(usual || kind == "control"),"editable":\(usual),"focused":false}
        """
      ).asMembers)
    for change in try json("{\(more)}").asMembers ?? [] {
      members.removeAll { $0.key == change.key }
      members.append(change)
    }
    return .object(members)
  }

  private func tree(_ views: [JSON]) throws -> SceneTree {
    let scene = try json(
      #"{"scene":"scene-1","name":"form","uid":1000,"pid":7,"screen":"screen","frame":{"x":0,"y":0,"width":800,"height":480},"level":0,"focused":null,"offset":{"x":0,"y":-162},"overlap":0,"revision":2}"#
    )
    return SceneTree(scene: scene, views: views)
  }

  private let heading = "form (scene-1) on screen at 0,0 800x480, offset 0,-162, revision 2, uid 1000, pid 7"

  @Test func branches() throws {
    let views = try [
      view("page", 0), view("list", 1, "scroll"), view("a", 2), view("b", 2), view("bar", 1), view("over", 0),
      view("x", 1),
    ]
    let box = [
      "├─ page view 0,0 10x20", "│  ├─ list scroll 0,0 10x20", "│  │  ├─ a view 0,0 10x20",
      "│  │  └─ b view 0,0 10x20", "│  └─ bar view 0,0 10x20", "└─ over view 0,0 10x20",
      "   └─ x view 0,0 10x20",
    ]
    let ascii = [
      "|- page view 0,0 10x20", "|  |- list scroll 0,0 10x20", "|  |  |- a view 0,0 10x20",
      "|  |  `- b view 0,0 10x20", "|  `- bar view 0,0 10x20", "`- over view 0,0 10x20",
      "   `- x view 0,0 10x20",
    ]
    #expect(
      try tree(views).drawn(with: .init(unicode: true)) == ([heading] + box).joined(separator: "\n") + "\n")
    #expect(
      try tree(views).drawn(with: .init(unicode: false)) == ([heading] + ascii).joined(separator: "\n") + "\n"
    )
  }

  @Test(
    "Only what differs from the kind's default is said",
    arguments: [
      ("view", "", ""), ("textInput", "", ""), ("control", "", ""), ("scroll", "", ""),
      ("view", #""hidden":true,"resigns":"tap""#, "  hidden, resigns tap"),
      ("view", #""forwardsTouches":false,"keepsFocus":true"#, "  keeps touches, keeps focus"),
      ("scroll", #""forwardsTouches":true,"interactive":false"#, "  not interactive, forwards touches"),
      ("textInput", #""editable":false,"keepsFocus":false"#, "  does not keep focus, not editable"),
      ("textInput", #""focused":true"#, " *"),
    ])
  func flags(kind: String, more: String, expected: String) throws {
    let drawn = try tree([view("v", 0, kind, more)]).drawn(with: .init(unicode: false))
    #expect(drawn == "\(heading)\n`- v \(kind) 0,0 10x20\(expected)\n")
  }

  @Test func noViews() throws {
    #expect(try tree([]).drawn(with: .init(unicode: true)) == "\(heading), no views\n")
  }
}

@Suite struct SceneChoiceTests {
  private let one = [SceneName(id: "scene-1", name: "form")]
  private let several = [
    SceneName(id: "scene-1", name: "form"), SceneName(id: "scene-2", name: "form", isFocused: true),
    SceneName(id: "scene-3", name: "scene-1"),
  ]

  @Test("By id first, then by name")
  func called() throws {
    #expect(try several.scene(called: "scene-1", for: "focus").id == "scene-1")
    #expect(try one.scene(called: "form", for: "focus").id == "scene-1")
  }

  @Test func withoutAName() throws {
    #expect(try one.only(for: "focus").id == "scene-1")
    #expect(try several.focused(for: "resign").id == "scene-2")
  }

  @Test func refusals() {
    let list = "form (scene-1), form (scene-2), scene-1 (scene-3)"
    func message(_ choose: () throws(Failure) -> SceneName) -> String {
      do throws(Failure) { return try choose().id } catch { return error.message }
    }
    #expect(
      message { () throws(Failure) in try several.scene(called: "form", for: "focus") }
        == "focus: several scenes \"form\". Choose one by its id: form (scene-1), form (scene-2).")
    #expect(
      message { () throws(Failure) in try several.only(for: "focus") }
        == "focus: there are several scenes. Choose one by its id: \(list).")
    #expect(
      message { () throws(Failure) in try several.scene(called: "x", for: "focus") }
        == "focus: no scene \"x\" to see. There are: \(list).")
    #expect(
      message { () throws(Failure) in try [SceneName]().only(for: "focus") }
        == "focus: there is no scene to see.")
    #expect(
      message { () throws(Failure) in try one.focused(for: "resign") }
        == "resign: no scene to see has a first responder.")
  }
}
