/* The answers of the callbacks of a script. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "host.h"
#include "options.h"

/* The reason that a failing callback gives. */
#define FAILURE "the callback failed"

/* A descriptor, and what it points to. */
typedef struct {
    wellhead_resource resource;
    uint64_t size;
    caching cache;
    text annotations, icons, meta, metadata;
} description;

void describe(description *d, const json_t *entry, wellhead_str uri);
void describe_end(description *d);

typedef struct { host *host; json_t *entry; } registration;

void note(host *h, text *line);
held *hold(host *h, text name);
/* A text in which `{v}` stands for the value of the variable v of `call`, which may be NULL. */
text filled(const wellhead_call *call, const json_t *value);

/* Reports progress, a REPORT of the README. */
int report(const wellhead_call *call, const json_t *progress);

/* User data of a callback for an entry, and its end. */
void *own(host *h, json_t *entry);
void forget(void *user_data);
void complete_callback(void *user_data, const wellhead_call *call, wellhead_complete *r);
void authorize_callback(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris,
                        size_t uri_count, wellhead_authorize *r);
void interest_callback(void *user_data, const wellhead_call *call, int wanted, wellhead_interest *r);
void around_callback(void *user_data, const wellhead_call *call, wellhead_next *next);
/* A method, a tool or a prompt. */
wellhead_status add_method(host *h, json_t *entry, wellhead_error **error);
/* Makes named requests in turn, of a read or of a method. Returns how to go on, or NULL if one lacks an answer. */
const json_t *client_requests(host *h, wellhead_read *read, wellhead_method *method, const json_t *with);
int notify_step(host *h, const json_t *step, text *why);
/* Sends a notification or a line of the log in the session that is kept under a name. */
int session_step(host *h, const json_t *step, const char *name, text *why);
/* The callbacks of a registration, with user data of their own. `completed`: room for the variables' names. */
void provide(wellhead_provider *p, host *h, json_t *entry, wellhead_str *completed);
/* Gives an ANSWER of the README, its texts filled with the variables of `call`, if there is one. */
void answer(host *h, wellhead_read *r, const wellhead_call *call, const json_t *with);
void answer_completion(wellhead_complete *r, const json_t *with);
void answer_method(wellhead_method *r, const json_t *with);
void answer_page(wellhead_list *r, const json_t *with);
void answer_question(wellhead_authorize *r, const json_t *with);
void answer_interest(wellhead_interest *r, int done);
/* A VERIFICATION of the README. */
void answer_token(wellhead_verify *r, const json_t *with);

#endif
