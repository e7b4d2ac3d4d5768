import Engine
import EngineCoding
import KeyliftProtocol
import Recording
import Varlink

/// One reader of a recording, who may be behind.
///
/// The lines go out in pieces as the reader takes them. What waits is bounded; past that the recording ends, and its last
/// line says why.
final class RecordingStream {
  /// How long a piece is at most, in bytes: as JSON in JSON it may be six times as long on the wire.
  private static let piece = 32_768
  /// How many bytes of lines wait at most, the state that it begins with not counted.
  private static let most = 16 << 20

  private let stream: Stream
  private var recorder = Recorder()
  private var message = Message()
  private var waiting: [UInt8] = []
  private var head = 0
  private let limit: Int
  /// Nothing more is taken, and what waits is still to be sent.
  private var isEnding = false

  /// Begins with the engine as it is.
  ///
  /// - made: seconds since 1970
  /// - time: microseconds of CLOCK_MONOTONIC
  init(_ stream: Stream, of engine: Engine, made: Int64, time: UInt64) {
    self.stream = stream
    var first = Recorder()
    first.begin(engine, version: Keylift.version, made: made, time: time)
    waiting = first.bytes
    limit = waiting.count + RecordingStream.most
    stream.onDrained = { [unowned self] in flush() }
    flush()
  }

  /// Whether there is nobody any more who reads it.
  var isOver: Bool { !stream.isOpen }

  /// Takes an input and what came of it; it goes out by `flush`.
  func take(_ input: Input, at time: UInt64, _ effects: [Effect], _ engine: Engine) {
    guard !isEnding else { return }
    recorder.add(input, at: time, effects, engine)
    if waiting.count - head + recorder.bytes.count > limit {
      recorder.removeAll()
      recorder.end(
        because:
          "more than \(RecordingStream.most >> 20) MiB waited for whoever reads it; what came next is missing"
      )
      isEnding = true
    }
    if head > waiting.count / 2 {
      waiting.removeSubrange(..<head)
      head = 0
    }
    waiting += recorder.bytes
    recorder.removeAll()
  }

  /// Sends what the reader takes now.
  func flush() {
    while !stream.isBlocked, stream.isOpen, head < waiting.count {
      let piece = waiting[head..<pieceEnd]
      head = piece.endIndex
      let isLast = isEnding && head == waiting.count
      let write: (inout JSONWriter) -> Void = { $0.field("text", String(decoding: piece, as: UTF8.self)) }
      if isLast { return stream.end(write) }
      message.encode(continues: true, write)
      stream.send(message)
    }
    if head == waiting.count, head > 0 {
      waiting.removeAll(keepingCapacity: waiting.capacity <= 65_536)
      head = 0
    }
  }

  /// Where the next piece ends, which is not within a character.
  private var pieceEnd: Int {
    guard waiting.count - head > RecordingStream.piece else { return waiting.count }
    var end = head + RecordingStream.piece
    while end > head + 1, waiting[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }
}
