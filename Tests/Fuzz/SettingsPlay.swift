import Engine
import Glibc
import KeyliftDaemon

/// A configuration file of any bytes: refused with its line, or taken as something that an engine can begin with.
enum SettingsPlay {
  private static let file: String = {
    // By its descriptor, so that nothing has to be removed, and there is no directory beside it.
    var template = Array("/tmp/keylift-fuzz-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    unsafe _ = unlink(template)
    return "/proc/self/fd/\(descriptor)"
  }()

  /// Returns: what was wrong, nil for nothing.
  static func run(_ bytes: [UInt8], trace: ((String) -> Void)? = nil) -> String? {
    guard let stream = unsafe fopen(file, "w") else { return "no file" }
    unsafe _ = fwrite(bytes, 1, bytes.count, stream)
    unsafe _ = fclose(stream)
    do throws(ConfigurationError) {
      let settings = try Settings.read([file])
      trace?("\(settings)")
      if try Settings.read([file]) != settings { return "read again it is another" }
      let engine = Engine(configuration: settings.configuration(displaySize: nil))
      let isSound = engine.screens.allSatisfy { $0.size.width > 0 && $0.size.height > 0 && $0.size.isFinite }
      return isSound && !engine.screens.isEmpty ? nil : "screens \(engine.screens)"
    } catch {
      trace?("\(error)")
      let lines = bytes.count { $0 == 10 } + 1
      return (0...lines).contains(error.line) && !error.reason.isEmpty ? nil : "\(error) in \(lines) lines"
    }
  }
}
