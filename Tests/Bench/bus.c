/* What many who listen cost: Keylift's socket beside a D-Bus bus.
 *
 *   bus touches keylift DIRECTORY READERS FRAMES    bus calls keylift DIRECTORY
 * CALLS DEPTH bus touches dbus ADDRESS READERS FRAMES         bus calls dbus
 * ADDRESS CALLS DEPTH
 *
 * touches: a moved frame is sent, by Control.Inject or as a signal of the same
 * values, and every reader reads what comes of it from a connection of its own
 * before the next frame is sent. Prints the nanoseconds from the sending to the
 * first reader, to the middle one and to the last, each the median of all
 * frames. Readers read the bytes and look at nothing in them, on either side.
 * calls: Scene.Update of one view, or a method of a service on the bus with the
 * same values, of which DEPTH are on their way at once. Prints the nanoseconds
 * that a call took. The service is this process, forked. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define PATH "/io/keylift/bench"
#define INTERFACE "io.keylift.Bench"

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("bus: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

static int check(int result, const char *what) {
  if (result < 0) fail("%s: %s", what, strerror(-result));
  return result;
}

static int compare(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static long median(long *values, int count) {
  qsort(values, count, sizeof *values, compare);
  return values[count / 2];
}

/* Keylift's side */

static int connect_to(const char *directory, const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", directory, name);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
    fail("%s: %s", address.sun_path, strerror(errno));
  return fd;
}

static void send_all(int fd, const char *bytes, size_t size) {
  if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size) fail("send: %s", strerror(errno));
}

static void send_text(int fd, const char *text) { send_all(fd, text, strlen(text) + 1); }

/* A whole message; several if they came at once, which the caller counts by
 * their NULs. */
static size_t receive(int fd, char *buffer, size_t size) {
  size_t length = 0;
  do {
    ssize_t count = read(fd, buffer + length, size - length);
    if (count <= 0) fail("the daemon has closed: %s", length ? buffer : "nothing came");
    length += count;
  } while (buffer[length - 1]);
  if (strstr(buffer, "\"error\":\"")) fail("%s", buffer);
  return length;
}

static int attach(const char *directory, char *scene, size_t size) {
  static char reply[65536];
  int fd = connect_to(directory, "keylift.sock");
  send_text(fd,
            "{\"method\":\"io.keylift.Scene.Attach\",\"parameters\":{"
            "\"name\":\"bench\",\"views\":[{\"id\":\"name\","
            "\"kind\":\"textInput\",\"frame\":{\"x\":0,\"y\":0,\"width\":"
            "400,\"height\":400}}]},\"more\":true}");
  receive(fd, reply, sizeof reply);
  const char *found = strstr(reply, "\"scene\":\"");
  if (!found) fail("%s", reply);
  snprintf(scene, size, "%.*s", (int)strcspn(found + 9, "\""), found + 9);
  return fd;
}

/* The bus's side */

static sd_bus *open_bus(const char *address) {
  sd_bus *bus;
  check(sd_bus_new(&bus), "sd_bus_new");
  check(sd_bus_set_address(bus, address), address);
  check(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client");
  check(sd_bus_start(bus), "sd_bus_start");
  const char *name;
  check(sd_bus_get_unique_name(bus, &name), "Hello");
  return bus;
}

static int append_touch(sd_bus_message *message, int number) {
  return sd_bus_message_append(message, "xstddsas", (int64_t)1, "moved", (uint64_t)now() / 1000,
                               100.0 + number % 5, 100.0 + number % 3, "name", 1, "name");
}

static int answer(sd_bus_message *message, void *data, sd_bus_error *error) {
  (void)error;
  return sd_bus_reply_method_return(message, "x", (int64_t)++ * (long *)data);
}

static const sd_bus_vtable service[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Update", "sa(ssdddd)", "x", answer, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static pid_t serve(const char *address) {
  int ready[2];
  char byte;
  if (pipe(ready) < 0) fail("pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0) fail("fork: %s", strerror(errno));
  if (child > 0) {
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) fail("the service has not started");
    return child;
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  long revision = 0;
  sd_bus *bus = open_bus(address);
  check(sd_bus_add_object_vtable(bus, NULL, PATH, INTERFACE, service, &revision), "sd_bus_add_object_vtable");
  check(sd_bus_request_name(bus, INTERFACE, 0), "sd_bus_request_name");
  check(write(ready[1], "", 1), "write");
  for (;;)
    if (check(sd_bus_process(bus, NULL), "sd_bus_process") == 0) sd_bus_wait(bus, UINT64_MAX);
}

/* Reading */

#define MOST 2048

static struct {
  int epoll, count, frames, turn;
  long *first, *middle, *last; /* of each frame, from the sending on */
  int seen[MOST];              /* the turn in which each has read last */
} readers;

static void begin_reading(int count, int frames) {
  if (count < 1 || count > MOST) fail("1 to %d readers", MOST);
  readers.epoll = check(epoll_create1(0), "epoll_create1");
  readers.count = count;
  readers.first = calloc(frames, sizeof(long));
  readers.middle = calloc(frames, sizeof(long));
  readers.last = calloc(frames, sizeof(long));
}

static void add_reader(int index, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)index << 32 | (uint32_t)fd};
  check(epoll_ctl(readers.epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

/* Until every reader has read something that was sent at a time. */
static void read_frame(long sent) {
  static char buffer[65536];
  struct epoll_event events[64];
  int frame = readers.frames++, left = readers.count, turn = ++readers.turn;
  while (left > 0) {
    int count = epoll_wait(readers.epoll, events, 64, 10000);
    if (count <= 0) fail("%d readers get nothing", left);
    for (int i = 0; i < count; i++) {
      int index = events[i].data.u64 >> 32, fd = (int)(uint32_t)events[i].data.u64;
      if (read(fd, buffer, sizeof buffer) <= 0) fail("a reader was closed");
      if (readers.seen[index] == turn) continue;
      readers.seen[index] = turn;
      long time = now() - sent;
      if (left == readers.count) readers.first[frame] = time;
      if (left == (readers.count + 1) / 2) readers.middle[frame] = time;
      if (--left == 0) readers.last[frame] = time;
    }
  }
}

static void print_frames(void) {
  printf("%ld %ld %ld\n", median(readers.first, readers.frames), median(readers.middle, readers.frames),
         median(readers.last, readers.frames));
}

static void touches_of_keylift(const char *directory, int count, int frames) {
  char scene[64], text[512], reply[4096];
  int attached = attach(directory, scene, sizeof scene), control = connect_to(directory, "control.sock");
  for (int i = 0; i < count; i++) {
    int fd = connect_to(directory, "keylift.sock");
    send_text(fd, "{\"method\":\"org.varlink.service.GetInfo\"}");
    receive(fd, reply, sizeof reply);
    snprintf(text, sizeof text,
             "{\"method\":\"io.keylift.Scene.Touches\",\"parameters\":{"
             "\"scene\":\"%s\"},\"more\":true}",
             scene);
    send_text(fd, text);
    add_reader(i, fd);
  }
  /* Who comes last is answered last: all of them are being told by then. */
  int last = connect_to(directory, "keylift.sock");
  send_text(last, "{\"method\":\"org.varlink.service.GetInfo\"}");
  receive(last, reply, sizeof reply);
  for (int i = -1; i < frames; i++) {
    snprintf(text, sizeof text,
             "{\"method\":\"io.keylift.Control.Inject\",\"parameters\":{"
             "\"touches\":[{\"id\":1,\"phase\":\"%s\","
             "\"position\":{\"x\":%d,\"y\":%d}}]}}",
             i < 0 ? "began" : "moved", 100 + i % 5, 100 + i % 3);
    long sent = now();
    send_text(control, text);
    read_frame(sent);
    receive(control, reply, sizeof reply);
    if (i < 0) readers.frames = 0; /* the first is not counted */
  }
  close(attached);
}

static void touches_of_bus(const char *address, int count, int frames) {
  sd_bus *sender = open_bus(address);
  for (int i = 0; i < count; i++) {
    sd_bus *bus = open_bus(address);
    check(sd_bus_add_match(bus, NULL, "type='signal',interface='" INTERFACE "',member='Touch'", NULL, NULL),
          "sd_bus_add_match");
    while (check(sd_bus_process(bus, NULL), "sd_bus_process") > 0) {}
    add_reader(i, check(sd_bus_get_fd(bus), "sd_bus_get_fd"));
  }
  for (int i = -1; i < frames; i++) {
    sd_bus_message *message;
    long sent = now();
    check(sd_bus_message_new_signal(sender, &message, PATH, INTERFACE, "Touch"), "sd_bus_message_new_signal");
    check(append_touch(message, i), "sd_bus_message_append");
    check(sd_bus_send(sender, message, NULL), "sd_bus_send");
    check(sd_bus_flush(sender), "sd_bus_flush");
    sd_bus_message_unref(message);
    read_frame(sent);
    if (i < 0) readers.frames = 0;
  }
}

/* Calling */

static void print_calls(long began, int calls) { printf("%ld\n", (now() - began) / calls); }

static void calls_of_keylift(const char *directory, int calls, int depth) {
  char scene[64], text[512];
  static char reply[1 << 20], batch[1 << 20];
  int attached = attach(directory, scene, sizeof scene), fd = connect_to(directory, "keylift.sock");
  snprintf(text, sizeof text,
           "{\"method\":\"io.keylift.Scene.Update\",\"parameters\":{\"scene\":"
           "\"%s\",\"set\":[{\"id\":\"name\","
           "\"kind\":\"textInput\",\"frame\":{\"x\":0,\"y\":0,\"width\":400,"
           "\"height\":400}}]}}",
           scene);
  size_t length = strlen(text) + 1;
  if (depth < 1 || length * depth > sizeof batch) fail("a depth of 1 to %zu", sizeof batch / length);
  for (int i = 0; i < depth; i++) memcpy(batch + i * length, text, length);
  long began = now();
  for (int done = 0; done < calls; done += depth) {
    send_all(fd, batch, length * depth);
    for (int answers = 0; answers < depth;) {
      size_t size = receive(fd, reply, sizeof reply);
      for (size_t i = 0; i < size; i++) answers += reply[i] == 0;
    }
  }
  print_calls(began, calls);
  close(attached);
}

static int left;

static int answered(sd_bus_message *message, void *data, sd_bus_error *error) {
  (void)data;
  (void)error;
  if (sd_bus_message_is_method_error(message, NULL)) fail("%s", sd_bus_message_get_error(message)->message);
  left--;
  return 0;
}

static void calls_of_bus(const char *address, int calls, int depth) {
  pid_t child = serve(address);
  sd_bus *bus = open_bus(address);
  long began = now();
  for (int done = 0; done < calls; done += depth) {
    for (left = 0; left < depth; left++)
      check(sd_bus_call_method_async(bus, NULL, INTERFACE, PATH, INTERFACE, "Update", answered, NULL,
                                     "sa(ssdddd)", "1", 1, "name", "textInput", 0.0, 0.0, 400.0, 400.0),
            "sd_bus_call_method_async");
    while (left > 0)
      if (check(sd_bus_process(bus, NULL), "sd_bus_process") == 0) sd_bus_wait(bus, UINT64_MAX);
  }
  print_calls(began, calls);
  kill(child, SIGTERM);
  waitpid(child, NULL, 0);
}

int main(int count, char **arguments) {
  if (count != 6) fail("touches|calls keylift|dbus WHERE READERS|CALLS FRAMES|DEPTH");
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const char *where = arguments[3];
  int first = atoi(arguments[4]), second = atoi(arguments[5]), is_bus = strcmp(arguments[2], "dbus") == 0;
  if (first < 1 || second < 1) fail("numbers from 1");
  if (strcmp(arguments[1], "touches") == 0) {
    begin_reading(first, second + 1);
    (is_bus ? touches_of_bus : touches_of_keylift)(where, first, second);
    print_frames();
  } else {
    (is_bus ? calls_of_bus : calls_of_keylift)(where, first, second);
  }
  return 0;
}
