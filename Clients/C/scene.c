#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The daemon takes 20,000 views on 64 levels, and messages of 256 KiB: an id and the end fit after
 * FULL_MESSAGE. */
enum {
  MOST_VIEWS = 20000,
  MOST_LEVELS = 64,
  LONGEST_VIEW = 16 * 1024,
  LONGEST_HEAD = 16 * 1024,
  FULL_MESSAGE = 254 * 1024
};

/* ---- The views ---- */

static uint32_t hash_of(const char *id) { /* FNV-1a */
  uint32_t hash = 2166136261u;
  for (; *id; id++) hash = (hash ^ (unsigned char)*id) * 16777619u;
  return hash;
}

static scene_view *find(const scene *scene, const char *id) {
  uint32_t hash = hash_of(id);
  if (!scene->index_size) return NULL;
  for (size_t slot = hash;; slot++) {
    uint32_t place = scene->index[slot & (scene->index_size - 1)];
    if (!place) return NULL;
    scene_view *view = &scene->views[place - 1];
    if (view->hash == hash && strcmp(view->id, id) == 0) return view;
  }
}

/* Files the view at a place, which is not filed yet. */
static void file(scene *scene, size_t place) {
  size_t slot = scene->views[place].hash;
  while (scene->index[slot & (scene->index_size - 1)]) slot++;
  scene->index[slot & (scene->index_size - 1)] = (uint32_t)place + 1;
}

/* Files all views anew, once they lie elsewhere. */
static void file_all(scene *scene) {
  if (scene->index_size) memset(scene->index, 0, scene->index_size * sizeof *scene->index);
  for (size_t i = 0; i < scene->count; i++) file(scene, i);
}

static void free_view(scene_view *view) {
  free(view->json);
  free(view->id);
  free(view->parent);
}

static char *copy(const char *text, size_t length) {
  char *copied = malloc(length + 1);
  if (!copied) return NULL;
  memcpy(copied, text, length);
  copied[length] = 0;
  return copied;
}

/* The text of a string value, the caller's to free. */
static char *copy_string(json value) {
  json_strings strings = {NULL, 0, (size_t)(value.end - value.at)};
  const char *result;
  if (!(strings.data = malloc(strings.size + 1))) return NULL;
  if (json_string(value, &strings, &result)) return strings.data;
  free(strings.data);
  return NULL;
}

static bool is_string(json value) { return value.at && *value.at == '"'; }

/* 0, -EINVAL, -ENOMEM. */
static int read_view(json value, scene_view *view) {
  json id = json_member(value, "id"), parent = json_member(value, "parent");
  if (!is_string(id) || (parent.at && !is_string(parent)) || value.end - value.at > LONGEST_VIEW)
    return -EINVAL;
  view->json = copy(value.at, (size_t)(value.end - value.at));
  view->id = copy_string(id);
  view->parent = parent.at ? copy_string(parent) : NULL;
  if (view->json && view->id && (view->parent || !parent.at)) {
    view->hash = hash_of(view->id);
    view->changed = true;
    return 0;
  }
  free_view(view);
  return -ENOMEM;
}

static int make_room(scene *scene, size_t more) {
  size_t size = scene->count + more, slots = 16;
  if (size > scene->size) {
    scene_view *views = realloc(scene->views, size * sizeof *views);
    if (!views) return -ENOMEM;
    scene->views = views;
    scene->size = size;
  }
  while (slots < 2 * size) slots *= 2;
  if (slots > scene->index_size) {
    uint32_t *index = malloc(slots * sizeof *index);
    if (!index) return -ENOMEM;
    free(scene->index);
    scene->index = index;
    scene->index_size = slots;
    file_all(scene);
  }
  return 0;
}

/* Takes a view into the scene, for which there is room. */
static void put(scene *scene, scene_view view) {
  scene_view *old = find(scene, view.id);
  if (!old) {
    scene->views[scene->count] = view;
    file(scene, scene->count++);
    return;
  }
  view.known = old->known;
  view.known_parent = old->known_parent;
  view.sent = old->sent;
  view.sent_parent = old->sent_parent;
  view.sent_gone = old->sent_gone;
  free_view(old);
  *old = view;
}

static int set_views(scene *scene, json views) {
  json value = {NULL, NULL};
  size_t count = 0, read = 0;
  scene_view *new;
  int error = 0;
  if (!views.at || *views.at != '[') return -EINVAL;
  while (json_next(views, NULL, &value)) count++;
  if (count > MOST_VIEWS || scene->count > MOST_VIEWS) return -EINVAL;
  if (count == 0) return 0;
  if (!(new = calloc(count, sizeof *new))) return -ENOMEM;
  value.at = NULL;
  while (!error && json_next(views, NULL, &value))
    if (!(error = read_view(value, &new[read]))) read++;
  if (!error) error = make_room(scene, count);
  for (size_t i = 0; i < read; i++) {
    if (error)
      free_view(&new[i]);
    else
      put(scene, new[i]);
  }
  free(new);
  return error;
}

int scene_set(scene *scene, const char *views) { return set_views(scene, json_parse(views, strlen(views))); }

/* Removes what lies below a view that is removed; parents may come after their children. */
static void remove_below(scene *scene) {
  bool again = true;
  while (again) {
    again = false;
    for (size_t i = 0; i < scene->count; i++) {
      scene_view *view = &scene->views[i], *parent;
      if (view->gone || !view->parent || !(parent = find(scene, view->parent)) || !parent->gone) continue;
      view->gone = view->changed = again = true;
    }
  }
}

/* Drops the views that are removed and that the daemon does not know either. */
static void sweep(scene *scene) {
  size_t kept = 0;
  for (size_t i = 0; i < scene->count; i++) {
    scene_view *view = &scene->views[i];
    if (view->gone && !view->known && !view->sent)
      free_view(view);
    else
      scene->views[kept++] = *view;
  }
  if (kept == scene->count) return;
  scene->count = kept;
  file_all(scene);
}

int scene_remove(scene *scene, const char *const *ids, size_t count) {
  for (size_t i = 0; i < count; i++) {
    scene_view *view = ids[i] ? find(scene, ids[i]) : NULL;
    if (!view || view->gone) return -EINVAL;
  }
  for (size_t i = 0; i < count; i++) {
    scene_view *view = find(scene, ids[i]);
    if (view) view->gone = view->changed = true;
  }
  remove_below(scene);
  sweep(scene);
  return 0;
}

int scene_set_frame(scene *scene, keylift_rect frame) {
  json_text text = {0};
  scene_describe_frame(frame, &text);
  if (text.error) {
    int error = text.error;
    json_free(&text);
    return -error;
  }
  json_free(&scene->frame);
  scene->frame = text;
  scene->frame_changed = true;
  return 0;
}

int scene_read(scene *scene, const char *text) {
  json whole = json_parse(text, strlen(text)), name = {NULL, NULL}, value = {NULL, NULL};
  if (!is_string(json_member(whole, "name"))) return -EINVAL;
  while (json_next(whole, &name, &value)) {
    size_t length = (size_t)(name.end - name.at);
    if (length == 7 && memcmp(name.at, "\"views\"", 7) == 0) continue;
    if (length == 7 && memcmp(name.at, "\"frame\"", 7) == 0) {
      json_clear(&scene->frame);
      json_add_bytes(&scene->frame, value.at, (size_t)(value.end - value.at));
      continue;
    }
    json_add_bytes(&scene->head, name.at, length);
    json_add(&scene->head, ":");
    json_add_bytes(&scene->head, value.at, (size_t)(value.end - value.at));
    json_add(&scene->head, ",");
  }
  if (scene->head.error || scene->frame.error) return -ENOMEM;
  if (scene->head.length + scene->frame.length > LONGEST_HEAD) return -EINVAL;
  return set_views(scene, json_member(whole, "views"));
}

void scene_free(scene *scene) {
  for (size_t i = 0; i < scene->count; i++) free_view(&scene->views[i]);
  free(scene->views);
  free(scene->index);
  json_free(&scene->head);
  json_free(&scene->frame);
}

/* ---- Messages ---- */

static uint32_t parent_of(const scene_view *view) { return view->parent ? hash_of(view->parent) : 0; }

/* Whether the daemon will append it to its siblings: it does not know it, or under another parent. */
static bool is_appended(const scene_view *view) {
  return !view->known || view->known_parent != view->sent_parent;
}

static unsigned char level_of(const scene *scene, const scene_view *view) {
  unsigned char level = 0;
  while (level < MOST_LEVELS && view->parent && (view = find(scene, view->parent))) level++;
  return level;
}

/* The value of keepsVisible if that view is one that the daemon will be told of, and neither knows nor has in
 * this message; else none. */
static json kept_to_come(const scene *scene, const scene_view *view) {
  json value = json_member(json_parse(view->json, strlen(view->json)), "keepsVisible"), none = {NULL, NULL};
  char *id = is_string(value) ? copy_string(value) : NULL;
  const scene_view *kept = id ? find(scene, id) : NULL;
  free(id);
  return kept && !kept->gone && !kept->known && !kept->sent ? value : none;
}

/* Whether the views that are changed do not fit into the message; then they have their levels. */
static bool is_split(scene *scene, size_t length) {
  for (size_t i = 0; i < scene->count; i++) {
    scene_view *view = &scene->views[i];
    if (view->changed && !view->gone) length += strlen(view->json) + 1;
    view->level = 0;
  }
  if (length <= FULL_MESSAGE) return false;
  for (size_t i = 0; i < scene->count; i++) scene->views[i].level = level_of(scene, &scene->views[i]);
  return true;
}

/* Writes a view, of a split message without a keepsVisible that is to come. */
static void write_view(scene *scene, scene_view *view, bool split, json_text *to) {
  json kept = {NULL, NULL};
  if (split) kept = kept_to_come(scene, view);
  view->held_back = kept.at;
  if (view->held_back) {
    json_add_bytes(to, view->json, (size_t)(kept.at - view->json));
    json_add(to, "null");
    json_add(to, kept.end);
  } else {
    json_add(to, view->json);
  }
}

/* Writes the views that are changed, for as long as the message has room.
 *
 * The daemon checks each message alone. So if they do not fit into this one, parents come first, and a
 * keepsVisible that names a view further on follows when the daemon knows it. Siblings stay in their order.
 *
 * Returns: whether what is removed may go along. It may have been the parent of what is set, and the daemon
 * removes all that was below it before: so it comes after the last of those, and after a view that moved away
 * from it. */
static bool write_views(scene *scene, json_text *to) {
  const char *separator = "";
  bool all = true, moved = false, split = is_split(scene, to->length);
  size_t turns = scene->count * (split ? MOST_LEVELS + 1 : 1);
  json_add(to, "[");
  for (size_t turn = 0; turn < turns && all; turn++) {
    scene_view *view = &scene->views[turn % scene->count];
    if (!view->changed || view->gone || view->level != turn / scene->count) continue;
    if (split && to->length + strlen(view->json) > FULL_MESSAGE) {
      all = false;
      continue;
    }
    json_add(to, separator);
    write_view(scene, view, split, to);
    separator = ",";
    view->sent = true;
    view->changed = false;
    view->sent_parent = parent_of(view);
    moved = moved || (view->known && is_appended(view));
  }
  json_add(to, "]");
  return all && !moved;
}

static void write_removed(scene *scene, json_text *to) {
  const char *separator = "";
  json_add(to, ",\"remove\":[");
  for (size_t i = 0; i < scene->count; i++) {
    scene_view *view = &scene->views[i];
    if (!view->changed || !view->gone || to->length > FULL_MESSAGE) continue;
    json_add(to, separator);
    json_add_string(to, view->id);
    separator = ",";
    view->sent = view->sent_gone = true;
    view->changed = false;
  }
  json_add(to, "]");
}

static void write_frame(scene *scene, json_text *to) {
  if (!scene->frame.length) return;
  json_add(to, "\"frame\":");
  json_add_bytes(to, scene->frame.data, scene->frame.length);
  json_add(to, ",");
  scene->frame_changed = false;
  scene->frame_sent = true;
}

void scene_write_attach(scene *scene, json_text *to) {
  json_add(to, "{");
  json_add_bytes(to, scene->head.data, scene->head.length);
  write_frame(scene, to);
  json_add(to, "\"views\":");
  write_views(scene, to);
  json_add(to, "}");
}

bool scene_write_update(scene *scene, const char *name, json_text *to) {
  bool any = scene->frame_changed;
  for (size_t i = 0; i < scene->count && !any; i++) any = scene->views[i].changed;
  if (!any || scene->refused) return false;
  json_add(to, "{\"scene\":");
  json_add_string(to, name);
  json_add(to, ",");
  if (scene->frame_changed) write_frame(scene, to);
  json_add(to, "\"set\":");
  if (write_views(scene, to)) write_removed(scene, to);
  json_add(to, "}");
  return true;
}

/* Puts the views in the order that the daemon has once it takes what was sent: those it knew, those it
 * appends, and then those that it does not know yet. */
static void reorder(scene *scene) {
  scene_view *ordered = malloc((scene->count + 1) * sizeof *ordered);
  size_t count = 0;
  if (!ordered) return; /* the order of a scene that is attached again differs then, and nothing else */
  for (int part = 0; part < 3; part++) {
    for (size_t i = 0; i < scene->count; i++) {
      scene_view *view = &scene->views[i];
      bool sent = view->sent && !view->sent_gone;
      if (part == (sent && is_appended(view) ? 1 : view->known ? 0 : 2)) ordered[count++] = *view;
    }
  }
  free(scene->views);
  scene->views = ordered;
  scene->size = scene->count + 1;
  file_all(scene);
}

void scene_answered(scene *scene, bool accepted) {
  if (accepted) reorder(scene);
  for (size_t i = 0; i < scene->count; i++) {
    scene_view *view = &scene->views[i];
    if (!view->sent) continue;
    if (!accepted) {
      view->changed = true;
    } else {
      view->known = !view->sent_gone;
      view->known_parent = view->sent_parent;
      if (view->gone && view->known) view->changed = true;
    }
    view->sent = view->sent_gone = false;
  }
  for (size_t i = 0; i < scene->count; i++) {
    scene_view *view = &scene->views[i];
    if (!view->held_back || kept_to_come(scene, view).at) continue;
    view->held_back = false;
    view->changed = true;
  }
  if (!accepted && scene->frame_sent) scene->frame_changed = true;
  scene->frame_sent = false;
  scene->refused = !accepted;
  sweep(scene);
}

void scene_forget(scene *scene) {
  for (size_t i = 0; i < scene->count; i++) {
    scene_view *view = &scene->views[i];
    view->known = view->sent = view->sent_gone = view->held_back = false;
    view->changed = true;
  }
  scene->frame_sent = false;
  sweep(scene);
}
