/// What a device is taken for, and why.
public struct DeviceRole: Equatable, Sendable {
  public enum Kind: String, Sendable { case touchscreen, tablet, touchpad, keyboard, other }

  public var kind: Kind
  /// True if its touches are read.
  public var touch: Bool
  /// True if its keys are read.
  public var keys: Bool
  /// True if it has the letter keys, as a power button or a remote control has not (focus-and-layout, rule 17).
  public var isKeyboard: Bool
  /// Why a device that looks like a touchscreen is not used as one; nil if there is nothing to say.
  public var refusal: String?

  /// Classifies by what udev says, else by capabilities (touch-input, rules 15, 21 and 24).
  public init(_ device: DeviceDescription) {
    let axes = device.absoluteAxes
    let direct = device.properties.contains(INPUT_PROP.DIRECT)
    let pen = device.keys.contains(BTN.TOOL_PEN) || device.keys.contains(BTN.STYLUS)
    let absolute = axes[ABS.X] != nil || axes[ABS.MT_POSITION_X] != nil
    let button = [BTN.TOUCH, BTN.LEFT, BTN.ZERO].contains { device.keys.contains($0) }
    let hasKeys = device.keys.contains { KeyTracker.isKey($0) }

    keys = hasKeys
    isKeyboard = KEY.LETTERS.allSatisfy { device.keys.contains($0) }
    refusal = nil
    let verdict = device.udevProperties["ID_INPUT_TOUCHSCREEN"]
    if verdict == "1" {
      kind = .touchscreen
    } else if pen {
      kind = .tablet
    } else if device.keys.contains(BTN.TOOL_FINGER), !direct {
      kind = .touchpad
    } else if absolute, verdict != "0", direct || device.keys.contains(BTN.TOUCH) {
      kind = .touchscreen
    } else {
      kind = hasKeys ? .keyboard : .other
    }

    touch = false
    if kind == .touchscreen {
      do throws(AxisError) {
        let layout = try TouchAxes(device)
        if layout.contacts == .single, !button {
          refusal = "it has no BTN_TOUCH, BTN_LEFT or BTN_0 that would say when it is touched"
        } else {
          touch = true
        }
      } catch {
        refusal = error.reason
      }
    }
  }
}

/// Why a device's axes cannot be used.
public struct AxisError: Error, Equatable, Sendable {
  public var reason: String
}

/// Where a touchscreen reports its contacts: the axes, their ranges and the number of slots.
public struct TouchAxes: Equatable, Sendable {
  public enum Contacts: Equatable, Sendable {
    /// ABS_X, ABS_Y and a button.
    case single
    /// Protocol B, with this many slots.
    case slots(Int)
  }

  public var contacts: Contacts
  public var x: AbsoluteAxis
  public var y: AbsoluteAxis

  /// The most slots that are followed; the kernel lets a device have more, no panel does.
  public static let maximumSlots = 256

  /// Throws: what is wrong with the axes (touch-input, rules 15 and 21).
  public init(_ device: DeviceDescription) throws(AxisError) {
    let axes = device.absoluteAxes
    let slots = axes[ABS.MT_SLOT]
    if let slots, axes[ABS.MT_SLOT_BEFORE] == nil, axes[ABS.MT_TRACKING_ID] != nil,
      axes[ABS.MT_POSITION_X] != nil || axes[ABS.MT_POSITION_Y] != nil
    {
      let count = min(max(Int(slots.maximum), 0), TouchAxes.maximumSlots - 1) + 1
      contacts = .slots(count)
      x = try TouchAxes.checked(axes[ABS.MT_POSITION_X], "ABS_MT_POSITION_X")
      y = try TouchAxes.checked(axes[ABS.MT_POSITION_Y], "ABS_MT_POSITION_Y")
    } else {
      contacts = .single
      x = try TouchAxes.checked(axes[ABS.X], "ABS_X")
      y = try TouchAxes.checked(axes[ABS.Y], "ABS_Y")
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
