import CSystemd
import EventLoop
import Glibc

/// Runs keylift-osk until it is ended, and returns its exit status.
package func runKeyliftOSK() -> Int32 {
  let settings: Settings
  do throws(Options.Early) {
    settings = try Options().settings
  } catch {
    switch error {
    case .print(let text):
      print(text, terminator: "")
      return 0
    case .wrongUsage(let reason):
      let help = "Try keylift-osk --help.\n"
      Log(isVerbose: false).plain(reason.map { "keylift-osk: \($0). \(help)" } ?? help)
      return 2
    }
  }
  let log = Log(isVerbose: settings.isVerbose)
  do {
    signal(SIGPIPE, SIG_IGN)
    let loop = try EventLoop()
    let desktops = try Desktops(on: loop, log)
    let keyboards = Keyboards(try knownKeyboards(settings, desktops, log, on: loop), log)
    let agent = try Agent(settings, keyboards, desktops, log, on: loop)
    let ends = try [SIGTERM, SIGINT].map { signal throws(SystemError) in
      try loop.onSignal(signal) {
        agent.close()
        loop.exit()
      }
    }
    loop.answerWatchdog()
    notifyManager("READY=1")
    if keyboards.current == nil { log.warning(keyboards.absence) }
    return try withExtendedLifetime(ends) { try loop.run() }
  } catch {
    log.error("\(error)")
    return 1
  }
}
