extension InterfaceDescription {
  /// The path of the first parameter that is unknown, ill-typed or missing, such as `views[3].frame.width`.
  ///
  /// nil if all are as described. A null parameter is an absent one. A float takes integers, an int takes
  /// numbers without a fraction. An infinite number (1e999) is a float here; its meaning is the handler's.
  public func validate(parameters: JSON, of method: Method) -> String? {
    validate(parameters, method.input, skipsUnknown: false)
  }

  /// As for a method's parameters, for what a method's reply carries.
  ///
  /// - skipsUnknown: whether a later version of the interface may have other fields beside those described.
  public func validate(reply: JSON, of method: Method, skipsUnknown: Bool = false) -> String? {
    validate(reply, method.output, skipsUnknown: skipsUnknown)
  }

  /// As for a method's parameters, for those of an error by its name within the interface; nil if there is none.
  package func validate(parameters: JSON, ofError name: String) -> String? {
    errors[name].flatMap { validate(parameters, $0, skipsUnknown: false) }
  }

  private func validate(_ value: JSON, _ fields: [Field], skipsUnknown: Bool) -> String? {
    guard case .object(let members) = value else { return "" }
    // In the order of the text; a key that is no field ends it, so that members never outnumber fields.
    for member in members {
      guard let field = fields.first(where: { $0.name == member.key }) else {
        if skipsUnknown { continue }
        return shortened(member.key)
      }
      if let path = validate(member.value, field.type, skipsUnknown) { return join(field.name, path) }
    }
    for field in fields {
      if case .nullable = field.type { continue }
      if !members.contains(where: { $0.key == field.name }) { return field.name }
    }
    return nil
  }

  /// The path below the value of what is wrong in it; empty if it is the value itself.
  private func validate(_ value: JSON, _ type: DataType, _ skipsUnknown: Bool) -> String? {
    switch (type, value) {
    case (.bool, .bool), (.string, .string), (.object, .object): return nil
    case (.int, _): return value.asInteger == nil ? "" : nil
    case (.float, _): return value.asDouble == nil ? "" : nil
    case (.any, _): return value.isNull ? "" : nil
    case (.nullable(let type), _): return value.isNull ? nil : validate(value, type, skipsUnknown)
    case (.named(let number), _): return validate(value, definitions[number], skipsUnknown)
    case (.structure(let fields), _): return validate(value, fields, skipsUnknown: skipsUnknown)
    case (.enumeration(let names), .string(let name)): return names.contains(name) ? nil : ""
    case (.array(let type), .array(let elements)):
      for (index, element) in elements.enumerated() {
        if let path = validate(element, type, skipsUnknown) { return join("[\(index)]", path) }
      }
      return nil
    case (.map(let type), .object(let members)):
      for member in members {
        if let path = validate(member.value, type, skipsUnknown) {
          return join("[\(shortened(member.key))]", path)
        }
      }
      return nil
    default: return ""
    }
  }

  /// A peer's own name for something, cut so that an error stays short.
  private func shortened(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))
  }

  private func join(_ head: String, _ path: String) -> String {
    path.isEmpty || path.hasPrefix("[") ? head + path : head + "." + path
  }
}
