import CXCB
import EventLoop
import Glibc

/// A connection to an X server on an EventLoop (XCB), whose replies and events are handled in the order of the server.
///
/// Nothing here waits but connecting, `atoms` and `finish`. Callbacks come from the loop.
@safe final class XConnection {
  var onEvent: ((UnsafePointer<xcb_generic_event_t>) -> Void)?
  /// Called after what had come was handled.
  var onHandled: (() -> Void)?
  /// Called once when the connection is lost, with the reason; it may be let go then.
  var onLost: ((String) -> Void)?

  let connection: OpaquePointer
  let root: xcb_window_t
  /// Whether an answer is still awaited.
  var isWaiting: Bool { !pending.isEmpty }

  @safe private struct Request {
    let sequence: UInt32
    let handler: (UnsafeMutableRawPointer?) -> Void
  }

  private var pending: ArraySlice<Request> = []
  /// An event that came after the answer that is next.
  private var held: UnsafeMutablePointer<xcb_generic_event_t>?
  private var source: DescriptorSource?
  private var soon: TimerSource?
  private var isLost = false

  /// - display: as in DISPLAY
  /// Throws: ECONNREFUSED where no server listens or this user is not let in, EINVAL for what is no name of a display.
  init(_ display: String, on loop: EventLoop) throws(SystemError) {
    var number: Int32 = 0
    // Else XCB tries TCP as well where no server listens on the socket, and may wait for long.
    let name = display.hasPrefix(":") ? "unix" + display : display
    guard let connection = unsafe xcb_connect(name, &number) else {
      throw SystemError(ENOMEM, "xcb_connect")
    }
    unsafe self.connection = connection
    guard let root = unsafe rootWindow(connection, number) else {
      let error = unsafe xcb_connection_has_error(connection)
      unsafe xcb_disconnect(connection)
      let codes = [
        XCB_CONN_CLOSED_PARSE_ERR: EINVAL, XCB_CONN_CLOSED_INVALID_SCREEN: EINVAL,
        XCB_CONN_CLOSED_MEM_INSUFFICIENT: ENOMEM,
      ]
      throw SystemError(codes[error] ?? ECONNREFUSED, "the X server at \(display)")
    }
    self.root = root
    soon = try loop.timer { [unowned self] in handle() }
    source = try loop.watch(unsafe xcb_get_file_descriptor(connection)) { [unowned self] _ in handle() }
  }

  deinit {
    source?.cancel()
    soon?.cancel()
    unsafe free(held)
    unsafe xcb_disconnect(connection)
  }

  /// Sends what was asked for outside of a handler of this connection.
  func flush() {
    unsafe _ = xcb_flush(connection)
    // Sending may have read what no descriptor tells of any more.
    soon?.arm(at: EventLoop.now)
  }

  /// Sends what was asked for, and waits until the server has done it, for half a second at most.
  ///
  /// If the program ended before, a server that has anything to tell it would find that out first, and drop the rest.
  func finish() {
    let sequence = unsafe xcb_get_input_focus(connection).sequence
    flush()
    let end = EventLoop.now &+ 500_000
    var reply: UnsafeMutableRawPointer?
    while unsafe xcb_connection_has_error(connection) == 0,
      unsafe xcb_poll_for_reply(connection, sequence, &reply, nil) == 0
    {
      let now = EventLoop.now
      var readable = unsafe pollfd(fd: xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
      guard now < end,
        unsafe poll(&readable, 1, Int32(clamping: (end - now) / 1000 + 1)) >= 0 || errno == EINTR
      else {
        return unsafe xcb_discard_reply(connection, sequence)
      }
    }
    unsafe free(reply)
  }

  /// Calls the handler with the answer to a request that was sent; with nil if it failed.
  func answer<Reply>(
    to sequence: UInt32, as: Reply.Type, _ handler: @escaping (UnsafePointer<Reply>?) -> Void
  ) {
    unsafe pending.append(
      Request(sequence: sequence) { reply in
        unsafe handler(reply.map { unsafe UnsafePointer($0.assumingMemoryBound(to: Reply.self)) })
      })
  }

  /// The numbers of atoms, in the order of their names; waits for the server.
  func atoms(_ names: [String]) -> [xcb_atom_t] {
    let cookies = names.map { name in
      unsafe xcb_intern_atom(connection, 0, UInt16(clamping: name.utf8.count), name)
    }
    return cookies.map { cookie in
      guard let reply = unsafe xcb_intern_atom_reply(connection, cookie, nil) else { return 0 }
      defer { unsafe free(reply) }
      return unsafe reply.pointee.atom
    }
  }

  private func handle() {
    guard !isLost else { return }
    repeat {
      while handleNext() {}
      unsafe _ = xcb_flush(connection)
    } while handleNext()
    if unsafe xcb_connection_has_error(connection) != 0 {
      isLost = true
      source?.cancel()
      soon?.cancel()
      onLost?("it hung up")
    } else {
      onHandled?()
    }
  }

  /// Handles one answer or event; false if there is none.
  private func handleNext() -> Bool {
    guard unsafe xcb_connection_has_error(connection) == 0 else { return false }
    if handleEvent(before: pending.first) { return true }
    // What is held came after the next answer, so that the answer is here as well.
    let isHeld = unsafe held != nil
    if let request = pending.first {
      var reply: UnsafeMutableRawPointer?
      var error: UnsafeMutablePointer<xcb_generic_error_t>?
      if unsafe xcb_poll_for_reply(connection, request.sequence, &reply, &error) != 0 {
        pending.removeFirst()
        // Looking for it may have read what came before it.
        while handleEvent(before: request) {}
        unsafe request.handler(reply)
        unsafe free(reply)
        unsafe free(error)
        return true
      }
      if isHeld { return handleEvent(before: nil) }  // no server does so
    }
    if unsafe held == nil { unsafe held = xcb_poll_for_event(connection) }
    return unsafe held != nil
  }

  /// Handles an event that was read already, if the server sent it before it answered a request.
  private func handleEvent(before request: Request?) -> Bool {
    if unsafe held == nil { unsafe held = xcb_poll_for_queued_event(connection) }
    guard let event = unsafe held else { return false }
    if let request, Int32(bitPattern: unsafe event.pointee.full_sequence &- request.sequence) >= 0 {
      return false
    }
    unsafe held = nil
    unsafe onEvent?(UnsafePointer(event))
    unsafe free(event)
    return true
  }
}

/// The root window of one of a server's screens; nil if the connection has failed.
private func rootWindow(_ connection: OpaquePointer, _ number: Int32) -> xcb_window_t? {
  guard unsafe xcb_connection_has_error(connection) == 0, let setup = unsafe xcb_get_setup(connection) else {
    return nil
  }
  var screens = unsafe xcb_setup_roots_iterator(setup)
  for _ in 0..<max(0, number) where unsafe screens.rem > 1 { unsafe xcb_screen_next(&screens) }
  return unsafe screens.rem > 0 ? screens.data?.pointee.root : nil
}
