import Engine
import Geometry
import TestFiles
import TouchInput
import Varlink

/// Takes a scenario's steps to the stage.
struct ScenarioPlayer {
  private let scenario: Scenario
  private let grid: PanelGrid
  private var stage: ScenarioStage

  init(_ scenario: Scenario) throws(ScenarioError) {
    self.scenario = scenario
    grid = PanelGrid(unitsPerPoint: scenario.unitsPerPoint)
    stage = try ScenarioStage(configuration: scenario.configuration)
    for screen in stage.engine.screens {
      stage.plug(grid.panel(for: screen), as: "panel \(screen.name)", slots: 10)
    }
    let keys = ["ESC", "TAB", "ENTER", "KPENTER", "BACK", "LEFTSHIFT", "LEFTCTRL", "LEFTALT"]
    stage.plug(
      DeviceDescription(name: "Keys", keys: Set(keys.compactMap { KernelNames.codes["KEY_\($0)"] })),
      as: ScenarioStage.keyboard)
    stage.forget()
  }

  /// Plays it to its end. Returns: what was not as expected, with the number of its step from 1.
  mutating func play() throws(ScenarioError) -> [String] {
    var differences: [String] = []
    for (place, step) in scenario.steps.enumerated() {
      do throws(ScenarioError) {
        differences += try play(step).map { "step \(place + 1): \($0)" }
      } catch {
        throw ScenarioError("step \(place + 1): \(error)")
      }
    }
    return differences
  }

  /// What a step may say, by its verb, which is its first member.
  private static let vocabulary: [String: Set<String>] = [
    "attach": ["with", "change", "reply", "error"],
    "update": ["set", "change", "remove", "frame", "reply", "error"],
    "detach": [], "focus": ["in", "error", "waits"], "resign": ["error", "waits"], "subscribe": ["reply"],
    "down": ["finger", "on"], "move": ["finger"], "up": [], "tap": ["finger", "on"],
    "drag": ["finger", "on", "frames", "seconds"], "key": ["with"],
    "driver": ["reply"], "report": ["error"], "gone": [], "show": ["waits"], "hide": ["waits"],
    "plugin": ["decides", "refuses", "offset", "slow"], "answer": [],
    "plug": [], "unplug": [], "rotate": ["on", "error"], "settle": [], "wait": [],
    "expect": [],
  ]
  private static let expectations: Set<String> = [
    "notifications", "touches", "keyboard", "drivers", "scenes", "questions", "answers",
  ]

  private mutating func play(_ step: JSON) throws(ScenarioError) -> [String] {
    let verb = step.asString ?? step.asMembers?.first?.key ?? ""
    guard let known = ScenarioPlayer.vocabulary[verb] else { throw ScenarioError("there is no step \(verb)") }
    for member in (step.asMembers ?? []).dropFirst() where !known.contains(member.key) {
      throw ScenarioError("\(verb) has no \(member.key)")
    }
    let object = step[verb]
    if !["settle", "wait", "expect", "subscribe"].contains(verb), stage.isInTransition {
      throw ScenarioError("something is on its way: settle before, or let Duration be 2 or more")
    }
    switch verb {
    case "settle": stage.settle()
    case "wait": stage.wait(object.asDouble ?? 0)
    case "expect":
      for member in object.asMembers ?? [] where !ScenarioPlayer.expectations.contains(member.key) {
        throw ScenarioError("nothing is called \(member.key)")
      }
      return try stage.differences(from: object)
    case "detach": try stage.detach(object.asString ?? "")
    case "gone": stage.lose(object.asString ?? "")
    case "plugin": try stage.setPlugin(object.asString ?? "", step)
    case "answer": try stage.answer(object.asString ?? "")
    case "plug":
      let name = object.asString ?? ""
      do throws(DeviceFileError) {
        stage.plug(try DeviceFile(name).description, as: name)
      } catch {
        throw ScenarioError(error.description)
      }
    case "unplug": try stage.unplug(object.asString ?? "")
    case "key":
      let names = object.asString.map { [$0] } ?? object.strings
      try stage.press(names, with: step["with"].asString)
    case "down", "move", "up", "tap", "drag": try touch(verb, object, step)
    default: return try call(verb, object, step)
    }
    return []
  }

  /// What a client calls, and what is different in the answer.
  private mutating func call(_ verb: String, _ object: JSON, _ step: JSON) throws(ScenarioError) -> [String] {
    let name = object.asString ?? ""
    let answer: JSON
    switch verb {
    case "attach": answer = try attach(object, step)
    case "update": answer = try stage.update(name, step)
    case "focus": answer = try stage.focus(name, in: step["in"])
    case "resign": answer = try stage.resign(name)
    case "subscribe": answer = stage.subscribe()
    case "driver": answer = stage.drive(name)
    case "report": answer = stage.report(object)
    case "show": answer = stage.show()
    case "hide": answer = stage.hide()
    case "rotate": answer = try stage.rotate(Int(clamping: object.asInteger ?? -1), step["on"].asString)
    default: throw ScenarioError("\(verb) is no call")
    }
    if step["waits"].asBool == true {
      return answer.isNull ? [] : ["\(verb) is answered at once: \(answer.plain)"]
    }
    if answer.isNull { return ["\(verb) gets no answer"] }
    if let expected = step.member("error") {
      return answer.differences(from: expected, at: "error")
    }
    if let name = answer.asMembers?.first?.key, name.hasPrefix("io.keylift.") {
      return ["\(verb) failed: \(answer.plain)"]
    }
    return answer.differences(from: step.member("reply") ?? .empty, at: "reply")
  }

  private mutating func attach(_ object: JSON, _ step: JSON) throws(ScenarioError) -> JSON {
    var scene = object
    if let name = object.asString {
      guard let shared = scenario.scenes[name] else { throw ScenarioError("scenes has no \(name)") }
      scene = JSON.object([.init("name", .string(name))]).merging(shared)
    }
    scene = scene.merging(step["with"])
    if let change = step.member("change") {
      let views = (scene["views"].asArray ?? []).map { view in
        change.member(view["id"].asString ?? "").map { view.merging($0) } ?? view
      }
      scene = scene.merging(.object([.init("views", .array(views))]))
    }
    return stage.attach(scene, as: scene["name"].asString ?? "")
  }

  private mutating func touch(_ verb: String, _ object: JSON, _ step: JSON) throws(ScenarioError) {
    func point(_ json: JSON) throws(ScenarioError) -> Point {
      guard let x = json[0].asDouble, let y = json[1].asDouble else {
        throw ScenarioError("\(json.plain) is no point [x, y]")
      }
      return Point(x: x, y: y)
    }
    let finger = Int(clamping: step["finger"].asInteger ?? 1)
    let screen = step["on"].asString
    switch verb {
    case "down": try stage.down(finger, point(object), on: screen, grid)
    case "move": try stage.move(finger, point(object), grid)
    case "up": try stage.up(Int(clamping: object.asInteger ?? 1))
    case "tap":
      try stage.down(finger, point(object), on: screen, grid)
      try stage.up(finger)
    default:
      let (start, end) = (try point(object[0]), try point(object[1]))
      let frames = Int(clamping: step["frames"].asInteger ?? 4)
      try stage.down(finger, start, on: screen, grid)
      for frame in 1...max(1, frames) {
        let share = Double(frame) / Double(max(1, frames))
        // The frame itself takes 8 ms.
        if let seconds = step["seconds"].asDouble { stage.wait(max(0, seconds / Double(frames) - 0.008)) }
        let way = Point(x: (end.x - start.x) * share, y: (end.y - start.y) * share)
        try stage.move(finger, start + way, grid)
      }
      try stage.up(finger)
    }
  }
}
