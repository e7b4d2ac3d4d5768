import TouchInput

extension Engine {
  /// What would keep an engine that was decoded from running; nil for one that may run, as every other may.
  ///
  /// What decodes may still be a state that no inputs lead to: without a screen, with a slot that there is not, with a
  /// count that cannot go on.
  public var unsoundness: String? {
    if screens.isEmpty || configuration.screens.isEmpty { return "screens: there is none" }
    for place in devices.indices where devices[place].touchscreen?.isSound == false {
      return "devices[\(place)].touchscreen: it has a slot that there is not"
    }
    let most = 1 << 53
    for (name, count) in [
      ("lastScene", lastScene), ("driveOrder", driveOrder), ("lastQuestion", lastQuestion),
    ]
    where !(0...most).contains(count) {
      return "\(name): a count that cannot go on"
    }
    for place in scenes.indices where !(0...most).contains(scenes[place].revision) {
      return "scenes[\(place)].revision: a count that cannot go on"
    }
    return nil
  }
}
