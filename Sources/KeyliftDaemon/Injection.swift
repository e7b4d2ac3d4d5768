import Engine
import EngineCoding
import Geometry
import KeyliftProtocol
import TouchInput
import Varlink

extension ControlService {
  /// io.keylift.Control.Inject: the connection is the panel, and its fingers go with it.
  func inject(_ call: Call, into daemon: Daemon) {
    let touches = (call.parameters["touches"].asArray ?? []).map { InjectedTouch($0) }
    let key = call.parameters["key"].enumeration(KeyCommand.self)
    guard !touches.isEmpty || key != nil else { return call.failInvalid(parameter: "touches") }
    guard let connection = call.connection else { return }
    let injector = InjectorID(clamping: connection.id)
    if connection.onClose == nil {
      daemon.log.debug(.client(call.peer), "process \(call.peer.pid) injects touches or keys")
      connection.onClose = { [unowned daemon] in daemon.feed(.injectorGone(injector), at: daemon.loop.now) }
    }
    let screen = call.parameters["screen"].asString
    daemon.request {
      .inject($0, injector, screen: screen, touches, key: key)
    } answer: { answer in
      switch answer {
      case .failed(.noSuchScreen(let screen)):
        call.fail(KeyliftError.noSuchScreen) { $0.field("screen", screen) }
      case .failed(.touch(let id, let problem)):
        call.fail(KeyliftError.invalidTouch) { writer in
          writer.field("id", id)
          writer.field("problem", problem)
        }
      default: call.reply()
      }
    }
  }
}

extension InjectedTouch {
  /// An InjectedTouch as io.keylift.Control has it.
  init(_ json: JSON) {
    self.init(
      id: json["id"].asInteger.map { Int(clamping: $0) } ?? 0,
      phase: json["phase"].enumeration(TouchPhase.self) ?? .cancelled,
      position: json["position"].present { Point($0) })
  }
}
