/* What the callbacks of a script answer. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "host.h"

/* What a callback says that fails. */
#define FAILURE "the callback failed"

/* A descriptor, and what it points to. */
typedef struct {
    wellhead_resource resource;
    uint64_t size;
    text annotations, meta;
} description;

void describe(description *d, const json_t *entry, wellhead_str uri);
void describe_end(description *d);

/* Callbacks for an entry, with user data of their own. */
void provide(wellhead_provider *p, host *h, json_t *entry);
/* Gives an ANSWER of the README, its texts filled with the variables of `call`, if there is one. */
void answer(host *h, wellhead_read *r, const wellhead_call *call, const json_t *with);
void add_item(wellhead_list *r, const json_t *item);

#endif
