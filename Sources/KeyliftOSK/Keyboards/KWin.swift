import DBus
import Desktop
import EventLoop

/// The keyboard of KDE's compositor, whichever program draws it: /VirtualKeyboard on the session bus (5.27).
///
/// It shows only if the last input that the compositor saw was a touch or a pen; where it is, nobody tells.
final class KWin: OnScreenKeyboard {
  static let name = "kwin"
  var onChange: (() -> Void)?
  private(set) var isVisible: Bool?
  let traits: KeyboardTraits? = nil
  /// Whether there is a compositor, and it has a keyboard.
  var isPresent: Bool { owner != nil && isAvailable }

  private static let busName = "org.kde.KWin"
  private static let path = "/VirtualKeyboard"
  private static let interface = "org.kde.kwin.VirtualKeyboard"

  private let session: SessionBus
  private var bus: Bus?
  private var owner: String?
  private var isAvailable = false
  private var watch: Bus.NameWatch?
  private var changes: Bus.Subscription?
  private var questions: [Bus.Subscription?] = []

  init(on session: SessionBus) {
    self.session = session
    session.use { [unowned self] in connect($0) }
  }

  func setVisible(_ visible: Bool) {
    guard visible else { return set("active", to: false) }
    // Else it would take no notice; KDE keeps this setting.
    set("enabled", to: true)
    // By active alone it would not show for an application that knows nothing of input methods.
    bus?.call(KWin.busName, KWin.path, KWin.interface, "forceActivate")
  }

  private func set(_ property: String, to value: Bool) {
    bus?.call(
      KWin.busName, KWin.path, "org.freedesktop.DBus.Properties", "Set",
      [.string(KWin.interface), .string(property), .variant(.bool(value))])
  }

  private func connect(_ bus: Bus?) {
    self.bus = bus
    // Its own signals, such as visibleChanged, say only that something has changed.
    changes = try? bus?.match(
      "type='signal',sender='\(KWin.busName)',path='\(KWin.path)',interface='\(KWin.interface)'"
    ) { [unowned self] _ in ask() }
    watch = try? bus?.watch(name: KWin.busName) { [unowned self] in owned(by: $0) }
    if bus == nil { owned(by: nil) }
  }

  private func owned(by owner: String?) {
    self.owner = owner
    (isVisible, isAvailable, questions) = (nil, false, [])
    if owner != nil { ask() }
    onChange?()
  }

  private func ask() {
    questions = [
      ask("visible") { [unowned self] in isVisible = $0 },
      ask("available") { [unowned self] in isAvailable = $0 },
    ]
  }

  private func ask(_ property: String, _ take: @escaping (Bool) -> Void) -> Bus.Subscription? {
    bus?.get(property, of: KWin.busName, KWin.path, KWin.interface) { [unowned self] answer in
      guard case .success(let value) = answer, let value = value.asBool else { return }
      take(value)
      onChange?()
    }
  }
}
