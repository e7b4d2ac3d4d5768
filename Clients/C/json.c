#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, LONGEST_NUMBER = 63 };

/* ---- Checking: each of these returns where what it found ends, NULL if it is not there. ---- */

static const char *skip_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *digits(const char *at, const char *end) {
  const char *start = at;
  while (at < end && is_digit(*at)) at++;
  return at > start ? at : NULL;
}

static const char *check_number(const char *at, const char *end) {
  const char *start = at;
  if (at < end && *at == '-') at++;
  if (at < end && *at == '0') {
    at++;
  } else if (!(at = digits(at, end))) {
    return NULL;
  }
  if (at < end && *at == '.' && !(at = digits(at + 1, end))) return NULL;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (!(at = digits(at, end))) return NULL;
  }
  return at - start <= LONGEST_NUMBER ? at : NULL;
}

/* The code unit of \uXXXX, whose X begin here; -1 if they are none. */
static int code_unit(const char *at, const char *end) {
  int unit = 0;
  if (end - at < 4) return -1;
  for (int i = 0; i < 4; i++) {
    char c = at[i];
    int digit = is_digit(c)            ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/* A string that C can hold, too: without U+0000. */
static const char *check_string(const char *at, const char *end) {
  if (at == end || *at != '"') return NULL;
  for (at++; at < end; at++) {
    if (*at == '"') return at + 1;
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') continue;
    if (++at == end || !*at || !strchr("\"\\/bfnrtu", *at)) return NULL;
    if (*at == 'u' && code_unit(at + 1, end) <= 0) return NULL;
  }
  return NULL;
}

static const char *check_word(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 ? at + length : NULL;
}

static const char *check_value(const char *at, const char *end, int depth);

static const char *check_container(const char *at, const char *end, int depth) {
  bool object = *at == '{';
  char last = object ? '}' : ']';
  if (depth == 0) return NULL;
  at = skip_space(at + 1, end);
  if (at < end && *at == last) return at + 1;
  for (;;) {
    if (object) {
      if (!(at = check_string(at, end))) return NULL;
      at = skip_space(at, end);
      if (at == end || *at != ':') return NULL;
      at = skip_space(at + 1, end);
    }
    if (!(at = check_value(at, end, depth - 1))) return NULL;
    at = skip_space(at, end);
    if (at == end || (*at != ',' && *at != last)) return NULL;
    if (*at == last) return at + 1;
    at = skip_space(at + 1, end);
  }
}

static const char *check_value(const char *at, const char *end, int depth) {
  if (at == end) return NULL;
  switch (*at) {
    case '{':
    case '[': return check_container(at, end, depth);
    case '"': return check_string(at, end);
    case 't': return check_word(at, end, "true");
    case 'f': return check_word(at, end, "false");
    case 'n': return check_word(at, end, "null");
    default: return check_number(at, end);
  }
}

json json_parse(const char *text, size_t length) {
  const char *end = text + length, *start = skip_space(text, end), *stop = check_value(start, end, DEPTH);
  json value = {NULL, NULL};
  if (stop && skip_space(stop, end) == end) {
    value.at = start;
    value.end = stop;
  }
  return value;
}

/* ---- Reading what has been checked ---- */

/* The value that begins here. */
static json value_at(const char *at, const char *end) {
  json value = {at, check_value(at, end, DEPTH)};
  if (!value.end) value.at = NULL;
  return value;
}

static bool is_kind(json value, char first) { return value.at && *value.at == first; }

bool json_next(json container, json *name, json *value) {
  const char *at;
  if (!is_kind(container, '{') && !is_kind(container, '[')) return false;
  at = skip_space(value->at ? value->end : container.at + 1, container.end);
  if (at < container.end && *at == ',') at = skip_space(at + 1, container.end);
  if (at >= container.end - 1) return false; /* the bracket that closes it */
  if (*container.at == '{') {
    json key = value_at(at, container.end);
    if (!key.at) return false;
    if (name) *name = key;
    at = skip_space(skip_space(key.end, container.end) + 1, container.end);
  }
  *value = value_at(at, container.end);
  return value->at != NULL;
}

json json_member(json object, const char *name) {
  json none = {NULL, NULL}, key = none, value = none;
  size_t length = strlen(name);
  if (!is_kind(object, '{')) return none;
  while (json_next(object, &key, &value))
    if ((size_t)(key.end - key.at) == length + 2 && memcmp(key.at + 1, name, length) == 0)
      return is_kind(value, 'n') ? none : value;
  return none;
}

bool json_bool(json value, bool *result) {
  *result = is_kind(value, 't');
  return *result || is_kind(value, 'f');
}

/* Not strtod, which reads what the program's locale says a number is. Exact for up to 15 digits. */
bool json_number(json value, double *result) {
  const char *at = value.at;
  double number = 0, scale = 1;
  int exponent = 0, power = 0;
  bool negative = is_kind(value, '-');
  if (!at || !(negative || is_digit(*at))) return false;
  for (at += negative; at < value.end && is_digit(*at); at++) number = number * 10 + (*at - '0');
  if (at < value.end && *at == '.')
    for (at++; at < value.end && is_digit(*at); at++, exponent--) number = number * 10 + (*at - '0');
  if (at < value.end) {
    bool down = *++at == '-';
    for (at += !is_digit(*at); at < value.end; at++)
      if (power < 1000) power = power * 10 + (*at - '0');
    exponent += down ? -power : power;
  }
  for (int i = exponent < 0 ? -exponent : exponent; i > 0 && isfinite(scale); i--) scale *= 10;
  number = number == 0 ? 0 : exponent < 0 ? number / scale : number * scale;
  *result = negative ? -number : number;
  return isfinite(*result) != 0;
}

bool json_integer(json value, int64_t *result) {
  double number;
  if (!json_number(value, &number) || !(number >= -9007199254740992.0 && number <= 9007199254740992.0))
    return false;
  *result = (int64_t)number;
  return (double)*result == number;
}

static char *put_utf8(char *to, unsigned code) {
  if (code < 0x80) {
    *to++ = (char)code;
    return to;
  }
  if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      *to++ = (char)(0xe0 | code >> 12);
    } else {
      *to++ = (char)(0xf0 | code >> 18);
      *to++ = (char)(0x80 | (code >> 12 & 0x3f));
    }
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
  }
  *to++ = (char)(0x80 | (code & 0x3f));
  return to;
}

/* The character of an escape whose u is here, and where it ends; half of a pair alone is U+FFFD. */
static unsigned read_unicode(const char **at, const char *end) {
  int unit = code_unit(*at + 1, end), low;
  *at += 5;
  if (unit < 0xd800 || unit > 0xdfff) return (unsigned)unit;
  if (unit > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u') return 0xfffd;
  low = code_unit(*at + 2, end);
  if (low < 0xdc00 || low > 0xdfff) return 0xfffd;
  *at += 6;
  return 0x10000u + ((unsigned)(unit - 0xd800) << 10) + (unsigned)(low - 0xdc00);
}

bool json_string(json value, json_strings *strings, const char **result) {
  static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  const char *at, *end;
  char *to;
  /* Decoded, and with its 0 in place of two quotes, it is shorter than it was. */
  if (!is_kind(value, '"') || (size_t)(value.end - value.at) > strings->size - strings->used) return false;
  *result = to = strings->data + strings->used;
  for (at = value.at + 1, end = value.end - 1; at < end;) {
    if (*at != '\\') {
      *to++ = *at++;
    } else if (*++at == 'u') {
      to = put_utf8(to, read_unicode(&at, end));
    } else {
      const char *escape = escapes;
      while (*escape != *at) escape += 2;
      *to++ = escape[1];
      at++;
    }
  }
  *to++ = 0;
  strings->used = (size_t)(to - strings->data);
  return true;
}

/* ---- Writing ---- */

void json_add_bytes(json_text *text, const char *raw, size_t length) {
  if (text->error) return;
  if (length > text->size - text->length) {
    size_t size = text->length + length + text->size + 256;
    char *data = realloc(text->data, size);
    if (!data) {
      text->error = ENOMEM;
      return;
    }
    text->data = data;
    text->size = size;
  }
  if (length) memcpy(text->data + text->length, raw, length);
  text->length += length;
}

void json_add(json_text *text, const char *raw) { json_add_bytes(text, raw, strlen(raw)); }

void json_add_string(json_text *text, const char *string) {
  json_add(text, "\"");
  for (; *string; string++) {
    char escape[8];
    if ((unsigned char)*string < 0x20 || *string == '"' || *string == '\\') {
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*string);
      json_add(text, escape);
    } else {
      json_add_bytes(text, string, 1);
    }
  }
  json_add(text, "\"");
}

/* Not %f, which writes the decimal point of the program's locale. Millionths of a point are enough. */
void json_add_number(json_text *text, double number) {
  char digits[40];
  bool negative = number < 0;
  double size = negative ? -number : number;
  if (!(size < 1e12)) { /* a NaN, too */
    if (!text->error) text->error = EINVAL;
    return;
  }
  uint64_t millionths = (uint64_t)(size * 1e6 + 0.5);
  snprintf(digits, sizeof digits, "%s%llu.%06llu", negative && millionths ? "-" : "",
           (unsigned long long)(millionths / 1000000), (unsigned long long)(millionths % 1000000));
  size_t length = strlen(digits);
  while (digits[length - 1] == '0') length--;
  json_add_bytes(text, digits, digits[length - 1] == '.' ? length - 1 : length);
}

void json_clear(json_text *text) {
  text->length = 0;
  text->error = 0;
}

void json_free(json_text *text) {
  free(text->data);
  memset(text, 0, sizeof *text);
}
