import EventLoop

extension Bus {
  /// Tells who owns a name: at first, and whenever that changes; nil for nobody.
  public func watch(name: String, _ onOwner: @escaping (String?) -> Void) throws(SystemError) -> NameWatch {
    try NameWatch(self, name, onOwner)
  }

  /// A name that is watched until this is released.
  public final class NameWatch {
    private var match: Subscription?
    private var question: Subscription?

    fileprivate init(_ bus: Bus, _ name: String, _ onOwner: @escaping (String?) -> Void) throws(SystemError) {
      match = try bus.match(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(name)'"
      ) { [unowned self] values in
        question = nil  // what is answered now may be older
        let owner = values.count == 3 ? values[2].asString : nil
        onOwner(owner.flatMap { $0.isEmpty ? nil : $0 })
      }
      question = bus.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
        [.string(name)]
      ) { answer in
        if case .success(let values) = answer { onOwner(values.first?.asString) } else { onOwner(nil) }
      }
    }
  }
}
