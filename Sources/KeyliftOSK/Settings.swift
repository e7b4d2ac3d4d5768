import Geometry
import KeyliftClient

/// What keylift-osk is to do.
struct Settings {
  var socket = DaemonSocket()
  /// The keyboard's name; nil for whichever is there.
  var program: String?
  /// Where it is, if that is not to be learnt.
  var frame: FixedFrame?
  /// Whether it lies above full-screen windows.
  var isOverlay = false
  var commands = Commands()
  var isVerbose = false

  /// What to run where a keyboard is none of those known.
  struct Commands: Equatable {
    var show: String?
    var hide: String?
    /// Runs as long as the keyboard shows.
    var run: String?
  }
}

/// Where a keyboard is whose frame cannot be learnt: across the bottom of the screen.
struct FixedFrame: Equatable {
  enum Height: Equatable {
    case points(Double)
    /// A part of the screen's height, from 0 to 1.
    case share(Double)
  }

  var height: Height

  /// Reads `280` or `40%`.
  init?(_ text: String) {
    let isShare = text.hasSuffix("%")
    guard let number = Double(isShare ? String(text.dropLast()) : text), number > 0, number.isFinite,
      number <= (isShare ? 100 : 100_000)
    else { return nil }
    height = isShare ? .share(number / 100) : .points(number)
  }

  func rect(on screen: Size) -> Rect {
    let points =
      switch height {
      case .points(let points): min(points, screen.height)
      case .share(let share): share * screen.height
      }
    return Rect(x: 0, y: screen.height - points, width: screen.width, height: points)
  }
}
