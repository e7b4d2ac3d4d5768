/// Why a device's axes cannot be used.
public struct AxisError: Error, Equatable, Sendable {
  public var reason: String
}

/// Where a touchscreen reports its contacts: the axes, their ranges and the number of slots.
public struct TouchAxes: Codable, Equatable, Sendable {
  public enum Contacts: Codable, Equatable, Sendable {
    /// ABS_X, ABS_Y and a button.
    case single
    /// Protocol B, with this many slots.
    case slots(Int)
    /// Protocol A: contacts without a slot. Whoever reads the device numbers them, as mtdev does, and hands on
    /// protocol B with `mostAnonymous` slots.
    case anonymous

    enum SlotsCodingKeys: String, CodingKey { case _0 = "count" }
  }

  public var contacts: Contacts
  public var x: AbsoluteAxis
  public var y: AbsoluteAxis
  /// Whether contacts come with a pressure that can tell a touch from a finger above the screen (rule 14).
  public var hasPressure: Bool

  /// The most slots that are followed; the kernel lets a device have more, no panel does.
  public static let maximumSlots = 256
  /// The most contacts of protocol A that are followed; mtdev has 32 slots and cannot use the last.
  public static let mostAnonymous = 31

  /// Throws: what is wrong with the axes (touch-input, rules 15 and 21).
  public init(_ device: DeviceDescription) throws(AxisError) {
    let axes = device.absoluteAxes
    let slots = axes[ABS.MT_SLOT]
    if let slots, axes[ABS.RESERVED] == nil, axes[ABS.MT_TRACKING_ID] != nil,
      axes[ABS.MT_POSITION_X] != nil || axes[ABS.MT_POSITION_Y] != nil
    {
      let count = min(max(Int(slots.maximum), 0), TouchAxes.maximumSlots - 1) + 1
      contacts = .slots(count)
      x = try TouchAxes.checked(axes[ABS.MT_POSITION_X], "ABS_MT_POSITION_X")
      y = try TouchAxes.checked(axes[ABS.MT_POSITION_Y], "ABS_MT_POSITION_Y")
    } else if slots == nil, axes[ABS.MT_POSITION_X] != nil || axes[ABS.MT_POSITION_Y] != nil {
      contacts = .anonymous
      x = try TouchAxes.checked(axes[ABS.MT_POSITION_X], "ABS_MT_POSITION_X")
      y = try TouchAxes.checked(axes[ABS.MT_POSITION_Y], "ABS_MT_POSITION_Y")
    } else {
      contacts = .single
      x = try TouchAxes.checked(axes[ABS.X], "ABS_X")
      y = try TouchAxes.checked(axes[ABS.Y], "ABS_Y")
    }
    let pressure = axes[contacts == .single ? ABS.PRESSURE : ABS.MT_PRESSURE]
    hasPressure = pressure.map { $0.minimum < $0.maximum } ?? false
  }

  /// The number of slots that contacts come in; one for a single touch.
  public var slotCount: Int {
    switch contacts {
    case .single: 1
    case .slots(let count): max(1, count)
    case .anonymous: TouchAxes.mostAnonymous
    }
  }

  static func checked(_ axis: AbsoluteAxis?, _ name: String) throws(AxisError) -> AbsoluteAxis {
    guard let axis else { throw AxisError(reason: "it has no \(name)") }
    let range = Int64(axis.maximum) - Int64(axis.minimum)
    guard range > 0 else {
      throw AxisError(reason: "the range of \(name) is \(axis.minimum)...\(axis.maximum)")
    }
    guard range <= 1 << 30 else {
      throw AxisError(reason: "the range of \(name), \(axis.minimum)...\(axis.maximum), is over 2^30")
    }
    return axis
  }
}
