import TouchInput

extension DeviceDescription {
  /// A panel of protocol B with ten slots, for engines under test.
  ///
  /// - width, height: what its axes reach, from 0.
  public static func panel(width: Int32, height: Int32, udevProperties: [String: String] = [:])
    -> DeviceDescription
  {
    DeviceDescription(
      name: "Panel", properties: [INPUT_PROP.DIRECT], keys: [BTN.TOUCH],
      absoluteAxes: [
        ABS.MT_SLOT: AbsoluteAxis(minimum: 0, maximum: 9),
        ABS.MT_POSITION_X: AbsoluteAxis(minimum: 0, maximum: width - 1),
        ABS.MT_POSITION_Y: AbsoluteAxis(minimum: 0, maximum: height - 1),
        ABS.MT_TRACKING_ID: AbsoluteAxis(minimum: 0, maximum: 65535),
      ], udevProperties: udevProperties)
  }
}
