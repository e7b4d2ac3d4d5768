/// Whether a pen, or another tool of a tablet, is at or above the panel (touch-input, rule 18).
public struct PenProximity: Codable, Equatable, Sendable {
  private var tools: Set<UInt16>

  /// The tools that come near before they touch: BTN_TOOL_PEN to BTN_TOOL_AIRBRUSH.
  private static let range = BTN.TOOL_PEN...BTN.TOOL_AIRBRUSH

  /// Starts with what is held.
  public init(_ state: DeviceState) { tools = Set(state.keysDown.filter(PenProximity.range.contains)) }

  public var isNear: Bool { !tools.isEmpty }

  /// Takes an EV_KEY event; others than a pen's tools say nothing.
  public mutating func handle(_ code: UInt16, _ value: Int32) {
    guard PenProximity.range.contains(code) else { return }
    if value == 0 { tools.remove(code) } else { tools.insert(code) }
  }
}
