import CSystemd
import EventLoop
import Glibc

/// What a call on the bus failed with, such as org.freedesktop.DBus.Error.ServiceUnknown.
public struct BusError: Error, CustomStringConvertible, Sendable {
  public let name: String
  public let message: String

  public var description: String { message.isEmpty ? name : message }
}

/// A connection to a message bus, or to one program alone, on an EventLoop (sd-bus(3)).
///
/// Nothing here waits. Callbacks come from the loop, and none after `close` or when it is released.
@safe public final class Bus {
  /// Called once when the connection is lost; nothing else is then.
  public var onDisconnect: (() -> Void)?

  private let bus: OpaquePointer
  private var lost: Subscription?
  private var isClosed = false

  /// A call that was sent, or a match that stands; it ends as it is released.
  @safe public final class Subscription {
    fileprivate var slot: OpaquePointer?
    fileprivate let handler: (OpaquePointer) -> Void

    fileprivate init(_ handler: @escaping (OpaquePointer) -> Void) { unsafe self.handler = handler }

    deinit { cancel() }

    public func cancel() {
      if let slot = unsafe slot { unsafe _ = sd_bus_slot_unref(slot) }
      unsafe slot = nil
    }

    fileprivate var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }
  }

  /// The session's: $DBUS_SESSION_BUS_ADDRESS, else $XDG_RUNTIME_DIR/bus.
  /// Throws: such as ENOENT or ECONNREFUSED where there is none, ENOMEDIUM where neither variable is set.
  public init(sessionOn loop: EventLoop) throws(SystemError) {
    var bus: OpaquePointer?
    let result = unsafe sd_bus_open_user(&bus)
    guard result >= 0, let bus = unsafe bus else { throw SystemError(result, "the session bus") }
    unsafe self.bus = bus
    try attach(to: loop)
  }

  /// One program that listens at an address, without a bus between.
  public init(peerAt address: String, on loop: EventLoop) throws(SystemError) {
    var bus: OpaquePointer?
    var result = unsafe sd_bus_new(&bus)
    guard result >= 0, let bus = unsafe bus else { throw SystemError(result, "sd_bus_new") }
    unsafe self.bus = bus
    result = unsafe sd_bus_set_address(bus, address)
    if result >= 0 { result = unsafe sd_bus_start(bus) }
    guard result >= 0 else { throw SystemError(result, address) }
    try attach(to: loop)
  }

  private func attach(to loop: EventLoop) throws(SystemError) {
    let result = unsafe sd_bus_attach_event(bus, loop.event, Int32(SD_EVENT_PRIORITY_NORMAL))
    guard result >= 0 else { throw SystemError(result, "sd_bus_attach_event") }
    lost = try match(
      "type='signal',sender='org.freedesktop.DBus.Local',interface='org.freedesktop.DBus.Local',member='Disconnected'"
    ) { [unowned self] _ in
      guard !isClosed else { return }
      isClosed = true
      onDisconnect?()
    }
  }

  deinit {
    close()
    unsafe _ = sd_bus_unref(bus)
  }

  public func close() {
    isClosed = true
    lost = nil
    unsafe _ = sd_bus_detach_event(bus)
    unsafe sd_bus_close(bus)
  }

  /// Calls a method, and gives its answer, or the error; after 5 s without one that is a time-out.
  ///
  /// - destination: a name on the bus; nil for the program itself that was connected to
  /// - Returns: what the answer comes through, to be kept until it has come, since without it none is told; nil if
  ///   it could not be sent.
  @discardableResult
  public func call(
    _ destination: String?, _ path: String, _ interface: String, _ method: String, _ arguments: [Value] = [],
    answer: @escaping (Result<[Value], BusError>) -> Void = { _ in }
  ) -> Subscription? {
    guard !isClosed else { return nil }
    var message: OpaquePointer?
    var result = unsafe sd_bus_message_new_method_call(bus, &message, destination, path, interface, method)
    guard result >= 0, let message = unsafe message else { return nil }
    defer { unsafe _ = sd_bus_message_unref(message) }
    // Nobody is started by being told to show or hide.
    unsafe _ = sd_bus_message_set_auto_start(message, 0)
    do throws(SystemError) { unsafe try append(arguments, to: message) } catch { return nil }
    let call = unsafe Subscription { reply in
      if let error = unsafe sd_bus_message_get_error(reply) {
        answer(.failure(unsafe BusError(error)))
      } else {
        answer(.success(unsafe values(of: reply)))
      }
    }
    result = unsafe sd_bus_call_async(bus, &call.slot, message, handle, call.context, 5_000_000)
    return result >= 0 ? call : nil
  }

  /// Asks for a property.
  public func get(
    _ property: String, of destination: String?, _ path: String, _ interface: String,
    answer: @escaping (Result<Value, BusError>) -> Void
  ) -> Subscription? {
    call(
      destination, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(property)]
    ) {
      answer(
        $0.flatMap { values in
          guard let value = values.first else {
            return .failure(
              BusError(name: "malformed", message: "\(property) has a type that was not expected"))
          }
          return .success(value)
        })
    }
  }

  /// Calls the handler with the values of each signal that a rule matches, in the words of D-Bus's match rules.
  public func match(_ rule: String, _ handler: @escaping ([Value]) -> Void) throws(SystemError)
    -> Subscription
  {
    let subscription = unsafe Subscription { message in unsafe handler(values(of: message)) }
    let result = unsafe sd_bus_add_match_async(
      bus, &subscription.slot, rule, handle, nil, subscription.context)
    guard result >= 0 else { throw SystemError(result, "a match on the bus") }
    return subscription
  }

  /// Answers the calls of a method that the other side makes, with nothing, and tells of them.
  public func onCall(of interface: String, at path: String, _ handler: @escaping (String, [Value]) -> Void)
    throws(SystemError) -> Subscription
  {
    let subscription = unsafe Subscription { message in
      guard let called = unsafe sd_bus_message_get_interface(message),
        unsafe String(cString: called) == interface,
        let member = unsafe sd_bus_message_get_member(message)
      else { return }
      handler(unsafe String(cString: member), unsafe values(of: message))
      if unsafe sd_bus_message_get_expect_reply(message) > 0 {
        var reply: OpaquePointer?
        if unsafe sd_bus_message_new_method_return(message, &reply) >= 0 {
          unsafe _ = sd_bus_send(nil, reply, nil)
          unsafe _ = sd_bus_message_unref(reply)
        }
      }
    }
    let result = unsafe sd_bus_add_object(bus, &subscription.slot, path, handleCall, subscription.context)
    guard result >= 0 else { throw SystemError(result, "an object on the bus") }
    return subscription
  }
}

private let handle: sd_bus_message_handler_t = { message, context, _ in
  guard let message = unsafe message, let context = unsafe context else { return 0 }
  // Kept while it runs, since a handler may let it go.
  let subscription = unsafe Unmanaged<Bus.Subscription>.fromOpaque(context).takeUnretainedValue()
  unsafe subscription.handler(message)
  return 0
}

private let handleCall: sd_bus_message_handler_t = { message, context, error in
  guard let message = unsafe message else { return 0 }
  var type: UInt8 = 0
  guard unsafe sd_bus_message_get_type(message, &type) >= 0, type == UInt8(SD_BUS_MESSAGE_METHOD_CALL)
  else { return 0 }
  unsafe _ = handle(message, context, error)
  return 1
}

extension BusError {
  fileprivate init(_ error: UnsafePointer<sd_bus_error>) {
    name = unsafe error.pointee.name.map { unsafe String(cString: $0) } ?? ""
    message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? ""
  }
}
