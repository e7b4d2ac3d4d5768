import Geometry

/// What a compositor leaves of an output beside its panels and keyboards, and what of the rest is a keyboard.
///
/// Only sizes are told, so that a keyboard is taken to be at the bottom (keyboards: the layer-shell probe).
struct UsableArea: Equatable {
  /// The whole output's; nil until it is told.
  var output: Size?
  /// What is left now; nil until it is told.
  private(set) var size: Size?
  /// What is left while no keyboard shows; nil until that is known.
  private(set) var rest: Size?

  /// The least part of the output's height that is a keyboard; what takes less is a panel.
  private static let least = 0.1

  mutating func resize(to size: Size) {
    if let rest, size.width != rest.width {
      self.rest = nil  // it was rotated, or scaled
    } else if let rest, let output, size.height >= rest.height - UsableArea.least * output.height {
      self.rest = size
    }
    self.size = size
  }

  /// No keyboard shows: what is left is so without one.
  mutating func keyboardIsHidden() { rest = size }

  /// A keyboard that says nothing was told to hide, and has had the time: what is missing is a panel's, if nothing
  /// else is known.
  mutating func keyboardShouldBeHidden() {
    if rest == nil { rest = size }
  }

  /// The keyboard's frame in the output; nil if there is none.
  var keyboard: Rect? {
    guard let output, let size else { return nil }
    let taken = (rest ?? output).height - size.height
    guard taken >= UsableArea.least * output.height else { return nil }
    return Rect(x: 0, y: output.height - taken, width: output.width, height: taken)
  }
}
