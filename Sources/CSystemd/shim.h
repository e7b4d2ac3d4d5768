#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <sys/pidfd.h>
#include <sys/timerfd.h>

// This process's environment, which Swift would see as shared mutable state.
static inline char **keylift_environ(void) {
  extern char **environ;
  return environ;
}
