/// A complete reply, encoded once with the NUL that ends it, for as many readers as there are.
///
/// Or several, one after the other, to go out at once.
public struct Message: Sendable {
  private var writer: JSONWriter

  public var bytes: [UInt8] { writer.bytes }

  /// A message that nothing has been encoded into yet.
  public init(capacity: Int = 512) { writer = JSONWriter(capacity: capacity) }

  /// A reply whose parameters' fields the closure writes; `continues` if others follow it on the stream.
  public init(continues: Bool, _ fields: (inout JSONWriter) -> Void) {
    self.init()
    encode(continues: continues, fields)
  }

  /// Encodes another reply into the same memory.
  public mutating func encode(continues: Bool, _ fields: (inout JSONWriter) -> Void) {
    writer.reset()
    append(continues: continues, fields)
  }

  /// Encodes one more reply after those that are there.
  public mutating func append(continues: Bool, _ fields: (inout JSONWriter) -> Void) {
    begin(continues: continues)
    writer.object("parameters", fields)
    end()
  }

  /// Forgets what is encoded and keeps its memory.
  public mutating func reset() { writer.reset() }

  /// Encodes an error by its qualified name.
  public mutating func encode(error: String, _ fields: (inout JSONWriter) -> Void = { _ in }) {
    writer.reset()
    writer.beginObject()
    writer.field("error", error)
    writer.object("parameters", fields)
    end()
  }

  /// Encodes a call.
  package mutating func encode(method: String, flag: CallFlag, _ fields: (inout JSONWriter) -> Void) {
    writer.reset()
    writer.beginObject()
    writer.field("method", method)
    switch flag {
    case .none: break
    case .oneway: writer.field("oneway", true)
    case .more: writer.field("more", true)
    case .upgrade: writer.field("upgrade", true)
    }
    writer.object("parameters", fields)
    end()
  }

  private mutating func begin(continues: Bool) {
    writer.beginObject()
    if continues { writer.field("continues", true) }
  }

  private mutating func end() {
    writer.endObject()
    writer.terminate()
  }
}
