/// What a peer has not taken yet.
struct SendQueue {
  private var bytes: [UInt8] = []
  private var head = 0

  var count: Int { bytes.count - head }
  var isEmpty: Bool { head == bytes.count }

  mutating func append(_ rest: ArraySlice<UInt8>) {
    if head > bytes.count / 2 {
      bytes.removeSubrange(..<head)
      head = 0
    }
    bytes.append(contentsOf: rest)
  }

  /// Gives what waits to the closure, which says how much of it is gone; returns what the closure said.
  mutating func write(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
    let written = unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    if written > 0 { head = min(head + written, bytes.count) }
    if isEmpty { removeAll() }
    return written
  }

  mutating func removeAll() {
    head = 0
    bytes.removeAll(keepingCapacity: bytes.capacity <= 16_384)
  }
}
