import Glibc

/// Makes sure that no socket becomes standard input, output or error, and that a reader who goes ends nothing.
///
/// To be called first in a program: what is opened before it may have taken a standard descriptor's place.
public func secureStandardDescriptors() {
  var descriptor: Int32 = 0
  while (0...STDERR_FILENO).contains(descriptor) { descriptor = unsafe open("/dev/null", O_RDWR) }
  if descriptor > STDERR_FILENO { close(descriptor) }
  _ = signal(SIGPIPE, SIG_IGN)
}
