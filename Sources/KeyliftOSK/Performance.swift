import Desktop
import Geometry
import KeyliftClient

/// Keeps a keyboard at what is ordered: what to tell it, when to look again, and what to report of it. It knows no
/// clock and no keyboard, and so is the same for all of them.
///
/// The keyboard is told at once, and again while it does nothing, since it may be starting. What comes of it is reported
/// when its own word and what is seen of it agree, or after a while if they do not. What it does from then on is its own
/// doing, and reported as it happens. Source: focus-and-layout, rules 20 to 22.
struct Performance {
  /// How long a keyboard may take to do what it is told, in microseconds.
  static let keyboardPatience: UInt64 = 3_000_000
  /// How long, once it says that it did, until that is seen.
  static let desktopPatience: UInt64 = 1_000_000
  /// After which it is told again.
  static let pause: UInt64 = 700_000

  /// What is known of a keyboard.
  struct Knowledge: Equatable {
    /// Whether it shows, by its own word; nil if it does not say.
    var word: Bool?
    /// What the desktop sees of it.
    var sight: Sight
  }

  /// What is to be done.
  struct Step: Equatable {
    /// To be told to the keyboard.
    var command: Bool?
    /// To be told to the desktop; what it sees may be different then.
    var hint: Hint?
    /// What to report; nil while that is not known yet.
    var appearance: Appearance?
    /// When to look again if nothing changes before, in microseconds; nil for never.
    var wakeAt: UInt64?
  }

  enum Hint { case keyboardIsHidden, keyboardShouldBeHidden }

  private struct Told {
    var visible: Bool
    var at: UInt64
    var again: UInt64
    /// When it said that it did, or was seen to.
    var did: UInt64?
    /// It did, or was given up.
    var isOver = false
    var isGivenUp = false
  }

  /// The last that it was told; nil while nothing is known of it.
  private var told: Told?
  /// What was wrong as it was last to show; that stays true of it while it is hidden.
  private var problem: String?

  /// Whether it was last told to show; nil if it was told nothing.
  var lastCommand: Bool? { told?.visible }

  /// The keyboard is gone, or it is another one.
  mutating func forget() { self = Performance() }

  /// - ordered: whether it should be on the screen
  /// - screen: where; nil while none is known
  /// - screens: how many there are
  mutating func step(
    ordered: Bool, _ knowledge: Knowledge, on screen: Screen?, of screens: Int, at now: UInt64
  ) -> Step {
    var step = Step()
    let isSettled = knowledge.agrees(with: ordered)
    if told?.visible != ordered {
      // What it has done by itself it is not told to do, since the person may be undoing it right now.
      let isDone = told?.isOver == true && told?.isGivenUp == false && isSettled && knowledge.isCertain
      told = Told(visible: ordered, at: now, again: now &+ Performance.pause)
      if !isDone { step.command = ordered }
    } else if let told, !told.isOver, !isSettled, now >= told.again {
      self.told?.again = now &+ Performance.pause
      step.command = ordered
    }
    if step.command != nil, isSettled {
      step.wakeAt = now  // once it was told it may say something else
      return step
    }
    if let told, !told.isOver, !isSettled {
      let did = knowledge.shows(told: ordered) == ordered ? told.did ?? now : nil
      self.told?.did = did
      let end = did.map { $0 &+ Performance.desktopPatience } ?? told.at &+ Performance.keyboardPatience
      guard now >= end else {
        step.wakeAt = min(end, told.again)
        return step
      }
      self.told?.isGivenUp = true
    }
    let isOwnDoing = told?.isOver ?? false
    told?.isOver = true
    if !ordered, !isOwnDoing {
      step.hint = isSettled || knowledge.word == false ? .keyboardIsHidden : .keyboardShouldBeHidden
    }
    step.appearance = appearance(ordered, knowledge, isOwnDoing, screen, screens)
    return step
  }

  private mutating func appearance(
    _ ordered: Bool, _ knowledge: Knowledge, _ isOwnDoing: Bool, _ screen: Screen?, _ screens: Int
  ) -> Appearance {
    let shows = knowledge.shows(told: ordered)
    var appearance = shows ? Appearance(seen: knowledge.sight, on: screen, of: screens) : .hidden
    if ordered, shows || !isOwnDoing {
      if !shows { appearance.problem = "it was told to show, and does not" }
      problem = appearance.isVisible ? nil : appearance.problem
    } else if !appearance.isVisible {
      appearance.problem = problem
    }
    return appearance
  }
}

extension Performance.Knowledge {
  /// Whether it shows, as far as can be known: its own word, else what is seen, else what it was told.
  func shows(told: Bool) -> Bool {
    if let word { return word }
    return switch sight {
    case .seen: true
    case .hidden: false
    case .unknown: told
    }
  }

  /// Whether that is known, and not just taken.
  var isCertain: Bool { word != nil || sight != .unknown }

  /// Whether it does what it was told, and what is seen of it fits that.
  func agrees(with told: Bool) -> Bool {
    guard shows(told: told) == told else { return false }
    return switch sight {
    case .seen: told
    case .hidden: !told
    case .unknown: true
    }
  }
}
