import Geometry
import KeyliftProtocol
import ResponderChain
import Varlink

/// What an application has on screen (io.keylift.Scene). Each state is the whole of it after a change.
///
/// It may be changed at any time, also while the daemon is away; it is attached again as it then is, without a focus.
/// What the daemon refuses is told by `onError`, and sent again together with the next change, which is to set it right.
public final class Scene: DaemonClient {
  public var onState: ((SceneState) -> Void)?
  /// Touches are asked for if there is one.
  public var onTouch: ((SceneTouch) -> Void)? { didSet { wake() } }
  /// The last state; nil while the scene is not attached.
  public private(set) var latest: SceneState?

  private let name: String
  /// The parameters of Attach but the views and the frame.
  private let writeHead: (inout JSONWriter) -> Void
  /// Bytes of them, and of the frame.
  private static let longestHead = 16 * 1024
  private var frame: JSON
  private var isFrameChanged = false
  private var views = SceneViews()
  /// The daemon has refused what it was told last, and the application has not changed it since.
  private var isRefused = false
  /// It was attached at once after a change, and not accepted since; later changes wait for the pause that grows.
  private var hasHurried = false
  private var intent: Intent?
  /// Counts up with each.
  private var intents = 0

  private enum Intent {
    case focus(String)
    case resign
  }

  /// Throws: SceneError as `set` does, SystemError such as EMFILE.
  public convenience init(_ name: String, views: [View] = [], socket: DaemonSocket = DaemonSocket()) throws {
    try self.init(SceneDescription(name: name), views: views, socket: socket)
  }

  /// Throws: SceneError as `set` does, SystemError such as EMFILE.
  public init(
    _ description: SceneDescription, views: [View] = [], socket: DaemonSocket = DaemonSocket()
  ) throws {
    name = description.name
    writeHead = { description.write(to: &$0) }
    frame = description.frame.map(Scene.encoded) ?? .null
    try Scene.check(writeHead, frame)
    try super.init(Interfaces.scene, "io.keylift.Scene.Attach", at: socket)
    try set(views)
  }

  /// Of the parameters of Attach in JSON; what is wrong with them the daemon tells.
  /// Throws: SceneError for what is no such object, SystemError such as EMFILE.
  public init(json: JSON, socket: DaemonSocket = DaemonSocket()) throws {
    guard let members = json.asMembers, let name = json["name"].asString, json["views"].asArray != nil else {
      throw SceneError.invalidScene(view: nil, problem: "it is no object with a name and views")
    }
    let head = members.filter { !["views", "frame"].contains($0.key) }
    self.name = name
    writeHead = { writer in
      for member in head {
        writer.key(member.key)
        writer.value(member.value)
      }
    }
    frame = json["frame"]
    try Scene.check(writeHead, frame)
    try super.init(Interfaces.scene, "io.keylift.Scene.Attach", at: socket)
    try set(json: json["views"])
  }

  /// Throws: that they leave no room for views in a message.
  private static func check(_ writeHead: (inout JSONWriter) -> Void, _ frame: JSON) throws(SceneError) {
    var writer = JSONWriter()
    writer.object(writeHead)
    writer.value(frame)
    guard writer.bytes.count <= longestHead else {
      throw .invalidScene(view: nil, problem: "what it has beside views is over \(longestHead) bytes")
    }
  }

  // MARK: What the application says

  /// Sets whole views, by id; a later sibling lies in front.
  /// Throws: `invalidScene` for an id or a number that is none; nothing is changed then.
  public func set(_ views: [View]) throws(SceneError) {
    var new: [SceneViews.Encoded] = []
    for view in views { new.append(try SceneViews.Encoded(view)) }
    try self.views.set(new)
    changed()
  }

  /// The same with an array of views in JSON.
  public func set(json views: JSON) throws(SceneError) {
    guard let views = views.asArray else {
      throw .invalidScene(view: nil, problem: "the views are no array")
    }
    var new: [SceneViews.Encoded] = []
    for view in views { new.append(try SceneViews.Encoded(view)) }
    try self.views.set(new)
    changed()
  }

  /// Removes views with all below them. Throws: `noSuchView`; nothing is changed then.
  public func remove(_ views: [String]) throws(SceneError) {
    try self.views.remove(views)
    changed()
  }

  /// Where the scene is on its screen. Throws: `invalidScene` if it is not finite.
  public func setFrame(_ frame: Rect) throws(SceneError) {
    guard frame.isFinite else { throw .invalidScene(view: nil, problem: "its frame is not finite") }
    self.frame = Scene.encoded(frame)
    isFrameChanged = true
    changed()
  }

  /// Makes a view the first responder. Of several before the next answer, the last holds.
  public func focus(_ view: String) { want(.focus(view)) }

  /// Makes the focused view resign.
  public func resign() { want(.resign) }

  private static func encoded(_ rect: Rect) -> JSON {
    .object([
      .init("x", .number(rect.x)), .init("y", .number(rect.y)), .init("width", .number(rect.width)),
      .init("height", .number(rect.height)),
    ])
  }

  private func want(_ intent: Intent) {
    self.intent = intent
    intents += 1
    wake()
  }

  private func changed() {
    // It is another scene than the one that was refused.
    if isRefused, !hasHurried, !isConnected {
      hasHurried = true
      retryNow()
    }
    isRefused = false
    wake()
  }

  // MARK: What goes over the wire

  override var subject: String { "scene \(name)" }

  override func writeParameters(to writer: inout JSONWriter) {
    writeHead(&writer)
    writeFrame(to: &writer)
    _ = views.write(as: "views", to: &writer)
  }

  private func writeFrame(to writer: inout JSONWriter) {
    isFrameChanged = false
    if !frame.isNull { writer.field("frame", frame) }
  }

  override func nextCall() -> Call? {
    guard let scene = latest?.scene else { return nil }
    if views.hasChanges || isFrameChanged, !isRefused { return update(scene) }
    guard let intent else { return nil }
    let number = intents
    var call: Call
    switch intent {
    case .focus(let view):
      call = Call(method: "io.keylift.Scene.Focus", subject: "focus \(view)") { writer in
        writer.field("scene", scene)
        writer.field("view", view)
      }
    case .resign:
      call = Call(method: "io.keylift.Scene.Resign", subject: "resign") { $0.field("scene", scene) }
    }
    call.answer = { [unowned self] result in
      if case .failure(let error) = result, !error.isRefusal { return }  // asked for again
      if number == intents { self.intent = nil }
      if case .failure(let error) = result { onError?(error) }
    }
    return call
  }

  private func update(_ scene: String) -> Call {
    let withFrame = isFrameChanged
    return Call(
      method: "io.keylift.Scene.Update", subject: subject,
      fields: { [unowned self] writer in
        writer.field("scene", scene)
        if withFrame { writeFrame(to: &writer) }
        if views.write(as: "set", to: &writer) { views.writeRemoved(to: &writer) }
      },
      answer: { [unowned self] result in
        switch result {
        case .success: answered(true)
        case .failure(let error) where error.isRefusal:
          isFrameChanged = isFrameChanged || withFrame
          answered(false)
          onError?(error)
        case .failure:
          // It is said again. The daemon closes without an answer only what it has not read, or not carried out.
          isFrameChanged = isFrameChanged || withFrame
          views.answered(false)
        }
      })
  }

  override func answered(_ isAccepted: Bool) {
    views.answered(isAccepted)
    isRefused = !isAccepted
    if isAccepted { hasHurried = false }
  }

  override func forget() {
    views.forget()
    latest = nil
  }

  override func keep(_ state: JSON) { latest = SceneState(json: state) }

  override func tell() {
    if let latest { onState?(latest) }
  }

  override func sideStream() -> Call? {
    guard onTouch != nil, let scene = latest?.scene else { return nil }
    return Call(
      method: "io.keylift.Scene.Touches", subject: subject, fields: { $0.field("scene", scene) },
      answer: { [unowned self] result in
        if case .success(let reply) = result { onTouch?(SceneTouch(json: reply["touch"])) }
      })
  }
}
