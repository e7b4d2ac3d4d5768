#pragma once
#include <errno.h>
#include <fcntl.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

/* ioctl(2) is variadic and its request numbers are macros. */
static inline int keylift_evdev_set_clock(int fd, int clock) {
  return ioctl(fd, EVIOCSCLOCKID, &clock);
}

/* The members' names differ where time is 64 bits wide on a 32-bit machine. */
static inline uint64_t keylift_evdev_time(const struct input_event *event) {
  return (uint64_t)event->input_event_sec * 1000000u + (uint64_t)event->input_event_usec;
}
