#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where what is read goes, and whether all of it was there so far. */
typedef struct {
  json_strings *strings;
  bool good;
} reader;

static json object(reader *reader, json from, const char *name) {
  json value = json_member(from, name);
  if (!value.at) reader->good = false;
  return value;
}

static double number(reader *reader, json from, const char *name) {
  double result = 0;
  if (!json_number(json_member(from, name), &result)) reader->good = false;
  return result;
}

static int64_t integer(reader *reader, json from, const char *name) {
  int64_t result = 0;
  if (!json_integer(json_member(from, name), &result)) reader->good = false;
  return result;
}

static bool boolean(reader *reader, json from, const char *name) {
  bool result = false;
  if (!json_bool(json_member(from, name), &result)) reader->good = false;
  return result;
}

static const char *optional_text(reader *reader, json from, const char *name) {
  const char *result = NULL;
  json value = json_member(from, name);
  if (value.at && !json_string(value, reader->strings, &result)) reader->good = false;
  return result;
}

static const char *text(reader *reader, json from, const char *name) {
  const char *result = optional_text(reader, from, name);
  if (!result) reader->good = false;
  return result ? result : "";
}

static keylift_point point(reader *reader, json from) {
  keylift_point result = {number(reader, from, "x"), number(reader, from, "y")};
  return result;
}

static keylift_rect rect(reader *reader, json from) {
  keylift_rect result = {number(reader, from, "x"), number(reader, from, "y"), number(reader, from, "width"),
                         number(reader, from, "height")};
  return result;
}

/* The place of a word among others; of one that is unknown it is no good. */
static unsigned word(reader *reader, json value, const char *const *words, unsigned count) {
  size_t length = (size_t)(value.end - value.at);
  for (unsigned i = 0; value.at && i < count; i++)
    if (length == strlen(words[i]) + 2 && memcmp(value.at + 1, words[i], length - 2) == 0) return i;
  reader->good = false;
  return 0;
}

static size_t elements(json array) {
  json value = {NULL, NULL};
  size_t count = 0;
  while (json_next(array, NULL, &value)) count++;
  return count;
}

/* Room for the strings of a message and for so many elements of some size. */
static int make_room(json message, state_memory *memory, size_t count, size_t size, void *elements) {
  void **array = elements;
  memory->strings.size = (size_t)(message.end - message.at);
  memory->strings.data = malloc(memory->strings.size + 1);
  *array = calloc(count + 1, size);
  return memory->strings.data && *array ? 0 : -ENOMEM;
}

void state_free(state_memory *memory) {
  free(memory->strings.data);
  free(memory->scrolls);
  free(memory->responders);
  memset(memory, 0, sizeof *memory);
}

int state_read(json from, keylift_state *state, state_memory *memory) {
  static const char *const changes[] = {"snapshot", "focus", "keyboard", "layout", "screen"};
  static const char *const phases[] = {"hidden", "willShow", "shown", "willHide"};
  reader reader = {&memory->strings, true};
  json screen, keyboard, layout, scrolls, size, change, value = {NULL, NULL};
  if (!from.at) return -EPROTO;
  memset(state, 0, sizeof *state);
  screen = object(&reader, from, "screen");
  size = object(&reader, screen, "size");
  keyboard = object(&reader, from, "keyboard");
  layout = object(&reader, from, "layout");
  scrolls = object(&reader, layout, "scrolls");
  state->layout.scroll_count = elements(scrolls);
  if (make_room(from, memory, state->layout.scroll_count, sizeof *memory->scrolls, &memory->scrolls))
    return -ENOMEM;

  state->instance = text(&reader, from, "instance");
  state->scene = text(&reader, from, "scene");
  state->serial = integer(&reader, from, "serial");
  state->revision = integer(&reader, from, "revision");
  state->focused = optional_text(&reader, from, "focused");
  change = object(&reader, from, "change");
  while (json_next(change, NULL, &value)) state->changed |= 1u << word(&reader, value, changes, 5);

  state->screen = text(&reader, screen, "name");
  state->screen_size.width = number(&reader, size, "width");
  state->screen_size.height = number(&reader, size, "height");
  state->rotation = (int)integer(&reader, screen, "rotation");

  state->keyboard.phase = (keylift_phase)word(&reader, json_member(keyboard, "phase"), phases, 4);
  state->keyboard.frame = rect(&reader, object(&reader, keyboard, "frame"));
  state->keyboard.previous_frame = rect(&reader, object(&reader, keyboard, "previousFrame"));
  state->keyboard.docked = boolean(&reader, keyboard, "docked");
  state->keyboard.duration = number(&reader, keyboard, "duration");
  state->keyboard.curve = text(&reader, keyboard, "curve");
  state->keyboard.reason = text(&reader, keyboard, "reason");
  state->keyboard.screen = optional_text(&reader, keyboard, "screen");

  state->layout.offset = point(&reader, object(&reader, layout, "offset"));
  state->layout.overlap = number(&reader, layout, "overlap");
  state->layout.duration = number(&reader, layout, "duration");
  state->layout.curve = text(&reader, layout, "curve");
  state->layout.scrolls = memory->scrolls;
  value.at = NULL;
  for (keylift_scroll *scroll = memory->scrolls; json_next(scrolls, NULL, &value); scroll++) {
    scroll->view = text(&reader, value, "view");
    scroll->content_offset = point(&reader, object(&reader, value, "contentOffset"));
    scroll->inset_bottom = number(&reader, value, "insetBottom");
  }
  return reader.good ? 0 : -EPROTO;
}

int touch_read(json from, keylift_touch *touch, state_memory *memory) {
  static const char *const phases[] = {"began", "moved", "ended", "cancelled"};
  reader reader = {&memory->strings, true};
  json responders, value = {NULL, NULL};
  from = json_member(from, "touch");
  if (!from.at) return -EPROTO;
  responders = object(&reader, from, "responders");
  touch->responder_count = elements(responders);
  if (make_room(from, memory, touch->responder_count, sizeof *memory->responders, &memory->responders))
    return -ENOMEM;
  touch->id = integer(&reader, from, "id");
  touch->phase = (keylift_touch_phase)word(&reader, json_member(from, "phase"), phases, 4);
  touch->time = integer(&reader, from, "time");
  touch->position = point(&reader, object(&reader, from, "position"));
  touch->view = optional_text(&reader, from, "view");
  touch->responders = memory->responders;
  for (const char **responder = memory->responders; json_next(responders, NULL, &value); responder++)
    if (!json_string(value, reader.strings, responder)) reader.good = false;
  return reader.good ? 0 : -EPROTO;
}
