/// How a call is to be answered; a call has one of the flags at most.
public enum CallFlag: Sendable {
  case none
  /// Not at all.
  case oneway
  /// By as many replies as there are.
  case more
  /// Once, and then the connection is something else's.
  case upgrade
}

/// A call as it came over the wire; whatever is no call makes none, and its sender is cut off without a reply.
///
/// https://varlink.org/Method-Call; a member that this does not know is allowed if its name has a dot.
package struct CallMessage: Equatable {
  package private(set) var method = ""
  /// An object; empty when absent or null. Another value where the caller sent no object.
  package private(set) var parameters = JSON.empty
  package private(set) var flag = CallFlag.none

  package init?(_ text: borrowing Span<UInt8>, limits: JSON.Limits = JSON.Limits()) {
    guard let message = try? JSON.parse(text, limits: limits) else { return nil }
    guard case .object(let members) = message else { return nil }
    var method: String?
    for member in members {
      switch member.key {
      case "method":
        guard let name = member.value.asString else { return nil }
        method = name
      case "parameters": parameters = member.value.isNull ? .empty : member.value
      case "oneway": guard set(.oneway, member.value) else { return nil }
      case "more": guard set(.more, member.value) else { return nil }
      case "upgrade": guard set(.upgrade, member.value) else { return nil }
      default: guard member.key.utf8.contains(UInt8(ascii: ".")) else { return nil }
      }
    }
    guard let method else { return nil }
    self.method = method
  }

  private mutating func set(_ flag: CallFlag, _ value: JSON) -> Bool {
    guard let value = value.asBool else { return false }
    guard value else { return true }
    guard self.flag == .none else { return false }
    self.flag = flag
    return true
  }
}
