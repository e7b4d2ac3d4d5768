import Geometry
import KeyliftProtocol
import Varlink

extension Check {
  /// Whether each screen's size and rotation fit the display, and its touchscreens' axes the screen.
  ///
  /// How a display server turns its picture is not to be seen from outside; so what fits may still be turned by a half.
  static let screen = Check(id: "screen") { facts in
    guard facts.daemon.isAnswering else { return [.needsDaemon] }
    let screens = facts.daemon.screens.map(Screen.init)
    let panels = (facts.daemon.nodes ?? []).map(Panel.init).filter {
      $0.node["used"] == .bool(true) && $0.node["touch"] == .bool(true)
    }
    let fits = screens.map { screen in
      ScreenFit(
        screen, panels: panels.filter { $0.screen == screen.name }, among: screens, facts.displays,
        consoleRotation: facts.consoleRotation)
    }
    return fits.flatMap(\.findings) + strays(panels, screens, facts.displays)
  }

  /// Touchscreens that udev gives to a display that no screen is named after.
  private static func strays(_ panels: [Panel], _ screens: [Screen], _ displays: [Display]) -> [Finding] {
    guard displays.count > 1 else { return [] }
    return panels.compactMap { panel in
      let outputs = (panel.node["udev"].asArray ?? []).compactMap(\.asString)
        .filter { $0.hasPrefix("WL_OUTPUT=") }.map { String($0.dropFirst("WL_OUTPUT=".count)) }
      guard let output = outputs.first, !screens.contains(where: { $0.name == output }) else { return nil }
      let mode = displays.first { $0.name == output }.map { ScreenFit.text($0.width, $0.height) }
      return .warning(
        "udev's WL_OUTPUT gives \(panel.title) to \(output), and no screen is called so: its touches go to "
          + panel.screen, "[Screen \(output)]", "Size=\(mode ?? "WIDTHxHEIGHT")",
        "sudo keyliftctl reload")
    }
  }
}

/// What there is to compare of one screen, and what came of it.
struct ScreenFit {
  private(set) var findings: [Finding] = []
  /// What was compared and fits.
  private var evidence: [String] = []

  init(
    _ screen: Screen, panels: [Panel], among screens: [Screen], _ displays: [Display], consoleRotation: Int?
  ) {
    // A display of that name; else the one, if no other screen may be meant.
    let display =
      displays.first { $0.name == screen.name }
      ?? (displays.count == 1 && screens.count == 1 ? displays[0] : nil)
    for panel in panels { compare(screen, panel) }
    if let display { compare(screen, display) }
    if let consoleRotation, screens.count == 1 { compare(screen, consoleRotation: consoleRotation) }
    if displays.count > 1, screens.count == 1 {
      findings.append(
        .note(
          "\(count(displays.count, "display")) are connected, and Keylift has one screen",
          "[Screen NAME] for each",
          "/usr/share/doc/keylift/Documentation/touchscreens.md"))
    }
    let members: [JSON.Member] = [
      .init("screen", .string(screen.name)), .init("rotation", .integer(screen.rotation.rawValue)),
      .init("compared", .array(evidence.map(JSON.string))),
    ]
    let hasWarning = findings.contains { $0.state == .warning }
    if !hasWarning {
      findings.insert(
        evidence.isEmpty
          ? .unknown(
            "\(screen.title): nothing to compare it with; put a finger on a corner and see whether it is there",
            "sudo keyliftctl touches")
          : .ok("\(screen.title) fits \(evidence.joined(separator: ", "))"), at: 0)
    }
    for place in findings.indices { findings[place].facts += members }
  }

  private mutating func compare(_ screen: Screen, _ display: Display) {
    let size = screen.unrotatedSize
    let mode = "\(display.name)'s mode \(ScreenFit.text(display.width, display.height))"
    switch Shape.compare(size.width / size.height, display.width / display.height, within: 0.03) {
    case .same: evidence.append(mode)
    case .turned where !evidence.isEmpty:
      findings.append(
        .note(
          "\(screen.title) lies across \(mode), as it should if the display server turns the picture by a quarter",
          "sudo keyliftctl touches, and look whether a finger on a corner of the picture is there"))
    case .turned:
      findings.append(
        .warning(
          "\(screen.title) is higher than wide where \(mode) is not, or the other way round: Size= is the panel's own, "
            + "before its rotation", "[Screen \(screen.name)]",
          "Size=\(ScreenFit.text(display.width, display.height))",
          "Rotation=90 (or 270), if the picture is turned", "sudo keyliftctl reload"))
    case .square where display.width == display.height: evidence.append(mode)
    case .square, .other:
      findings.append(
        .warning(
          "\(screen.title) has another shape than \(mode)", "[Screen \(screen.name)]",
          "Size=\(ScreenFit.text(display.width, display.height))", "sudo keyliftctl reload"))
    }
  }

  /// The console's being turned tells how the panel is built in; its not being turned tells nothing.
  private mutating func compare(_ screen: Screen, consoleRotation: Int) {
    guard consoleRotation != 0 else { return }
    if consoleRotation == screen.rotation.rawValue { return evidence.append("the console's rotation") }
    findings.append(
      .warning(
        "the kernel turns its console by \(consoleRotation) degrees, and \(screen.title) is turned by "
          + "\(screen.rotation.rawValue)", "sudo keyliftctl rotate \(consoleRotation), for a try",
        "Rotation=\(consoleRotation) below [Screen \(screen.name)], if that is right"))
  }

  private mutating func compare(_ screen: Screen, _ panel: Panel) {
    guard let mapping = panel.mapping(on: [screen]) else { return }
    var (width, height) = (Double(mapping.rangeX.count), Double(mapping.rangeY.count))
    let matrix = panel.matrix ?? .identity
    let isCrossed = abs(matrix.b) + abs(matrix.d) > abs(matrix.a) + abs(matrix.e)
    if mapping.swapAxes != isCrossed { (width, height) = (height, width) }
    let size = screen.unrotatedSize
    switch Shape.compare(width / height, size.width / size.height, within: 0.15) {
    case .same: evidence.append("the axes of \(panel.title)")
    case .turned:
      findings.append(
        .warning(
          "the axes of \(panel.title) lie across \(screen.title): \(ScreenFit.text(width, height)) values",
          "sudo keyliftctl touches, and look whether the finger goes the right way",
          "[Device \(panel.id)]", mapping.swapAxes ? "SwapAxes=no" : "SwapAxes=yes",
          "sudo keyliftctl reload"))
    // A controller's own numbers, such as 0...4095 both ways, or a margin beyond the picture.
    case .square, .other: break
    }
  }

  static func text(_ width: Double, _ height: Double) -> String {
    "\(decimal(width, places: 1))x\(decimal(height, places: 1))"
  }
}

/// How two shapes, each a width by a height, stand to each other.
enum Shape: Equatable {
  case same
  /// One is the other, lying.
  case turned
  /// One is as high as wide, so that nothing is told by it.
  case square
  case other

  /// - within: the part by which two that count as the same may differ
  static func compare(_ a: Double, _ b: Double, within tolerance: Double) -> Shape {
    guard a.isFinite, b.isFinite, a > 0, b > 0 else { return .square }
    func isNear(_ ratio: Double) -> Bool { max(ratio, 1 / ratio) <= 1 + tolerance }
    if isNear(a) || isNear(b) {
      return isNear(a) && isNear(b) && isNear(a / b) && tolerance < 0.1 ? .same : .square
    }
    if isNear(a / b) { return .same }
    return isNear(a * b) ? .turned : .other
  }
}
