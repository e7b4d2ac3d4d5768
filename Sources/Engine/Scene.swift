import Avoidance
import Geometry
import ResponderChain

/// A scene as the engine keeps it.
public struct Scene: Codable, Sendable {
  public let id: SceneID
  public let description: SceneDescription
  public internal(set) var screen: String
  /// Where it is while nothing is lifted, in screen points.
  public internal(set) var frame: Rect
  public internal(set) var tree = ViewTree()
  /// Counts attach and updates, from 1.
  public internal(set) var revision = 1
  /// The first responder, if it is one of this scene's views.
  public internal(set) var focused: String?
  public internal(set) var layout = Layout()
  /// What the clients were told last.
  var publishedFocus: String?
  var followsScreen: Bool

  /// A screen point in the scene's coordinates, the current layout offset taken in (rule 3).
  func convert(_ point: Point) -> Point { point - frame.origin - layout.offset }

  /// Where the scene is seen now.
  var visibleFrame: Rect { frame.offset(by: layout.offset) }

  /// How the first responder is kept in sight; nil while nothing covers the scene.
  var reveal: Reveal?
  /// Scroll views that were scrolled further than they can be without the keyboard.
  var restoring: [Reveal.Scroll] = []
}
