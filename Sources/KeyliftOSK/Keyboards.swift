import EventLoop

/// The keyboards that may be driven, of which the first that is there is.
final class Keyboards {
  /// Called when another is driven, or none, and whenever the one that is driven has changed.
  var onChange: (() -> Void)?

  private let all: [any OnScreenKeyboard]
  private let log: Log
  private(set) var current: (any OnScreenKeyboard)?
  /// Whether one that is preferred may take the place of another that is there.
  var mayChange: () -> Bool = { true }

  /// - all: in the order of preference
  init(_ all: [any OnScreenKeyboard], _ log: Log) {
    self.all = all
    self.log = log
    for keyboard in all {
      keyboard.onChange = { [unowned self, unowned keyboard] in changed(keyboard) }
    }
    choose()
  }

  /// What is driven, for people.
  var title: String { current?.name ?? all.map(\.name).joined(separator: ", ") }

  /// Why none is driven.
  var absence: String {
    (all.count == 1 ? "\(title) does not run" : "no keyboard that it knows runs")
      + " in this session" + (all.count == 1 ? "" : ": \(title)")
      + "; start one in what starts the session, such as wvkbd-mobintl --hidden"
  }

  /// Looks for one, since it is wanted; `onChange` tells if it is there.
  func look() {
    for keyboard in all where current == nil { keyboard.look() }
  }

  /// Lets one that is preferred take the place of another, since that is not wanted now.
  func reconsider() {
    if choose() { onChange?() }
  }

  func close() {
    for keyboard in all {
      keyboard.onChange = nil  // what it does in the end is not to be mended
      keyboard.close()
    }
  }

  private func changed(_ keyboard: any OnScreenKeyboard) {
    if choose() || keyboard === current { onChange?() }
  }

  /// Returns: whether it is another one now.
  @discardableResult
  private func choose() -> Bool {
    let old = current
    let best = all.first { $0.isPresent }
    guard best !== old, old?.isPresent != true || mayChange() else { return false }
    current = best
    if let current {
      log.info("\(current.name) is there")
    } else if let old {
      log.warning("\(old.name) is gone")
    }
    return true
  }
}
