/* One connection that never blocks: messages ended by a NUL, out and in. */
#ifndef KEYLIFT_WIRE_H
#define KEYLIFT_WIRE_H

#include "json.h"

typedef struct {
  int fd; /* -1 while closed */
  json_text out;
  size_t written;
  char *in;
  size_t length, size, taken;
} wire;

/* These return 0 or a negative errno; then the connection is of no more use. */
int wire_connect(wire *wire, const char *path);
int wire_flush(wire *wire);
/* Reads once; -EPIPE at the end, -EMSGSIZE for a message of over 256 KiB. */
int wire_read(wire *wire);

/* The next whole message that has come, valid until wire_read. */
bool wire_next(wire *wire, const char **text, size_t *length);
bool wire_has_more_to_write(const wire *wire);
void wire_close(wire *wire);

#endif
