/* wellhead.h - serve an application's resources to MCP clients. Written by `make header`; do not edit.
 *
 *   static void read_note(void *notes, const wellhead_call *call, wellhead_read *r) {
 *       const char *body = find(notes, wellhead_call_var(call, "id"));
 *       if (body) wellhead_read_text(r, wellhead_cstr(body)); else wellhead_read_not_found(r);
 *   }
 *   int main(void) {
 *       wellhead_server *s = wellhead_server_new(WELLHEAD_STR("notes"), WELLHEAD_STR("1.0.0"), NULL, NULL);
 *       wellhead_resource d = WELLHEAD_RESOURCE_INIT;
 *       wellhead_provider p = WELLHEAD_PROVIDER_INIT;
 *       d.uri = WELLHEAD_STR("notes://{id}"); p.read = read_note; p.user_data = my_notes;
 *       wellhead_server_add_template(s, &d, &p, NULL);
 *       wellhead_serve_stdio(s, NULL, NULL);         // until the client goes
 *       wellhead_server_free(s);
 *   }
 *
 * Ownership. `x_new` gives, `x_free` takes; free(NULL) does nothing; handles may be freed in any order. Strings passed in
 *   are copied before return unless the name ends in `_owned`. Strings passed out are borrowed, until when is said at each.
 * Callbacks. `user_data` first. `destroy(user_data)` runs exactly once, after the last callback, on any thread; also when
 *   the call that took it fails, unless the struct that holds it could not be read (NULL, struct_size 0). No lock of ours
 *   is held, so a callback may call anything here. It may also free the handle whose function runs it: that function then
 *   returns as if the handle were closed. A callback must not throw or longjmp.
 * Threads. Any function may be called from any thread, unless its comment ends in a `Thread safety:` line that says less.
 *   A `_free` is the last use of its handle: no other thread may be using it.
 *   The `_free` of a connection, an endpoint or an exchange waits until its `wake` or `ready` runs on no other thread. When it
 *   returns, neither is called again and its destroy function has run, so that a loop can close what they refer to. Do
 *   not call such a `_free` with a lock held that `wake` or `ready` takes. Called inside of that very `wake` or `ready` it does
 *   not wait: the destroy function runs when they have returned.
 * Errors. `wellhead_status`, 0 is OK. A last parameter `wellhead_error **error` may be NULL; on failure it receives an
 *   object for the caller to free, on success it is not touched. Other results are written only on success.
 *   When memory runs out the process is aborted, as by any Rust code; limits bound what clients can cost.
 * Growth. Structs that may grow begin with `struct_size`: start from their `_INIT`. 0 is WELLHEAD_STATUS_INVALID_ARGUMENT. Every
 *   field's zero is its default. A struct of a newer header is INVALID_ARGUMENT if it sets what this library does not know; so
 *   are flags that it does not know. Fields, functions and status numbers are only ever added.
 */
#ifndef WELLHEAD_H
#define WELLHEAD_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#  define WELLHEAD_API __declspec(dllimport)
#else
#  define WELLHEAD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ------------------------------------------------------------------------------------------------------ */

#define WELLHEAD_VERSION "0.1.0"
#define WELLHEAD_VERSION_MAJOR 0
#define WELLHEAD_VERSION_MINOR 1
#define WELLHEAD_VERSION_PATCH 0
/* Changes when a program compiled against an older header would no longer work. */
#define WELLHEAD_ABI_VERSION 1

/* The version of the library that runs, such as "0.1.0". Static. */
WELLHEAD_API const char *wellhead_version(void);

/* WELLHEAD_ABI_VERSION of the library that runs. */
WELLHEAD_API uint32_t wellhead_abi_version(void);

/* ---- basic types -------------------------------------------------------------------------------------------------- */

/* Bytes; where text is meant, UTF-8. Not NUL-terminated. ptr NULL: absent. len 0 with a ptr: empty. */
typedef struct wellhead_str {
    const char *ptr;
    size_t len;
} wellhead_str;

/* Frees what the host passed with other callbacks. Called once, with that pointer, on any thread, after the last use. May be
 * NULL. */
typedef void (*wellhead_destroy_callback)(void *data);

/* Wakes the loop of the host: there may be something to poll. Called on any thread, also for nothing. It must not block. */
typedef void (*wellhead_wake_callback)(void *data);

/* The string that `s`, which is NUL-terminated, holds: borrowed. NULL gives absent. */
WELLHEAD_API wellhead_str wellhead_cstr(const char *s);

#ifdef __cplusplus
#  define WELLHEAD_STR(literal) (wellhead_str{"" literal, sizeof(literal) - 1})
#else
#  define WELLHEAD_STR(literal) ((wellhead_str){"" literal, sizeof(literal) - 1})
#endif
/* The same where a constant initializes, as in `static const wellhead_str name = WELLHEAD_STR_INIT("x");` and in tables. */
#define WELLHEAD_STR_INIT(literal) {"" literal, sizeof(literal) - 1}

typedef struct wellhead_server wellhead_server;
typedef struct wellhead_connection wellhead_connection;
typedef struct wellhead_call wellhead_call;             /* what a callback is asked */
typedef struct wellhead_read wellhead_read;             /* responder of a read */
typedef struct wellhead_list wellhead_list;             /* responder of a listing */
typedef struct wellhead_complete wellhead_complete;     /* responder of a completion */
typedef struct wellhead_authorize wellhead_authorize;   /* responder of a question about access */
typedef struct wellhead_interest wellhead_interest;     /* responder of an interest */
typedef struct wellhead_method wellhead_method;         /* responder of a method of the host's own */
typedef struct wellhead_transmit wellhead_transmit;     /* bytes for a client */
typedef struct wellhead_text wellhead_text;             /* a text of ours, for the caller to free */
typedef struct wellhead_test_client wellhead_test_client; /* a client in memory, for a host's tests */
typedef struct wellhead_test_request wellhead_test_request; /* a request of the server to that client */
typedef struct wellhead_error wellhead_error;

/* ---- status and errors -------------------------------------------------------------------------------------------- */

/* How a call went. Further numbers may be added. */
typedef uint32_t wellhead_status;

#define WELLHEAD_STATUS_OK 0                  /* Done. */
/* A value that can never be right: NULL, struct_size 0, an answer to an answered call. */
#define WELLHEAD_STATUS_INVALID_ARGUMENT 1
#define WELLHEAD_STATUS_INVALID_UTF8 2        /* Text that is not UTF-8. */
#define WELLHEAD_STATUS_INVALID_URI 3         /* Not an absolute URI of RFC 3986. */
/* Not a template of RFC 6570, or one that cannot be matched; the message says where and why. */
#define WELLHEAD_STATUS_INVALID_TEMPLATE 4
#define WELLHEAD_STATUS_DUPLICATE 5           /* Registered already. */
/* Two templates match the same URIs and nothing orders them; the message names both. */
#define WELLHEAD_STATUS_AMBIGUOUS 6
#define WELLHEAD_STATUS_UNKNOWN 7             /* Nothing is registered under that name. */
#define WELLHEAD_STATUS_CLOSED 8              /* The server or connection was closed. */
#define WELLHEAD_STATUS_LIMIT 9               /* A limit; the message names it. */
#define WELLHEAD_STATUS_IO 10                 /* The operating system refused; the message says why. */
#define WELLHEAD_STATUS_FORKED 11             /* A connection made before fork, used in the child. */
#define WELLHEAD_STATUS_PANIC 12              /* A bug of ours; the connection is closed, and only free makes sense. */

/* The status in a word, such as "invalid_uri". Static; never NULL. */
WELLHEAD_API const char *wellhead_status_name(wellhead_status status);

/* Why. NULL: WELLHEAD_STATUS_OK. */
WELLHEAD_API wellhead_status wellhead_error_status(const wellhead_error *error);

/* What went wrong and what to do, for people; borrowed until the error is freed. NULL: absent. */
WELLHEAD_API wellhead_str wellhead_error_message(const wellhead_error *error);

/* NULL: nothing. */
WELLHEAD_API void wellhead_error_free(wellhead_error *error);

/* What it holds; borrowed until it is freed. NULL: absent. */
WELLHEAD_API wellhead_str wellhead_text_str(const wellhead_text *text);

/* NULL: nothing. */
WELLHEAD_API void wellhead_text_free(wellhead_text *text);

/* ---- server ------------------------------------------------------------------------------------------------------- */

/* How long a client may use an answer again, and whether for this caller only. What is not said is taken from the next
 * more general place: the answer's, its registration's, that of its kind of answer, the server's; by default an answer
 * may not be used again. For clients of the revisions that have such hints. */
typedef struct wellhead_cache {
    size_t struct_size;
    const uint64_t *ttl_ms;                   /* Milliseconds; 0: not at all. NULL: not said. */
    /* public, private; absent: not said. Once somebody authorises, what is said for all answers makes none public. */
    wellhead_str scope;
} wellhead_cache;
#define WELLHEAD_CACHE_INIT { sizeof(wellhead_cache), NULL, {NULL, 0} }

/* A hint for one kind of answer. */
typedef struct wellhead_cache_of {
    wellhead_str kind;                        /* discover, resources, templates, tools, prompts, reads */
    const wellhead_cache *cache;
} wellhead_cache_of;

/* What a server has done since it was made, and what is open. Taken at slightly different moments. */
typedef struct wellhead_counters {
    size_t struct_size;
    uint64_t connections;                     /* Connections that were made. */
    uint64_t connections_open;
    uint64_t calls;                           /* Calls of callbacks that began. */
    uint64_t calls_answered;                  /* Calls that somebody still wanted when they were answered. */
    uint64_t calls_failed;                    /* Of these, those that failed or were dropped without an answer. */
    uint64_t changes;                         /* Changes of resources that were told, and of lists. */
    uint64_t uris_watched;                    /* URIs that somebody watches. */
    uint64_t subscriptions;                   /* Watchers of all URIs, each connection once a URI. */
} wellhead_counters;
#define WELLHEAD_COUNTERS_INIT { sizeof(wellhead_counters), 0, 0, 0, 0, 0, 0, 0, 0 }

/* A call of one of the host's callbacks that begins or ends. */
typedef struct wellhead_observed {
    size_t struct_size;
    uint64_t call;                            /* A number that begin and end of a call share; unique in its server. */
    /* What is asked: the method of the request, such as resources/read, or authorize. */
    wellhead_str method;
    /* Which registration is asked: a template, a fixed URI, the name of a list source, a tool or a prompt; may be absent. */
    wellhead_str registration;
    wellhead_str traceparent;                 /* Of the request, as it came; may be absent. */
    /* How it ended: found, not_found, denied, not_modified, busy, needs_input, missing_capability, result, error, page,
     * completion, verdicts, failed, dropped and perhaps more. Absent: it begins, and what follows means nothing. */
    wellhead_str outcome;
    int wanted;                               /* 0: nobody wanted the answer any more. */
    uint64_t bytes;                           /* The size of the answer. */
    uint64_t time_ns;                         /* Since the call began, in nanoseconds. */
} wellhead_observed;
#define WELLHEAD_OBSERVED_INIT { sizeof(wellhead_observed), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, 0 }

/* Observes the begin and the end of a call of a callback, other than `interest`. Called on the thread that polls or answers, so
 * it must be quick. `observed` and its strings are borrowed until the callback returns. */
typedef void (*wellhead_observe_callback)(void *observe_data, const wellhead_observed *observed);

/* Counts. counters: begins as WELLHEAD_COUNTERS_INIT, and is filled as far as its struct_size goes. INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_server_counters(const wellhead_server *server, wellhead_counters *counters);

#define WELLHEAD_NO_SUBSCRIBE 1               /* Do not offer subscriptions. */
#define WELLHEAD_NO_LIST_CHANGED 2            /* Do not tell clients when the list of resources changes. */
#define WELLHEAD_SEND_NEWER_FIELDS 4          /* Send fields that a client's revision does not have all the same. */
#define WELLHEAD_LOG_WARNING 1                /* Works, but is probably not what was meant. */
#define WELLHEAD_LOG_ERROR 2                  /* A client got an error because of it. */

/* What one client may cost. 0 in a field means its default, given behind it. Limits that refuse answer an error which
 * names them; those that hold back make the connection stop dispatching, and then stop reading, until there is room.
 * Over HTTP calls_in_flight and listen_streams are those of the whole endpoint, whoever asks, and requests beyond them are
 * answered 503 at once. */
typedef struct wellhead_limits {
    size_t struct_size;
    size_t message_bytes;                     /* Of one incoming message; refuses. 4 MiB */
    size_t nesting;                           /* Depth of one incoming message; refuses. 100 */
    size_t id_bytes;                          /* Of a request id as it was written; refuses. 1 KiB */
    /* Of one batch, in messages, where the revision has batches; refuses. 100 */
    size_t batch_length;
    size_t uri_bytes;                         /* Of a URI in a request; refuses. 8 KiB */
    size_t page_items;                        /* Of one page of a list. 1,000 */
    size_t page_bytes;                        /* Of one page of a list, which holds at least one item. 1 MiB */
    size_t calls_in_flight;                   /* Calls of one connection that are not answered; holds back. 1,024 */
    size_t subscriptions;                     /* Of one connection, listen streams included; refuses. 10,000 */
    size_t subscriptions_total;               /* Of all connections of the server; refuses. 1,000,000 */
    size_t listen_streams;                    /* Of one connection; refuses. 1,000 */
    size_t output_bytes;                      /* Output that the client has not taken; holds back. 16 MiB */
    /* Milliseconds that an answer may be kept before it becomes an internal error; UINT64_MAX: for ever. 60,000 */
    uint64_t call_ms;
    /* Of an endpoint over HTTP, for all clients: bodies until their requests are over, output that clients have not taken,
     * and what is kept for clients that come back, of which the oldest goes first. A request itself counts as 4 KiB. A
     * client's connection has at most a quarter of what others leave of two thirds, of five sixths while it has at most 64 KiB,
     * of all while it has at most 8 KiB; refuses. 256 MiB */
    size_t buffer_bytes;
    /* How many percent of an endpoint's sessions and listen streams one caller may have who is known by a token, at least one
     * of each; refuses. 25 */
    size_t caller_percent;
} wellhead_limits;
#define WELLHEAD_LIMITS_INIT { sizeof(wellhead_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Logs a line about a callback that failed, or about requests that are refused. level: one of WELLHEAD_LOG_. line: borrowed
 * until the callback returns; no byte of it reaches a client. Called on any thread. */
typedef void (*wellhead_log_callback)(void *log_data, uint32_t level, wellhead_str line);

/* A name, and what it stands for. */
typedef struct wellhead_pair {
    wellhead_str name;
    wellhead_str value;
} wellhead_pair;

/* The code of one condition for clients of one protocol version. */
typedef struct wellhead_error_code {
    wellhead_str version;
    wellhead_str condition;                   /* resource_not_found, permission_denied, internal_error, not_modified */
    int32_t code;
} wellhead_error_code;

/* What a server is made from; everything has a default. Arrays come with a count. */
typedef struct wellhead_server_options {
    size_t struct_size;
    /* WELLHEAD_NO_SUBSCRIBE, WELLHEAD_NO_LIST_CHANGED, WELLHEAD_SEND_NEWER_FIELDS */
    uint32_t flags;
    wellhead_str title;                       /* The server's name for people. */
    wellhead_str instructions;                /* How a model should use the server. */
    /* 32 bytes under which cursors are sealed. Replicas share them. Absent: random; over stdio derived from name and version,
     * so that a client which starts a process for each request can page. */
    wellhead_str cursor_key;
    const wellhead_limits *limits;            /* NULL: all defaults. */
    /* Told, on any thread, what went wrong in callbacks; `level` is one of WELLHEAD_LOG_. No byte of it reaches a
     * client. NULL: a line on standard error. */
    wellhead_log_callback log;
    void *log_data;
    wellhead_destroy_callback log_destroy;
    /* Further capabilities: each name with a JSON object, {} or such as {"listChanged":true}. resources with {} declares and
     * serves resources before any is registered; otherwise the first registration does. */
    const wellhead_pair *capabilities;
    size_t capability_count;
    /* Further kinds of lists for wellhead_server_announce: each name, as clients ask for it, with its notification. */
    const wellhead_pair *announces;
    size_t announce_count;
    const wellhead_str *versions;             /* The protocol versions that are served, by their dates; none: all. */
    size_t version_count;
    /* Which documents settle the codes of errors: official (default), or variant-2024-11-05, which early clients of that
     * version may follow. Another word, here and below, is INVALID_ARGUMENT. */
    wellhead_str error_profile;
    const wellhead_error_code *error_codes;   /* Codes over the profile. */
    size_t error_code_count;
    /* What a client is told of what is denied: error (default), or mask: as of what does not exist. */
    wellhead_str permission_denied;
    /* Lists of tools and prompts where nothing of the kind is offered: error (default), or empty. */
    wellhead_str undeclared_lists;
    /* For whom contents have `name` and `title`: 2025-06-18 (default), never, always. */
    wellhead_str titles_in_contents;
    wellhead_str subscribe_unknown;           /* Whether what nothing serves may be watched: deny (default), allow. */
    /* Whether the resources/get dialect is served: auto (default), always, never. */
    wellhead_str dialect;
    const wellhead_cache *cache;              /* For all answers that may be used again; NULL: they may not. */
    const wellhead_cache_of *cache_of;        /* For kinds of them. */
    size_t cache_of_count;
    /* The name of this instance among replicas: see wellhead_server_set_publish. Absent: random. Two with one name do not
     * hear each other. */
    wellhead_str origin;
    /* Told when each call of a callback begins and ends; interests aside. Called on the thread that polls or answers, so it
     * must be quick; `observed` and its strings are borrowed. NULL: off, and free. */
    wellhead_observe_callback observe;
    void *observe_data;
    wellhead_destroy_callback observe_destroy;
} wellhead_server_options;
#define WELLHEAD_SERVER_OPTIONS_INIT { sizeof(wellhead_server_options), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, {NULL, 0}, NULL, 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, NULL, 0, {NULL, 0}, NULL, NULL, NULL }

/* Makes a server. name, version: who it says it is. options: may be NULL. NULL on failure: INVALID_ARGUMENT,
 * INVALID_UTF8, IO if there is no randomness. */
WELLHEAD_API wellhead_server *wellhead_server_new(wellhead_str name, wellhead_str version,
                                                  const wellhead_server_options *options, wellhead_error **error);

/* Ends every connection and makes wellhead_serve_stdio and wellhead_serve_http return. Answers still owed are dropped,
 * but over HTTP those under way may still go out, in the drain_ms of wellhead_serve_http. May be repeated. Not for
 * signal handlers, in which hardly anything may be called: let a thread wait for the signal (sigwait). NULL: nothing. */
WELLHEAD_API void wellhead_server_close(wellhead_server *server);

/* Gives up this handle; connections, drivers and kept responders hold the state until they go. */
WELLHEAD_API void wellhead_server_free(wellhead_server *server);

/* For the child after fork, before anything else there: connections made before answer WELLHEAD_STATUS_FORKED from now
 * on, or do nothing; what is registered stays, and new connections can be made. Fork while no other thread is inside a
 * function of this server. */
WELLHEAD_API void wellhead_server_after_fork(wellhead_server *server);

/* ---- what is served ----------------------------------------------------------------------------------------------- */

/* For templates: hand over every value as it was sent. Without it, values with a ".." segment, an absolute path, a
 * drive or a control character look like "not found"; with it, checking them is the host's work. */
#define WELLHEAD_RAW_VALUES 1

/* What a listing shows of a resource, or of a template (then `uri` holds the template, and `size` is not used).
 * Copied before return. */
typedef struct wellhead_resource {
    size_t struct_size;
    /* Required: an absolute URI, or an RFC 6570 template such as notes://{id}. */
    wellhead_str uri;
    wellhead_str name;                        /* The programmatic name; absent: the URI. */
    wellhead_str title;                       /* The name for people. */
    wellhead_str description;                 /* What it is, for people and models. */
    wellhead_str mime_type;                   /* Contents inherit it unless they say otherwise. */
    const uint64_t *size;                     /* Bytes of the raw content; NULL: unknown (0 is a size). */
    /* In list callbacks only: where the page after this item starts; absent: the URI. It must keep its place in the
     * order when the item is gone. */
    wellhead_str key;
    /* JSON as the protocol has it: {"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}, each
     * member optional. */
    wellhead_str annotations;
    /* JSON as the protocol has it: [{"src":"https://x/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],
     * each member but src optional. */
    wellhead_str icons;
    /* A JSON object, sent as _meta; contents inherit it. Keys that the protocol reserves are INVALID_ARGUMENT. */
    wellhead_str meta;
    /* What sort of thing it is, in the host's own words. Clients of the resources/get dialect are shown it, as they are
     * `version` and `metadata`. */
    wellhead_str kind;
    /* Another one whenever the contents are; of a template's resources wellhead_contents says it. */
    wellhead_str version;
    wellhead_str metadata;                    /* A JSON object with attributes of the host's own. */
    /* How long what is read here may be used again; NULL: not said. Not of an item of a list. */
    const wellhead_cache *cache;
    uint32_t flags;                           /* WELLHEAD_RAW_VALUES */
} wellhead_resource;
#define WELLHEAD_RESOURCE_INIT { sizeof(wellhead_resource), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, 0 }

/* What is said of contents beside their body, one element of an answer or what replaces fixed contents. What is absent
 * here is taken from the registration. */
typedef struct wellhead_contents {
    size_t struct_size;
    wellhead_str uri;                         /* Of a sub-resource; absent: the requested URI. */
    wellhead_str mime_type;
    wellhead_str meta;                        /* A JSON object, sent as _meta. */
    /* Of the resource, as in wellhead_resource; clients that have no room for it are not sent it. If `version` is the one
     * that the client has, it is told so, and sent nothing. */
    wellhead_str name;
    wellhead_str title;
    wellhead_str kind;
    wellhead_str version;
    wellhead_str metadata;
    const wellhead_cache *cache;              /* How long the answer may be used again; NULL: not said. */
} wellhead_contents;
#define WELLHEAD_CONTENTS_INIT { sizeof(wellhead_contents), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL }

/* Reads a resource. Answer with one of the wellhead_read_ functions before the callback returns, or keep the responder with
 * wellhead_read_keep and answer later, from any thread. A callback that does neither has answered "internal error". `call`
 * and `responder` are borrowed until the callback returns or, if kept, until the answer. */
typedef void (*wellhead_read_callback)(void *user_data, const wellhead_call *call, wellhead_read *responder);

/* Lists the items that follow `after`, or the first ones if `after` is absent, in an order that stays the same. after: the
 * `key` of an item that was listed before, or its URI; the item may be gone by now. limit: the number of items that fit on the
 * page, at least 1. Items beyond it are cut off, and then more follow, whatever `more` of wellhead_list_finish says. The
 * first page may ask for less than a full page, because fixed resources stand before. Answer with wellhead_list_finish or
 * wellhead_list_failed; as with wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_list_callback)(void *user_data, const wellhead_call *call, wellhead_str after, size_t limit,
                                       wellhead_list *responder);

/* Completes `variable` of a template or an argument of a prompt. value: the part that is typed so far; may be empty.
 * wellhead_call_var returns the values of other variables. Answer with wellhead_complete_finish or wellhead_complete_failed;
 * as with wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_complete_callback)(void *user_data, const wellhead_call *call, wellhead_str variable,
                                           wellhead_str value, wellhead_complete *responder);

/* Returns 0 if there is no resource at `uri`, so that clients cannot subscribe to it, and 1 if there may be one. `uri` is
 * borrowed until it returns. It must not block. */
typedef int (*wellhead_exists_callback)(void *user_data, wellhead_str uri);

/* The callbacks of one registration. NULL: not offered. They borrow `call` and `responder` until they return: answer
 * before that, or keep the responder and answer later. A callback that does neither has answered "internal error". */
typedef struct wellhead_provider {
    size_t struct_size;
    void *user_data;
    /* Called once, after the last callback and the last kept answer, on any thread; also when the registration
     * fails. May be NULL. */
    wellhead_destroy_callback destroy;
    wellhead_read_callback read;              /* Answers with one of the wellhead_read_ functions. */
    /* Answers with the items that follow `after` (absent: from the start) in an order of the host's own, at most
     * `limit`; more are cut off. `after` is the key of an item listed earlier, which may be gone by now. */
    wellhead_list_callback list;
    /* Answers with values that `variable` of a template may have, where `value` has been typed of it already, which may
     * be empty. What other variables have, wellhead_call_var tells. Asked for the variables named in `completed` only. */
    wellhead_complete_callback complete;
    const wellhead_str *completed;
    size_t completed_count;
    /* Whether there may be a resource at `uri`, one of those that `read` is asked for: 0 refuses who wants to watch it.
     * It must not block. NULL: there may always be one. */
    wellhead_exists_callback exists;
} wellhead_provider;
#define WELLHEAD_PROVIDER_INIT { sizeof(wellhead_provider), NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL }

/* Serves a fixed text, without a callback. The text is copied. INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE,
 * CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_text(wellhead_server *server, const wellhead_resource *resource,
                                                      wellhead_str text, wellhead_error **error);

/* Serves fixed bytes, without a callback. They are copied; absent is empty. Status values as for
 * wellhead_server_add_text. */
WELLHEAD_API wellhead_status wellhead_server_add_blob(wellhead_server *server, const wellhead_resource *resource,
                                                      wellhead_str bytes, wellhead_error **error);

/* Replaces fixed contents by a text, and tells those who watch the URI. about: may be NULL; its version is the
 * resource's from now on, which otherwise has none. UNKNOWN if none are registered there, INVALID_URI,
 * INVALID_ARGUMENT, INVALID_UTF8, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_text(wellhead_server *server, wellhead_str uri,
                                                      const wellhead_contents *about, wellhead_str text,
                                                      wellhead_error **error);

/* Replaces fixed contents by bytes. Otherwise as wellhead_server_set_text. */
WELLHEAD_API wellhead_status wellhead_server_set_blob(wellhead_server *server, wellhead_str uri,
                                                      const wellhead_contents *about, wellhead_str bytes,
                                                      wellhead_error **error);

/* Serves a fixed URI whose contents come from provider->read, which is required. provider->list must be NULL. Status
 * values as for wellhead_server_add_text. */
WELLHEAD_API wellhead_status wellhead_server_add_resource(wellhead_server *server, const wellhead_resource *resource,
                                                          const wellhead_provider *provider, wellhead_error **error);

/* Serves every URI that a template makes: resource->uri is an RFC 6570 template. provider->read is required;
 * provider->list, if given, lists what the template makes. INVALID_TEMPLATE, AMBIGUOUS, DUPLICATE, INVALID_UTF8,
 * INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_template(wellhead_server *server, const wellhead_resource *resource,
                                                          const wellhead_provider *provider, wellhead_error **error);

/* A list source: after the fixed resources, the sources are listed in the order of their registration. `name` goes
 * into cursors, so replicas use the same; absent: its ordinal. provider->list is required, provider->read must be
 * NULL. DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_list(wellhead_server *server, wellhead_str name,
                                                      const wellhead_provider *provider, wellhead_error **error);

/* Reads whatever no registration serves, by provider->read; replaces an earlier fallback. provider->list must be
 * NULL. INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_fallback(wellhead_server *server, const wellhead_provider *provider,
                                                          wellhead_error **error);

/* Removes what has that name: the resource with that URI, else the template with that text and its list source, else the
 * list source, else the method. Of several it is the first in this order, one a call. A list source that was added without
 * a name stays. Callbacks under way still finish. UNKNOWN, INVALID_UTF8, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_remove(wellhead_server *server, wellhead_str name, wellhead_error **error);

#define WELLHEAD_NO_WATCH 1                   /* Clients are not told what changes in the folder. */

/* A folder to be served, and how. Patterns have the form of lines of .gitignore: *.md anywhere, /docs at the top, docs/
 * for everything in such directories. */
typedef struct wellhead_directory {
    size_t struct_size;
    wellhead_str path;                        /* Required. A relative path is taken from the current directory. */
    const wellhead_str *include;              /* Only files that one of these patterns matches; none: all. */
    size_t include_count;
    const wellhead_str *exclude;              /* Nothing that one of these patterns matches. */
    size_t exclude_count;
    uint64_t max_file_bytes;                  /* The largest file that is served, which is read whole; 0: 64 MiB */
    /* How long changes are gathered, in milliseconds; at most 60,000; 0: 50. Clients are told once no change has come for
     * so long, and after ten times as long if they do not cease. */
    uint64_t settle_ms;
    uint32_t flags;                           /* WELLHEAD_NO_WATCH */
} wellhead_directory;
#define WELLHEAD_DIRECTORY_INIT { sizeof(wellhead_directory), {NULL, 0}, NULL, 0, NULL, 0, 0, 0, 0 }

/* Serves a folder with everything in it, as resources under file: (RFC 8089): files as text or bytes, directories as a
 * text/uri-list (RFC 2483) of what is in them. Hidden entries and those that .gitignore and .ignore files name are not
 * served, links only if they lead to something that is. The path of its template file:///.../{+path} is completed with the
 * names in the directory typed so far. IO, DUPLICATE (of one in a served one, too, or around it),
 * INVALID_UTF8, INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_directory(wellhead_server *server,
                                                           const wellhead_directory *directory, wellhead_error **error);

/* ---- calls -------------------------------------------------------------------------------------------------------- */

/* A call lives as long as its responder: until the callback returns or, if kept, until the answer. So do its strings. */

/* The URI as the client spelled it; of a completion the template. Absent for a listing, a method, a token, and a
 * question about access. */
WELLHEAD_API wellhead_str wellhead_call_uri(const wellhead_call *call);

/* The value of a template's variable, percent-decoded; of a list ({name*}) the first. Absent if the URI has none. Of a
 * completion: what another variable has already, if the client says so. */
WELLHEAD_API wellhead_str wellhead_call_var(const wellhead_call *call, const char *name);

/* The same as the client spelled it, escapes included. */
WELLHEAD_API wellhead_str wellhead_call_raw(const wellhead_call *call, const char *name);

/* The value at `index` of a list ({name*}), percent-decoded. Absent: there are no more. */
WELLHEAD_API wellhead_str wellhead_call_var_at(const wellhead_call *call, const char *name, size_t index);

/* The name of the variable at `index` of those that the URI has, in the order of the template. Absent: there are no
 * more. */
WELLHEAD_API wellhead_str wellhead_call_var_name(const wellhead_call *call, size_t index);

/* The caller that the connection was made with, or that the token was granted for; NULL: none was given. */
WELLHEAD_API void *wellhead_call_caller(const wellhead_call *call);

/* As wellhead_call_caller, if the caller was given with this `caller_type`; NULL otherwise. Code that did not make the caller
 * itself uses this, so that it never takes one type for another. */
WELLHEAD_API void *wellhead_call_typed_caller(const wellhead_call *call, const void *caller_type);

/* The caller_id that the connection was made with; absent: none was given. */
WELLHEAD_API wellhead_str wellhead_call_caller_id(const wellhead_call *call);

/* The protocol revision of the request, its date. Absent for an interest, which is nobody's request, and
 * for a token. */
WELLHEAD_API wellhead_str wellhead_call_revision(const wellhead_call *call);

/* The _meta of the request as it came, a JSON object: traceparent and the like. Its keys are the client's, and never
 * checked. Absent: there was none. */
WELLHEAD_API wellhead_str wellhead_call_meta(const wellhead_call *call);

/* Tells the client how far the work on its request is, if it asked for that: in any unit, which only grows. total: what it
 * will be in the end; NULL: not known. message: may be absent. 1: the client wants to know. */
WELLHEAD_API int wellhead_call_progress(const wellhead_call *call, double progress, const double *total,
                                        wellhead_str message);

/* Ends the stream that carries the answer over HTTP before there is one: the client is told to come back after `retry_ms`
 * milliseconds, and gets there what was said meanwhile, so that no connection is kept for a call that takes long. 1: it did.
 * 0: there is no stream to come back to, as over stdio, for a client that accepts JSON only and in every revision but
 * 2025-11-25; it is closed already; or the call was answered. What the client has not come back for counts against
 * output_bytes. Source: MCP 2025-11-25, Transports, "Sending Messages to the Server". */
WELLHEAD_API int wellhead_call_close_stream(const wellhead_call *call, uint64_t retry_ms);

/* Of a read: the version of the resource that the client has. If it is still the right one, wellhead_read_not_modified
 * says so, without a body being made. Absent: it did not say. */
WELLHEAD_API wellhead_str wellhead_call_if_version(const wellhead_call *call);

/* Of a read: what the client answers to wellhead_read_needs_input, by the keys of its inputRequests: a JSON object of
 * objects, checked for no more than that. Keys may be missing: ask again. Absent: nothing. */
WELLHEAD_API wellhead_str wellhead_call_input_responses(const wellhead_call *call);

/* Of a read: the requestState of wellhead_read_needs_input as the client sent it: anybody may have made it up. See
 * wellhead_call_open_state. Absent: none. */
WELLHEAD_API wellhead_str wellhead_call_request_state(const wellhead_call *call);

/* Of a read: makes a requestState that wellhead_call_open_state opens for this caller and URI until a time, on any clock of
 * the host's that replicas with its key share, such as milliseconds of Unix time. It says nothing about how often it is
 * used. To be freed. NULL: no read, or not UTF-8. */
WELLHEAD_API wellhead_text *wellhead_call_seal_state(const wellhead_call *call, wellhead_str state, uint64_t until);

/* Of a read: what wellhead_call_seal_state sealed into its requestState. To be freed. NULL: there is none, it was made up or
 * for another caller or URI, or its time is over: answer wellhead_read_invalid_state then, and do not ask again. */
WELLHEAD_API wellhead_text *wellhead_call_open_state(const wellhead_call *call, uint64_t now);

/* Of a listing: which resources the client wants, as one of the resources/get dialect may say: a JSON object whose members
 * are between the two of them. Absent: all. */
WELLHEAD_API wellhead_str wellhead_call_filter(const wellhead_call *call);

/* Of a method: its name. */
WELLHEAD_API wellhead_str wellhead_call_method(const wellhead_call *call);

/* Of a tool or a prompt: its name. */
WELLHEAD_API wellhead_str wellhead_call_name(const wellhead_call *call);

/* Of a method: the `arguments` among its params, a JSON object; {} if there are none. */
WELLHEAD_API wellhead_str wellhead_call_arguments(const wellhead_call *call);

/* Of a read or a method: what the client can do, a JSON object such as {"sampling":{}}. Absent: it did not say. */
WELLHEAD_API wellhead_str wellhead_call_client_capabilities(const wellhead_call *call);

/* Of a method: from which level on the request asks for notifications/message, such as "info". Absent: it does not. */
WELLHEAD_API wellhead_str wellhead_call_log_level(const wellhead_call *call);

/* 1: nobody wants the answer any more. Cheap; a callback that takes long asks now and then. The answer is still to be
 * given, or the kept responder freed. */
WELLHEAD_API int wellhead_call_cancelled(const wellhead_call *call);

/* ---- answers ------------------------------------------------------------------------------------------------------ */

/* Answer a call once: wholly (_text, _blob, _not_found, _denied, _failed, and the like; what was added is dropped), or by adding and then
 * finishing. Each final call consumes a kept responder, whatever it returns. OK also if nobody wants the answer any more.
 * INVALID_ARGUMENT: the call was answered already. On INVALID_UTF8 and on an argument that can never be right the client is
 * told "internal error", and the log why. */

/* Takes the responder out of its callback: now it is the host's, to be answered or freed once, from any thread, even
 * before the callback has returned. It keeps the call alive as well. Returns `responder`; NULL if it was answered.
 * Thread safety: only inside the callback. */
WELLHEAD_API wellhead_read *wellhead_read_keep(wellhead_read *responder);

/* The call of a kept responder; borrowed until the answer. */
WELLHEAD_API const wellhead_call *wellhead_read_call(const wellhead_read *responder);

/* Gives up a kept responder unanswered: the client is told "internal error". */
WELLHEAD_API void wellhead_read_free(wellhead_read *responder);

/* Answers with a text, which is copied. */
WELLHEAD_API wellhead_status wellhead_read_text(wellhead_read *responder, wellhead_str text);

/* Answers with bytes, which are copied; absent is empty. */
WELLHEAD_API wellhead_status wellhead_read_blob(wellhead_read *responder, wellhead_str bytes);

/* Answers with a text without copying it: it stays the host's, unchanged, until release(release_data), which is called
 * once, on any thread, also on failure. */
WELLHEAD_API wellhead_status wellhead_read_text_owned(wellhead_read *responder, wellhead_str text,
                                                      wellhead_destroy_callback release, void *release_data);

/* Answers with bytes without copying them, as wellhead_read_text_owned does with a text. */
WELLHEAD_API wellhead_status wellhead_read_blob_owned(wellhead_read *responder, wellhead_str bytes,
                                                      wellhead_destroy_callback release, void *release_data);

/* Answers that there is no such resource. */
WELLHEAD_API wellhead_status wellhead_read_not_found(wellhead_read *responder);

/* Answers that there is one, but not for this caller. */
WELLHEAD_API wellhead_status wellhead_read_denied(wellhead_read *responder);

/* Answers that the client has the resource already: only where wellhead_call_if_version says which version that is. */
WELLHEAD_API wellhead_status wellhead_read_not_modified(wellhead_read *responder);

/* Answers that it cannot be read now. retry_after_ms: when it is worth asking again; UINT64_MAX: not known. */
WELLHEAD_API wellhead_status wellhead_read_busy(wellhead_read *responder, uint64_t retry_after_ms);

/* Answers that the client has to answer something first: a JSON object with inputRequests, requestState or both, as the
 * protocol has them. It repeats the read with what wellhead_call_input_responses and wellhead_call_request_state then tell.
 * Clients that cannot do what is asked for are told what that takes. */
WELLHEAD_API wellhead_status wellhead_read_needs_input(wellhead_read *responder, wellhead_str input);

/* Answers that the read came with a requestState that is not the host's: see wellhead_call_open_state. */
WELLHEAD_API wellhead_status wellhead_read_invalid_state(wellhead_read *responder);

/* Answers "internal error". `why` goes to the log, not to the client. */
WELLHEAD_API wellhead_status wellhead_read_failed(wellhead_read *responder, wellhead_str why);

/* Adds a text to an answer of several elements. about: may be NULL. A refused one leaves the answer as it was:
 * INVALID_UTF8, INVALID_ARGUMENT. Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_read_add_text(wellhead_read *responder, const wellhead_contents *about,
                                                    wellhead_str text);

/* Adds bytes, as wellhead_read_add_text adds a text. */
WELLHEAD_API wellhead_status wellhead_read_add_blob(wellhead_read *responder, const wellhead_contents *about,
                                                    wellhead_str bytes);

/* Adds a text without copying it: see wellhead_read_text_owned. */
WELLHEAD_API wellhead_status wellhead_read_add_text_owned(wellhead_read *responder, const wellhead_contents *about,
                                                          wellhead_str text, wellhead_destroy_callback release,
                                                          void *release_data);

/* Adds bytes without copying them: see wellhead_read_text_owned. */
WELLHEAD_API wellhead_status wellhead_read_add_blob_owned(wellhead_read *responder, const wellhead_contents *about,
                                                          wellhead_str bytes, wellhead_destroy_callback release,
                                                          void *release_data);

/* Answers with what was added. */
WELLHEAD_API wellhead_status wellhead_read_finish(wellhead_read *responder);

/* As wellhead_read_keep. Thread safety: only inside the callback. */
WELLHEAD_API wellhead_list *wellhead_list_keep(wellhead_list *responder);

/* The call of a kept responder; borrowed until the answer. */
WELLHEAD_API const wellhead_call *wellhead_list_call(const wellhead_list *responder);

/* Gives up a kept responder unanswered: the client is told "internal error". */
WELLHEAD_API void wellhead_list_free(wellhead_list *responder);

/* Adds an item to the page. A refused one leaves the page as it was: INVALID_UTF8, INVALID_ARGUMENT. One whose URI is
 * none is left out later, and logged. Thread safety: one thread at a time builds a page. */
WELLHEAD_API wellhead_status wellhead_list_add(wellhead_list *responder, const wellhead_resource *item);

/* Answers with the items that were added. more: not 0 if items follow the last one; without an item that is
 * INVALID_ARGUMENT, and an internal error for the client. */
WELLHEAD_API wellhead_status wellhead_list_finish(wellhead_list *responder, int more);

/* Answers "internal error". `why` goes to the log, not to the client. */
WELLHEAD_API wellhead_status wellhead_list_failed(wellhead_list *responder, wellhead_str why);

/* As wellhead_read_keep. Thread safety: only inside the callback. */
WELLHEAD_API wellhead_complete *wellhead_complete_keep(wellhead_complete *responder);

/* The call of a kept responder; borrowed until the answer. */
WELLHEAD_API const wellhead_call *wellhead_complete_call(const wellhead_complete *responder);

/* Gives up a kept responder unanswered: the client is told "internal error". */
WELLHEAD_API void wellhead_complete_free(wellhead_complete *responder);

/* Proposes a value, after those before it. INVALID_UTF8, INVALID_ARGUMENT. Thread safety: one thread at a time builds an
 * answer. */
WELLHEAD_API wellhead_status wellhead_complete_add(wellhead_complete *responder, wellhead_str value);

/* Answers with the values that were added; of more than a hundred the client is sent the first hundred. more: not 0 if
 * there are more. total: how many there are in all; NULL: no more is known than was added. */
WELLHEAD_API wellhead_status wellhead_complete_finish(wellhead_complete *responder, int more, const uint64_t *total);

/* Answers "internal error". `why` goes to the log, not to the client. */
WELLHEAD_API wellhead_status wellhead_complete_failed(wellhead_complete *responder, wellhead_str why);

/* ---- access and interest ------------------------------------------------------------------------------------------ */

#define WELLHEAD_OPERATION_LIST 1             /* See the URIs in a list. */
#define WELLHEAD_OPERATION_READ 2             /* Read them. */
#define WELLHEAD_OPERATION_SUBSCRIBE 3        /* Be told of their changes. */
/* Have values of the template's variables proposed; the URI is the template. */
#define WELLHEAD_OPERATION_COMPLETE 4
#define WELLHEAD_OPERATION_LIST_TOOLS 5       /* See tools in a list; the URIs are their names. */
#define WELLHEAD_OPERATION_CALL_TOOL 6        /* Call the tool of this name. */
#define WELLHEAD_OPERATION_LIST_PROMPTS 7     /* See prompts in a list; the URIs are their names. */
#define WELLHEAD_OPERATION_GET_PROMPT 8       /* Get the prompt of this name. */
#define WELLHEAD_VERDICT_DENY 0               /* "Permission denied"; left out of lists. */
#define WELLHEAD_VERDICT_ALLOW 1              /* Go on. */
#define WELLHEAD_VERDICT_HIDE 2               /* Answered exactly as if it did not exist. */

/* Decides which of the URIs a caller may use. call: tells about the caller; its URI is absent. operation: one of
 * WELLHEAD_OPERATION_; later versions may add numbers, so deny those that you do not know. uris: at least one; borrowed as
 * long as the call. Set verdicts with wellhead_authorize_set, then call wellhead_authorize_finish; as with
 * wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_authorize_callback)(void *user_data, const wellhead_call *call, uint32_t operation,
                                            const wellhead_str *uris, size_t uri_count, wellhead_authorize *responder);

/* Asks `authorize` before anything is listed, read, watched or completed: one question for many URIs. It replaces an earlier one.
 * call: says who asks; its URI is absent. operation: one of WELLHEAD_OPERATION_; further numbers may be added, so deny
 * what you do not know. uris: `uri_count` of them, never none; they live as long as the call. The callback answers
 * before it returns, or keeps the responder and answers later. authorize: may not be NULL. destroy: may be NULL.
 * INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_authorize(wellhead_server *server,
                                                           wellhead_authorize_callback authorize, void *user_data,
                                                           wellhead_destroy_callback destroy, wellhead_error **error);

/* As wellhead_read_keep. Thread safety: only inside the callback. */
WELLHEAD_API wellhead_authorize *wellhead_authorize_keep(wellhead_authorize *responder);

/* The call of a kept responder; borrowed until the answer. */
WELLHEAD_API const wellhead_call *wellhead_authorize_call(const wellhead_authorize *responder);

/* Gives up a kept responder unanswered: the client is told "internal error". */
WELLHEAD_API void wellhead_authorize_free(wellhead_authorize *responder);

/* Sets the verdict, one of WELLHEAD_VERDICT_, about the URI at `index`. A verdict that is not set denies.
 * INVALID_ARGUMENT. Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_authorize_set(wellhead_authorize *responder, size_t index, uint32_t verdict);

/* Answers with the verdicts that were set. */
WELLHEAD_API wellhead_status wellhead_authorize_finish(wellhead_authorize *responder);

/* Answers "internal error". `why` goes to the log, not to the client. */
WELLHEAD_API wellhead_status wellhead_authorize_failed(wellhead_authorize *responder, wellhead_str why);

/* Tells the host that wellhead_call_uri(call) got its first subscriber (wanted 1) or lost its last one (wanted 0). Callbacks for one
 * URI never overlap. Answer with wellhead_interest_done or wellhead_interest_failed; as with wellhead_read_callback, a kept
 * responder is answered later. */
typedef void (*wellhead_interest_callback)(void *user_data, const wellhead_call *call, int wanted,
                                           wellhead_interest *responder);

/* Tells `interest` which URIs are watched, for a host that must watch something itself to notice changes. It replaces
 * an earlier one. wanted: 1 if somebody watches wellhead_call_uri(call) from now on, 0 if nobody does any more; one
 * delivery at a time for a URI. A subscriber is acknowledged after the callback has answered, so that no change falls
 * between the two. interest: may not be NULL. destroy: may be NULL. INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_interest(wellhead_server *server, wellhead_interest_callback interest,
                                                          void *user_data, wellhead_destroy_callback destroy,
                                                          wellhead_error **error);

/* As wellhead_read_keep. Thread safety: only inside the callback. */
WELLHEAD_API wellhead_interest *wellhead_interest_keep(wellhead_interest *responder);

/* The call of a kept responder; borrowed until the answer. */
WELLHEAD_API const wellhead_call *wellhead_interest_call(const wellhead_interest *responder);

/* Gives up a kept responder unanswered, as wellhead_interest_failed does. */
WELLHEAD_API void wellhead_interest_free(wellhead_interest *responder);

/* Answers that the host now watches the URI, or has stopped. */
WELLHEAD_API wellhead_status wellhead_interest_done(wellhead_interest *responder);

/* Answers that it could not: those who wait to watch the URI are told "internal error". `why` goes to the log. */
WELLHEAD_API wellhead_status wellhead_interest_failed(wellhead_interest *responder, wellhead_str why);

/* ---- further methods ---------------------------------------------------------------------------------------------- */

#define WELLHEAD_RESPONSE_RESULT 0            /* The client's result. */
#define WELLHEAD_RESPONSE_ERROR 1             /* The client's error, an object with code and message. */
/* None will come: the call was answered or cancelled, its session ended, or the host gave the request up. */
#define WELLHEAD_RESPONSE_GIVEN_UP 2

/* How a method is served; everything has a default. */
typedef struct wellhead_method_options {
    size_t struct_size;
    /* The protocol revisions that have it, by their dates; none: all that have not removed a method of that name. */
    const wellhead_str *revisions;
    size_t revision_count;
} wellhead_method_options;
#define WELLHEAD_METHOD_OPTIONS_INIT { sizeof(wellhead_method_options), NULL, 0 }

/* Handles a request. params: its params, a JSON object; {} if there are none; borrowed as long as the call. Answer with
 * wellhead_method_result or another final wellhead_method_ function; as with wellhead_read_callback, a kept responder is
 * answered later. */
typedef void (*wellhead_method_callback)(void *user_data, const wellhead_call *call, wellhead_str params,
                                         wellhead_method *responder);

/* Takes the response of the client to a request of wellhead_method_request. response: one of WELLHEAD_RESPONSE_. json: the
 * result or the error, an object; absent for WELLHEAD_RESPONSE_GIVEN_UP; borrowed until the callback returns. Called once, as
 * an event of the connection; not called if the host closes the connection. */
typedef void (*wellhead_response_callback)(void *then_data, uint32_t response, wellhead_str json);

/* Serves a method beside those for resources, such as tools/list: JSON in, JSON out. Its capability is declared with it:
 * tools, prompts or logging for what begins so; for more see `capabilities` of wellhead_server_options. options: may be
 * NULL. params: what the request has, a JSON object, {} if there is none; borrowed as long as the call. The callback
 * answers before it returns, or keeps the responder and answers later. method: may not be NULL. destroy: may be NULL.
 * DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_method(wellhead_server *server, wellhead_str name,
                                                        const wellhead_method_options *options,
                                                        wellhead_method_callback method, void *user_data,
                                                        wellhead_destroy_callback destroy, wellhead_error **error);

/* Serves a tool. definition: how it is listed, a JSON object without a name, such as {"description":"…","inputSchema":{…}}.
 * The callback answers tools/call by wellhead_call_arguments, which it checks itself, with a result as the protocol has it:
 * one that clients would refuse is an internal error, and logged. Without an inputSchema the tool takes any object. A member
 * that does not exist, or that clients would refuse, is WELLHEAD_STATUS_INVALID_ARGUMENT. An authoriser is asked by name. Otherwise as wellhead_server_add_method. */
WELLHEAD_API wellhead_status wellhead_server_add_tool(wellhead_server *server, wellhead_str name,
                                                      wellhead_str definition, wellhead_method_callback method,
                                                      void *user_data, wellhead_destroy_callback destroy,
                                                      wellhead_error **error);

/* Serves a prompt, listed by a definition such as {"description":"…","arguments":[…]}. The callback answers prompts/get.
 * Otherwise as wellhead_server_add_tool. */
WELLHEAD_API wellhead_status wellhead_server_add_prompt(wellhead_server *server, wellhead_str name,
                                                        wellhead_str definition, wellhead_method_callback method,
                                                        void *user_data, wellhead_destroy_callback destroy,
                                                        wellhead_error **error);

/* Completes an argument of a prompt that is registered, and goes with it. complete: as in wellhead_provider; its call has
 * the prompt's name for a URI. complete: may not be NULL. destroy: may be NULL. UNKNOWN if there is no such prompt,
 * DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_complete_prompt(wellhead_server *server, wellhead_str prompt,
                                                             wellhead_str argument,
                                                             wellhead_complete_callback complete, void *user_data,
                                                             wellhead_destroy_callback destroy, wellhead_error **error);

/* Removes a tool; calls under way finish. UNKNOWN, INVALID_UTF8, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_remove_tool(wellhead_server *server, wellhead_str name,
                                                         wellhead_error **error);

/* Removes a prompt, as wellhead_server_remove_tool removes a tool. */
WELLHEAD_API wellhead_status wellhead_server_remove_prompt(wellhead_server *server, wellhead_str name,
                                                           wellhead_error **error);

/* Tells everybody who wants to know that the lists of a kind changed: toolsListChanged, promptsListChanged, or one of
 * `announces` of wellhead_server_options. Never blocks, never calls back but for `wake`. UNKNOWN; INVALID_ARGUMENT if
 * the capability does not declare listChanged; INVALID_UTF8, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_announce(wellhead_server *server, wellhead_str kind);

/* As wellhead_read_keep. Thread safety: only inside the callback. */
WELLHEAD_API wellhead_method *wellhead_method_keep(wellhead_method *responder);

/* The call of a kept responder; borrowed until the answer. */
WELLHEAD_API const wellhead_call *wellhead_method_call(const wellhead_method *responder);

/* Gives up a kept responder unanswered: the client is told "internal error". */
WELLHEAD_API void wellhead_method_free(wellhead_method *responder);

/* Sends a notification about the call, before its answer. params: a JSON object; may be absent. *sent: whether it was:
 * not after the answer, not when nobody wants that any more, not while the client takes nothing, and notifications/message
 * only from the level on that the request asks for. sent: may be NULL. INVALID_ARGUMENT for what is no notification of a
 * call, or for notifications/message without a level or without the capability logging; INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_notify(wellhead_method *responder, wellhead_str method,
                                                    wellhead_str params, int *sent);

/* Asks the client for one of its features, sampling/createMessage, elicitation/create or roots/list, before the call is
 * answered; so keep the responder first. then: called once as an event of the connection, with one of
 * WELLHEAD_RESPONSE_ and the JSON that the client sent; not called if the host closes the connection. then_destroy: called once,
 * after `then` or instead of it, also when this fails. then: may not be NULL; params, then_destroy and number may.
 * *number: for wellhead_method_cancel_request. INVALID_ARGUMENT for other methods, if the client did not declare the
 * capability, and in revisions that have wellhead_method_needs_input instead; LIMIT while the client takes nothing; CLOSED
 * once the call is over; INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_request(wellhead_method *responder, wellhead_str method,
                                                     wellhead_str params, wellhead_response_callback then,
                                                     void *then_data, wellhead_destroy_callback then_destroy,
                                                     uint64_t *number);

/* Gives a request to the client up: it is told so, and `then` hears WELLHEAD_RESPONSE_GIVEN_UP. 1: the answer was still to
 * come. */
WELLHEAD_API int wellhead_method_cancel_request(wellhead_method *responder, uint64_t number);

/* Answers with a result, a JSON object. What the revision wants beside it is added. */
WELLHEAD_API wellhead_status wellhead_method_result(wellhead_method *responder, wellhead_str result);

/* Answers with an error for the client: a code of JSON-RPC 2.0 section 5.1 or one of the host's own. data: any JSON
 * object; may be absent. */
WELLHEAD_API wellhead_status wellhead_method_error(wellhead_method *responder, int32_t code, wellhead_str message,
                                                   wellhead_str data);

/* Answers that the client is to be asked for input, by the inputRequests and requestState of this JSON object, and may
 * then ask again. An internal error where the revision does not have that. */
WELLHEAD_API wellhead_status wellhead_method_needs_input(wellhead_method *responder, wellhead_str input);

/* Answers that the client lacks capabilities, those of this JSON object, such as {"sampling":{}}. */
WELLHEAD_API wellhead_status wellhead_method_missing_capability(wellhead_method *responder, wellhead_str capabilities);

/* Answers "internal error". `why` goes to the log, not to the client. */
WELLHEAD_API wellhead_status wellhead_method_failed(wellhead_method *responder, wellhead_str why);

/* ---- updates ------------------------------------------------------------------------------------------------------ */

/* The resource at `uri` changed: everybody who watches it is told. Never blocks. Calls `wake` and, before it returns, the
 * function of wellhead_server_set_publish, both on this thread, and no other callback: call it with no lock held that
 * these take. OK if nobody watches. INVALID_URI, INVALID_UTF8, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_updated(wellhead_server *server, wellhead_str uri);

/* As wellhead_server_updated, telling what the resource is now: its new version above all. What is registered has that
 * version from now on; its other members, and what is listed, stay as they are. Also INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_server_updated_as(wellhead_server *server, const wellhead_resource *resource);

/* The resource at `uri`, which lies below the one at `parent`, changed: those who watch `parent` are told of `uri`.
 * Those who watch `uri` are told by wellhead_server_updated; who watches both is told once. A client that has been
 * told of none of more than 16 such changes is told instead that `parent` changed. Otherwise as
 * wellhead_server_updated. */
WELLHEAD_API wellhead_status wellhead_server_updated_below(wellhead_server *server, wellhead_str uri,
                                                           wellhead_str parent);

/* What the caller with this id may do changed: everything that its connections watch is asked for again, many URIs to a
 * question, and what is refused is watched no longer. Nothing without wellhead_server_set_authorize. Calls back as
 * wellhead_server_updated. OK for an unknown caller. INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_access_changed(wellhead_server *server, wellhead_str caller_id);

/* What is listed changed, by other means than adding and removing, which say so themselves. Calls back as
 * wellhead_server_updated. CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_list_changed(wellhead_server *server);

/* Carries a change to other instances of the service. event: one JSON object, borrowed until the callback returns. Called on
 * the thread that reports the change, inside the function that reports it. */
typedef void (*wellhead_publish_callback)(void *user_data, wellhead_str event);

/* Hands over each change that is told here, so that other instances of the service can tell their clients, too: one JSON
 * object as text, for a pub/sub system to carry to their wellhead_server_inject. It replaces an earlier one. Called on the
 * thread that told of the change, inside of the function that it told by; `event` is borrowed until it returns. What registering, removing and setting change is
 * each instance's own, and what was injected is not published again. publish: may not be NULL. destroy: may be NULL.
 * INVALID_ARGUMENT, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_publish(wellhead_server *server, wellhead_publish_callback publish,
                                                         void *user_data, wellhead_destroy_callback destroy,
                                                         wellhead_error **error);

/* Takes a change that another instance published, and tells clients here. *told: 0 for what this instance published itself,
 * and for a kind of change that is not known here. told: may be NULL. Never blocks, and calls `wake` only.
 * INVALID_ARGUMENT for what is no event, INVALID_URI, INVALID_UTF8, CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_inject(wellhead_server *server, wellhead_str event, int *told);

/* ---- URIs --------------------------------------------------------------------------------------------------------- */

#define WELLHEAD_VALUE_LIST 1                 /* This value is an element of a list, also if it is the only one. */

/* A value of a template's variable. Several with one name are a list, in their order; with keys they are pairs. */
typedef struct wellhead_value {
    wellhead_str name;
    wellhead_str key;                         /* Absent: no pair. */
    wellhead_str value;
    uint32_t flags;                           /* WELLHEAD_VALUE_LIST */
} wellhead_value;

/* The URI that these values make of an RFC 6570 template, levels 1 to 4: for links. Variables without a value are left
 * out, values of other names not used. NULL on failure: INVALID_TEMPLATE, INVALID_UTF8, INVALID_ARGUMENT. */
WELLHEAD_API wellhead_text *wellhead_expand(wellhead_str uri_template, const wellhead_value *values,
                                            size_t value_count, wellhead_error **error);

/* Which registration takes a URI, and why each template that does not take it does not: for people who wonder why a
 * URI is not found. JSON: {"uri":…,"takenBy":…,"passedOver":[…]}. No callback is called. NULL on failure:
 * INVALID_UTF8, INVALID_ARGUMENT. */
WELLHEAD_API wellhead_text *wellhead_server_explain(wellhead_server *server, wellhead_str uri, wellhead_error **error);

/* ---- connection: bytes in, bytes out ------------------------------------------------------------------------------ */

/* For hosts with a loop of their own. After reading, and when woken (in the loop, not in `wake`):
 *
 *   wellhead_connection_tick(c, now_ms);                          // also at wellhead_connection_poll_timeout(c)
 *   wellhead_connection_receive(c, input, &taken, NULL);          // not when woken; keep what was not taken
 *   while (wellhead_connection_poll_event(c, 64) == 64) {}        // runs callbacks
 *   while ((t = wellhead_connection_poll_transmit(c, 65536)) != NULL) {
 *       send(wellhead_transmit_bytes(t));
 *       wellhead_transmit_free(t);
 *   }
 *   if (wellhead_connection_finished(c)) wellhead_connection_free(c);
 *
 * A client that is gone raises SIGPIPE in a program that writes to it: ignore the signal, or send with MSG_NOSIGNAL. The
 * drivers, wellhead_serve_stdio and wellhead_serve_http, do that themselves.
 */

/* What a connection is made with; everything has a default. */
typedef struct wellhead_connection_options {
    size_t struct_size;
    /* There may be something to poll that was not there before. Called on any thread, also for nothing, until
     * wellhead_connection_free returns. Of the functions of this connection it may call wellhead_connection_free only; it
     * makes the host's loop call the others. NULL is for a host that polls after each receive and never answers later. */
    wellhead_wake_callback wake;
    void *wake_data;
    /* Called once, after the last wake and before wellhead_connection_free returns; also when no connection is made. May be
     * NULL. */
    wellhead_destroy_callback wake_destroy;
    /* For whom the connection speaks: the host's own, handed to callbacks by wellhead_call_caller. */
    void *caller;
    /* Called once, after the last call; also when no connection is made. May be NULL. */
    wellhead_destroy_callback caller_destroy;
    /* The caller in stable bytes: cursors of one id are worth nothing to another. Absent: nobody in particular. */
    wellhead_str caller_id;
    /* Names the type of `caller`, for wellhead_call_typed_caller: any address of the program's, which is compared and never
     * read. May be NULL. */
    const void *caller_type;
} wellhead_connection_options;
#define WELLHEAD_CONNECTION_OPTIONS_INIT { sizeof(wellhead_connection_options), NULL, NULL, NULL, NULL, NULL, {NULL, 0}, NULL }

/* Makes a connection. options: may be NULL. NULL on failure: INVALID_ARGUMENT. */
WELLHEAD_API wellhead_connection *wellhead_connection_new(wellhead_server *server,
                                                          const wellhead_connection_options *options,
                                                          wellhead_error **error);

/* Takes input: newline-delimited messages, split anywhere. It is only buffered. *taken: how many bytes were accepted;
 * fewer than given means: stop reading until woken, and offer the rest again. taken: may not be NULL. CLOSED, FORKED. */
WELLHEAD_API wellhead_status wellhead_connection_receive(wellhead_connection *connection, wellhead_str bytes,
                                                         size_t *taken, wellhead_error **error);

/* No more input. A last line without a newline still counts; what was received is still answered. */
WELLHEAD_API void wellhead_connection_end(wellhead_connection *connection);

/* Deals with what was received, and with what goes on, and runs up to `max` callbacks on this thread. Returns how many
 * things it handed to the host; fewer than `max`: nothing is left, send what there is. 0 when called from inside a
 * callback of this connection. */
WELLHEAD_API size_t wellhead_connection_poll_event(wellhead_connection *connection, size_t max);

/* About `max` bytes to send at most, or NULL if there is nothing, or if the last ones are not freed yet: output is
 * handed out one piece at a time, in order. Send all of it, then free it, and ask again until there is nothing. */
WELLHEAD_API wellhead_transmit *wellhead_connection_poll_transmit(wellhead_connection *connection, size_t max);

/* Borrowed until the transmit is freed. NULL: absent. */
WELLHEAD_API wellhead_str wellhead_transmit_bytes(const wellhead_transmit *transmit);

/* The bytes were sent, or nobody wants them any more. May come after its connection was freed. */
WELLHEAD_API void wellhead_transmit_free(wellhead_transmit *transmit);

/* When to call wellhead_connection_tick at the latest, in milliseconds of the clock that it is given. UINT64_MAX:
 * never. */
WELLHEAD_API uint64_t wellhead_connection_poll_timeout(const wellhead_connection *connection);

/* Tells the time, in milliseconds of a monotonic clock of the host's choosing. Answers kept longer than call_ms become
 * internal errors. The time is what was told last, at first 0, and what is asked has its time from then on: tick before
 * each poll that comes after a while, or the next tick finds too early that an answer is overdue. */
WELLHEAD_API void wellhead_connection_tick(wellhead_connection *connection, uint64_t now_ms);

/* 1: ended or closed, and nothing is left to poll, to answer or to send. */
WELLHEAD_API int wellhead_connection_finished(const wellhead_connection *connection);

/* Drops what is in flight and what was not sent, now. Everything after gives CLOSED or nothing. */
WELLHEAD_API void wellhead_connection_close(wellhead_connection *connection);

/* Closes the connection and gives up this handle. Waits for a `wake` that runs on another thread; when it returns, `wake`
 * is not called again and `wake_destroy` has run. A connection made before fork is only given up: nothing of it is touched
 * or destroyed. */
WELLHEAD_API void wellhead_connection_free(wellhead_connection *connection);

/* One message in, its answer out, apart from other input and output; runs callbacks on this thread. Waits until kept
 * responders are answered, at most `timeout_ms`; then the answer is an internal error. *answer: to be freed; NULL if
 * there is none, as for a notification. answer: may not be NULL. CLOSED, FORKED. */
WELLHEAD_API wellhead_status wellhead_connection_handle(wellhead_connection *connection, wellhead_str message,
                                                        uint32_t timeout_ms, wellhead_transmit **answer,
                                                        wellhead_error **error);

/* ---- stdio -------------------------------------------------------------------------------------------------------- */

/* Callbacks run on the caller's thread, which then also reads, without a hop: for hosts whose callbacks are quick. */
#define WELLHEAD_CALLBACKS_INLINE (-1)
/* Leave descriptors 0 and 1 as they are. Without it they point to the null device and to standard error meanwhile, so
 * that a stray printf cannot corrupt the wire, and a child process cannot swallow input. */
#define WELLHEAD_STDIO_KEEP_STDOUT 1
/* SIGTERM ends the service cleanly. Without it no signal handler is installed. */
#define WELLHEAD_STDIO_HANDLE_SIGTERM 2

/* How standard input and output are served; everything has a default. */
typedef struct wellhead_stdio_options {
    size_t struct_size;
    /* 0: the caller's; N: so many, the caller's among them; WELLHEAD_CALLBACKS_INLINE */
    int32_t callback_threads;
    /* How long answers under way may take after the end of input, in milliseconds; 0: 5,000 */
    uint32_t drain_ms;
    uint32_t flags;                           /* WELLHEAD_STDIO_KEEP_STDOUT, WELLHEAD_STDIO_HANDLE_SIGTERM */
} wellhead_stdio_options;
#define WELLHEAD_STDIO_OPTIONS_INIT { sizeof(wellhead_stdio_options), 0, 0, 0 }

/* Serves standard input and output until the client goes, the pipe breaks, or wellhead_server_close: all three are OK.
 * options: may be NULL. One at a time a process. By default callbacks run on the caller's thread, one at a time, and two more
 * threads read and write. While a service runs in the process SIGPIPE is ignored, if it was at its default; the last one
 * restores that. IO, CLOSED, INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_serve_stdio(wellhead_server *server, const wellhead_stdio_options *options,
                                                  wellhead_error **error);

/* ---- a client for tests ------------------------------------------------------------------------------------------- */

/* A client in memory, for a host's own tests. Callbacks run inside its functions, on the caller's thread; what is answered
 * on another thread is waited for. Thread safety: one thread at a time uses a client, and no callback that it runs. */

/* Answers a request of the server to the client, such as sampling/createMessage, elicitation/create or roots/list. Called on
 * the thread that uses the client, inside its function, also for each of the inputRequests that a read, a tool or a prompt
 * needs: the client then repeats its request with the answers. params: a JSON object; {} if there are none. Answer with one
 * of the wellhead_test_request_ functions before the callback returns; without an answer the server gets an internal error.
 * All arguments are borrowed until the callback returns. It must not use the client. */
typedef void (*wellhead_test_request_callback)(void *user_data, wellhead_str method, wellhead_str params,
                                               wellhead_test_request *request);

/* Options of a client in memory. Zero or NULL in a field means its default. */
typedef struct wellhead_test_options {
    size_t struct_size;
    /* The protocol version that the client speaks, by its date. Absent: the newest with a handshake that the server serves,
     * else the newest. */
    wellhead_str revision;
    /* The capabilities of the client: a JSON object, such as {"sampling":{}}. Absent: {}. */
    wellhead_str capabilities;
    /* The caller that the client speaks for, as in wellhead_connection_options. */
    void *caller;
    /* Called once, after the last call; also if no client is made. May be NULL. */
    wellhead_destroy_callback caller_destroy;
    wellhead_str caller_id;                   /* As in wellhead_connection_options. */
    const void *caller_type;                  /* As in wellhead_connection_options. May be NULL. */
    /* Answers requests of the server. NULL: the client answers each with "Method not found". */
    wellhead_test_request_callback on_request;
    void *on_request_data;                    /* Passed to `on_request`. */
    /* Called once with on_request_data, after the last `on_request`; also if no client is made. May be NULL. */
    wellhead_destroy_callback on_request_destroy;
} wellhead_test_options;
#define WELLHEAD_TEST_OPTIONS_INIT { sizeof(wellhead_test_options), {NULL, 0}, {NULL, 0}, NULL, NULL, {NULL, 0}, NULL, NULL, NULL, NULL }

/* Makes a client of a server and shakes hands with it. The caller frees it. NULL on failure: CLOSED. */
WELLHEAD_API wellhead_test_client *wellhead_test_client_new(wellhead_server *server, wellhead_error **error);

/* Makes a client with a choice of its version, capabilities and caller, and shakes hands. The caller frees it. options: may
 * be NULL. NULL on failure: CLOSED, INVALID_UTF8, INVALID_ARGUMENT, also for a version that the server does not serve. */
WELLHEAD_API wellhead_test_client *wellhead_test_client_new_with(wellhead_server *server,
                                                                 const wellhead_test_options *options,
                                                                 wellhead_error **error);

/* Answers a request of the server with a result, a JSON object. request: only inside its callback. INVALID_ARGUMENT: the
 * request was answered already, or the result is no JSON object. INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_test_request_result(wellhead_test_request *request, wellhead_str result);

/* Answers a request of the server with an error: a code, a message, and data, a JSON object that may be absent. request: only
 * inside its callback. INVALID_ARGUMENT: the request was answered already, or the data is no JSON object. INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_test_request_error(wellhead_test_request *request, int32_t code,
                                                         wellhead_str message, wellhead_str data);

/* Answers a request of the server with an internal error whose message is `why`. request: only inside its callback.
 * INVALID_ARGUMENT: the request was answered already. INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_test_request_failed(wellhead_test_request *request, wellhead_str why);

/* Closes the client and frees it. NULL: does nothing. */
WELLHEAD_API void wellhead_test_client_free(wellhead_test_client *client);

/* Lists all resources, page by page. *count: the number of resources, for wellhead_test_client_listed. count: may be NULL.
 * Fails as wellhead_test_client_request. */
WELLHEAD_API wellhead_status wellhead_test_client_list(wellhead_test_client *client, size_t *count,
                                                       wellhead_error **error);

/* Returns the URI at `index` of the last wellhead_test_client_list, borrowed until the next one. Absent: the index is not
 * below the count. */
WELLHEAD_API wellhead_str wellhead_test_client_listed(const wellhead_test_client *client, size_t index);

/* Lists all templates, page by page. *count: the number of templates, for wellhead_test_client_template. count: may be NULL.
 * Fails as wellhead_test_client_request. */
WELLHEAD_API wellhead_status wellhead_test_client_templates(wellhead_test_client *client, size_t *count,
                                                            wellhead_error **error);

/* Returns the text of the template at `index` of the last wellhead_test_client_templates, borrowed until the next one.
 * Absent: the index is not below the count. */
WELLHEAD_API wellhead_str wellhead_test_client_template(const wellhead_test_client *client, size_t index);

/* Calls a tool. arguments: a JSON object; absent: {}. Returns the result, JSON, for the caller to free; a result with isError
 * is a result. NULL on failure: as wellhead_test_client_request. */
WELLHEAD_API wellhead_text *wellhead_test_client_call_tool(wellhead_test_client *client, wellhead_str name,
                                                           wellhead_str arguments, wellhead_error **error);

/* Gets a prompt. arguments: a JSON object; absent: {}. Returns the result, JSON, for the caller to free. NULL on failure: as
 * wellhead_test_client_request. */
WELLHEAD_API wellhead_text *wellhead_test_client_get_prompt(wellhead_test_client *client, wellhead_str name,
                                                            wellhead_str arguments, wellhead_error **error);

/* Completes a variable of a template, given by its text, or an argument of a prompt, given by its name. value: the part that
 * is typed so far. *count: the number of values, for wellhead_test_client_completed. count: may be NULL. Fails as
 * wellhead_test_client_request. */
WELLHEAD_API wellhead_status wellhead_test_client_complete(wellhead_test_client *client, wellhead_str reference,
                                                           wellhead_str argument, wellhead_str value, size_t *count,
                                                           wellhead_error **error);

/* Returns the value at `index` of the last wellhead_test_client_complete, borrowed until the next one. Absent: the index is
 * not below the count. */
WELLHEAD_API wellhead_str wellhead_test_client_completed(const wellhead_test_client *client, size_t index);

/* Reads a resource. *body: the text or the decoded bytes of the first of its contents, borrowed until the next read; absent
 * if there are none. body: may be NULL. Fails as wellhead_test_client_request. */
WELLHEAD_API wellhead_status wellhead_test_client_read(wellhead_test_client *client, wellhead_str uri,
                                                       wellhead_str *body, wellhead_error **error);

/* Subscribes to updates of a resource. Fails as wellhead_test_client_request. */
WELLHEAD_API wellhead_status wellhead_test_client_subscribe(wellhead_test_client *client, wellhead_str uri,
                                                            wellhead_error **error);

/* Ends the subscription to updates of a resource. Fails as wellhead_test_client_request. */
WELLHEAD_API wellhead_status wellhead_test_client_unsubscribe(wellhead_test_client *client, wellhead_str uri,
                                                              wellhead_error **error);

/* Blocks until a resource that the client subscribed to is updated, at most 20 seconds. *uri: its URI, borrowed until the next
 * call of this function. uri: may be NULL. LIMIT if no update comes in time, CLOSED, INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_test_client_next_update(wellhead_test_client *client, wellhead_str *uri,
                                                              wellhead_error **error);

/* Returns how many notifications that the list of resources changed came since the last call of this function. Does not
 * block. */
WELLHEAD_API size_t wellhead_test_client_list_changes(wellhead_test_client *client);

/* Sends a request and blocks until it is answered, at most 20 seconds. params: a JSON object; absent: {}. Returns the result,
 * JSON, for the caller to free. NULL on failure: UNKNOWN if the server answers with an error, whose code and message are in
 * `error`; LIMIT if no answer comes in time; INVALID_ARGUMENT, INVALID_UTF8, CLOSED. */
WELLHEAD_API wellhead_text *wellhead_test_client_request(wellhead_test_client *client, wellhead_str method,
                                                         wellhead_str params, wellhead_error **error);

#ifdef __cplusplus
}
#endif
#endif
