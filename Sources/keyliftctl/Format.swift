import Varlink

/// Text of others, names above all, without what would steer a terminal.
func printable(_ text: String) -> String {
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
      result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
    default: result.append(scalar)
    }
  }
  return String(result)
}

/// A number as the wire has it: to three decimals, without trailing zeros.
func number(_ value: JSON) -> String {
  guard let value = value.asDouble else { return "?" }
  var writer = JSONWriter(capacity: 16)
  writer.value(value)
  return String(decoding: writer.bytes, as: UTF8.self)
}

func point(_ value: JSON) -> String { "\(number(value["x"])),\(number(value["y"]))" }

/// A rectangle as `0,288 800x192`.
func rect(_ value: JSON) -> String { "\(point(value)) \(size(value))" }

func size(_ value: JSON) -> String { "\(number(value["width"]))x\(number(value["height"]))" }

func text(_ value: JSON) -> String { printable(value.asString ?? "") }

func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// ` in 0.3 s`, or nothing if it is at once.
func within(_ duration: JSON) -> String {
  guard let seconds = duration.asDouble, seconds > 0 else { return "" }
  return " in \(number(duration)) s"
}

/// Seconds to the millisecond, right-aligned: `   1.234`.
func seconds(_ microseconds: Int64) -> String {
  let thousandths = max(0, microseconds) / 1000
  let fraction = String(1000 + thousandths % 1000).dropFirst()
  return padded("\(thousandths / 1000).\(fraction)", to: 8, right: true)
}

/// A length of time for people: `0.2 s`, `12 min`, `3.5 h`.
func duration(_ seconds: Double) -> String {
  if seconds < 120 { return "\(decimal(seconds, places: 1)) s" }
  return seconds < 7200
    ? "\(decimal(seconds / 60, places: 0)) min" : "\(decimal(seconds / 3600, places: 1)) h"
}

/// The same of what an answer has.
func age(_ seconds: JSON) -> String { seconds.asDouble.map(duration) ?? "?" }

func padded(_ text: String, to width: Int, right: Bool = false) -> String {
  let padding = String(repeating: " ", count: max(0, width - text.count))
  return right ? padding + text : text + padding
}

/// Rows in columns two spaces apart; the last column is not padded, an empty end not printed.
func table(_ rows: [[String]]) -> String {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], cell.count)
    }
  }
  var result = ""
  for row in rows {
    var line = ""
    for (column, cell) in row.enumerated() { line += padded(cell, to: widths[column]) + "  " }
    while line.last == " " { line.removeLast() }
    result += line + "\n"
  }
  return result
}

/// A number to so many places, 9 at most, without trailing zeros; `?` if it is not finite or over 1e9.
func decimal(_ value: Double, places: Int) -> String {
  guard value.isFinite, value.magnitude <= 1e9 else { return "?" }
  var scale = 1.0
  for _ in 0..<min(max(0, places), 9) { scale *= 10 }
  let scaled = Int64((value.magnitude * scale).rounded())
  let whole = scaled / Int64(scale)
  var fraction = String(Int64(scale) + scaled % Int64(scale)).dropFirst()
  while fraction.last == "0" { fraction.removeLast() }
  let sign = value < 0 && scaled != 0 ? "-" : ""
  return "\(sign)\(whole)\(fraction.isEmpty ? "" : ".\(fraction)")"
}

/// A text in lines of so many characters at most, those after the first indented; a longer word has a line of its own.
func wrapped(_ text: String, columns: Int, indent: String) -> String {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, line.count + 1 + word.count > columns {
      lines.append(line)
      line = indent + word
    } else {
      line += (line.isEmpty ? "" : " ") + word
    }
  }
  return (lines + [line]).joined(separator: "\n")
}
