import EventLoop
import Glibc
import Varlink

/// Exit statuses of sysexits.h.
private let usageStatus: Int32 = 64
private let configurationStatus: Int32 = 78

/// Says on standard output or error whether a configuration is right, as a compiler does.
private func check(_ place: ConfigurationPlace) -> Int32 {
  var mistakes = Mistakes()
  do throws(ConfigurationError) {
    let files = try place.files()
    _ = Settings.read(files, &mistakes)
    guard mistakes.count == 0 else { return refuse(mistakes.text) }
    for file in files { print("\(file): \(place.masking(by: file) ?? "nothing is wrong")") }
    if files.isEmpty { print("there is no configuration, and the defaults hold") }
    return 0
  } catch {
    return refuse("\(error)\n")
  }
}

private func refuse(_ text: String) -> Int32 {
  unsafe _ = Array(text.utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  return configurationStatus
}

/// Runs keyliftd with the arguments and the environment of the process, until a signal ends it.
/// Returns: the exit status.
public func runKeyliftd() -> Int32 {
  secureStandardDescriptors()
  let log = Log()
  do {
    let options = try Options()
    let place = options.configuration.map(ConfigurationPlace.file) ?? .standard
    if options.checks { return check(place) }
    let settings = try place.read()
    log.level = settings.logLevel
    return try Daemon(settings: settings, from: place, log: log).run(
      runtimeDirectory: options.runtimeDirectory)
  } catch Options.Early.print(let text) {
    print(text, terminator: "")
    return 0
  } catch Options.Early.wrongUsage(let why) {
    if let why { log.fatal(why) }
    log.fatal("keyliftd --help says what there is")
    return usageStatus
  } catch let error as ConfigurationError {
    log.fatal("\(error)")
    return configurationStatus
  } catch let error as BindError {
    log.fatal("\(error); --runtime-directory puts the sockets elsewhere")
    return 1
  } catch {
    log.fatal("\(error)")
    return 1
  }
}
