/* The application of a script: the catalogue, the callbacks, and what the script does to the server. */
#ifndef HOST_H
#define HOST_H

#include "text.h"

#include <wellhead_http.h>

/* An answer that a `finish` step gives. */
typedef struct held {
    struct held *next;
    char *name;
    wellhead_read *read; /* or */
    wellhead_list *list;
    wellhead_complete *completion;
    wellhead_method *method;
    wellhead_authorize *question;
    wellhead_interest *interest;
    wellhead_verify *token;
} held;

/* The session of a call, under a name. */
typedef struct { const char *name; wellhead_session *session; } kept_session;

enum { SESSIONS = 8 };

typedef struct {
    wellhead_server *server;
    json_t *calls, *lines, *published; /* since the last step that asked */
    json_t *listings;      /* items of each list source, and of each template's list, by name */
    held *held;
    kept_session sessions[SESSIONS];
    int registrations; /* whose user data is not destroyed yet */
    int bodies;        /* that are not released yet */
    json_t *folders;   /* that entries made */
} host;

void host_start(host *h, const json_t *script);
/* Gives up the server. 0: something was not given back, and `why` says so. */
int host_stop(host *h, text *why);
wellhead_status host_add(host *h, json_t *entry, wellhead_error **error);
/* Returns the verb of a step. */
const char *verb_of(json_t *step);
/* Returns the call that is held under a name. NULL if there is none; then `why` says so. */
held *find_held(host *h, const char *name, text *why);
/* Returns whether a step that may fail went as it says. */
int outcome(const json_t *step, wellhead_status status, text *why);
/* Carries out a step that concerns the server or its callbacks. 0: it went otherwise, and `why` says how. */
int host_act(host *h, json_t *step, text *why);

#endif
