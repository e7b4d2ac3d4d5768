/* A daemon that lies: sends the client arbitrary bytes, and messages that are nearly right. Built with
 * sanitizers.
 *
 *   fuzz [SECONDS [SEED]]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "keylift.h"
#include "state.h"

static const char *const messages[] = {
    "{\"parameters\":{\"instance\":\"a\",\"serial\":1,\"scene\":\"s1\",\"revision\":1,\"change\":["
    "\"snapshot\",\"focus\"],"
    "\"screen\":{\"name\":\"main\",\"size\":{\"width\":800,\"height\":480},\"rotation\":0},\"focused\":"
    "\"na\\u00efve \\ud83d"
    "\\ude00\",\"keyboard\":{\"phase\":\"willShow\",\"frame\":{\"x\":0,\"y\":288,\"width\":800,\"height\":"
    "192},"
    "\"previousFrame\":{\"x\":0,\"y\":480,\"width\":800,\"height\":0},\"docked\":true,\"duration\":0.3,"
    "\"curve\":\"easeInOut\","
    "\"reason\":\"focus\",\"screen\":null},\"layout\":{\"offset\":{\"x\":0,\"y\":-162.5},\"scrolls\":[{"
    "\"view\":\"list\","
    "\"contentOffset\":{\"x\":0,\"y\":1.5e2},\"insetBottom\":20}],\"overlap\":192,\"duration\":0.3,\"curve\":"
    "\"easeInOut\"}},"
    "\"continues\":true}",
    "{\"parameters\":{\"touch\":{\"id\":7,\"phase\":\"began\",\"time\":1234567,\"position\":{\"x\":1.5,\"y\":"
    "2},\"view\":\"a\","
    "\"responders\":[\"a\",\"b\"]}},\"continues\":true}",
    "{\"parameters\":{\"revision\":2}}",
    "{}",
    "{\"error\":\"io.keylift.Scene.InvalidScene\",\"parameters\":{\"view\":\"a\",\"problem\":\"is none\"}}",
    "[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]",
    "{\"parameters\":{\"touch\":{\"id\":1e999,\"time\":-1e18,\"position\":{\"x\":-0.000e-400,\"y\":1E+5}}}}",
};

static unsigned long random_state = 1;

static size_t below(size_t bound) { /* xorshift64 */
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (size_t)(random_state % bound);
}

/* A message, changed in a few places; its length, with its NUL. */
static size_t nearly_right(char *to) {
  static const char bits[] = "{}[]\",:\\u0019-+.eEntf /\x01\x7f\xff";
  const char *message = messages[below(sizeof messages / sizeof *messages)];
  size_t length = strlen(message);
  memcpy(to, message, length + 1);
  for (size_t changes = below(4); changes > 0 && length > 0; changes--) {
    size_t at = below(length);
    switch (below(4)) {
      case 0: to[at] = (char)below(256); break;
      case 1: to[at] = bits[below(sizeof bits)]; break;
      case 2: /* without a piece */
        memmove(to + at, to + at + 1, length - at);
        length--;
        break;
      default: /* a piece twice */ memmove(to + at + 1, to + at, length - at + 1); length++;
    }
  }
  return length + 1;
}

/* Exactly as long as it is, so that a step beyond is found. */
static void read_alone(const char *message, size_t length) {
  char *text = malloc(length);
  keylift_state state;
  keylift_touch touch;
  state_memory memory = {0};
  json parameters;
  memcpy(text, message, length);
  parameters = json_member(json_parse(text, length), "parameters");
  state_read(parameters, &state, &memory);
  state_free(&memory);
  touch_read(parameters, &touch, &memory);
  state_free(&memory);
  free(text);
}

static size_t heard;
static keylift_client *living;
static void use(keylift_client *client);

/* Every byte that the client hands on is looked at, so that the sanitizer sees it. */
static void on_state(const keylift_state *state, void *data) {
  (void)data;
  heard +=
      strlen(state->scene) + strlen(state->keyboard.curve) + (state->focused ? strlen(state->focused) : 0);
  for (size_t i = 0; i < state->layout.scroll_count; i++) heard += strlen(state->layout.scrolls[i].view);
  if (living && below(4) == 0) use(living);
}

static void on_touch(const keylift_touch *touch, void *data) {
  (void)data;
  for (size_t i = 0; i < touch->responder_count; i++) heard += strlen(touch->responders[i]);
  if (living && below(4) == 0) use(living);
}

static void on_error(const char *error, const char *parameters, void *data) {
  (void)data;
  heard += strlen(error) + strlen(parameters);
  if (living && below(4) == 0) use(living);
}

/* What an application does, sensible or not. */
static void use(keylift_client *client) {
  static const char *const ids[] = {"a", "b", "c"};
  const keylift_view view = {
      .id = ids[below(3)], .parent = below(2) ? ids[below(3)] : NULL, .frame = {1, 2, 3, 4}};
  switch (below(6)) {
    case 0: keylift_set(client, &view, 1); break;
    case 1: keylift_remove(client, &ids[below(3)], 1); break;
    case 2: keylift_focus(client, ids[below(3)]); break;
    case 3: keylift_resign(client); break;
    case 4: keylift_set_frame(client, view.frame); break;
    default: keylift_set_json(client, "[{\"id\":\"d\",\"frame\":{}},{\"id\":1}]");
  }
}

/* One client's life with the daemon that listens there. */
static void live(int listener, const keylift_options *options) {
  char message[2048];
  int connections[3], count = 0;
  keylift_client *client =
      keylift_open_json("{\"name\":\"x\",\"views\":[{\"id\":\"a\",\"frame\":{}}]}", options);
  if (!client) exit(2);
  living = client;
  for (int step = 0; step < 40; step++) {
    int which, more = count < 3 ? accept4(listener, NULL, NULL, SOCK_NONBLOCK) : -1;
    if (more >= 0) {
      connections[count++] = more;
      if (count == 1) (void)!write(more, messages[0], strlen(messages[0]) + 1);
    }
    if (count > 0) {
      which = (int)below((size_t)count);
      if (below(20) == 0) shutdown(connections[which], SHUT_RDWR);
      (void)!send(connections[which], message, nearly_right(message), MSG_NOSIGNAL);
      (void)!recv(connections[which], message, sizeof message, 0);
    }
    if (below(3) == 0) use(client);
    keylift_dispatch(client);
  }
  living = NULL;
  keylift_close(client);
  while (count > 0) close(connections[--count]);
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 5;
  char directory[] = "/tmp/keylift-fuzz-XXXXXX", message[2048];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t lives = 0;
  time_t end = time(NULL) + (time_t)seconds;
  keylift_options options = {.on_state = on_state, .on_touch = on_touch, .on_error = on_error};
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  random_state = argc > 2 ? strtoul(argv[2], NULL, 10) | 1 : (unsigned long)time(NULL) << 8 | 1;
  printf("seed %lu\n", random_state);
  fflush(stdout);
  if (!mkdtemp(directory)) return 2;
  snprintf(address.sun_path, sizeof address.sun_path, "%s/sock", directory);
  options.path = address.sun_path;
  if (bind(listener, (const struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 16) < 0)
    return 2;
  do {
    for (int i = 0; i < 1000; i++) read_alone(message, nearly_right(message));
    live(listener, &options);
    lives++;
    int left;
    while ((left = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) close(left);
  } while (time(NULL) < end);
  close(listener);
  unlink(address.sun_path);
  rmdir(directory);
  printf("%zu clients lived, %zu bytes heard\n", lives, heard);
  return heard ? 0 : 1;
}
