/* A client of Keylift, the daemon that brings the keyboard to a touchscreen.
 *
 * An application opens a client with its scene (its views, and where they are), adds one file descriptor to
 * its loop, and is told who has the focus and how far its views must move. The client connects by itself, and
 * again with the scene as it then is whenever the daemon was restarted. Nothing here blocks. A client belongs
 * to one thread. Functions that can fail return a negative errno.
 *
 * Lengths are in points of the screen after rotation, origin top left; see io.keylift.Scene for what each
 * field means. Zero is the default everywhere: of an enumeration its first name, of a pointer NULL.
 */
#ifndef KEYLIFT_H
#define KEYLIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEYLIFT_API __attribute__((visibility("default")))

typedef struct {
  double x, y;
} keylift_point;
typedef struct {
  double width, height;
} keylift_size;
typedef struct {
  double x, y, width, height;
} keylift_rect;
typedef struct {
  double top, left, bottom, right;
} keylift_insets;

/* ---- What there is on screen ---- */

typedef enum { KEYLIFT_VIEW, KEYLIFT_CONTROL, KEYLIFT_TEXT_INPUT, KEYLIFT_SCROLL } keylift_kind;

/* What is yes or no, where the default depends on the kind of view. */
typedef enum { KEYLIFT_DEFAULT, KEYLIFT_YES, KEYLIFT_NO } keylift_flag;

typedef enum {
  KEYLIFT_TRIGGER_DEFAULT,
  KEYLIFT_TRIGGER_NEVER,
  KEYLIFT_TRIGGER_BEGAN,
  KEYLIFT_TRIGGER_TAP
} keylift_trigger;

typedef enum {
  KEYLIFT_AVOIDANCE_PAN,
  KEYLIFT_AVOIDANCE_SCROLL,
  KEYLIFT_AVOIDANCE_RESIZE,
  KEYLIFT_AVOIDANCE_NONE
} keylift_avoidance;

typedef struct {
  const char *id;     /* unique in the scene; at most 256 bytes */
  const char *parent; /* NULL: directly in the scene */
  keylift_kind kind;
  keylift_rect frame; /* in the parent's coordinates */
  bool hidden;
  const double *alpha;
  keylift_flag interactive, forwards_touches, keeps_focus, editable;
  keylift_trigger resigns;
  const char *purpose;       /* "digits", "email", ...: io.keylift.Scene's Purpose */
  const char *return_key;    /* "none", "next", "done" */
  const char *keeps_visible; /* the id of the view whose bottom must clear the keyboard */
  const double *spacing;
  const keylift_rect *caret;
  const int *order;
  const keylift_size *content_size;
  const keylift_point *content_offset;
  const char *dismiss_mode; /* "none", "onDrag", "interactive" */
} keylift_view;

typedef struct {
  const char *name;
  const char *screen;        /* NULL: the first */
  const keylift_rect *frame; /* NULL: the whole screen */
  int level;
  keylift_avoidance avoidance;
  keylift_trigger outside_touch;
  keylift_insets safe_area;
  const keylift_view *views; /* a later sibling lies in front */
  size_t view_count;
} keylift_scene;

/* ---- What it is told ---- */

/* What differs from the state before; a snapshot is the first after each connecting. */
enum {
  KEYLIFT_CHANGED_SNAPSHOT = 1 << 0,
  KEYLIFT_CHANGED_FOCUS = 1 << 1,
  KEYLIFT_CHANGED_KEYBOARD = 1 << 2,
  KEYLIFT_CHANGED_LAYOUT = 1 << 3,
  KEYLIFT_CHANGED_SCREEN = 1 << 4
};

typedef enum { KEYLIFT_HIDDEN, KEYLIFT_WILL_SHOW, KEYLIFT_SHOWN, KEYLIFT_WILL_HIDE } keylift_phase;

typedef struct {
  const char *view;
  keylift_point content_offset; /* where the scroll view is to be */
  double inset_bottom;          /* to be added below its content */
} keylift_scroll;

/* The whole state. Valid until the next keylift_dispatch or keylift_close. */
typedef struct {
  unsigned changed;     /* KEYLIFT_CHANGED_... */
  const char *instance; /* new at each start of the daemon */
  const char *scene;
  int64_t serial, revision;

  const char *screen;
  keylift_size screen_size;
  int rotation; /* degrees clockwise */

  const char *focused; /* NULL: no view of this scene */

  struct {
    keylift_phase phase;
    keylift_rect frame, previous_frame; /* in screen points, once the transition is over */
    bool docked;
    double duration; /* seconds; 0: at once */
    const char *curve, *reason;
    const char *screen; /* may be NULL */
  } keyboard;

  struct {
    keylift_point offset; /* add it to the scene's own origin */
    const keylift_scroll *scrolls;
    size_t scroll_count;
    double overlap; /* how much of the scene's bottom is covered, before the offset */
    double duration;
    const char *curve;
  } layout;
} keylift_state;

typedef enum { KEYLIFT_BEGAN, KEYLIFT_MOVED, KEYLIFT_ENDED, KEYLIFT_CANCELLED } keylift_touch_phase;

/* One touch of one finger. Valid in the callback alone. */
typedef struct {
  int64_t id; /* unique while the touch lasts */
  keylift_touch_phase phase;
  int64_t time; /* microseconds of CLOCK_MONOTONIC */
  keylift_point position;
  const char *view; /* what was hit; NULL: the scene */
  const char *const *responders;
  size_t responder_count;
} keylift_touch;

/* Callbacks come from keylift_dispatch alone. They may call everything but that and keylift_close. */
typedef struct {
  const char *path; /* the daemon's socket; NULL: $KEYLIFT_SOCKET, else /run/keylift/keylift.sock */
  void (*on_state)(const keylift_state *state, void *data);
  void (*on_touch)(const keylift_touch *touch, void *data); /* NULL: touches are not asked for */
  /* The daemon refused something: the error's name, and the parameters that came with it as JSON. A change of
   * the scene that was refused is sent again together with the next one, which is to set it right.
   * io.keylift.Disconnected is this library's own: the connection for calls or touches, which is named by its
   * method, is closed again and again. It is told once and tried again; the daemon may take no more of them.
   */
  void (*on_error)(const char *error, const char *parameters, void *data);
  void *data;
} keylift_options;

/* ---- The client ---- */

typedef struct keylift_client keylift_client;

/* Opens a client, whether or not the daemon runs yet; what it is given is copied.
 * NULL with errno: EINVAL for a scene that is none (no name or id, a NaN), ENOMEM, EMFILE. */
KEYLIFT_API keylift_client *keylift_open(const keylift_scene *scene, const keylift_options *options);

/* The same with the parameters of io.keylift.Scene.Attach as JSON. */
KEYLIFT_API keylift_client *keylift_open_json(const char *scene, const keylift_options *options);

KEYLIFT_API void keylift_close(keylift_client *client);

/* The descriptor to wait for: whenever it is readable, call keylift_dispatch. It stays the same. */
KEYLIFT_API int keylift_fd(const keylift_client *client);

/* Does what there is to do, and calls back. 0; else the client can go on later all the same. */
KEYLIFT_API int keylift_dispatch(keylift_client *client);

/* The latest state; NULL while the scene is not attached. */
KEYLIFT_API const keylift_state *keylift_latest(const keylift_client *client);

/* Sets whole views by id, or removes views with all below them. What is changed while the daemon is busy, or
 * not there, is sent together. -EINVAL and nothing is changed if one of them is no view; -ENOMEM. */
KEYLIFT_API int keylift_set(keylift_client *client, const keylift_view *views, size_t count);
KEYLIFT_API int keylift_set_json(keylift_client *client, const char *views);
KEYLIFT_API int keylift_remove(keylift_client *client, const char *const *ids, size_t count);
KEYLIFT_API int keylift_set_frame(keylift_client *client, keylift_rect frame);

/* Makes a view the first responder, or the focused one resign. Of several before the next answer, the last
 * holds. */
KEYLIFT_API int keylift_focus(keylift_client *client, const char *view);
KEYLIFT_API int keylift_resign(keylift_client *client);

/* ---- Moving along ---- */

/* A layout's offset on its way to where it must be. Times are in seconds, of any clock. */
typedef struct {
  keylift_point from, to;
  double start, duration;
} keylift_animation;

/* Turns towards the state's offset, from wherever it is now. */
KEYLIFT_API void keylift_animate(keylift_animation *animation, const keylift_state *state, double now);

/* Where the offset is: ease-in-out, the cubic Bezier curve (0.42, 0) (0.58, 1). */
KEYLIFT_API keylift_point keylift_animation_at(const keylift_animation *animation, double now);

#ifdef __cplusplus
}
#endif

#endif
