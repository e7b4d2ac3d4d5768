import Engine
import Testing

@testable import KeyliftDaemon

@Suite("what a reload says has changed")
struct SettingChangeTests {
  private let folder: ConfigurationFolder

  init() throws { folder = try ConfigurationFolder() }

  private func changes(_ before: String, _ after: String) throws -> [String] {
    try folder.write(before)
    let old = try folder.read()
    try folder.write(after)
    return old.texts.changes(to: try folder.read().texts).map(\.description)
  }

  @Test(
    "each key with both values, as they are written",
    arguments: [
      ("[Keyboard]\nHeight=40%\n", "[Keyboard]\nHeight=192\n", ["[Keyboard] Height 40% -> 192"]),
      (
        "", "[Keyboard]\nHeight=192\nDuration=0\n",
        [
          "[Keyboard] Duration default -> 0", "[Keyboard] Height default -> 192",
        ]
      ),
      ("[Log]\nLevel=debug\n", "[Log]\n", ["[Log] Level debug -> default"]),
      ("", "[Access]\nKeyboard=\n", ["[Access] Keyboard default -> empty"]),
      ("[Log]\n[Keyboard]\n", "", []),
      ("[Device a]\nGrab=no\nGrab=yes\n", "[Device  a ]\nGrab=yes\n", []),
    ])
  func keys(before: String, after: String, told: [String]) throws {
    #expect(try changes(before, after) == told)
  }

  @Test(
    "a section that comes, goes or moves",
    arguments: [
      ("", "[Screen a]\n", ["[Screen a] is new"]), ("[Screen a]\n", "", ["[Screen a] is gone"]),
      (
        "[Screen a]\n[Screen b]\n", "[Screen b]\n[Screen a]\n",
        [
          "[Screen a] stands elsewhere", "[Screen b] stands elsewhere",
        ]
      ),
      ("[Screen a]\n[Screen b]\n[Screen c]\n", "[Screen b]\n[Screen c]\n", ["[Screen a] is gone"]),
      ("[Screen a]\n[Keyboard]\n", "[Keyboard]\n[Screen a]\n", []),
      ("[Screen a]\n", "[Screen a]\n[Screen b]\nSize=1x1\n", ["[Screen b] Size default -> 1x1"]),
    ])
  func sections(before: String, after: String, told: [String]) throws {
    #expect(try changes(before, after) == told)
  }

  @Test("drop-ins count as the file does, a later one more")
  func dropIns() throws {
    try folder.write("[Keyboard]\nSpacing=1\n")
    let old = try folder.read()
    try folder.write("[Keyboard]\nSpacing=2\n", to: "keylift.conf.d/1.conf")
    #expect(
      old.texts.changes(to: try folder.read().texts) == [
        SettingChange(section: "Keyboard", key: "Spacing", from: "1", to: "2")
      ])
  }
}
