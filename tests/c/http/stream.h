/* The events of a stream, as they come (WHATWG HTML, "Server-sent events"). */
#ifndef STREAM_H
#define STREAM_H

#include "text.h"

/* A block of a stream: an event, or a comment. A field that it does not have is NULL. */
typedef struct { text whole; const char *id, *retry, *data; int comment; } event;

/* Takes the first block from what has come. 0: none is there whole. -1: it is none of ours, and `why` says so. */
int event_take(event *e, text *body, text *why);
void event_free(event *e);
/* Returns 1 if it is the expected EVENT of the README. */
int event_matches(const json_t *expected, const event *e, json_t *kept);
/* Returns whether a value is the expected one, which may end with `@{*}` or `@{name}`. */
int fits(const char *expected, const char *value, json_t *kept);

#endif
