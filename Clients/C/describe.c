#include <errno.h>

#include "scene.h"

static void add_name(json_text *to, const char *name) {
  json_add(to, ",\"");
  json_add(to, name);
  json_add(to, "\":");
}

static void add_text(json_text *to, const char *name, const char *text) {
  if (!text) return;
  add_name(to, name);
  json_add_string(to, text);
}

static void add_number(json_text *to, const char *name, double number) {
  add_name(to, name);
  json_add_number(to, number);
}

static void add_flag(json_text *to, const char *name, keylift_flag flag) {
  if (flag == KEYLIFT_DEFAULT) return;
  add_name(to, name);
  json_add(to, flag == KEYLIFT_YES ? "true" : "false");
}

/* Of several words, the one at a place; the first is the default and not written. */
static void add_choice(json_text *to, const char *name, const char *const *words, size_t count,
                       unsigned choice) {
  if (choice >= count) to->error = EINVAL;
  if (choice > 0 && choice < count) add_text(to, name, words[choice]);
}

#define ADD_CHOICE(to, name, words, choice) \
  add_choice(to, name, words, sizeof words / sizeof *words, (unsigned)(choice))

static void add_object(json_text *to, const char *const *names, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    json_add(to, i ? ",\"" : "{\"");
    json_add(to, names[i]);
    json_add(to, "\":");
    json_add_number(to, values[i]);
  }
  json_add(to, "}");
}

static void add_rect(json_text *to, const keylift_rect *rect) {
  static const char *const names[] = {"x", "y", "width", "height"};
  const double values[] = {rect->x, rect->y, rect->width, rect->height};
  add_object(to, names, values, 4);
}

static void add_pair(json_text *to, const char *first, double a, const char *second, double b) {
  const char *const names[] = {first, second};
  const double values[] = {a, b};
  add_object(to, names, values, 2);
}

static const char *const kinds[] = {"view", "control", "textInput", "scroll"};
static const char *const triggers[] = {"", "never", "began", "tap"};
static const char *const avoidances[] = {"pan", "scroll", "resize", "none"};

static void add_view(json_text *to, const keylift_view *view) {
  if (!view->id) to->error = EINVAL;
  json_add(to, "{\"id\":");
  json_add_string(to, view->id ? view->id : "");
  add_text(to, "parent", view->parent);
  ADD_CHOICE(to, "kind", kinds, view->kind);
  add_name(to, "frame");
  add_rect(to, &view->frame);
  if (view->hidden) add_flag(to, "hidden", KEYLIFT_YES);
  if (view->alpha) add_number(to, "alpha", *view->alpha);
  add_flag(to, "interactive", view->interactive);
  add_flag(to, "forwardsTouches", view->forwards_touches);
  add_flag(to, "keepsFocus", view->keeps_focus);
  add_flag(to, "editable", view->editable);
  ADD_CHOICE(to, "resigns", triggers, view->resigns);
  add_text(to, "purpose", view->purpose);
  add_text(to, "returnKey", view->return_key);
  add_text(to, "keepsVisible", view->keeps_visible);
  if (view->spacing) add_number(to, "spacing", *view->spacing);
  if (view->caret) {
    add_name(to, "caret");
    add_rect(to, view->caret);
  }
  if (view->order) add_number(to, "order", *view->order);
  if (view->content_size) {
    add_name(to, "contentSize");
    add_pair(to, "width", view->content_size->width, "height", view->content_size->height);
  }
  if (view->content_offset) {
    add_name(to, "contentOffset");
    add_pair(to, "x", view->content_offset->x, "y", view->content_offset->y);
  }
  add_text(to, "dismissMode", view->dismiss_mode);
  json_add(to, "}");
}

void scene_describe_views(const keylift_view *views, size_t count, json_text *to) {
  json_add(to, "[");
  for (size_t i = 0; i < count; i++) {
    if (i) json_add(to, ",");
    add_view(to, &views[i]);
  }
  json_add(to, "]");
}

void scene_describe(const keylift_scene *from, json_text *to) {
  static const char *const sides[] = {"top", "left", "bottom", "right"};
  const keylift_insets *area = &from->safe_area;
  const double insets[] = {area->top, area->left, area->bottom, area->right};
  if (!from->name) to->error = EINVAL;
  json_add(to, "{\"name\":");
  json_add_string(to, from->name ? from->name : "");
  add_text(to, "screen", from->screen);
  if (from->frame) {
    add_name(to, "frame");
    add_rect(to, from->frame);
  }
  add_number(to, "level", from->level);
  ADD_CHOICE(to, "avoidance", avoidances, from->avoidance);
  ADD_CHOICE(to, "outsideTouch", triggers, from->outside_touch);
  add_name(to, "safeArea");
  add_object(to, sides, insets, 4);
  add_name(to, "views");
  scene_describe_views(from->views, from->view_count, to);
  json_add(to, "}");
}

void scene_describe_frame(keylift_rect frame, json_text *to) { add_rect(to, &frame); }
