import Engine
import Varlink

/// One reader of a scene's touches, who may be behind.
///
/// Of what waits, movements of one touch are merged and the other phases are kept, 256 at most; past that the
/// stream is closed (ipc, rule 7).
final class TouchStream {
  static let mostQueued = 256

  private let stream: Stream
  private var queue: [DeliveredTouch] = []
  private var kept = 0
  private var message = Message()

  init(_ stream: Stream) {
    self.stream = stream
    stream.onDrained = { [unowned self] in drain() }
  }

  /// Sends touches as they were encoded for all, or keeps them until the reader has caught up.
  func send(_ touches: [DeliveredTouch], _ encoded: borrowing Message) {
    guard stream.isBlocked || !queue.isEmpty else { return stream.send(encoded) }
    for touch in touches { keep(touch) }
  }

  private func keep(_ touch: DeliveredTouch) {
    if touch.phase == .moved {
      if let place = queue.lastIndex(where: { $0.id == touch.id }), queue[place].phase == .moved,
        queue[place].responders == touch.responders
      {
        queue[place] = touch
        return
      }
    } else {
      kept += 1
      guard kept <= TouchStream.mostQueued else { return stream.close() }
    }
    queue.append(touch)
  }

  /// The scene is gone, and its touches with it.
  func end() { stream.close() }

  private func drain() {
    while !stream.isBlocked, !queue.isEmpty {
      let touch = queue.removeFirst()
      if touch.phase != .moved { kept -= 1 }
      message.encode(continues: true) { touch.write(to: &$0) }
      stream.send(message)
    }
  }
}
