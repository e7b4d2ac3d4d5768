/// A method call that is as its interface describes it, to be answered now or later.
///
/// A handler answers once, by `reply`, `fail` or a stream that ends; what comes after that goes nowhere. So
/// does the answer to a oneway call, or to a client that is gone.
public final class Call {
  /// The qualified name, such as `org.example.interface.Method`.
  public let method: String
  /// The method's name within its interface.
  public let name: String
  /// An object; empty once a stream is open, which would otherwise keep it for as long as it runs.
  public private(set) var parameters: JSON
  public let wantsMore: Bool
  public let isOneway: Bool
  public let peer: Credentials
  /// The connection; nil once it is closed or the call was answered.
  public private(set) var connection: Connection?
  /// Called once, from the loop, if the connection closes before the call was answered.
  public var onClose: (() -> Void)?

  let interface: String
  let wantsUpgrade: Bool
  private var stream: Stream?

  init(_ message: CallMessage, on connection: Connection) {
    method = message.method
    if let dot = method.lastIndex(of: ".") {
      interface = String(method[..<dot])
      name = String(method[method.index(after: dot)...])
    } else {
      interface = ""
      name = method
    }
    parameters = message.parameters
    wantsMore = message.flag == .more
    isOneway = message.flag == .oneway
    wantsUpgrade = message.flag == .upgrade
    peer = connection.peer
    self.connection = connection
  }

  /// Answers with parameters whose fields the closure writes; without any if there is none.
  public func reply(_ fields: (inout JSONWriter) -> Void = { _ in }) {
    answer { $0.encode(continues: false, fields) }
  }

  /// Answers with an error's qualified name and its parameters' fields.
  public func fail(_ error: String, _ fields: (inout JSONWriter) -> Void = { _ in }) {
    connection?.server?.totals.errors &+= 1
    answer { $0.encode(error: error, fields) }
  }

  /// Answers that this parameter is invalid.
  public func failInvalid(parameter: String) {
    fail(VarlinkError.invalidParameter) { $0.field("parameter", parameter) }
  }

  /// Answers that the caller may not do this.
  public func failDenied() { fail(VarlinkError.permissionDenied) }

  /// Whether the caller takes more than one reply; if not, the call is answered with ExpectedMore.
  public func requireMore() -> Bool {
    if wantsMore { return true }
    fail(VarlinkError.expectedMore)
    return false
  }

  /// Begins to answer by many replies; nil if the caller did not ask for more, and then has its ExpectedMore.
  public func openStream() -> Stream? {
    guard requireMore(), let connection else { return nil }
    let stream = stream ?? Stream(self, on: connection)
    self.stream = stream
    parameters = .empty
    return stream
  }

  func answer(_ encode: (inout Message) -> Void) {
    guard let connection else { return }
    if !isOneway, let server = connection.server {
      server.withScratch { message in
        encode(&message)
        connection.send(message.bytes)
      }
    }
    end()
    connection.finish(self)
  }

  func drained() { stream?.onDrained?() }

  func closed() {
    let onClose = onClose
    let onStreamClose = stream?.onClose
    end()
    onClose?()
    onStreamClose?()
  }

  func end() {
    connection = nil
    onClose = nil
    stream?.end()
    stream = nil
  }
}
