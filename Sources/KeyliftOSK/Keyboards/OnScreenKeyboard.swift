import Desktop

/// A program that draws a keyboard, and how it is found, shown and hidden: one file for each kind.
///
/// Nothing in it waits; what it learns it tells by `onChange`. It may come and go while it is watched.
protocol OnScreenKeyboard: AnyObject {
  /// As osk.conf has it in Program=.
  static var name: String { get }
  /// Called from the loop whenever a property below has changed.
  var onChange: (() -> Void)? { get set }

  /// Whether it is there to be shown and hidden.
  var isPresent: Bool { get }
  /// Whether it shows, by its own word; nil if it does not say, or has not yet.
  var isVisible: Bool? { get }
  /// How its window is known; nil if no desktop tells where it is.
  var traits: KeyboardTraits? { get }

  /// Looks for it now, since it is wanted, if nothing tells when it comes.
  func look()
  /// Shows or hides it; called only while it is present, and again with the same for one that does not follow.
  func setVisible(_ visible: Bool)
  /// Ends what was begun: processes of its own, and what it watches.
  func close()
}

extension OnScreenKeyboard {
  var name: String { type(of: self).name }
  func look() {}
  func close() {}
}
