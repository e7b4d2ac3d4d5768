#pragma once
#include <mtdev-plumbing.h>
#include <stdint.h>

/* An event without its time, which mtdev hands on and does not use. */
static inline void keylift_mtdev_put(struct mtdev *device, uint16_t type, uint16_t code, int32_t value) {
  struct input_event event = {.type = type, .code = code, .value = value};
  mtdev_put_event(device, &event);
}
