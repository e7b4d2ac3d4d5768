import Geometry
import Varlink

/// What `calibrate` found, as lines of the configuration, as advice and as JSON.
struct CalibrationReport {
  let taps: [Tap]
  let mapping: PanelMapping
  let calibration: Calibration
  /// The MATCH of the section; nil if no device is known.
  let section: String?
  /// The touchscreen as keyliftd has it now; nil if it was not asked.
  var panel: Panel?

  init(_ taps: [Tap], _ mapping: PanelMapping, section: String?) throws(Failure) {
    do {
      calibration = try Calibration(taps, on: mapping)
    } catch {
      throw .refused("calibrate: \(error.description)")
    }
    self.taps = taps
    self.mapping = mapping
    self.section = section
  }

  private var matrixText: String {
    calibration.matrix.coefficients.map { decimal($0, places: 6) }.joined(separator: " ")
  }

  /// What errors are no more than a finger's own.
  private var limit: Double { Calibration.acceptable(on: mapping.screen) }
  /// A matrix that fits no better is no proof of a good panel if touches missed their places.
  private var isUnneeded: Bool { calibration.isUnneeded && calibration.worst <= limit }

  private static func points(_ value: Double) -> String { decimal(value, places: 1) }

  /// The lines for the configuration file, with what is known of them as comments.
  var lines: String {
    let points = CalibrationReport.points
    var lines = [
      panel.map { "# \($0.title) on screen \(mapping.screen.title)" } ?? "# screen \(mapping.screen.title)"
    ]
    let rows = zip(taps, zip(calibration.errors, calibration.plainErrors)).map { tap, errors in
      [text(tap.point), text(tap.raw), points(errors.0), points(errors.1)]
    }
    let heading = ["touched at", "axes", "off by (points)", "without a matrix"]
    lines += table([heading] + rows).split(separator: "\n").map { "#   \($0)" }
    lines.append(
      "# The error is \(points(calibration.error)) points (root mean square), \(points(calibration.worst)) at worst; "
        + "without a matrix \(points(calibration.plainError)).")
    if isUnneeded {
      lines.append("# No matrix is needed: without one it is as good.")
      guard panel?.matrix != nil else { return lines.joined(separator: "\n") + "\n" }
    }
    lines.append("[Device \(section ?? "MATCH")]")
    lines.append("Matrix=\(isUnneeded ? "1 0 0 0 1 0" : matrixText)")
    return lines.joined(separator: "\n") + "\n"
  }

  /// What to do with the lines, for a person.
  var advice: [String] {
    if calibration.worst > limit {
      // Which of them it was cannot be told: a wrong corner and the one opposite give the same errors.
      return [
        "Repeat it: touches are off by more than \(CalibrationReport.points(limit)) points. One may have missed its",
        "cross; if it stays so, the panel is bent in a way that no matrix mends.",
      ]
    }
    var advice: [String] = []
    if isUnneeded, panel?.matrix == nil { return advice }
    advice.append("Put these lines at the end of /etc/keylift/keylift.conf, or into a file in")
    advice.append("/etc/keylift/keylift.conf.d. Then: systemctl reload keylift")
    if let panel, let matrix = panel.matrix {
      let error = Calibration.rootMeanSquare(Calibration.errors(taps, mapping, matrix))
      let source =
        panel.node["mapping"]["matrixFrom"].asString == "udev" ? "udev's" : "the configuration's present"
      advice.append(
        "They take the place of \(source) matrix, with which the error is \(CalibrationReport.points(error)) points."
      )
    }
    return advice
  }

  var json: JSON {
    let screen = mapping.screen
    func range(_ range: ClosedRange<Int32>) -> JSON {
      .array([.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound))])
    }
    func members(_ point: Point) -> [JSON.Member] {
      [.init("x", .number(point.x)), .init("y", .number(point.y))]
    }
    let taps = zip(taps, calibration.errors).map { tap, error in
      JSON.object(
        [.init("point", .object(members(tap.point)))] + members(tap.raw) + [.init("error", .number(error))])
    }
    return .object([
      .init("section", section.map(JSON.string) ?? .null),
      .init("device", panel.map { .string($0.path) } ?? .null),
      .init("screen", .string(screen.name)), .init("width", .number(screen.size.width)),
      .init("height", .number(screen.size.height)),
      .init("rotation", .integer(Int64(screen.rotation.rawValue))),
      .init("rangeX", range(mapping.rangeX)), .init("rangeY", range(mapping.rangeY)),
      .init("swapAxes", .bool(mapping.swapAxes)), .init("invertX", .bool(mapping.invertX)),
      .init("invertY", .bool(mapping.invertY)), .init("taps", .array(taps)),
      .init("matrix", .array(calibration.matrix.coefficients.map(JSON.number))),
      .init("error", .number(calibration.error)), .init("worst", .number(calibration.worst)),
      .init("errorWithoutMatrix", .number(calibration.plainError)),
      .init("needed", .bool(!isUnneeded)),
    ])
  }
}
