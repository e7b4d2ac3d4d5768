import Glibc

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

/// Whether there are enough descriptors for one more that could also wait.
///
/// Some are left to what the process cannot do without, such as an answer to the watchdog, since each sd_notify(3)
/// needs one, and devices.
/// - kept: how many those are, where there may be at least 512; else less, in proportion.
public func hasSpareDescriptors(kept: UInt) -> Bool {
  var limit = rlimit()
  guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
  let lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)  // the lowest that is free
  guard lowest >= 0 else { return errno == EBADF }  // there may be no standard error
  close(lowest)
  return UInt(lowest) < limit.rlim_cur - kept * min(limit.rlim_cur, 512) / 512
}
