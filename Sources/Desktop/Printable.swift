/// A name or title that others have chosen, as it may be printed: without what steers a terminal or breaks a line.
///
/// Control characters (C0, DEL, C1) and separators of lines and paragraphs become "?". It has at most 128 characters of
/// Unicode, the rest is cut.
func printable(_ text: String) -> String {
  let scalars = text.unicodeScalars.prefix(128).map { scalar -> Unicode.Scalar in
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: "?"
    default: scalar
    }
  }
  return String(String.UnicodeScalarView(scalars))
}
