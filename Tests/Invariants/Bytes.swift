import Glibc

/// A row of bytes, read as whatever a play asks for; at its end all is 0.
struct Bytes {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isEmpty: Bool { place >= bytes.count }

  mutating func byte() -> UInt8 {
    guard place < bytes.count else { return 0 }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func below(_ count: Int) -> Int { Int(byte()) % count }

  mutating func chance(_ of: Int) -> Bool { below(of) == 0 }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  mutating func word() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

  /// Small numbers mostly, the ends of ranges often, any number at times.
  mutating func value() -> Int32 {
    switch byte() {
    case let small where small < 0x60: Int32(small)
    case let wide where wide < 0xa0: Int32(wide & 0x3f) << 8 | Int32(byte())
    case let edge where edge < 0xff: Bytes.edges[Int(edge) % Bytes.edges.count]
    default: Int32(truncatingIfNeeded: UInt32(word()) << 16 | UInt32(word()))
    }
  }

  private static let edges: [Int32] = [
    -1, -1, -1, .min, .min + 1, -2000, -2, 255, 256, 479, 799, 4095, 65535, 65536, 1 << 30, .max - 1, .max,
  ]
}

/// Chances that a row of bytes takes, two bytes each; after its end they go on by themselves.
public struct ByteChances: RandomNumberGenerator {
  private var bytes: Bytes
  private var rest = SeededChances(seed: 0)

  public init(_ bytes: [UInt8]) { self.bytes = Bytes(bytes) }

  public var isEmpty: Bool { bytes.isEmpty }

  /// The two bytes are the high ones, which is where a range takes its number from.
  public mutating func next() -> UInt64 {
    let low = rest.next() >> 16
    return bytes.isEmpty ? rest.next() : UInt64(bytes.word()) << 48 | low
  }
}

/// The same chances again for the same seed.
public struct SeededChances: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// A seed that is another at each run; KEYLIFT_SEED plays a run again.
  public static let seedOfRun =
    unsafe getenv("KEYLIFT_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
    ?? .random(in: 1...UInt64(UInt32.max))

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 56) }
  }
}
