/// What onboard is to be called, given what it said last.
///
/// Docked, it slides, and says that it shows until it has slid out. Told to show before that, it slides out all the
/// same, and from then on says that it shows, beyond the edge of the screen. So it is told once it is hidden; and one
/// that got there nevertheless is hidden first.
struct OnboardCalls {
  enum Call: String {
    case show = "Show"
    case hide = "Hide"
  }

  private var last: Call?
  private var isLeaving = false
  /// To be shown as soon as it is hidden.
  private var isAwaited = false

  /// - word: whether it shows, by its own word; nil before it has said so
  mutating func set(_ visible: Bool, word: Bool?) -> Call? {
    guard visible else {
      (last, isLeaving, isAwaited) = (.hide, word != false, false)
      return .hide
    }
    if isAwaited { return nil }
    let isTold = last == .show
    last = .show
    guard word == true, isLeaving || isTold else { return .show }
    isAwaited = true
    if isLeaving { return nil }
    isLeaving = true
    return .hide
  }

  /// It says something else.
  mutating func said(_ word: Bool) -> Call? {
    guard !word else { return nil }
    isLeaving = false
    guard isAwaited else { return nil }
    isAwaited = false
    return .show
  }
}
