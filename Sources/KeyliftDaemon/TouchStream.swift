import Engine
import EngineCoding
import KeyliftProtocol
import TouchInput
import Varlink

/// A touch as a stream tells it.
protocol StreamedTouch {
  var id: Int { get }
  var phase: TouchPhase { get }

  /// Whether a reader who gets only the newer of two movements of one touch misses nothing.
  func replaces(_ older: Self) -> Bool

  func write(to writer: inout JSONWriter)
}

extension DeliveredTouch: StreamedTouch {
  func replaces(_ older: DeliveredTouch) -> Bool { responders == older.responders }
}

extension ObservedTouch: StreamedTouch {
  var id: Int { touch.id }
  var phase: TouchPhase { touch.phase }

  func replaces(_ older: ObservedTouch) -> Bool { true }
}

/// One reader of touches, who may be behind.
///
/// Of what waits, movements of one touch are merged and the other phases are kept. Past 256 of them, or four times as
/// many with the movements between them, the stream is closed (ipc, rule 7).
final class TouchStream<Touch: StreamedTouch> {
  private let stream: Stream
  private var queue: [Touch] = []
  private var kept = 0
  private var message = Message()

  init(_ stream: Stream) {
    self.stream = stream
    stream.onDrained = { [unowned self] in drain() }
  }

  /// Sends touches as they were encoded for all, or keeps them until the reader has caught up.
  func send(_ touches: [Touch], _ encoded: borrowing Message) {
    guard stream.isBlocked || !queue.isEmpty else { return stream.send(encoded) }
    let waited = queue.count
    for touch in touches { keep(touch) }
    // Devices come before writes in the loop, so it may have read long since.
    if waited / 16 != queue.count / 16 { stream.retry() }
    if kept > mostTouchesQueued || queue.count > mostTouchesQueued * 4 { stream.close(for: .behind) }
  }

  private func keep(_ touch: Touch) {
    if touch.phase == .moved {
      if let place = queue.lastIndex(where: { $0.id == touch.id }), queue[place].phase == .moved,
        touch.replaces(queue[place])
      {
        stream.noteMerged()
        queue[place] = touch
        return
      }
    } else {
      kept += 1
    }
    queue.append(touch)
  }

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

/// How many changes of touches, movements not counted, wait for one reader at most.
private let mostTouchesQueued = 256

/// All who read the same touches.
///
/// A touch is encoded once for all of them. What one frame brings goes out by `flush`, in one write for each reader.
final class TouchReaders<Touch: StreamedTouch> {
  private var streams: [TouchStream<Touch>] = []
  private var batch: [Touch] = []
  private var message = Message()

  var isEmpty: Bool { streams.isEmpty }
  var count: Int { streams.count }

  /// - onEmpty: called when the last reader has gone.
  func add(_ stream: Stream, onEmpty: @escaping () -> Void) {
    let reader = TouchStream<Touch>(stream)
    streams.append(reader)
    stream.onClose = { [weak self, unowned reader] in
      guard let self else { return }  // what they read is gone, and they with it
      streams.removeAll { $0 === reader }
      if isEmpty { onEmpty() }
    }
  }

  func append(_ touch: Touch) {
    batch.append(touch)
    message.append(continues: true) { touch.write(to: &$0) }
  }

  /// Sends the touches that were appended since the last time.
  func flush() {
    guard !batch.isEmpty else { return }
    for stream in streams { stream.send(batch, message) }
    batch.removeAll(keepingCapacity: true)
    message.reset()
  }

  /// There is nothing more to read.
  func end() {
    for stream in streams { stream.end() }
  }
}
