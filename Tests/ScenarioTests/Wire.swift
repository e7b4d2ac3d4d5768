import Engine
import Geometry
import Glibc
import Invariants
import EngineCoding
import KeyliftProtocol
import TouchInput
import Varlink

@testable import KeyliftDaemon

extension JSON {
  /// What is written into one object, read again.
  static func written(_ members: (inout JSONWriter) -> Void) -> JSON {
    var writer = JSONWriter()
    writer.object { members(&$0) }
    return (try? JSON.parse(writer.bytes)) ?? .null
  }

  /// An error as a scenario expects it.
  fileprivate static func error(_ name: String, _ parameters: Member...) -> JSON {
    .object([Member(name, .object(parameters))])
  }
}

extension Answer {
  /// The parameters of a reply, or of an error under its name.
  var onTheWire: JSON {
    switch self {
    case .attached, .done: .empty
    case .updated(let revision): .object([.init("revision", .integer(Int64(revision)))])
    case .driving(let name): .object([.init("driver", .string(name))])
    case .keyboard(let by): .object([.init("refusedBy", by.map(JSON.string) ?? .null)])
    case .failed(let error): error.onTheWire
    }
  }
}

extension RequestError {
  fileprivate var onTheWire: JSON {
    switch self {
    case .noSuchDriver(let name): .error(KeyliftError.noSuchDriver, .init("driver", .string(name)))
    case .noSuchScreen(let name): .error(KeyliftError.noSuchScreen, .init("screen", .string(name)))
    case .touch(_, let problem): .error(KeyliftError.invalidTouch, .init("problem", .string(problem)))
    case .scene(.noSuchScene(let name)): .error(KeyliftError.noSuchScene, .init("scene", .string(name)))
    case .scene(.noSuchView(let view)): .error(KeyliftError.noSuchView, .init("view", .string(view)))
    case .scene(.refused(let by)): .error(KeyliftError.refused, .init("by", .string(by)))
    case .scene(.invalidScene(let view, let problem)):
      .error(
        KeyliftError.invalidScene, .init("view", view.map(JSON.string) ?? .null),
        .init("problem", .string(problem)))
    }
  }
}

extension Settings {
  /// What a text says, as keylift.conf.
  init(text: String) throws(ScenarioError) {
    guard let file = unsafe tmpfile() else { throw ScenarioError("there can be no temporary file") }
    defer { unsafe _ = fclose(file) }
    unsafe _ = fputs(text, file)
    unsafe _ = fflush(file)
    do throws(ConfigurationError) {
      self = try Settings.read(["/proc/self/fd/\(unsafe fileno(file))"])
    } catch {
      throw ScenarioError("the configuration is wrong: \(error)")
    }
  }
}

/// Panels whose axes count whole parts of a point from 0, so that every such point can be touched exactly.
struct PanelGrid {
  let unitsPerPoint: Int

  func panel(for screen: Screen) -> DeviceDescription {
    let size = screen.unrotatedSize
    var panel = DeviceDescription.panel(
      width: Int32(size.width) * Int32(unitsPerPoint), height: Int32(size.height) * Int32(unitsPerPoint))
    panel.name = "Panel \(screen.name)"
    return panel
  }

  /// Where a panel must be touched for a point of its screen.
  func axes(_ point: Point, on screen: Screen) throws(ScenarioError) -> [(UInt16, Int32)] {
    let place =
      switch screen.rotation {
      case .none: point
      case .clockwise90: Point(x: point.y, y: screen.size.width - point.x)
      case .clockwise180: Point(x: screen.size.width - point.x, y: screen.size.height - point.y)
      case .clockwise270: Point(x: screen.size.height - point.y, y: point.x)
      }
    let size = screen.unrotatedSize
    return [
      (ABS.MT_POSITION_X, try units(place.x, below: size.width)),
      (ABS.MT_POSITION_Y, try units(place.y, below: size.height)),
    ]
  }

  private func units(_ points: Double, below limit: Double) throws(ScenarioError) -> Int32 {
    let units = points * Double(unitsPerPoint)
    guard points >= 0, points < limit, abs(units - units.rounded()) < 1e-6 else {
      throw ScenarioError("no axis has a value for \(points) of \(limit) points")
    }
    return Int32(units.rounded())
  }
}
