/* Just as much JSON as the wire needs: a reader that allocates nothing, and a writer into a growing text. */
#ifndef KEYLIFT_JSON_H
#define KEYLIFT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value within a text that json_parse has found to be JSON; its `at` is NULL if there is none. */
typedef struct {
  const char *at, *end;
} json;

/* Where the strings of one message go, decoded; never more than the message has bytes. */
typedef struct {
  char *data;
  size_t used, size;
} json_strings;

/* The value that is the whole text, at most 16 deep; none if it is no JSON. */
json json_parse(const char *text, size_t length);

/* A member of an object; none if it is no object, has no such member, or that is null. */
json json_member(json object, const char *name);

/* The members or elements one after the other: begin with a value whose `at` is NULL. A member's name is
 * given if `name` is not NULL. False after the last, and for what is neither object nor array. */
bool json_next(json container, json *name, json *value);

/* These are false for a value of another type, or out of range. */
bool json_bool(json value, bool *result);
bool json_number(json value, double *result);
bool json_integer(json value, int64_t *result);
bool json_string(json value, json_strings *strings, const char **result);

/* Text that grows; once something went wrong (an errno), it stays so and nothing is added. */
typedef struct {
  char *data;
  size_t length, size;
  int error;
} json_text;

void json_add(json_text *text, const char *raw);
void json_add_bytes(json_text *text, const char *raw, size_t length);
void json_add_string(json_text *text, const char *string);
void json_add_number(json_text *text, double number);
/* Forgets the content and the error, and keeps the memory. */
void json_clear(json_text *text);
void json_free(json_text *text);

#endif
