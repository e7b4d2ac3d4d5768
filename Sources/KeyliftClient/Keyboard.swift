import EventLoop
import Geometry
import KeyliftProtocol
import ResponderChain
import Varlink

/// The keyboard's driver (io.keylift.Keyboard): each order says whether it should show; report what is.
public final class Keyboard: DaemonClient {
  public var onOrder: ((KeyboardOrder) -> Void)?
  /// The last order; nil while there is no connection.
  public private(set) var latest: KeyboardOrder?

  /// Whether there is no keyboard to be driven, so that another driver is to; said as it is attached, and by `report`.
  public var isAbsent = false

  private let name: String
  private var report: ((inout JSONWriter) -> Void)?

  /// Throws: SystemError, such as EMFILE.
  public init(_ name: String, socket: DaemonSocket = DaemonSocket()) throws(SystemError) {
    self.name = name
    try super.init(Interfaces.keyboard, "io.keylift.Keyboard.Drive", at: socket)
  }

  /// What the keyboard does, after the last order was carried out; of several before the next answer, the last holds.
  ///
  /// Nothing while there is no connection: the next order is to be carried out and reported anew.
  /// - frame: in screen points; nil for the configured height
  /// - docked: to the screen's bottom; a keyboard that floats or is split covers nothing
  /// - problem: what keeps it from being seen where it should be, for the operator; nil if all is well
  public func report(visible: Bool, frame: Rect? = nil, docked: Bool = true, problem: String? = nil) {
    guard let latest else { return }
    report = { [isAbsent] writer in
      writer.field("driver", latest.driver)
      writer.field("visible", visible)
      if let frame { writer.field("frame", frame) }
      if !docked { writer.field("docked", false) }
      if let order = latest.order { writer.field("order", order) }
      if let problem { writer.field("problem", problem) }
      if isAbsent { writer.field("absent", true) }
    }
    wake()
  }

  override var subject: String { "keyboard \(name)" }
  override func writeParameters(to writer: inout JSONWriter) {
    writer.field("name", name)
    if isAbsent { writer.field("absent", true) }
  }

  override func nextCall() -> Call? {
    guard let report else { return nil }
    self.report = nil
    return Call(method: "io.keylift.Keyboard.Report", subject: subject, fields: report) { [unowned self] in
      guard case .failure(let error) = $0 else { return }
      if error.isRefusal { onError?(error) } else if isConnected { self.report = self.report ?? report }
    }
  }

  override func forget() {
    latest = nil
    report = nil  // what was on screen for a daemon that is gone
  }

  override func keep(_ state: JSON) { latest = KeyboardOrder(json: state) }
  override func tell() {
    if let latest { onOrder?(latest) }
  }
}

/// What the keyboard is to do (io.keylift.Keyboard, Drive).
public struct KeyboardOrder: Equatable, Sendable {
  /// As it came, with what a later daemon may say beside the rest.
  public let json: JSON

  public var driver: String { json["driver"].asString ?? "" }
  public var visible: Bool { json["visible"] == .bool(true) }
  /// What kind of input it is for; nil if no view has the focus.
  public var purpose: Purpose? { json["purpose"].enumeration(Purpose.self) }
  public var screen: String { json["screen"].asString ?? "" }
  /// Counts up whenever `visible` changes.
  public var order: Int64? { json["order"].asInteger }
  /// Where a finger has pulled it to, in screen points; nil while none pulls it.
  public var frame: Rect? { json["frame"].present { Rect($0) } }
}
