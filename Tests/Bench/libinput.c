/* libinput NODE: reads a touchscreen through libinput until it is unplugged, and counts what it gives.
 *
 * Prints "ready" once the device is open, and at the end the frames and the touches. Beside `bench read NODE`, which
 * does the same with Keylift's own reader. */
#include <errno.h>
#include <fcntl.h>
#include <libinput.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static int open_node(const char *path, int flags, void *data) {
  (void)data;
  int fd = open(path, flags);
  return fd < 0 ? -errno : fd;
}

static void close_node(int fd, void *data) {
  (void)data;
  close(fd);
}

static long frames, touches;
static double sum; /* so that no position goes unread */

/* Returns 0 once the device is gone. */
static int take(struct libinput_event *event) {
  struct libinput_event_touch *touch;
  switch (libinput_event_get_type(event)) {
  case LIBINPUT_EVENT_TOUCH_DOWN:
  case LIBINPUT_EVENT_TOUCH_MOTION:
    touch = libinput_event_get_touch_event(event);
    sum += libinput_event_touch_get_x_transformed(touch, 800) + libinput_event_touch_get_y_transformed(touch, 480);
    touches++;
    return 1;
  case LIBINPUT_EVENT_TOUCH_UP:
  case LIBINPUT_EVENT_TOUCH_CANCEL: touches++; return 1;
  case LIBINPUT_EVENT_TOUCH_FRAME: frames++; return 1;
  case LIBINPUT_EVENT_DEVICE_REMOVED: return 0;
  default: return 1;
  }
}

int main(int argc, char **argv) {
  static const struct libinput_interface interface = {open_node, close_node};
  struct libinput *libinput = libinput_path_create_context(&interface, NULL);
  if (argc != 2 || !libinput || !libinput_path_add_device(libinput, argv[1])) {
    fprintf(stderr, "libinput NODE: not a device that libinput takes\n");
    return 2;
  }
  struct pollfd wait = {.fd = libinput_get_fd(libinput), .events = POLLIN};
  libinput_dispatch(libinput);
  puts("ready");
  fflush(stdout);
  for (int there = 1; there;) {
    struct libinput_event *event;
    while ((event = libinput_get_event(libinput))) {
      if (!take(event)) there = 0;
      libinput_event_destroy(event);
    }
    if (there && (poll(&wait, 1, -1) < 0 || libinput_dispatch(libinput))) break;
  }
  printf("%ld %ld\n", frames, touches);
  libinput_unref(libinput);
  return sum < 0;
}
