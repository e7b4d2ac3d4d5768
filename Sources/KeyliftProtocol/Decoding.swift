import Avoidance
import Geometry
import ResponderChain
import Varlink

// What a peer sends has been checked against the interface's description before it comes here, so a member that
// is absent or null takes its default, and nothing else can be wrong but the numbers, which the core checks.

extension Point {
  public init(_ json: JSON) { self.init(x: json["x"].asDouble ?? 0, y: json["y"].asDouble ?? 0) }
}

extension Size {
  init(_ json: JSON) { self.init(width: json["width"].asDouble ?? 0, height: json["height"].asDouble ?? 0) }
}

extension Rect {
  /// A Rect as io.keylift.Scene has it.
  public init(_ json: JSON) { self.init(origin: Point(json), size: Size(json)) }
}

extension Insets {
  init(_ json: JSON) {
    self.init(
      top: json["top"].asDouble ?? 0, left: json["left"].asDouble ?? 0,
      bottom: json["bottom"].asDouble ?? 0, right: json["right"].asDouble ?? 0)
  }
}

extension JSON {
  package func enumeration<T: RawRepresentable>(_: T.Type) -> T? where T.RawValue == String {
    asString.flatMap(T.init(rawValue:))
  }

  /// What a member is, if it is there and not null.
  package func present<T>(_ make: (JSON) -> T) -> T? { isNull ? nil : make(self) }

  package var asInt: Int? { asInteger.map { Int(clamping: $0) } }
}

extension View {
  /// A View as io.keylift.Scene has it; absent members take the defaults that it names.
  public init(_ json: JSON) {
    self.init(
      id: json["id"].asString ?? "", parent: json["parent"].asString,
      kind: json["kind"].enumeration(Kind.self) ?? .view, frame: Rect(json["frame"]),
      hidden: json["hidden"].asBool ?? false, alpha: json["alpha"].asDouble ?? 1,
      interactive: json["interactive"].asBool ?? true, forwardsTouches: json["forwardsTouches"].asBool,
      resigns: json["resigns"].enumeration(Trigger.self) ?? .never, keepsFocus: json["keepsFocus"].asBool,
      editable: json["editable"].asBool, purpose: json["purpose"].enumeration(Purpose.self) ?? .normal,
      returnKey: json["returnKey"].enumeration(ReturnKey.self) ?? .none,
      keepsVisible: json["keepsVisible"].asString, spacing: json["spacing"].asDouble,
      caret: json["caret"].present(Rect.init), order: json["order"].asInt,
      contentSize: json["contentSize"].present(Size.init),
      contentOffset: json["contentOffset"].present(Point.init) ?? .zero,
      dismissMode: json["dismissMode"].enumeration(DismissMode.self) ?? .none)
  }
}

extension SceneDescription {
  /// The parameters of io.keylift.Scene.Attach, without the views.
  public init(_ json: JSON) {
    self.init(
      name: json["name"].asString ?? "", screen: json["screen"].asString,
      frame: json["frame"].present(Rect.init), level: json["level"].asInt ?? 0,
      avoidance: json["avoidance"].enumeration(AvoidanceMode.self) ?? .pan,
      outsideTouch: json["outsideTouch"].enumeration(Trigger.self) ?? .tap,
      safeArea: json["safeArea"].present(Insets.init) ?? .zero)
  }
}

extension Screen {
  /// A Screen as io.keylift.Scene has it, with a size, or as io.keylift.Monitor has it.
  ///
  /// Sides that are none, such as 1e999, are brought into 1...2^31.
  package init(_ json: JSON) {
    let size = json["size"].isNull ? json : json["size"]
    func side(_ key: String) -> Double { min(max(1, size[key].asDouble ?? 1), 0x1p31) }
    self.init(
      name: json["name"].asString ?? "", size: Size(width: side("width"), height: side("height")),
      rotation: json["rotation"].asInt.flatMap(Rotation.init) ?? .none)
  }
}

extension KeyboardState {
  /// A Keyboard as io.keylift.Scene has it.
  package init(_ json: JSON) {
    self.init(
      phase: json["phase"].enumeration(KeyboardPhase.self) ?? .hidden, frame: Rect(json["frame"]),
      previousFrame: Rect(json["previousFrame"]), docked: json["docked"].asBool ?? true,
      duration: json["duration"].asDouble ?? 0,
      reason: json["reason"].enumeration(KeyboardReason.self) ?? .none, screen: json["screen"].asString ?? "")
  }
}

extension Layout {
  /// A Layout as io.keylift.Scene has it.
  package init(_ json: JSON) {
    let scrolls = (json["scrolls"].asArray ?? []).map { scroll in
      ScrollAdjustment(
        view: scroll["view"].asString ?? "", contentOffset: Point(scroll["contentOffset"]),
        insetBottom: scroll["insetBottom"].asDouble ?? 0)
    }
    self.init(
      offset: Point(json["offset"]), scrolls: scrolls, overlap: json["overlap"].asDouble ?? 0,
      duration: json["duration"].asDouble ?? 0)
  }
}
