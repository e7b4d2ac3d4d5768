/* The client: three connections to the daemon, a clock for trying again, and one epoll descriptor around
 * them. */
#define _GNU_SOURCE
#include "keylift.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "scene.h"
#include "state.h"
#include "wire.h"

/* While a stream runs, later calls on its connection wait: the scene, calls about it and its touches have one
 * each. */
enum { SCENE, CALLS, TOUCHES, WIRES, CLOCK };

enum { FIRST_WAIT = 100, LONGEST_WAIT = 10000, LONG_ENOUGH = 1000, LONGEST_CALL = 10000 }; /* milliseconds */

typedef enum { NO_CALL, UPDATE, FOCUS, RESIGN } call_kind;

struct keylift_client {
  keylift_options options;
  char *path;
  scene scene;

  int epoll, clock;
  wire wires[WIRES];
  uint32_t watched[WIRES]; /* what epoll was told to watch them for */
  int64_t wait;            /* before the next try to connect */
  int64_t pauses[WIRES];   /* the same of the two beside the scene's, as long as that one holds */
  /* In milliseconds of CLOCK_MONOTONIC; the latter four, what the clock is to wake for, 0 for nothing. */
  int64_t attached_at, opened_at[WIRES], connect_at, calls_at, touches_at, answer_by;

  bool attached;    /* the state is there */
  const char *lost; /* the method of a connection that is to be told of */
  bool hurried; /* attached at once after a change, and not accepted since; later ones wait for the pause */
  keylift_state state;
  state_memory memory;

  call_kind calling; /* whose answer is awaited */
  call_kind intent;  /* FOCUS or RESIGN, once the daemon knows the scene */
  bool intent_sent;  /* it is what `calling` is about, and no other was asked for since */
  char *focus;       /* the view, of FOCUS */
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Sets the clock to the first of what it is to wake for. */
static void wind(keylift_client *client) {
  int64_t first = 0, times[] = {client->connect_at, client->calls_at, client->touches_at, client->answer_by};
  for (int i = 0; i < 4; i++)
    if (times[i] && (!first || times[i] < first)) first = times[i];
  struct itimerspec time = {{0, 0}, {first / 1000, first % 1000 * 1000000}};
  timerfd_settime(client->clock, TFD_TIMER_ABSTIME, &time, NULL);
}

/* ---- Connections ---- */

static bool is_open(const keylift_client *client, int which) { return client->wires[which].fd >= 0; }

static void close_wire(keylift_client *client, int which) {
  wire_close(&client->wires[which]); /* epoll forgets it by itself */
  client->watched[which] = 0;
}

/* Watches a connection for what is to be done with it. */
static int watch(keylift_client *client, int which) {
  wire *wire = &client->wires[which];
  struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = (uint32_t)which}};
  if (wire_has_more_to_write(wire)) event.events |= EPOLLOUT;
  if (event.events == client->watched[which]) return 0;
  if (epoll_ctl(client->epoll, client->watched[which] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, wire->fd, &event) < 0)
    return -errno;
  client->watched[which] = event.events;
  return 0;
}

/* Sends a call on a connection, opening it first if need be. */
static int send_call(keylift_client *client, int which, const char *method, const json_text *parameters,
                     bool more) {
  wire *wire = &client->wires[which];
  int error;
  if (parameters->error) return -parameters->error;
  if (!is_open(client, which)) {
    client->opened_at[which] = now();
    if ((error = wire_connect(wire, client->path))) return error;
  }
  json_add(&wire->out, "{\"method\":\"io.keylift.Scene.");
  json_add(&wire->out, method);
  json_add(&wire->out, more ? "\",\"more\":true,\"parameters\":" : "\",\"parameters\":");
  json_add_bytes(&wire->out, parameters->data, parameters->length);
  json_add_bytes(&wire->out, "}", 2); /* with its NUL */
  if ((error = wire_flush(wire))) return error;
  return watch(client, which);
}

/* Closes everything, and tries again: at once if all was well for a while, else after a pause that grows. */
static void start_again(keylift_client *client) {
  if (client->attached && now() - client->attached_at >= LONG_ENOUGH) client->wait = 0;
  for (int which = 0; which < WIRES; which++) close_wire(client, which);
  scene_forget(&client->scene);
  client->attached = client->intent_sent = false;
  client->calling = NO_CALL;
  client->connect_at = now() + client->wait;
  client->calls_at = client->touches_at = client->answer_by = 0;
  memset(client->pauses, 0, sizeof client->pauses);
  wind(client);
  client->wait = client->wait ? client->wait * 2 : FIRST_WAIT;
  if (client->wait > LONGEST_WAIT) client->wait = LONGEST_WAIT;
}

static const char *const methods[] = {"", "Update", "Focus", "Resign"};

static void end_call(keylift_client *client) {
  client->calling = NO_CALL;
  client->intent_sent = false;
  client->answer_by = 0;
}

/* Closes a connection beside the scene's, which lives on, and with it the focus. It is opened again after a
 * pause that grows, for calls when there is something to say. */
static void lose(keylift_client *client, int which) {
  call_kind call = client->calling;
  int64_t pause = client->pauses[which], time = now();
  close_wire(client, which);
  if (which == CALLS && call == NO_CALL) return;
  if (!pause || time - client->opened_at[which] >= LONG_ENOUGH) pause = FIRST_WAIT;
  client->pauses[which] = pause * 2 < LONGEST_WAIT ? pause * 2 : LONGEST_WAIT;
  *(which == CALLS ? &client->calls_at : &client->touches_at) = time + pause;
  if (which == CALLS) {
    /* It is said again. The daemon closes without an answer only what it has not read, or not carried out. */
    if (call == UPDATE) {
      scene_answered(&client->scene, false);
      client->scene.refused = false;
    }
    end_call(client);
  }
  if (pause == 2 * FIRST_WAIT) client->lost = which == CALLS ? methods[call] : "Touches";
  wind(client);
}

static void tell_lost(keylift_client *client) {
  char parameters[64] = "{\"method\":\"io.keylift.Scene.";
  if (client->lost && client->options.on_error) {
    strcat(strcat(parameters, client->lost), "\"}");
    client->options.on_error("io.keylift.Disconnected", parameters, client->options.data);
  }
  client->lost = NULL;
}

static void attach(keylift_client *client) {
  json_text parameters = {0};
  scene_write_attach(&client->scene, &parameters);
  if (send_call(client, SCENE, "Attach", &parameters, true)) start_again(client);
  json_free(&parameters);
}

/* Asks for the touches of the scene, again if the stream of before has ended. */
static void ask_for_touches(keylift_client *client) {
  json_text parameters = {0};
  json_add(&parameters, "{\"scene\":");
  json_add_string(&parameters, client->state.scene);
  json_add(&parameters, "}");
  if (send_call(client, TOUCHES, "Touches", &parameters, true)) lose(client, TOUCHES);
  json_free(&parameters);
}

/* Sends the next call about the scene, one at a time: what has changed first, then who is to have the focus.
 */
static void proceed(keylift_client *client) {
  json_text parameters = {0};
  if (!client->attached || client->calling != NO_CALL || client->calls_at) return;
  if (scene_write_update(&client->scene, client->state.scene, &parameters)) {
    client->calling = UPDATE;
  } else if (client->intent != NO_CALL) {
    client->calling = client->intent;
    client->intent_sent = true;
    json_add(&parameters, "{\"scene\":");
    json_add_string(&parameters, client->state.scene);
    if (client->intent == FOCUS) {
      json_add(&parameters, ",\"view\":");
      json_add_string(&parameters, client->focus);
    }
    json_add(&parameters, "}");
  }
  if (client->calling != NO_CALL) {
    client->answer_by = now() + LONGEST_CALL;
    wind(client);
    if (send_call(client, CALLS, methods[client->calling], &parameters, false)) lose(client, CALLS);
  }
  json_free(&parameters);
}

/* ---- Messages ---- */

/* The parameters of a reply, or its error, and whether others follow; -EPROTO if it is none. */
static int read_reply(const char *text, size_t length, json *parameters, json *error, bool *continues) {
  static const char none[] = "{}";
  json reply = json_parse(text, length);
  if (!reply.at || *reply.at != '{') return -EPROTO;
  *parameters = json_member(reply, "parameters");
  *error = json_member(reply, "error");
  json more = json_member(reply, "continues");
  *continues = more.at && *more.at == 't';
  if (!parameters->at) *parameters = (json){none, none + 2};
  return *parameters->at == '{' && (!error->at || *error->at == '"') ? 0 : -EPROTO;
}

static int tell_error(keylift_client *client, json error, json parameters) {
  size_t length = (size_t)(error.end - error.at), more = (size_t)(parameters.end - parameters.at);
  json_strings strings = {malloc(length + more + 1), 0, length};
  const char *name;
  int result = 0;
  if (!strings.data) return -ENOMEM;
  if (!json_string(error, &strings, &name)) {
    result = -EPROTO;
  } else {
    char *rest = strings.data + length;
    memcpy(rest, parameters.at, more);
    rest[more] = 0;
    if (client->options.on_error) client->options.on_error(name, rest, client->options.data);
  }
  free(strings.data);
  return result;
}

static int scene_message(keylift_client *client, json parameters, json error) {
  keylift_state state;
  state_memory memory = {0};
  int result;
  if (error.at) {
    scene_answered(&client->scene, false);
    result = tell_error(client, error, parameters);
    return result ? result : -EPROTO; /* the stream is over */
  }
  if ((result = state_read(parameters, &state, &memory))) {
    state_free(&memory);
    return result;
  }
  state_free(&client->memory);
  client->memory = memory;
  client->state = state;
  if (!client->attached) {
    client->attached = true;
    client->attached_at = now();
    client->hurried = false;
    scene_answered(&client->scene, true);
    if (client->options.on_touch) ask_for_touches(client);
  }
  if (client->options.on_state) client->options.on_state(&client->state, client->options.data);
  return 0;
}

static int call_message(keylift_client *client, json parameters, json error) {
  call_kind call = client->calling;
  if (call == NO_CALL) return -EPROTO; /* what was not asked */
  if (call == UPDATE)
    scene_answered(&client->scene, !error.at);
  else if (client->intent_sent)
    client->intent = NO_CALL;
  end_call(client);
  return error.at ? tell_error(client, error, parameters) : 0;
}

static int touch_message(keylift_client *client, json parameters, json error) {
  keylift_touch touch;
  state_memory memory = {0};
  int result = error.at ? -EPROTO : touch_read(parameters, &touch, &memory);
  if (!result) client->options.on_touch(&touch, client->options.data);
  state_free(&memory);
  return result;
}

static int receive(keylift_client *client, int which) {
  static int (*const handlers[])(keylift_client *, json, json) = {scene_message, call_message, touch_message};
  const char *text;
  size_t length;
  int error = wire_read(&client->wires[which]);
  while (!error && is_open(client, which) && wire_next(&client->wires[which], &text, &length)) {
    json parameters, failure;
    bool continues;
    error = read_reply(text, length, &parameters, &failure, &continues);
    if (!error) error = handlers[which](client, parameters, failure);
    /* Nothing follows on a stream that is over, whatever comes; a call has one answer. */
    if (!error && continues == (which == CALLS)) error = -EPROTO;
  }
  return error;
}

static void ready(keylift_client *client, int which, uint32_t events) {
  int error = events & EPOLLOUT ? wire_flush(&client->wires[which]) : 0;
  if (!error && events & ~(uint32_t)EPOLLOUT) error = receive(client, which);
  if (!is_open(client, which)) return; /* a callback's doing */
  if (!error) error = watch(client, which);
  if (!error) return;
  if (which == SCENE)
    start_again(client);
  else
    lose(client, which);
}

/* Whether a time has come; it is none any more then. */
static bool is_due(int64_t *time) {
  if (!*time || *time > now()) return false;
  *time = 0;
  return true;
}

static void tick(keylift_client *client) {
  uint64_t times;
  if (read(client->clock, &times, sizeof times) < 0) return;
  if (is_due(&client->answer_by)) start_again(client);
  is_due(&client->calls_at); /* what there is to say follows */
  if (is_due(&client->connect_at) && !is_open(client, SCENE)) attach(client);
  if (is_due(&client->touches_at) && client->attached && !is_open(client, TOUCHES)) ask_for_touches(client);
  wind(client);
}

/* ---- For the application ---- */

int keylift_dispatch(keylift_client *client) {
  struct epoll_event events[WIRES + 1];
  int count = epoll_wait(client->epoll, events, WIRES + 1, 0);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) {
    int which = (int)events[i].data.u32;
    if (which == CLOCK)
      tick(client);
    else if (is_open(client, which))
      ready(client, which, events[i].events);
  }
  proceed(client);
  tell_lost(client);
  return 0;
}

static int begin(keylift_client *client) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = CLOCK}};
  client->epoll = epoll_create1(EPOLL_CLOEXEC);
  client->clock = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (client->epoll < 0 || client->clock < 0) return -errno;
  if (epoll_ctl(client->epoll, EPOLL_CTL_ADD, client->clock, &event) < 0) return -errno;
  attach(client);
  return 0;
}

keylift_client *keylift_open_json(const char *text, const keylift_options *options) {
  static const keylift_options none = {0};
  keylift_client *client = calloc(1, sizeof *client);
  const char *variable = getenv("KEYLIFT_SOCKET");
  int error = 0;
  if (!client) return NULL;
  client->options = options ? *options : none;
  client->epoll = client->clock = -1;
  for (int which = 0; which < WIRES; which++) client->wires[which].fd = -1;
  if (client->options.path)
    client->path = strdup(client->options.path);
  else
    client->path = strdup(variable && *variable ? variable : "/run/keylift/keylift.sock");
  client->options.path = NULL;
  if (!client->path) error = -ENOMEM;
  if (!error) error = scene_read(&client->scene, text);
  if (!error) error = begin(client);
  if (!error) return client;
  keylift_close(client);
  errno = -error;
  return NULL;
}

keylift_client *keylift_open(const keylift_scene *scene, const keylift_options *options) {
  keylift_client *client = NULL;
  json_text text = {0};
  scene_describe(scene, &text);
  json_add_bytes(&text, "", 1);
  if (text.error)
    errno = text.error;
  else
    client = keylift_open_json(text.data, options);
  json_free(&text);
  return client;
}

void keylift_close(keylift_client *client) {
  if (!client) return;
  for (int which = 0; which < WIRES; which++) close_wire(client, which);
  if (client->epoll >= 0) close(client->epoll);
  if (client->clock >= 0) close(client->clock);
  scene_free(&client->scene);
  state_free(&client->memory);
  free(client->focus);
  free(client->path);
  free(client);
}

int keylift_fd(const keylift_client *client) { return client->epoll; }

const keylift_state *keylift_latest(const keylift_client *client) {
  return client->attached ? &client->state : NULL;
}

/* After a change of the scene: tells the daemon, and does not wait any longer with a scene that was refused.
 */
static int changed(keylift_client *client, int error) {
  if (error) return error;
  if (client->scene.refused && !client->attached && !client->hurried) {
    client->hurried = true;
    client->connect_at = now();
    wind(client);
  }
  client->scene.refused = false;
  proceed(client);
  return 0;
}

int keylift_set_json(keylift_client *client, const char *views) {
  return changed(client, scene_set(&client->scene, views));
}

int keylift_set(keylift_client *client, const keylift_view *views, size_t count) {
  json_text text = {0};
  int error;
  scene_describe_views(views, count, &text);
  json_add_bytes(&text, "", 1);
  error = text.error ? -text.error : keylift_set_json(client, text.data);
  json_free(&text);
  return error;
}

int keylift_remove(keylift_client *client, const char *const *ids, size_t count) {
  return changed(client, scene_remove(&client->scene, ids, count));
}

int keylift_set_frame(keylift_client *client, keylift_rect frame) {
  return changed(client, scene_set_frame(&client->scene, frame));
}

int keylift_focus(keylift_client *client, const char *view) {
  char *copied = view ? strdup(view) : NULL;
  if (!copied) return view ? -ENOMEM : -EINVAL;
  free(client->focus);
  client->focus = copied;
  client->intent = FOCUS;
  client->intent_sent = false;
  proceed(client);
  return 0;
}

int keylift_resign(keylift_client *client) {
  client->intent = RESIGN;
  client->intent_sent = false;
  proceed(client);
  return 0;
}
