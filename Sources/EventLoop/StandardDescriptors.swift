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

/// Lets the process have as many descriptors open as the hard limit allows; only select(2) cannot do with many.
/// Returns: how many that are, or nil if nobody says.
@discardableResult
public func raiseDescriptorLimit() -> Int? {
  var limit = rlimit()
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
  limit.rlim_cur = limit.rlim_max
  unsafe _ = setrlimit(resource, &limit)
  guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
  return Int(clamping: limit.rlim_cur)
}
