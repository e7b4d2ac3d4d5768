#define _GNU_SOURCE
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LONGEST_MESSAGE = 256 * 1024, READ = 16 * 1024 };

int wire_connect(wire *wire, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
  strcpy(address.sun_path, path);
  wire->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (wire->fd < 0) return -errno;
  /* EAGAIN, too, is a no: a Unix socket whose queue is full does not connect later by itself. */
  return connect(wire->fd, (const struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int wire_flush(wire *wire) {
  if (wire->out.error) return -wire->out.error;
  while (wire->written < wire->out.length) {
    ssize_t sent =
        send(wire->fd, wire->out.data + wire->written, wire->out.length - wire->written, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? 0 : -errno;
    wire->written += (size_t)sent;
  }
  wire->written = 0;
  json_clear(&wire->out);
  return 0;
}

bool wire_has_more_to_write(const wire *wire) { return wire->written < wire->out.length; }

int wire_read(wire *wire) {
  ssize_t got;
  if (wire->taken) {
    memmove(wire->in, wire->in + wire->taken, wire->length - wire->taken);
    wire->length -= wire->taken;
    wire->taken = 0;
  }
  if (wire->length > LONGEST_MESSAGE) return -EMSGSIZE;
  if (wire->size - wire->length < READ) {
    size_t size = wire->size * 2 + READ;
    char *in = realloc(wire->in, size);
    if (!in) return -ENOMEM;
    wire->in = in;
    wire->size = size;
  }
  got = recv(wire->fd, wire->in + wire->length, wire->size - wire->length, 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  if (got == 0) return -EPIPE;
  wire->length += (size_t)got;
  return 0;
}

bool wire_next(wire *wire, const char **text, size_t *length) {
  const char *start = wire->in + wire->taken;
  const char *end = wire->length > wire->taken ? memchr(start, 0, wire->length - wire->taken) : NULL;
  if (!end) return false;
  *text = start;
  *length = (size_t)(end - start);
  wire->taken += *length + 1;
  return true;
}

void wire_close(wire *wire) {
  if (wire->fd >= 0) close(wire->fd);
  json_free(&wire->out);
  free(wire->in);
  memset(wire, 0, sizeof *wire);
  wire->fd = -1;
}
