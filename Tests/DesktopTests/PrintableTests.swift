import Testing

@testable import Desktop

@Suite struct NamesOfOthers {
  @Test(
    "have nothing that steers a terminal or breaks a line",
    arguments: [
      ("Timetable – Zürich 🚆", "Timetable – Zürich 🚆"), ("a\u{1B}[2Jb", "a?[2Jb"),
      ("a\0\t\n\u{7F}b", "a????b"),
      ("a\r\nb", "a??b"), ("a\u{80}\u{9B}\u{9F}\u{A0}b", "a???\u{A0}b"), ("a\u{2028}\u{2029}b", "a??b"),
      ("", ""),
    ])
  func arePrintable(name: String, printed: String) {
    #expect(printable(name) == printed)
  }

  @Test("are cut after 128 characters, also where many make up one")
  func areCut() {
    #expect(printable(String(repeating: "é", count: 1_000_000)) == String(repeating: "é", count: 128))
    let piled = "e" + String(repeating: "\u{301}", count: 1_000_000)
    #expect(printable(piled).unicodeScalars.count == 128)
  }
}
