/* What the daemon tells, read from its messages. */
#ifndef KEYLIFT_STATE_H
#define KEYLIFT_STATE_H

#include "json.h"
#include "keylift.h"

/* A message's strings and arrays, so that it stays valid when the text goes. */
typedef struct {
  json_strings strings;
  keylift_scroll *scrolls;
  const char **responders;
} state_memory;

/* From a reply's parameters. 0; -EPROTO if they are not as the interface has them; -ENOMEM. */
int state_read(json parameters, keylift_state *state, state_memory *memory);
int touch_read(json parameters, keylift_touch *touch, state_memory *memory);
void state_free(state_memory *memory);

#endif
