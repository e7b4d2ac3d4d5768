import Evdev
import EventLoop
import Glibc
import TouchInput

/// An event node as this machine has it, whether the daemon runs or not.
struct InputNode: Equatable, Sendable {
  var path: String
  var name: String
  /// By what it can do where it could be opened, else by udev's word.
  var isTouchscreen: Bool
  /// Why the daemon would not use it; nil if nothing is known against it.
  var why: String?

  /// nil if they cannot be listed.
  static func gatherAll() -> [InputNode]? {
    guard let loop = try? EventLoop() else { return nil }
    var nodes: [InputNode] = []
    guard
      let monitor = try? DeviceMonitor(loop: loop, added: { nodes.append(InputNode($0)) }, removed: { _ in }),
      (try? monitor.start()) != nil
    else { return nil }
    return nodes.sorted { $0.path < $1.path }
  }

  /// Looks at it as the daemon does; the node is opened if that is allowed, and nothing is read from it.
  private init(_ node: DeviceMonitor.Node) {
    path = node.path
    name = node.name ?? ""
    isTouchscreen = node.udevProperties["ID_INPUT_TOUCHSCREEN"] == "1"
    why = node.refusal()
    guard why == nil, unsafe access(node.path, R_OK) == 0 else { return }
    do throws(SystemError) {
      let role = DeviceRole(try Evdev.Device(node).description)
      isTouchscreen = role.kind == .touchscreen || role.refusal != nil
      why = role.refusal
    } catch {
      why = error.description
    }
  }

  init(path: String, name: String, isTouchscreen: Bool, why: String? = nil) {
    self.path = path
    self.name = name
    self.isTouchscreen = isTouchscreen
    self.why = why
  }
}
