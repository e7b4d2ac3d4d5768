import Desktop
import Geometry
import KeyliftClient

/// What is to be reported of a keyboard (io.keylift.Keyboard.Report).
struct Appearance: Equatable {
  var isVisible: Bool
  /// In screen points; nil where it cannot be learnt.
  var frame: Rect?
  /// What keeps it from being seen, or its frame from being right; nil if all is well.
  var problem: String?

  static let hidden = Appearance(isVisible: false)
}

/// What is known of a keyboard, put together.
struct Sighting: Equatable {
  /// Whether it shows, by its own word.
  var word: Bool?
  /// What the desktop sees of it.
  var sight: Sight
  /// Whether it was last told to show.
  var told: Bool

  /// Whether it shows, as far as can be known: its own word, else what is seen, else what it was told.
  var shows: Bool {
    if let word { return word }
    return switch sight {
    case .seen: true
    case .hidden: false
    case .unknown: told
    }
  }

  /// Whether nothing is to be waited for: it does what it was told, and what is seen of it fits that.
  var isSettled: Bool {
    guard shows == told else { return false }
    return switch sight {
    case .seen: told
    case .hidden: !told
    case .unknown: true
    }
  }

  /// How it appears on a screen.
  ///
  /// - screen: the one that the keyboard is to be on; nil while none is known
  /// - screens: how many there are
  func appearance(on screen: Screen?, of screens: Int) -> Appearance {
    guard shows else { return .hidden }
    guard case .seen(let place) = sight else { return Appearance(isVisible: true) }
    if let cover = place.coveredBy {
      return Appearance(isVisible: false, problem: "the full-screen window \"\(cover)\" lies above it")
    }
    guard let screen else { return Appearance(isVisible: true, frame: place.frame) }
    if screens > 1, !place.output.isEmpty, place.output != screen.name {
      return Appearance(
        isVisible: true, problem: "it is on the output \(place.output), and not on the screen \(screen.name)")
    }
    return Appearance(
      isVisible: true, frame: place.frame.scaled(from: place.size, to: screen.size),
      problem: place.size.hasShape(of: screen.size)
        ? nil
        : "the output is \(place.size.text) and Keylift's screen \(screen.name) \(screen.size.text): "
          + "[Screen \(screen.name)] Rotation= or Size= in keylift.conf does not fit")
  }
}

extension Rect {
  /// The same part of another size; a size without an area has no parts.
  func scaled(from: Size, to: Size) -> Rect {
    guard from.width > 0, from.height > 0 else { return self }
    let x = to.width / from.width
    let y = to.height / from.height
    return Rect(x: self.x * x, y: self.y * y, width: width * x, height: height * y)
  }
}

extension Size {
  /// Whether it is the other one, larger or smaller, to within a fiftieth.
  func hasShape(of other: Size) -> Bool {
    let product = width * other.height
    return abs(product - height * other.width) <= product / 50
  }

  var text: String { "\(Int(clampingTo: width))x\(Int(clampingTo: height))" }
}

extension Int {
  /// The nearest whole number; 0 for what is none.
  init(clampingTo value: Double) {
    self = Int(exactly: value.rounded()) ?? 0
  }
}

/// As Keyboard.Report takes it: at most 256 bytes, no control characters, which a window's title may have.
func reportable(_ problem: String) -> String {
  var text = ""
  for character in problem where character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
  {
    guard text.utf8.count + character.utf8.count <= 256 else { break }
    text.append(character)
  }
  return text
}
