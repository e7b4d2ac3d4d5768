/// An SVG document as it is written: elements in order, whatever is put into them escaped.
struct SVG {
  private(set) var text = ""

  /// An element without content; attributes in pairs.
  mutating func element(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>) {
    open(name, attributes, end: "/>\n")
  }

  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, _ content: String
  ) {
    open(name, attributes, end: ">")
    text += "\(SVG.escaped(content))</\(name)>\n"
  }

  mutating func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, _ body: (inout SVG) -> Void
  ) {
    open(name, attributes, end: ">\n")
    body(&self)
    text += "</\(name)>\n"
  }

  private mutating func open(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, end: String
  ) {
    text += "<\(name)"
    for (key, value) in attributes { text += " \(key)=\"\(SVG.escaped(value))\"" }
    text += end
  }

  /// A length in points; what is further away than any screen is as good as there.
  static func number(_ value: Double) -> String { decimal(min(max(value, -1e8), 1e8), places: 2) }

  /// Text as XML takes it, in an element and in an attribute.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in printable(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"  // not allowed in XML, however written
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
