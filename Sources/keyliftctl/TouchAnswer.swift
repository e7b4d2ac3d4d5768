import Varlink

/// What Control.HitTest answers: what a touch at a point would do, for people.
struct TouchAnswer {
  let reply: JSON
  /// All scenes as Control.Tree has them.
  let scenes: [JSON]

  init(_ reply: JSON, scenes: [JSON]) {
    self.reply = reply
    self.scenes = scenes
  }

  /// What a view is to the touch.
  enum Mark: Equatable { case hit, reached, missed, passedOver }

  var screen: String? { reply["screen"].asString }

  /// The views of a scene that the touch has to do with, by their ids.
  func way(in scene: JSON) -> [String: Mark] {
    guard !reply["scene"].isNull, scene["scene"] == reply["scene"] else { return [:] }
    var way: [String: Mark] = [:]
    for view in passedOver { way[view["view"].asString ?? ""] = .passedOver }
    for view in chain { way[view["view"].asString ?? ""] = isReached(view) ? .reached : .missed }
    if let hit = reply["view"].asString { way[hit] = .hit }
    return way
  }

  private var chain: [JSON] { reply["chain"].asArray ?? [] }
  private var passedOver: [JSON] { reply["passedOver"].asArray ?? [] }
  private func isReached(_ view: JSON) -> Bool { view["reached"] == .bool(true) }

  /// The answer in sentences, wrapped.
  func page(columns: Int) -> String {
    let lines = sentences.map { wrapped("- \($0)", columns: columns, indent: "  ") }
    let text = (["A touch at \(point(reply["position"])) on \(text(reply["screen"])):"] + lines)
    return text.joined(separator: "\n") + "\n"
  }

  // MARK: Sentences

  /// Each goes on from "a touch".
  var sentences: [String] {
    if reply["keyboard"] == .bool(true) {
      return ["is the keyboard's: no view gets it, no focus changes, nothing is dismissed."]
    }
    if isOffScreen {
      return ["is off the screen, which is \(size(reply["screenSize"])): no finger comes there."]
    }
    guard !reply["scene"].isNull else { return ["meets no scene."] + resigning }
    return [whose] + obstacles + [hit] + delivery + dragging + focusing + resigning
  }

  private var isOffScreen: Bool {
    [("x", "width"), ("y", "height")].contains { axis, side in
      guard let place = reply["position"][axis].asDouble, let end = reply["screenSize"][side].asDouble else {
        return false
      }
      return place < 0 || place >= end
    }
  }

  private func name(_ scene: JSON) -> String {
    (scenes.first { $0["scene"] == scene }.map { SceneName($0).description }) ?? text(scene)
  }

  private var whose: String {
    let below = (reply["below"].asArray ?? []).map(name)
    let covered =
      below.isEmpty ? "" : "; \(list(below)) below \(below.count == 1 ? "gets" : "get") nothing of it"
    return "goes to the scene \(name(reply["scene"]))\(covered)."
  }

  private var hit: String {
    guard let view = chain.first else { return "hits none of its views." }
    return "hits \(text(view["view"])), \(TouchAnswer.noun(view["kind"]))."
  }

  /// Why what lies there in front is not hit, and what would have to be otherwise.
  private var obstacles: [String] {
    passedOver.map { view in
      let (id, cause) = (text(view["view"]), text(view["cause"]))
      let subject = id == cause ? "it" : "\(cause), in which it is,"
      let passes = "passes over \(id): "
      switch view["reason"].asString {
      case "hidden":
        return passes + "\(subject) is hidden. If it can be seen, set hidden of \(cause) to false."
      case "notInteractive":
        return passes + "\(subject) is not interactive. Set interactive of \(cause) to true."
      case "transparent":
        return passes
          + "\(subject) is transparent, alpha below 0.01. If it can be seen, raise alpha of \(cause)."
      default:
        return passes + "the point is outside of \(cause), in which it is, and a view is not hit outside of "
          + "what it is in. Make the frame of \(cause) larger."
      }
    }
  }

  private static func noun(_ kind: JSON) -> String {
    switch kind.asString {
    case "textInput": "a text input"
    case "scroll": "a scroll view"
    case "control": "a control"
    default: "a view"
    }
  }

  private var delivery: [String] {
    let responders = (reply["responders"].asArray ?? []).map(text)
    guard let outermost = chain.last(where: isReached) else { return [] }
    let order = responders.count == 1 ? "alone" : "in this order"
    var sentences = ["is delivered to \(list(responders)), \(order)."]
    let missed = chain.filter { !isReached($0) }
    guard !missed.isEmpty else { return sentences }
    let stop = text(outermost["view"])
    sentences.append(
      "stops at \(stop): \(TouchAnswer.noun(outermost["kind"])) does not forward unless forwardsTouches is true. So "
        + "\(list(missed.map { text($0["view"]) })) \(missed.count == 1 ? "does" : "do") not get it.")
    // What keeps the focus is not meant to let others resign.
    guard reply["focusKeeper"].isNull else { return sentences }
    return sentences + missed.filter { $0["resigns"].asString ?? "never" != "never" }.map(unheard)
  }

  /// What would let a view that is not reached resign as it wants to.
  private func unheard(_ view: JSON) -> String {
    let inside = chain.prefix { $0["view"] != view["view"] }
    let keepers = inside.filter { $0["forwardsTouches"] != .bool(true) }.map { text($0["view"]) }
    let id = text(view["view"])
    return
      "never comes to \(id), which resigns \(text(view["resigns"])): set forwardsTouches on \(list(keepers)) to "
      + "let \(id) resign."
  }

  private var dragging: [String] {
    var tail = reply["drag"].isNull ? "" : "; \(responder) resigns then (dismissMode onDrag)"
    if reply["pulls"] == .bool(true) {
      tail = "; over the keyboard's top edge it has the keyboard follow it (dismissMode interactive)"
    }
    if let scroll = reply["scrollView"].asString {
      let below = chain.prefix { $0["view"].asString != scroll }.map { text($0["view"]) }
      let lost = below.isEmpty ? "" : ", cancelled for \(list(below))"
      return ["as a drag is taken over by \(printable(scroll))\(lost)\(tail)."]
    }
    guard let control = chain.firstIndex(where: { $0["kind"].asString == "control" }),
      let scroll = chain[control...].first(where: { $0["kind"].asString == "scroll" })
    else { return [] }
    let id = text(chain[control]["view"])
    return [
      "as a drag stays with \(id), since a control keeps its touches: \(text(scroll["view"])) does not scroll."
    ]
  }

  private var focusing: [String] {
    guard let input = reply["input"].asString else { return [] }
    if input == reply["focused"].asString, reply["scene"] == reply["focusedScene"] {
      return [
        "as a tap on the first responder \(printable(input)) shows the keyboard again if it was hidden."
      ]
    }
    return ["as a tap asks the focus for \(printable(input))."]
  }

  /// The first responder, or one as it would be.
  private var responder: String {
    reply["focused"].asString.map { "the first responder \(printable($0))" } ?? "a first responder"
  }

  private var resigning: [String] {
    for (trigger, moment) in [("began", "as it begins"), ("tap", "as it ends as a tap")] {
      switch reply[trigger].asString {
      case "responder":
        let view = chain.first { $0["mayResign"] == .bool(true) && $0["resigns"].asString == trigger }
        return ["makes \(responder) resign \(moment): \(text(view?["view"] ?? .null)) resigns \(trigger)."]
      case "outsideTouch":
        return [
          "makes \(responder) resign \(moment), being outside of it: the scene's outsideTouch is \(trigger)."
        ]
      default: break
      }
    }
    if !reply["input"].isNull { return [] }
    if let keeper = reply["focusKeeper"].asString {
      return [
        "makes nothing resign: \(printable(keeper)) keeps the focus (keepsFocus), and nothing up to it resigns."
      ]
    }
    if reply["outside"] != .bool(true) { return ["makes nothing resign: it is within \(responder)."] }
    let scene = scenes.first {
      $0["scene"] == (reply["focusedScene"].isNull ? reply["scene"] : reply["focusedScene"])
    }
    guard let scene else { return ["makes nothing resign: nothing has the focus."] }
    if scene["screen"] != reply["screen"] {
      return ["makes nothing resign: \(responder) is on another screen, \(text(scene["screen"]))."]
    }
    return [
      "makes nothing resign: it is outside of \(responder), but outsideTouch of the scene \(SceneName(scene).description) "
        + "is \(text(scene["outsideTouch"]))."
    ]
  }

  /// `a`, `a and b`, `a, b and c`.
  private func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and \(last)"
  }
}
