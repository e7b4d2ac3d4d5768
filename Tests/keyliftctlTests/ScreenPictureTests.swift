import Testing
import Varlink

@testable import keyliftctl

@Suite("keyliftctl tree --svg: the screen as a picture")
struct ScreenPictureTests {
  private func scene(_ number: Int, level: Int = 0, offset: Double = 0, phase: String = "hidden") throws
    -> JSON
  {
    try json(
      """
      {"scene":"scene-\(number)","name":"form","uid":0,"pid":7,"screen":"main","frame":{"x":0,"y":0,"width":800,"height":480},
       "level":\(level),"focused":"name","offset":{"x":0,"y":\(offset)},"overlap":0,"revision":1,
       "screenSize":{"width":800,"height":480},"rotation":0,"avoidance":"pan","outsideTouch":"tap",
       "safeArea":{"top":20,"left":0,"bottom":0,"right":0},"scrolls":[],
       "keyboard":{"phase":"\(phase)","frame":{"x":0,"y":288,"width":800,"height":192},"docked":true,
                   "reason":"focus","screen":"main","driver":"osk"}}
      """)
  }

  private func view(_ id: String, _ depth: Int, _ kind: String, _ frame: String, _ more: String = "") throws
    -> JSON
  {
    let numbers = frame.split(separator: " ")
    return try json(
      """
      {"id":"\(id)","depth":\(depth),"kind":"\(kind)",
       "screenFrame":{"x":\(numbers[0]),"y":\(numbers[1]),"width":\(numbers[2]),"height":\(numbers[3])}\(more)}
      """)
  }

  private func lines(_ tree: SceneTree..., at answer: TouchAnswer? = nil) throws -> [String] {
    try ScreenPicture(tree, on: nil, answer).svg.split(separator: "\n").map(String.init)
  }

  @Test("What others wrote cannot leave its place")
  func escaped() throws {
    let svg = try lines(
      SceneTree(scene: scene(1), views: [view(#"<b a='1'>&\"\u001b"#, 0, "control", "0 0 300 80")]))
    let label = try #require(svg.first { $0.contains("class=\"id\"") })
    #expect(label.contains("&lt;b a=&#39;1&#39;&gt;&amp;&quot;\\u{1b}"))
    #expect(SVG.escaped("a\u{FFFE}b\u{202E}") == "a\u{FFFD}b\\u{202e}")
  }

  @Test("One file: nothing is fetched, every element is closed, numbers are numbers")
  func document() throws {
    let svg = try lines(
      SceneTree(
        scene: scene(1),
        views: [view("far", 0, "scroll", "-1e9 -1e9 2e9 2e9"), view("in", 1, "view", "5 5 1 1")]))
    #expect(svg.first == svg.first { $0.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"") })
    #expect(svg.last == "</svg>")
    let text = svg.joined()
    for word in ["href", "url(", "<script", "?", "nan", "inf"] { #expect(!text.contains(word), "\(word)") }
    for name in ["svg", "g", "text", "title", "style"] {
      let opened = text.split(separator: "<").count { $0.hasPrefix("\(name) ") || $0.hasPrefix("\(name)>") }
      #expect(opened == text.split(separator: "<").count { $0.hasPrefix("/\(name)>") }, "\(name)")
    }
  }

  @Test("Views by kind, cut to what they are in; hidden ones dashed; the focus ringed")
  func views() throws {
    let svg = try lines(
      SceneTree(
        scene: scene(1),
        views: [
          view("list", 0, "scroll", "0 0 400 100"), view("row", 1, "view", "0 80 400 40"),
          view("gone", 0, "control", "0 200 100 40", #","hidden":true"#),
          view("inside", 1, "view", "0 200 10 10"),
          view("name", 0, "textInput", "200 238 400 40", #","focused":true"#),
        ]))
    func has(_ kind: String, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Bool {
      svg.contains(#"<rect class="\#(kind)" x="\#(x)" y="\#(y)" width="\#(width)" height="\#(height)"/>"#)
    }
    #expect(has("scroll", 0, 0, 400, 100))
    #expect(has("view", 0, 80, 400, 20), "what is scrolled out is not seen")
    #expect(has("control off", 0, 200, 100, 40))
    #expect(has("view off", 0, 200, 10, 10), "as hidden as what it is in")
    #expect(has("textInput", 200, 238, 400, 40))
    #expect(has("focus", 200, 238, 400, 40))
    #expect(has("safe", 0, 20, 800, 460))
    #expect(!svg.contains { $0.contains("class=\"keyboard\"") })
  }

  @Test("The keyboard, the lifted scene and where it rests; scenes by level")
  func layers() throws {
    let svg = try lines(
      SceneTree(scene: scene(1, level: 1, offset: -162, phase: "shown"), views: []),
      SceneTree(scene: scene(2, phase: "shown"), views: []))
    #expect(svg.contains { $0.hasPrefix(#"<rect class="keyboard" x="0" y="288""#) })
    #expect(svg.contains(#"<rect class="rest" x="0" y="0" width="800" height="480"/>"#))
    #expect(svg.contains(#"<rect class="scene" x="0" y="-162" width="800" height="480"/>"#))
    let titles = svg.filter { $0.hasPrefix("<title>form") }
    #expect(titles == ["<title>form (scene-2)</title>", "<title>form (scene-1)</title>"])
  }

  @Test("With a point: it, and the way of the touch")
  func way() throws {
    let answer = TouchAnswer(
      try json(
        #"{"screen":"main","position":{"x":30,"y":40},"keyboard":false,"scene":"scene-1","view":"row","chain":[{"view":"row","kind":"view","forwardsTouches":true,"resigns":"never","reached":true}],"responders":["row"]}"#
      ), scenes: [])
    let svg = try lines(SceneTree(scene: scene(1), views: [view("row", 0, "view", "0 0 100 50")]), at: answer)
    #expect(svg.contains(#"<rect class="hit" x="0" y="0" width="100" height="50"/>"#))
    #expect(svg.contains(#"<circle class="point" cx="30" cy="40" r="9"/>"#))
    #expect(svg.contains { $0.contains(">row (1)<") })
    #expect(svg.contains { $0.contains("hits row, a view.") })
  }

  @Test func nothingToDraw() throws {
    #expect(throws: Failure.self) { try ScreenPicture([], on: nil) }
    let tree = SceneTree(scene: try scene(1), views: [])
    #expect(throws: Failure.self) { try ScreenPicture([tree], on: "other") }
  }
}
