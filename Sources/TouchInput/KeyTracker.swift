/// A key of some device going down or up.
public struct KeyChange: Equatable, Sendable {
  /// A KEY_* code; it reaches the responder chain and nothing else (touch-input, rule 29).
  public var code: UInt16
  public var pressed: Bool

  public init(code: UInt16, pressed: Bool) {
    self.code = code
    self.pressed = pressed
  }
}

/// The keys of one device: repeats, second presses and orphan releases are dropped (touch-input, rule 29).
public struct KeyTracker: Equatable, Sendable {
  private var down: [UInt16] = []

  /// Keys that are held at open stay silent until they are released.
  public init(heldAtOpen: [UInt16] = []) { silent = heldAtOpen.filter(KeyTracker.isKey) }

  private var silent: [UInt16]

  /// True for KEY_*, false for BTN_* and what lies beyond.
  public static func isKey(_ code: UInt16) -> Bool {
    code > 0 && code <= KEY.MAX && !(BTN.ZERO...BTN.LAST).contains(code)
  }

  /// Whether one of the codes is held.
  public func holds(_ codes: [UInt16]) -> Bool { codes.contains { down.contains($0) } }

  /// Takes an EV_KEY event; nil if it changes nothing.
  public mutating func handle(code: UInt16, value: Int32) -> KeyChange? {
    guard KeyTracker.isKey(code) else { return nil }
    switch value {
    case 1 where !down.contains(code) && !silent.contains(code):
      down.append(code)
      return KeyChange(code: code, pressed: true)
    case 0:
      silent.removeAll { $0 == code }
      guard let place = down.firstIndex(of: code) else { return nil }
      down.remove(at: place)
      return KeyChange(code: code, pressed: false)
    default:
      return nil
    }
  }

  /// Releases what is not held any more after lost events; a press that was lost is not invented.
  public mutating func resynchronize(held: [UInt16]) -> [KeyChange] {
    let released = down.filter { !held.contains($0) }
    silent = held.filter { KeyTracker.isKey($0) && !down.contains($0) }
    down.removeAll { !held.contains($0) }
    return released.map { KeyChange(code: $0, pressed: false) }
  }
}
