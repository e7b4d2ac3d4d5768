/// What a device is taken for, and why.
public struct DeviceRole: Codable, Equatable, Sendable {
  public enum Kind: String, Codable, Sendable { case touchscreen, tablet, touchpad, keyboard, other }

  public var kind: Kind
  /// True if its touches are read.
  public var touch: Bool
  /// True if its keys are read, which those of a tablet or a touchpad are not.
  public var keys: Bool
  /// True if it has a pen that comes near and leaves (touch-input, rule 18).
  public var pen: Bool
  /// True if it has the letter keys, as a power button or a remote control has not (focus-and-layout, rule 17).
  public var isKeyboard: Bool
  /// Why a device that looks like a touchscreen is not used as one; nil if there is nothing to say.
  public var refusal: String?

  /// Classifies by what udev says, else by capabilities (touch-input, rules 15, 21 and 24).
  public init(_ device: DeviceDescription) {
    let axes = device.absoluteAxes
    let direct = device.properties.contains(INPUT_PROP.DIRECT)
    pen = device.keys.contains(BTN.TOOL_PEN) || device.keys.contains(BTN.STYLUS)
    // One of the two is enough to be refused with the reason.
    let absolute = [ABS.X, ABS.Y, ABS.MT_POSITION_X, ABS.MT_POSITION_Y].contains { axes[$0] != nil }
    let button = [BTN.TOUCH, BTN.LEFT, BTN.ZERO].contains { device.keys.contains($0) }
    let hasKeys = device.keys.contains { KeyTracker.isKey($0) }

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
      if absolute, verdict == "0", direct || device.keys.contains(BTN.TOUCH) {
        refusal = "udev has ID_INPUT_TOUCHSCREEN=0 for it; it is used once no udev rule sets that"
      }
    }
    keys = hasKeys && (kind == .keyboard || kind == .touchscreen)
    isKeyboard = keys && KEY.LETTERS.allSatisfy { device.keys.contains($0) }

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
