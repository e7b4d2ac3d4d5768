/* A scene as the application has it, and how far the daemon knows it.
 *
 * The application changes it at any time. One message at a time is written with what the daemon does not know
 * yet, and answered; so changes made meanwhile, or while the daemon is away, take no memory but the scene's
 * own. */
#ifndef KEYLIFT_SCENE_H
#define KEYLIFT_SCENE_H

#include "json.h"
#include "keylift.h"

typedef struct {
  char *json, *id, *parent;           /* parent: NULL if it lies directly in the scene */
  uint32_t hash;                      /* of the id */
  uint32_t known_parent, sent_parent; /* the hash of its id, 0 for none */
  bool known;                         /* by the daemon */
  bool changed;                       /* since it was last written */
  bool gone;                          /* the application has removed it */
  bool sent, sent_gone;               /* in the message that is not answered yet: set, removed */
  bool held_back;      /* the daemon was told it without keepsVisible, since it does not know that view yet */
  unsigned char level; /* how many views it lies within, where that matters for the message */
} scene_view;

typedef struct {
  json_text head; /* the members of Attach but views and frame */
  json_text frame;
  bool frame_changed, frame_sent;
  scene_view *views;
  size_t count, size;
  /* By the hash of its id where each view lies, from 1; 0 for none. A power of two, at most half of it taken.
   */
  uint32_t *index;
  size_t index_size;
  bool refused; /* by the daemon: it waits for the application's next change */
} scene;

/* These return 0, -EINVAL with nothing changed, or -ENOMEM. */
int scene_read(scene *scene, const char *text);
int scene_set(scene *scene, const char *views);
int scene_remove(scene *scene, const char *const *ids, size_t count);
int scene_set_frame(scene *scene, keylift_rect frame);
void scene_free(scene *scene);

/* The structs as JSON. */
void scene_describe(const keylift_scene *from, json_text *to);
void scene_describe_views(const keylift_view *views, size_t count, json_text *to);
void scene_describe_frame(keylift_rect frame, json_text *to);

/* Writes the parameters of Attach, or of Update; of a scene that is too big for one message the first part.
 * scene_write_update returns false if there is nothing to say. */
void scene_write_attach(scene *scene, json_text *to);
bool scene_write_update(scene *scene, const char *name, json_text *to);

/* The daemon has taken what was last written, or has refused it. */
void scene_answered(scene *scene, bool accepted);
/* The daemon knows nothing of it any more. */
void scene_forget(scene *scene);

#endif
