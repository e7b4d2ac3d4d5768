import Varlink

extension InterfaceDescription {
  /// The interface as text again, from what was understood of it, in alphabetical order.
  var written: String {
    var text = "interface \(name)\n"
    for (name, number) in typeNames.sorted(by: { $0.key < $1.key }) {
      text += "type \(name) \(written(definitions[number]))\n"
    }
    for method in methods.values.sorted(by: { $0.name < $1.name }) {
      text +=
        "method \(method.name)\(written(.structure(method.input))) -> \(written(.structure(method.output)))\n"
    }
    for (name, fields) in errors.sorted(by: { $0.key < $1.key }) {
      text += "error \(name) \(written(.structure(fields)))\n"
    }
    return text
  }

  private func written(_ type: DataType) -> String {
    switch type {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .string: "string"
    case .object: "object"
    case .any: "any"
    case .structure(let fields):
      "(\(fields.map { "\($0.name): \(written($0.type))" }.joined(separator: ", ")))"
    case .enumeration(let names): "(\(names.joined(separator: ", ")))"
    case .nullable(let type): "?" + written(type)
    case .array(let type): "[]" + written(type)
    case .map(let type): "[string]" + written(type)
    case .named(let number): typeNames.first { $0.value == number }?.key ?? "nothing"
    }
  }
}
