/* Some clients with one scene each, driven by lines on the standard input; every line goes to all of them.
 *
 *   driver COUNT SCENE [touches]
 *
 * set VIEWS | frame X Y WIDTH HEIGHT | remove ID | focus ID | resign. Prints a line for each thing that it is
 * told: "N state TIME INSTANCE REVISION FOCUSED OFFSET PHASE", "N touch PHASE VIEW", "N error NAME
 * PARAMETERS".
 */
#define _GNU_SOURCE
#include <keylift.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 100 };
static keylift_client *clients[MOST];

static void on_state(const keylift_state *state, void *data) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  printf("%d state %.6f %s %lld %s %g %d\n", *(int *)data, seconds, state->instance,
         (long long)state->revision, state->focused ? state->focused : "-", state->layout.offset.y,
         (int)state->keyboard.phase);
}

static void on_touch(const keylift_touch *touch, void *data) {
  printf("%d touch %d %s\n", *(int *)data, (int)touch->phase, touch->view ? touch->view : "-");
}

static void on_error(const char *error, const char *parameters, void *data) {
  printf("%d error %s %s\n", *(int *)data, error, parameters);
}

static int run(keylift_client *client, const char *word, const char *rest) {
  keylift_rect frame;
  if (strcmp(word, "set") == 0) return keylift_set_json(client, rest);
  if (strcmp(word, "remove") == 0) return keylift_remove(client, &rest, 1);
  if (strcmp(word, "focus") == 0) return keylift_focus(client, rest);
  if (strcmp(word, "resign") == 0) return keylift_resign(client);
  if (sscanf(rest, "%lf %lf %lf %lf", &frame.x, &frame.y, &frame.width, &frame.height) != 4) return -1;
  return keylift_set_frame(client, frame);
}

int main(int argc, char **argv) {
  static int numbers[MOST];
  static struct pollfd loop[MOST + 1];
  int count = argc >= 3 ? atoi(argv[1]) : 0;
  char *line = NULL;
  size_t size = 0;
  if (count < 1 || count > MOST) return 2;
  setvbuf(stdin, NULL, _IONBF, 0); /* so that poll sees all that is there */
  for (int i = 0; i < count; i++) {
    keylift_options options = {.on_state = on_state, .on_error = on_error, .data = &numbers[i]};
    if (argc > 3) options.on_touch = on_touch;
    numbers[i] = i;
    if (!(clients[i] = keylift_open_json(argv[2], &options))) {
      perror("keylift_open_json");
      return 1;
    }
    loop[i] = (struct pollfd){.fd = keylift_fd(clients[i]), .events = POLLIN};
  }
  loop[count] = (struct pollfd){.fd = 0, .events = POLLIN};
  while (fflush(stdout), poll(loop, (nfds_t)count + 1, -1) >= 0) {
    for (int i = 0; i < count; i++)
      if (loop[i].revents) keylift_dispatch(clients[i]);
    if (!loop[count].revents) continue;
    ssize_t length = getline(&line, &size, stdin);
    if (length <= 0) break;
    line[strcspn(line, "\n")] = 0;
    char *rest = line + strcspn(line, " ");
    if (*rest) *rest++ = 0;
    for (int i = 0; i < count; i++) {
      int error = run(clients[i], line, rest);
      if (error) printf("%d failed %d\n", i, error);
    }
  }
  for (int i = 0; i < count; i++) keylift_close(clients[i]);
  free(line);
  return 0;
}
