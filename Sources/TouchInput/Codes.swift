// The kernel's numbers, under the kernel's names (linux/input-event-codes.h). Only those that are used.

/// Event types.
public enum EV {
  public static let SYN: UInt16 = 0x00
  public static let KEY: UInt16 = 0x01
  public static let REL: UInt16 = 0x02
  public static let ABS: UInt16 = 0x03
}

/// Synchronisation events.
public enum SYN {
  public static let REPORT: UInt16 = 0
  public static let MT_REPORT: UInt16 = 2
  public static let DROPPED: UInt16 = 3
}

/// Absolute axes.
public enum ABS {
  public static let X: UInt16 = 0x00
  public static let Y: UInt16 = 0x01
  public static let PRESSURE: UInt16 = 0x18
  public static let DISTANCE: UInt16 = 0x19
  public static let MT_SLOT: UInt16 = 0x2f
  /// One below ABS_MT_SLOT: a device that has both counts its axes through, and is no multitouch device.
  public static let RESERVED: UInt16 = 0x2e
  public static let MT_TOUCH_MAJOR: UInt16 = 0x30
  public static let MT_POSITION_X: UInt16 = 0x35
  public static let MT_POSITION_Y: UInt16 = 0x36
  public static let MT_TOOL_TYPE: UInt16 = 0x37
  public static let MT_TRACKING_ID: UInt16 = 0x39
  public static let MT_PRESSURE: UInt16 = 0x3a
  public static let MT_DISTANCE: UInt16 = 0x3b
  /// The last of a contact's axes; ABS_MT_SLOT is the first.
  public static let MT_TOOL_Y: UInt16 = 0x3d
}

/// Values of ABS_MT_TOOL_TYPE.
public enum MT_TOOL {
  public static let FINGER: Int32 = 0
  public static let PALM: Int32 = 2
}

/// Buttons.
public enum BTN {
  public static let ZERO: UInt16 = 0x100
  public static let LEFT: UInt16 = 0x110
  public static let JOYSTICK: UInt16 = 0x120
  public static let DIGI: UInt16 = 0x140
  public static let TOOL_PEN: UInt16 = 0x140
  /// The last of the tools that a pen can be: pen, rubber, brush, pencil, airbrush.
  public static let TOOL_AIRBRUSH: UInt16 = 0x144
  public static let TOOL_FINGER: UInt16 = 0x145
  public static let TOUCH: UInt16 = 0x14a
  public static let STYLUS: UInt16 = 0x14b
  /// Buttons reach from BTN_0 to here; below and above are keys.
  public static let LAST: UInt16 = 0x15f
}

/// Keys.
public enum KEY {
  public static let ESC: UInt16 = 1
  public static let TAB: UInt16 = 15
  public static let ENTER: UInt16 = 28
  /// KEY_Q to KEY_P, KEY_A to KEY_L and KEY_Z to KEY_M.
  public static let LETTERS = Array(UInt16(16)...25) + Array(UInt16(30)...38) + Array(UInt16(44)...50)
  public static let LEFTCTRL: UInt16 = 29
  public static let LEFTSHIFT: UInt16 = 42
  public static let RIGHTSHIFT: UInt16 = 54
  public static let LEFTALT: UInt16 = 56
  public static let KPENTER: UInt16 = 96
  public static let RIGHTCTRL: UInt16 = 97
  public static let RIGHTALT: UInt16 = 100
  public static let LEFTMETA: UInt16 = 125
  public static let RIGHTMETA: UInt16 = 126
  public static let BACK: UInt16 = 158
  public static let MAX: UInt16 = 0x2ff
}

/// Device properties.
public enum INPUT_PROP {
  public static let POINTER: UInt16 = 0
  public static let DIRECT: UInt16 = 1
}
