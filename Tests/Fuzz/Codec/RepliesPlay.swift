import Glibc
import Varlink

/// A service that sends a client any bytes, in pieces, and closes: the client has every reply before the first that is none.
enum RepliesPlay {
  private static let longest = 1_024

  /// Returns: what was wrong, nil for nothing.
  static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    // The first byte says how long the pieces are, and none is longer than what a socket holds.
    let step = Int(bytes.first ?? 0) + 1
    let text = Array(bytes.dropFirst())
    var expected: [Reply] = []
    var isWrong = false
    let parts = text.split(separator: 0, omittingEmptySubsequences: false)
    for message in parts.dropLast() {
      guard message.count <= longest,
        let reply = Reply(Array(message).span, limits: JSON.Limits(containers: 1_000_000))
      else {
        isWrong = true
        break
      }
      expected.append(reply)
    }
    if let rest = parts.last, rest.count > longest { isWrong = true }
    guard let pair = SocketPair() else { return "no sockets" }
    let client = Client(adopting: pair.client, longestReply: longest)
    var received: [Reply] = []
    do throws(ClientError) {
      for start in stride(from: 0, to: text.count, by: step) {
        pair.send(text[start..<min(start + step, text.count)])
        received += try client.receive()
      }
      pair.close()
      while true { received += try client.receive() }
    } catch {
      trace?("\(received.count) replies, then \(error)")
      switch error {
      case .closed: if isWrong { return "what is no reply was passed over" }
      case .malformed: if !isWrong { return "what is a reply was refused" }
      default: return "\(error)"
      }
    }
    // Those that came with what is no reply are lost with it.
    let isSame = isWrong ? expected.starts(with: received) : expected == received
    return isSame ? nil : "\(received.count) replies of \(expected.count), or others"
  }
}

/// A service's end of a connection, and the client's, which is the client's to close.
final class SocketPair {
  let service: Int32
  let client: Int32
  private var isOpen = true

  init?() {
    var pair: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return nil }
    (service, client) = (pair[0], pair[1])
  }

  deinit { close() }

  func send(_ bytes: ArraySlice<UInt8>) {
    _ = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(service, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  func close() {
    if isOpen { Glibc.close(service) }
    isOpen = false
  }
}
