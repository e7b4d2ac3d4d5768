import Geometry
import KeyliftProtocol
import Varlink

/// A screen with its scenes, views and keyboard as an SVG document, and what a touch would do on it.
struct ScreenPicture {
  private let screen: Screen
  /// From the back to the front.
  private let scenes: [SceneTree]
  private let answer: TouchAnswer?

  /// - screen: its name; nil for that of the first scene
  /// - Throws: that no scene is on it.
  init(_ scenes: [SceneTree], on screen: String?, _ answer: TouchAnswer? = nil) throws(Failure) {
    let name = screen ?? scenes.first?.scene["screen"].asString
    let here = scenes.filter { $0.scene["screen"].asString == name }
    guard let name, let size = here.first?.scene["screenSize"], !size.isNull else {
      throw .refused("tree: there is no scene to draw\(screen.map { " on screen \"\($0)\"" } ?? "").")
    }
    self.screen = Screen(
      name: name, size: Size(width: size["width"].asDouble ?? 0, height: size["height"].asDouble ?? 0))
    self.scenes = here.enumerated().sorted {
      ($0.element.level, $0.offset) < ($1.element.level, $1.offset)
    }.map(\.element)
    self.answer = answer
  }

  // MARK: The page

  private static let style = """
    text { font: 11px sans-serif; fill: #1f2328 } .id { font-size: 10px; paint-order: stroke; stroke: #fff; \
    stroke-width: 2px } .screen { fill: #fff; stroke: #1f2328; stroke-width: 2 } rect { stroke-width: 1; \
    vector-effect: non-scaling-stroke } .scene { fill: none; stroke: #1f2328 } .rest, .safe { fill: none; \
    stroke: #6e7781; stroke-dasharray: 6 4 } .safe { stroke: #1a7f37; stroke-dasharray: 2 3 } \
    .view { fill: #8c959f; fill-opacity: .12; stroke: #8c959f } .control { fill: #0969da; fill-opacity: .2; \
    stroke: #0969da } .textInput { fill: #1a7f37; fill-opacity: .2; stroke: #1a7f37 } .scroll { fill: #9a6700; \
    fill-opacity: .1; stroke: #9a6700 } .off { fill: none; stroke-dasharray: 4 3; opacity: .6 } .cut { fill: none; \
    stroke-dasharray: 1 3 } .focus { fill: none; stroke: #cf222e; stroke-width: 3 } .hit, .reached, .missed, \
    .passedOver { fill: none; stroke: #bf3989; stroke-width: 3 } .hit { fill: #bf3989; fill-opacity: .05; stroke-width: 4 } \
    .missed, .passedOver { stroke-dasharray: 8 4; stroke-width: 2 } .passedOver { stroke: #6e7781 } \
    .keyboard { fill: #24292f; fill-opacity: .7; stroke: none } .on { fill: #fff; text-anchor: middle } \
    .point { fill: none; stroke: #bf3989; stroke-width: 2 }
    """

  private static let kinds = ["view", "control", "textInput", "scroll"]
  private static let margin = 12.0
  private static let lineHeight = 16.0

  /// The whole document.
  var svg: String {
    let margin = ScreenPicture.margin
    let width = max(screen.size.width, 320) + 2 * margin
    let lines = captions(columns: Int(width / 6))
    let legend = screen.size.height + 2 * margin
    let height = legend + (Double(lines.count) + 1) * ScreenPicture.lineHeight + margin
    let extent = "\(SVG.number(width)) \(SVG.number(height))"
    var document = SVG()
    document.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(extent)", "width": SVG.number(width),
        "height": SVG.number(height),
      ]
    ) { page in
      page.element("title", [:], "Screen \(screen.name)")
      page.element("style", [:], ScreenPicture.style)
      page.element(
        "rect", ["x": "0", "y": "0", "width": "100%", "height": "100%", "fill": "#f6f8fa", "stroke": "none"])
      // An svg in another is cut to its edges.
      page.element(
        "svg",
        [
          "x": SVG.number(margin), "y": SVG.number(margin), "width": SVG.number(screen.size.width),
          "height": SVG.number(screen.size.height),
        ], draw)
      var place = Point(x: margin, y: legend + ScreenPicture.lineHeight / 2)
      for kind in ScreenPicture.kinds {
        page.element(
          "rect",
          [
            "class": kind, "x": SVG.number(place.x), "y": SVG.number(place.y - 9), "width": "11",
            "height": "11",
          ])
        page.element("text", ["x": SVG.number(place.x + 16), "y": SVG.number(place.y)], kind)
        place.x += 76
      }
      for line in lines {
        place.y += ScreenPicture.lineHeight
        page.element(
          "text", ["x": SVG.number(margin), "y": SVG.number(place.y), "xml:space": "preserve"], line)
      }
    }
    return document.text
  }

  /// What stands below the picture: the keyboard, the scenes from the front, and what the touch does.
  private func captions(columns: Int) -> [String] {
    var captions = [SceneTree.keyboard(scenes.first?.scene["keyboard"] ?? .empty)]
    captions += scenes.reversed().map(\.heading)
    if let answer { captions += ["", answer.page(columns: columns)] }
    return captions.flatMap { caption in
      caption.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
        wrapped(String($0), columns: columns, indent: "    ").split(
          separator: "\n", omittingEmptySubsequences: false)
      }
    }.map(String.init)
  }

  // MARK: The screen

  private func draw(_ picture: inout SVG) {
    rectangle(screen.bounds, "screen", &picture)
    for tree in scenes { draw(tree, &picture) }
    drawKeyboard(&picture)
    guard let answer else { return }
    let point = Point(answer.reply["position"])
    let (x, y) = (SVG.number(point.x), SVG.number(point.y))
    picture.element("circle", ["class": "point", "cx": x, "cy": y, "r": "9"])
    let (across, down) = ("M\(SVG.number(point.x - 14)) \(y)h28", "M\(x) \(SVG.number(point.y - 14))v28")
    picture.element("path", ["class": "point", "d": across + down])
  }

  private func draw(_ tree: SceneTree, _ picture: inout SVG) {
    let (frame, offset) = (Rect(tree.scene["frame"]), Point(tree.scene["offset"]))
    let name = SceneName(tree.scene).description
    picture.element("g", [:]) { picture in
      picture.element("title", [:], name)
      if offset != .zero { rectangle(frame, "rest", &picture) }
      let seen = frame.offset(by: offset)
      rectangle(seen, "scene", &picture)
      let safe = tree.scene["safeArea"]
      let edges = ["top", "left", "bottom", "right"].map { safe[$0].asDouble ?? 0 }
      if edges.contains(where: { $0 != 0 }) {
        let inside = Rect(
          x: frame.x + edges[1], y: frame.y + edges[0], width: max(0, frame.width - edges[1] - edges[3]),
          height: max(0, frame.height - edges[0] - edges[2]))
        rectangle(inside, "safe", &picture)
      }
      let way = answer?.way(in: tree.scene) ?? [:]
      let views = SeenView.all(of: tree, on: screen.bounds)
      for view in views { draw(view, &picture) }
      for view in views {
        if view.isFocused { rectangle(view.outline, "focus", &picture) }
        if let mark = way[view.id] { rectangle(view.outline, "\(mark)", &picture) }
      }
      for view in views { label(view, &picture) }
    }
  }

  private func draw(_ view: SeenView, _ picture: inout SVG) {
    let kind = ScreenPicture.kinds.contains(view.kind) ? view.kind : "view"
    if view.seen != view.whole, !view.whole.isEmpty { rectangle(view.whole, "\(kind) cut", &picture) }
    guard !view.seen.isEmpty else { return }
    rectangle(view.seen, view.isOff ? "\(kind) off" : kind, &picture)
  }

  /// Its id: of one with others in it at its top, else in its middle; none where there is no room.
  private func label(_ view: SeenView, _ picture: inout SVG) {
    let place = view.outline.intersection(screen.bounds)
    let room = Int((place.width - 6) / 6)
    guard room >= 2, place.height >= 10 else { return }
    let order = (answer?.reply["responders"].asArray ?? []).firstIndex { $0.asString == view.id }
    let isOnWay = order != nil && answer?.reply["scene"].asString == view.scene
    let text = printable(view.id) + (isOnWay ? " (\((order ?? 0) + 1))" : "")
    let y = place.y + (view.hasChildren ? 11 : place.height / 2 + 4)
    picture.element(
      "text", ["class": "id", "x": SVG.number(place.x + 4), "y": SVG.number(y)],
      text.count <= room ? text : String(text.prefix(room - 1)) + "…")
  }

  private func drawKeyboard(_ picture: inout SVG) {
    guard let keyboard = scenes.first?.scene["keyboard"], keyboard["screen"].asString == screen.name,
      ["shown", "willShow"].contains(keyboard["phase"].asString)
    else { return }
    let frame = Rect(keyboard["frame"])
    rectangle(frame, "keyboard", &picture)
    let (x, y) = (frame.x + frame.width / 2, frame.y + frame.height / 2)
    picture.element("text", ["class": "on", "x": SVG.number(x), "y": SVG.number(y)], "keyboard")
  }

  private func rectangle(_ rect: Rect, _ kind: String, _ picture: inout SVG) {
    picture.element(
      "rect",
      [
        "class": kind, "x": SVG.number(rect.x), "y": SVG.number(rect.y), "width": SVG.number(rect.width),
        "height": SVG.number(rect.height),
      ])
  }
}

extension SceneTree {
  fileprivate var level: Int64 { scene["level"].asInteger ?? 0 }
}
