/// Cuts what arrives into messages, each ended by a NUL, however reads split and join them.
package struct Framer {
  package private(set) var bytes: [UInt8] = []
  /// Where the first message that was not taken begins.
  private var start = 0
  /// How far no NUL was found.
  private var scanned = 0
  /// The longest message, its NUL not counted.
  let limit: Int

  package init(limit: Int) { self.limit = limit }

  /// Nothing arrived that was not taken.
  package var isEmpty: Bool { start == bytes.count }

  package mutating func append(_ buffer: UnsafeRawBufferPointer) {
    if start > 0 {
      // What was taken goes before more comes, so that a message moves once at most.
      bytes.removeSubrange(..<start)
      scanned -= start
      start = 0
    }
    unsafe bytes.append(contentsOf: buffer)
  }

  /// Where the next message lies in `bytes`, without its NUL; nil if there is none yet. Valid until `append`.
  package mutating func next() -> Range<Int>? {
    while scanned < bytes.count {
      if bytes[scanned] == 0 {
        let range = start..<scanned
        scanned += 1
        start = scanned
        return range
      }
      scanned += 1
    }
    return nil
  }

  /// Whether a whole message is there.
  var hasMessage: Bool { bytes[scanned...].contains(0) }

  /// Whether the message that is arriving is longer than any may be, once `next` found no end of it.
  package var isOverLimit: Bool { scanned - start > limit }

  /// Gives memory back after a long message.
  package mutating func trim() {
    guard isEmpty else { return }
    start = 0
    scanned = 0
    bytes.removeAll(keepingCapacity: bytes.capacity <= 16_384)
  }
}
