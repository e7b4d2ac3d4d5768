import Geometry
import Glibc
import Testing
import TouchInput

@testable import KeyliftDaemon

/// Config/keylift.conf with its keys no longer commented out, but for the examples.
private func shipped() throws -> String {
  let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  let file = unsafe try #require(fopen("/\(folder)/Config/keylift.conf", "r"))
  defer { unsafe _ = fclose(file) }
  var lines: [String] = []
  var buffer = [CChar](repeating: 0, count: 512)
  while unsafe fgets(&buffer, Int32(buffer.count), file) != nil {
    var line = String(
      decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if line.hasPrefix("#"), let next = line.dropFirst().first, next.isLetter || next == "[" {
      line.removeFirst()
    }
    if !line.hasPrefix("Range=") { lines.append(line) }
  }
  return lines.joined(separator: "\n")
}

@Test("Config/keylift.conf has every key, and says the defaults")
func shippedDefaults() throws {
  let folder = try ConfigurationFolder()
  let text = try shipped()
  try folder.write(text)
  let settings = try folder.read()
  let panel = DeviceIdentity(path: "", name: "", vendor: 0x0416, product: 0x038f, udevProperties: [:])
  #expect(
    settings.settings(for: panel) == DeviceSettings(screen: "main", calibration: .identity, fuzz: 0))
  var bare = settings
  bare.screens = []
  bare.devices = []
  bare.texts = SettingTexts()
  #expect(bare == Settings())
  for key in Settings.deviceKeys + Settings.accessKeys where key != "Range" {
    #expect(text.contains("\n\(key)="), "\(key) is not explained")
  }
}
