/// Memory that every connection reads into, one after the other.
@safe final class ReadBuffer {
  private let bytes: UnsafeMutableRawBufferPointer

  init(capacity: Int) { unsafe bytes = .allocate(byteCount: capacity, alignment: 16) }

  deinit { unsafe bytes.deallocate() }

  func withBytes<T>(_ body: (UnsafeMutableRawBufferPointer) -> T) -> T { unsafe body(bytes) }
}
