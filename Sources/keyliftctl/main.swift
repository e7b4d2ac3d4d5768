import EventLoop
import Glibc

secureStandardDescriptors()  // a reader who goes is EPIPE
unsafe setlocale(LC_CTYPE, "")

do {
  try Tool.run(Array(CommandLine.arguments.dropFirst()))
} catch let failure as Failure {
  Output.complain(failure.message)
  exit(failure.status.rawValue)
} catch Output.Ending.readerGone {
  exit(0)
} catch Output.Ending.failed(let error) {
  Output.complain("\(error).")
  exit(1)
} catch {
  Output.complain("\(error).")
  exit(1)
}
