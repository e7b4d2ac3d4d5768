import Geometry

/// What a compositor leaves of an output beside its panels and keyboards, and what of the rest is a keyboard.
///
/// Only sizes are told, so that a keyboard is taken to be at the bottom (keyboards: the layer-shell probe).
struct UsableArea: Equatable {
  /// The whole output's; nil until both sizes are told.
  private(set) var output: Size?
  /// How much of the output's height is taken.
  private var taken = 0.0
  /// How much of it panels take; nil until that is known. They take the same after a rotation.
  private var panels: Double?

  /// The least part of the output's height that is a keyboard; what takes less is a panel.
  private static let least = 0.1

  /// Takes what is left of the whole output; not where one of them is of another rotation, as it may be for a moment.
  mutating func resize(to left: Size, of output: Size) {
    guard left.width <= output.width, left.height <= output.height else { return }
    self.output = output
    taken = output.height - left.height
    if panels != nil, keyboard == nil { panels = taken }
  }

  /// No keyboard shows: what is left is so without one.
  mutating func keyboardIsHidden() {
    if output != nil { panels = taken }
  }

  /// A keyboard that says nothing was told to hide, and has had the time: what is missing is a panel's, if nothing
  /// else is known.
  mutating func keyboardShouldBeHidden() {
    if panels == nil { keyboardIsHidden() }
  }

  /// The keyboard's frame in the output; nil if there is none.
  var keyboard: Rect? {
    guard let output else { return nil }
    let height = taken - (panels ?? 0)
    guard height >= UsableArea.least * output.height else { return nil }
    return Rect(x: 0, y: output.height - height, width: output.width, height: height)
  }
}
