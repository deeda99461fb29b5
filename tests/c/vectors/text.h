/* Growable texts, and the encodings of scripts. Running out of memory ends the run. */
#ifndef TEXT_H
#define TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <wellhead.h>

/* Always NUL-terminated once something was added; may hold NULs before that. */
typedef struct { char *at; size_t len, room; } text;

void text_add(text *t, const char *bytes, size_t len);
void text_say(text *t, const char *format, ...);
void text_free(text *t);
/* Drops the first `len` bytes. */
void text_drop(text *t, size_t len);
void text_replace(text *t, const char *what, const char *by, size_t len);

text text_of_base64(const json_t *string);
text text_of_hex(const char *hex);
/* Returns a number of copies of `unit`, one after the other. */
text text_repeated(const char *unit, size_t len, size_t times);
/* The JSON of a value, compact, members in their order. */
text text_of_json(const json_t *value);

/* A string of a script; absent if there is none. */
wellhead_str string(const json_t *value);
wellhead_str member(const json_t *object, const char *name);
wellhead_str view(const text *t);

#endif
