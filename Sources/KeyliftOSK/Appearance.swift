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

extension Appearance {
  /// A keyboard that shows.
  ///
  /// - sight: what the desktop sees of it
  /// - screen: the one that it is to be on; nil while none is known
  /// - screens: how many there are
  init(seen sight: Sight, on screen: Screen?, of screens: Int) {
    self.init(isVisible: true)
    guard case .seen(let place) = sight else { return }
    if let cover = place.coveredBy {
      isVisible = false
      problem = "the full-screen window \"\(cover)\" lies above it"
    } else if let screen, screens > 1, !place.output.isEmpty, place.output != screen.name {
      problem = "it is on the output \(place.output), and not on the screen \(screen.name)"
    } else if let screen {
      frame = place.frame.scaled(from: place.size, to: screen.size)
      if !place.size.hasShape(of: screen.size) {
        problem =
          "the output is \(place.size.text) and Keylift's screen \(screen.name) \(screen.size.text): "
          + "[Screen \(screen.name)] Rotation= or Size= in keylift.conf does not fit"
      }
    }
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
