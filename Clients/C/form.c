/* A form of two fields, as an application has it: prints where it is to move, and which field is edited.
 *
 *   cc form.c $(pkg-config --cflags --libs keylift) && ./a.out
 */
#include <keylift.h>
#include <poll.h>
#include <stdio.h>

static void on_state(const keylift_state *state, void *data) {
  static const char *const phases[] = {"hidden", "willShow", "shown", "willHide"};
  (void)data;
  printf("focus: %s, keyboard: %s, move by %g in %g s\n", state->focused ? state->focused : "nothing",
         phases[state->keyboard.phase], state->layout.offset.y, state->layout.duration);
  fflush(stdout);
}

static void on_error(const char *error, const char *parameters, void *data) {
  (void)data;
  fprintf(stderr, "%s %s\n", error, parameters);
}

int main(void) {
  const keylift_view views[] = {
      {.id = "name", .kind = KEYLIFT_TEXT_INPUT, .frame = {40, 40, 720, 60}, .return_key = "next"},
      {.id = "city", .kind = KEYLIFT_TEXT_INPUT, .frame = {40, 380, 720, 60}, .return_key = "done"},
  };
  const keylift_scene scene = {.name = "form", .views = views, .view_count = 2};
  const keylift_options options = {.on_state = on_state, .on_error = on_error};
  keylift_client *client = keylift_open(&scene, &options);
  if (!client) {
    perror("keylift");
    return 1;
  }
  /* In your loop: watch keylift_fd for input, and call keylift_dispatch when there is some. */
  struct pollfd loop = {.fd = keylift_fd(client), .events = POLLIN};
  while (poll(&loop, 1, -1) >= 0) keylift_dispatch(client);
  keylift_close(client);
  return 0;
}
