import Glibc
import KeyliftProtocol
import Varlink

/// A deciding plugin who answers anything: a socket in the plugins' directory, and whoever connects to it.
final class MadeUpPlugin {
  private let path: String
  private let listener: Int32
  private var connections: [(descriptor: Int32, framer: Framer)] = []

  init?(path: String) {
    guard let listener = try? Server.bind(path: path, mode: 0o600) else { return nil }
    self.path = path
    self.listener = listener
  }

  deinit {
    for connection in connections { close(connection.descriptor) }
    close(listener)
    unsafe _ = unlink(path)
  }

  /// Answers what came. Returns: whether something did.
  func turn(_ values: inout MadeUpValue<some RandomNumberGenerator>) -> Bool {
    var hasDone = false
    while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
      connections.append((descriptor, Framer(limit: 1 << 24)))
      hasDone = true
    }
    for place in connections.indices.reversed() {
      let descriptor = connections[place].descriptor
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
        let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
          unsafe connections[place].framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return count
      }
      if count < 0, errno == EAGAIN { continue }
      hasDone = true
      var isGone = count <= 0
      while !isGone, let range = connections[place].framer.next() {
        let text = Array(connections[place].framer.bytes[range])
        isGone = !answer(CallMessage(text.span), descriptor, &values)
      }
      if isGone {
        close(descriptor)
        connections.remove(at: place)
      }
    }
    return hasDone
  }

  /// Returns: false to close.
  private func answer(
    _ call: CallMessage?, _ descriptor: Int32, _ values: inout MadeUpValue<some RandomNumberGenerator>
  ) -> Bool {
    let method = Interfaces.plugin.methods[String(call?.method.split(separator: ".").last ?? "")]
    guard let method else { return false }
    switch Int.random(in: 0..<16, using: &values.random) {
    case 0: return true
    case 1: return false
    case 2:
      send(Array("{\"error\":\"io.keylift.Plugin.Tired\"}\0".utf8), descriptor)
    case 3:
      send([UInt8].init(repeating: 0x7B, count: 40) + [0], descriptor)
    case 4:
      send(reply(method, &values) + reply(method, &values), descriptor)
    default: send(reply(method, &values), descriptor)
    }
    return true
  }

  private func reply(
    _ method: InterfaceDescription.Method, _ values: inout MadeUpValue<some RandomNumberGenerator>
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("parameters", values.parameters(method.output, in: Interfaces.plugin) ?? .null)
      if values.chance(20) { writer.field("continues", true) }
    }
    return writer.bytes + [0]
  }

  private func send(_ bytes: [UInt8], _ descriptor: Int32) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
  }
}

/// A directory that goes with this.
final class TemporaryFolder {
  let path: String

  init?() {
    var template = Array("/tmp/keylift-fuzz-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    unsafe _ = unlink(path + "/.lock")
    unsafe _ = rmdir(path)
  }
}
