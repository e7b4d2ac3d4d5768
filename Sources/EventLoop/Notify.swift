import CSystemd

/// Tells the service manager of this process's state, as sd_notify(3) has it; nobody if it was not started by one.
public func notifyManager(_ state: String) { unsafe _ = sd_notify(0, state) }
