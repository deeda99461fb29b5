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
 *       wellhead_serve_stdio(s, NULL, NULL);         // until the client is gone
 *       wellhead_server_free(s);
 *   }
 *
 * Terms. The application is the program that includes this header. The client is the MCP client that sends requests to it.
 *   A string is absent if its ptr is NULL. A responder is the handle through which a callback answers.
 * Sections. Each begins with a line of dashes: version, basic types, status and errors, server, what is served, calls,
 *   answers, access and interest, further methods, around all calls, updates, URIs, connection, stdio, a client for
 *   tests.
 * Ownership. `x_new` returns a handle that the application frees with `x_free`; free(NULL) does nothing. Handles may be
 *   freed in any order. Strings passed in are copied before return, unless the name of the function ends in `_owned`.
 *   Strings passed out are borrowed; each function says until when.
 * Callbacks. The first argument is the `user_data` of the registration. Strings come as pointers, which are never NULL:
 *   some languages cannot make a callback that takes a struct. `destroy(user_data)` runs once, after the last callback, on
 *   any thread. It also runs if the function that took it fails, unless the struct that holds it cannot be read: it is NULL,
 *   its struct_size is 0, or it sets a member that this library does not know. The library holds no lock during a callback,
 *   so a callback may call any function, unless its comment says otherwise. It may also free the handle whose function
 *   runs it; that function then returns as if the handle were closed. A callback must not throw or longjmp: a C++
 *   exception that leaves it aborts the process.
 * Threads. Every function is thread-safe, unless its comment ends in a `Thread safety:` line. By default the drivers run
 *   callbacks on the thread that calls them, one at a time; a poll function runs them on its own thread. A `_free` is the
 *   last use of its handle: no other thread may be using it. The `_free` of a connection, an endpoint or an exchange waits
 *   while its `wake` or `ready` runs on another thread. After it has returned, neither is called again and its destroy
 *   function has run, so the application may close what they use. Call such a `_free` without a lock that `wake` or `ready`
 *   takes. Inside that very `wake` or `ready` it does not wait, and the destroy function runs when they have returned.
 * Errors. Functions return a `wellhead_status`, 0 for success, or NULL if they make no object. A last parameter
 *   `wellhead_error **error` may be NULL. On failure it receives an error for the application to free; on success it is not
 *   written. Other results are written only on success. Comments name the statuses without WELLHEAD_STATUS_, and their
 *   reasons if these are special ones: "Fails with DUPLICATE, INVALID_UTF8 or CLOSED." In every function a status means:
 *   - INVALID_ARGUMENT: a pointer is NULL or a string is absent, and the comment does not allow that. Or a value is not of
 *     the form that the comment names, or not one of those that it names. Or a call is answered a second time.
 *   - INVALID_UTF8: a text is not UTF-8.
 *   - CLOSED: the server or the connection is closed, or the call is over, in a function of a call.
 *   - FORKED: the connection was made before a fork.
 *   If a handle is NULL, a function that returns a status fails with INVALID_ARGUMENT. Any other function does nothing then,
 *   and returns NULL, an absent string or 0, unless its comment says otherwise.
 * Memory. If memory runs out, the process aborts; there is no hook for another allocator. Limits bound the memory that
 *   clients can use.
 * Time. The drivers keep the time themselves. An application with a loop of its own passes the milliseconds of a monotonic
 *   clock: wellhead_connection_tick or wellhead_endpoint_tick before each poll, `now_ms` to the functions of exchanges. An
 *   application that forgets the tick loses time limits: a call without an answer then stays open.
 * SIGPIPE. The drivers ignore it while they run. An application that writes to clients itself must ignore it, or send with
 *   MSG_NOSIGNAL; else it ends when a client is gone.
 * Fork. The child has only the thread that forked. The threads of a driver and of a watched folder stay in the parent, and a
 *   lock that another thread held stays locked in the child. So fork before a driver serves and before a watched folder is
 *   added, while no other thread is inside a function of this library. The child then calls wellhead_server_after_fork for
 *   each server before any other function, and makes connections and endpoints of its own. A child that is forked at another
 *   time may only call exec or _exit. The parent goes on as before.
 * Shutdown. wellhead_server_close makes the drivers return, from any thread. Then the other threads stop, and the handle is
 *   freed last:
 *
 *       static void *report(void *server) {              // a thread that reports changes
 *           do wait_for_change(); while (wellhead_server_notify_updated(server, uri, NULL) != WELLHEAD_STATUS_CLOSED);
 *           return NULL;
 *       }
 *       ...
 *       wellhead_serve_stdio(server, NULL, NULL);
 *       wellhead_server_close(server);                   // the client is gone; for the thread that reports changes
 *       pthread_join(thread, NULL);
 *       wellhead_server_free(server);
 *
 * Sanitizers. AddressSanitizer and valgrind need no settings; valgrind may report 48 bytes of the main thread as possibly
 *   lost. ThreadSanitizer does not see the locks inside the library: set TSAN_OPTIONS=ignore_noninstrumented_modules=1. It
 *   also delays a signal while its thread waits inside the library.
 * Growth. Structs that may grow begin with `struct_size`: start from their `_INIT`. With struct_size 0, or with an unknown
 *   flag, a function fails with INVALID_ARGUMENT. So it does if a newer header has a field that this library does not know,
 *   and the field is set. In these structs a field that is zero, NULL or absent has its default: no number can be set to
 *   0, unless its comment says how. Structs without `struct_size` never change. Fields, functions and status numbers are only ever added.
 */
#ifndef WELLHEAD_H
#define WELLHEAD_H

#include <stddef.h>
#include <stdint.h>

/* On Windows define WELLHEAD_STATIC before this header to link the static library. */
#if defined(_WIN32) && !defined(WELLHEAD_STATIC)
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

/* Returns the version of the library that runs, such as "0.1.0", a static string. Never returns NULL. */
WELLHEAD_API const char *wellhead_version(void);

/* Returns WELLHEAD_ABI_VERSION of the library that runs. */
WELLHEAD_API uint32_t wellhead_abi_version(void);

/* ---- basic types -------------------------------------------------------------------------------------------------- */

/* A string of bytes; UTF-8 where text is meant. It does not end in a NUL. A string whose ptr is NULL is absent. One
 * with another ptr and len 0 is empty. */
typedef struct wellhead_str {
    const char *ptr;
    size_t len;
} wellhead_str;

/* Frees what the application passed with other callbacks. Called once, with that pointer, on any thread, after the last use.
 * May be NULL. */
typedef void (*wellhead_destroy_callback)(void *data);

/* Wakes the loop of the application: there may be something to poll. Called on any thread, also for nothing. It must not
 * block. */
typedef void (*wellhead_wake_callback)(void *data);

/* Returns a NUL-terminated string as a wellhead_str, which borrows it: `s` must stay unchanged meanwhile. If `s` is
 * NULL, the result is absent. */
WELLHEAD_API wellhead_str wellhead_cstr(const char *s);

/* Returns 1 if the strings `a` and `b` have the same bytes, or are both absent, else 0. */
WELLHEAD_API int wellhead_str_equal(wellhead_str a, wellhead_str b);

/* Returns 1 if the whole string is a decimal number that an int64_t holds: digits, perhaps with "-" in front. Else 0.
 * *value: the number; may be NULL. */
WELLHEAD_API int wellhead_str_to_integer(wellhead_str s, int64_t *value);

/* Returns 1 if the whole string is a decimal number that a double holds, such as 5, -0.5 or 1e-3, else 0. The locale means
 * nothing. *value: the nearest double; may be NULL. */
WELLHEAD_API int wellhead_str_to_number(wellhead_str s, double *value);

#ifdef __cplusplus
#  define WELLHEAD_STR(literal) (wellhead_str{"" literal, sizeof(literal) - 1})
#else
#  define WELLHEAD_STR(literal) ((wellhead_str){"" literal, sizeof(literal) - 1})
#endif
/* Initializes a constant from a literal, as in `static const wellhead_str name = WELLHEAD_STR_INIT("x");` and in tables. */
#define WELLHEAD_STR_INIT(literal) {"" literal, sizeof(literal) - 1}
/* Prints a string, as in printf("Hello, " WELLHEAD_FMT "!", WELLHEAD_ARG(name)). An absent string prints nothing.
 * WELLHEAD_ARG evaluates its argument several times. */
#define WELLHEAD_FMT "%.*s"
#ifdef __cplusplus
#  define WELLHEAD_ARG(s) static_cast<int>((s).len < 0x7fffffff ? (s).len : 0x7fffffff), ((s).ptr ? (s).ptr : "")
#else
#  define WELLHEAD_ARG(s) (int)((s).len < 0x7fffffff ? (s).len : 0x7fffffff), ((s).ptr ? (s).ptr : "")
#endif

typedef struct wellhead_server wellhead_server;
typedef struct wellhead_connection wellhead_connection;
typedef struct wellhead_call wellhead_call;             /* the request that a callback answers */
typedef struct wellhead_read wellhead_read;             /* responder of a read */
typedef struct wellhead_list wellhead_list;             /* responder of a listing */
typedef struct wellhead_complete wellhead_complete;     /* responder of a completion */
typedef struct wellhead_authorize wellhead_authorize;   /* responder of an authorize callback */
typedef struct wellhead_interest wellhead_interest;     /* responder of an interest callback */
typedef struct wellhead_method wellhead_method;         /* responder of a method, a tool or a prompt */
typedef struct wellhead_next wellhead_next;             /* lets an around callback run its call */
typedef struct wellhead_outcome wellhead_outcome;       /* the answer of a call, as an around callback sees it */
typedef struct wellhead_transmit wellhead_transmit;     /* bytes for a client */
typedef struct wellhead_text wellhead_text;             /* a text for the application to free */
typedef struct wellhead_session wellhead_session;       /* a session that is kept, for the application to free */
typedef struct wellhead_test_client wellhead_test_client; /* a client in memory, for tests */
typedef struct wellhead_test_request wellhead_test_request; /* a request of the server to that client */
typedef struct wellhead_error wellhead_error;

/* ---- status and errors -------------------------------------------------------------------------------------------- */

/* The result of a function. Later versions may add numbers. */
typedef uint32_t wellhead_status;

#define WELLHEAD_STATUS_OK 0                  /* Success. */
/* An argument can never be right, such as NULL or struct_size 0, or a call was answered already. */
#define WELLHEAD_STATUS_INVALID_ARGUMENT 1
#define WELLHEAD_STATUS_INVALID_UTF8 2        /* A text is not UTF-8. */
#define WELLHEAD_STATUS_INVALID_URI 3         /* A URI is not an absolute URI of RFC 3986. */
/* A template is not one of RFC 6570, or cannot be matched. The message says where and why. */
#define WELLHEAD_STATUS_INVALID_TEMPLATE 4
#define WELLHEAD_STATUS_DUPLICATE 5           /* The URI or name is registered already. */
/* Two templates match the same URIs, and neither is more specific. The message names both. */
#define WELLHEAD_STATUS_AMBIGUOUS 6
#define WELLHEAD_STATUS_UNKNOWN 7             /* No registration has that name. */
#define WELLHEAD_STATUS_CLOSED 8              /* The server or connection is closed, or the call is over. */
#define WELLHEAD_STATUS_LIMIT 9               /* A limit is reached; the message names it. */
#define WELLHEAD_STATUS_IO 10                 /* The operating system refused; the message says why. */
#define WELLHEAD_STATUS_FORKED 11             /* The connection was made before a fork, and this is the child. */
#define WELLHEAD_STATUS_PANIC 12              /* A bug of the library. The connection is closed; only free it. */
/* In a client for tests: the server answered with an error, or the client itself refused to give input. The message says
 * with which code and text. */
#define WELLHEAD_STATUS_RESPONSE 13

/* Returns the name of a status, such as "invalid_uri", a static string. Never returns NULL. */
WELLHEAD_API const char *wellhead_status_name(wellhead_status status);

/* Returns the status of an error, or WELLHEAD_STATUS_OK if `error` is NULL. */
WELLHEAD_API wellhead_status wellhead_error_status(const wellhead_error *error);

/* Returns a message for people: the problem, and a way to solve it. It is borrowed until the error is freed. If `error`
 * is NULL, it is absent. */
WELLHEAD_API wellhead_str wellhead_error_message(const wellhead_error *error);

/* Frees an error. Does nothing if `error` is NULL. */
WELLHEAD_API void wellhead_error_free(wellhead_error *error);

/* Returns the string of a text, borrowed until the text is freed. If `text` is NULL, the string is absent. */
WELLHEAD_API wellhead_str wellhead_text_str(const wellhead_text *text);

/* Frees a text. Does nothing if `text` is NULL. */
WELLHEAD_API void wellhead_text_free(wellhead_text *text);

/* ---- server ------------------------------------------------------------------------------------------------------- */

/* A caching hint: how long a client may reuse a response, and whether it may share it between callers. An answer, its
 * registration, its kind of response and the server may each have a hint. A field comes from the first of these that
 * gives it. By default a response may not be reused. Clients whose revision has no such hints are not sent any. */
typedef struct wellhead_cache {
    size_t struct_size;
    /* The time for which a client may reuse the response, in milliseconds; 0 forbids reuse. NULL if this hint does not
     * give it. */
    const uint64_t *ttl_ms;
    /* public or private; absent if this hint does not give it. While an `authorize` callback is set, a hint of the
     * server or of a kind never makes a response public. */
    wellhead_str scope;
} wellhead_cache;
#define WELLHEAD_CACHE_INIT { sizeof(wellhead_cache), NULL, {NULL, 0} }

/* A caching hint for one kind of response. Copied before return. */
typedef struct wellhead_cache_of {
    wellhead_str kind;                        /* The kind: discover, resources, templates, tools, prompts or reads. */
    const wellhead_cache *cache;              /* The hint. If it is NULL, there is none for this kind. */
} wellhead_cache_of;

/* Counters of a server since it was made. They are read at slightly different moments. */
typedef struct wellhead_counters {
    size_t struct_size;
    uint64_t connections;                     /* The number of connections that were made. */
    uint64_t connections_open;                /* The number of connections that are open. */
    uint64_t calls;                           /* The number of calls of callbacks that began. */
    /* The number of calls answered before their request was cancelled or timed out. */
    uint64_t calls_answered;
    /* The number of answered calls that failed, or were dropped without an answer. */
    uint64_t calls_failed;
    /* The number of changes of resources and of lists that the application reported. */
    uint64_t changes;
    uint64_t uris_subscribed;                 /* The number of URIs with at least one subscriber. */
    /* The number of subscribers of all URIs. A connection counts once for each URI. */
    uint64_t subscriptions_open;
} wellhead_counters;
#define WELLHEAD_COUNTERS_INIT { sizeof(wellhead_counters), 0, 0, 0, 0, 0, 0, 0, 0 }

/* The beginning or the end of a call of a callback. */
typedef struct wellhead_observed {
    size_t struct_size;
    /* The number of the call, the same at its beginning and its end; unique in its server. */
    uint64_t call;
    wellhead_str method;                      /* The method of the request, such as resources/read, or authorize. */
    /* The registration whose callback is called: a template, a fixed URI, or the name of a list source, a tool or a prompt.
     * May be absent. */
    wellhead_str registered_as;
    wellhead_str traceparent;                 /* The traceparent of the request, unchecked. May be absent. */
    /* Absent at the beginning; then the fields below mean nothing. At the end: found, not_found, denied, not_modified, busy,
     * input_required, waiting, invalid_state, missing_capability, result, error, page, completion, verdicts, failed or dropped.
     * Later versions may add words. */
    wellhead_str outcome;
    int client_waiting;                       /* 1 if the client still waited for the answer, else 0. */
    uint64_t bytes;                           /* The size of the answer in bytes. */
    uint64_t time_ns;                         /* The time since the call began, in nanoseconds. */
} wellhead_observed;
#define WELLHEAD_OBSERVED_INIT { sizeof(wellhead_observed), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, 0 }

/* Observes the beginning and the end of a call of a callback, other than `interest`, `verify`, `exists` and callbacks for
 * responses. Called on the thread that polls or answers, so it must be quick. `observed` and its strings are borrowed until
 * the callback returns. */
typedef void (*wellhead_observe_callback)(void *observe_data, const wellhead_observed *observed);

/* Reads the counters of a server. Does not block. counters: begins as WELLHEAD_COUNTERS_INIT, and is filled up to its
 * struct_size. Fails with INVALID_ARGUMENT if `counters` is NULL or its struct_size is 0. */
WELLHEAD_API wellhead_status wellhead_server_counters(const wellhead_server *server, wellhead_counters *counters,
                                                      wellhead_error **error);

#define WELLHEAD_NO_SUBSCRIBE 1               /* Do not offer subscriptions. */
#define WELLHEAD_NO_LIST_CHANGED 2            /* Do not notify clients when the list of resources changes. */
#define WELLHEAD_SEND_NEWER_FIELDS 4          /* Send fields also to clients whose revision does not have them. */
/* Do not declare extensions to clients of the handshake era, which speak revisions up to 2025-11-25. These lack the member,
 * and allow it. */
#define WELLHEAD_NO_HANDSHAKE_EXTENSIONS 8
/* Show resources also as the tools `list_resources`, `read_resource`, and one for each template. */
#define WELLHEAD_RESOURCES_AS_TOOLS 16
/* The application or a client did something that is probably a mistake. */
#define WELLHEAD_SEVERITY_WARNING 1
#define WELLHEAD_SEVERITY_ERROR 2             /* A client got an error because of a failure of the application. */

/* Limits on how much a client may use. A field that is 0 has its default: the other languages refuse a limit of 0, and
 * here none can be set. What is refused is answered with an error that names the limit. A limit that holds back stops
 * the connection from dispatching, and then from reading, until there is room. Over HTTP, calls_in_flight and
 * listen_streams count for the whole endpoint: calls above them are answered 503 at once, and a listen stream above
 * them ends the oldest stream of the client that has most. It gets 503 instead if its request has no token and no
 * peer. */
typedef struct wellhead_limits {
    size_t struct_size;
    /* The greatest size of an incoming message, in bytes; a longer one is refused. Default: 4 MiB. */
    size_t message_bytes;
    /* The greatest depth of nesting of an incoming message; a deeper one is refused. Default: 100. */
    size_t nesting;
    /* The greatest size of a request id as it was written, in bytes; a longer one is refused. Default: 1 KiB. */
    size_t id_bytes;
    /* The greatest number of messages of a batch, where the revision has batches; a longer one is refused. Default:
     * 100. */
    size_t batch_length;
    /* The greatest size of a URI in a request, in bytes; a longer one is refused. Default: 8 KiB. */
    size_t uri_bytes;
    size_t page_items;                        /* The greatest number of items on a page of a list. Default: 1,000. */
    /* The greatest size of a page of a list, in bytes; it holds at least one item. Default: 1 MiB. */
    size_t page_bytes;
    /* The greatest number of unanswered calls of a connection; it holds back. Default: 1,024. */
    size_t calls_in_flight;
    /* The greatest number of subscriptions of a connection, with those of listen streams; more are refused. Default:
     * 10,000. */
    size_t subscriptions;
    /* The greatest number of subscriptions of all connections of the server; more are refused. Default: 1,000,000. */
    size_t subscriptions_total;
    /* The greatest number of listen streams of a connection; more are refused. Default: 1,000. */
    size_t listen_streams;
    /* The greatest number of bytes of output that the client has not read yet; it holds back. Default: 16 MiB. */
    size_t output_bytes;
    /* The time that an answer may take before it becomes an internal error, in milliseconds; UINT64_MAX for no limit.
     * It does not run while the client answers a request of the callback. The client has 10 minutes for that.
     * Default: 60,000. */
    uint64_t call_ms;
    /* The greatest number of bytes that an endpoint over HTTP buffers for all clients; more are refused. It buffers
     * request bodies, unread output, and events kept for clients that reconnect, of which the oldest is dropped first.
     * A request itself counts as 4 KiB. One connection of a client gets at most a quarter of the free part of two
     * thirds of this; up to 64 KiB it may use five sixths, and up to 8 KiB all. Default: 256 MiB. */
    size_t buffer_bytes;
    /* The percentage of an endpoint's sessions and listen streams that one caller with a token may use, and of the
     * calls in flight that the others leave; at least one of each. Without a token the share of calls is that of one
     * peer. More are refused. Above 100, wellhead_server_new fails with INVALID_ARGUMENT. Default: 25. */
    size_t caller_percent;
    /* The greatest number of requests and event streams of one session over HTTP at once; more are refused. The session
     * keeps events of as many streams for clients that resume. Default: 4,096. */
    size_t session_streams;
} wellhead_limits;
#define WELLHEAD_LIMITS_INIT { sizeof(wellhead_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Logs a line about a callback that failed, or about requests that are refused. severity: one of WELLHEAD_SEVERITY_.
 * line: borrowed until the callback returns; no byte of it reaches a client. Called on any thread. */
typedef void (*wellhead_log_callback)(void *log_data, uint32_t severity, const wellhead_str *line);

/* A name and its value. */
typedef struct wellhead_pair {
    wellhead_str name;
    wellhead_str value;
} wellhead_pair;

/* The JSON-RPC code of one condition for clients of one revision of MCP. */
typedef struct wellhead_rpc_code {
    wellhead_str revision;                    /* The revision, by its date. */
    wellhead_str condition;                   /* not_found, denied, internal_error or not_modified. */
    int32_t rpc_code;                         /* The code that clients of the revision get. */
} wellhead_rpc_code;

/* Options of a server. Zero, NULL or absent in a field means its default. Strings and arrays are copied. */
typedef struct wellhead_server_options {
    size_t struct_size;
    /* Any of WELLHEAD_NO_SUBSCRIBE, WELLHEAD_NO_LIST_CHANGED, WELLHEAD_SEND_NEWER_FIELDS,
     * WELLHEAD_NO_HANDSHAKE_EXTENSIONS and WELLHEAD_RESOURCES_AS_TOOLS. */
    uint32_t flags;
    wellhead_str title;                       /* The name of the server for people. */
    wellhead_str instructions;                /* A text that tells a model how to use the server. */
    /* The key that seals cursors, 32 bytes, which all instances share. Default: random. Over stdio the default is derived
     * from name and version, so that a client which starts a process for each request can page. */
    wellhead_str cursor_key;
    const wellhead_limits *limits;            /* Limits on how much a client may use. If NULL, all are defaults. */
    /* Called with a line of text when a callback fails or requests are refused. Default: standard error. */
    wellhead_log_callback log;
    void *log_data;                           /* Passed to `log`. */
    /* Called once with log_data, after the last line; also if no server is made. May be NULL. */
    wellhead_destroy_callback log_destroy;
    /* Capabilities to declare in addition: each name with a JSON object, such as {} or {"listChanged":true}. resources
     * with {} declares and serves resources before any is registered; by default the first registration does. */
    const wellhead_pair *capabilities;
    size_t capability_count;
    /* Extensions of the protocol to declare: each identifier, such as com.example/charts, with its settings, a JSON object.
     * An extension that Wellhead implements is declared when it is used; settings here are added to its own. */
    const wellhead_pair *extensions;
    size_t extension_count;
    /* The values of resultType that belong to extensions: each with the identifier of its extension, which must be declared.
     * Such a result goes only to a client that declares the extension, too; others get an error that names it. */
    const wellhead_pair *result_type_extensions;
    size_t result_type_extension_count;
    /* More kinds of lists for wellhead_server_notify_list_changed: each name, as clients request it, with its notification. */
    const wellhead_pair *list_changed_methods;
    size_t list_changed_method_count;
    const wellhead_str *revisions;            /* The revisions of MCP that are served, by their dates. Default: all. */
    size_t revision_count;
    /* The document that defines JSON-RPC codes: official (default), or variant-2024-11-05, which some early clients of
     * that revision follow. Another word, here and in the options below, makes wellhead_server_new fail with
     * INVALID_ARGUMENT. */
    wellhead_str error_profile;
    const wellhead_rpc_code *rpc_codes;       /* JSON-RPC codes that replace those of the profile. */
    size_t rpc_code_count;
    /* The answer about a resource that is denied: error (default), or mask, as if it did not exist. */
    wellhead_str denied_resources;
    /* The answer to lists of tools or prompts if none are registered: error (default), or empty. */
    wellhead_str undeclared_lists;
    /* The clients whose contents have `name` and `title`: 2025-06-18 (default), those of
     * that revision; never; always. */
    wellhead_str titles_in_contents;
    /* The answer to a subscription to a URI that no registration serves: deny (default), allow. */
    wellhead_str subscribe_unknown;
    /* The clients that the server speaks the resources/get dialect with: auto (default),
     * those that use it; always; never. */
    wellhead_str dialect;
    const wellhead_cache *cache;              /* The caching hint for all responses that may be reused; may be NULL. */
    const wellhead_cache_of *cache_of;        /* Caching hints for kinds of responses. */
    size_t cache_of_count;
    /* The name of this instance among the others: see wellhead_server_set_publish. Two instances of one name ignore each
     * other's changes. Default: random. */
    wellhead_str instance_name;
    /* Called when a call of a callback begins and when it ends. If it is NULL, calls are not observed, which costs
     * nothing. */
    wellhead_observe_callback observe;
    void *observe_data;                       /* Passed to `observe`. */
    /* Called once with observe_data, after the last `observe`; also if no server is made. May be NULL. */
    wellhead_destroy_callback observe_destroy;
    /* The answer to the call of a tool that does not exist: error (default), or result, which the model reads. */
    wellhead_str unknown_tool;
    /* The answer to arguments that break the schema of a tool: result (default), which the model reads, or error. */
    wellhead_str invalid_arguments;
    /* When structured content is compared with the `outputSchema` of its tool: debug (default),
     * in debug builds of the library; on; off. */
    wellhead_str check_output;
    wellhead_str description;                 /* A description of the server for people; sent from 2025-11-25 on. */
    wellhead_str website_url;                 /* The URL of a page about the server; sent from 2025-11-25 on. */
    /* Icons of the server as JSON, as in wellhead_resource; sent from 2025-11-25 on. */
    wellhead_str icons;
    /* The text that the model gets of a tool whose callback failed: hide (default), a neutral one;
     * show, that of the error. */
    wellhead_str tool_errors;
    /* The clients that get tools for apps only in their lists: app_clients (default), those
     * that declare apps; all_clients. */
    wellhead_str app_only_tools;
} wellhead_server_options;
#define WELLHEAD_SERVER_OPTIONS_INIT { sizeof(wellhead_server_options), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, {NULL, 0}, NULL, 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, NULL, 0, {NULL, 0}, NULL, NULL, NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0} }

/* Makes a server. name, version: sent to clients; may not be absent. options: may be NULL. The application frees the
 * server. Returns NULL if it fails with INVALID_ARGUMENT, INVALID_UTF8, or IO if the system has no randomness. */
WELLHEAD_API wellhead_server *wellhead_server_new(wellhead_str name, wellhead_str version,
                                                  const wellhead_server_options *options, wellhead_error **error);

/* Closes every connection, and makes wellhead_serve_stdio and wellhead_serve_http return. Pending answers are dropped;
 * over HTTP they may still be sent, for the shutdown_ms of wellhead_serve_http. Later calls do nothing. Not for signal
 * handlers: let a thread wait for the signal with sigwait. Does nothing if `server` is NULL. */
WELLHEAD_API void wellhead_server_close(wellhead_server *server);

/* Frees the handle, and does not close the server: connections and drivers go on with what they need until they are
 * gone, and kept responders can be answered. No other thread may be using the handle. Does nothing if `server` is
 * NULL. */
WELLHEAD_API void wellhead_server_free(wellhead_server *server);

/* Prepares a server for use in the child after fork; call it there before any other function. Connections that were made
 * before return WELLHEAD_STATUS_FORKED or do nothing, and endpoints that were made before may not be used. Registrations
 * stay, and new connections and endpoints can be made. "Fork" at the top of this header says when to fork. */
WELLHEAD_API void wellhead_server_after_fork(wellhead_server *server);

/* ---- what is served ----------------------------------------------------------------------------------------------- */

/* For templates: pass every value to the callback as it was sent, which the application then checks. By default a value with
 * a ".." segment, an absolute path, a drive or a control character is answered "not found". */
#define WELLHEAD_RAW_VALUES 1

/* A resource in a list, or a template: then `uri` holds the template, and `size` is ignored. Copied before return. */
typedef struct wellhead_resource {
    size_t struct_size;
    /* Required: an absolute URI, or an RFC 6570 template such as notes://{id}. */
    wellhead_str uri;
    wellhead_str name;                        /* The name for programs. Default: the URI. */
    wellhead_str title;                       /* The name for people. */
    wellhead_str description;                 /* A description for people and models. */
    wellhead_str mime_type;                   /* The MIME type; contents inherit it. */
    /* The size of the raw content in bytes; NULL if unknown (0 is a size). */
    const uint64_t *size;
    /* In list callbacks only: the text that wellhead_call_after returns for the page behind this item. It must still
     * sort to the same place after the item is deleted. Default: the URI. */
    wellhead_str key;
    /* Annotations as JSON: {"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}; each member is
     * optional. */
    wellhead_str annotations;
    /* Icons as JSON: [{"src":"https://x/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}]; only src is
     * required. */
    wellhead_str icons;
    /* A JSON object, sent as _meta; contents inherit it. With a key that the protocol reserves, functions fail with
     * INVALID_ARGUMENT. */
    wellhead_str meta;
    /* The kind of thing, in the application's own words. Clients of the resources/get dialect get it, with `version` and
     * `metadata`. */
    wellhead_str kind;
    /* The version of the contents: another text after each change. For resources of a template, set it in
     * wellhead_contents. */
    wellhead_str version;
    wellhead_str metadata;                    /* More attributes, a JSON object. */
    /* The caching hint for reads; may be NULL. Ignored for items of a list. */
    const wellhead_cache *cache;
    uint32_t flags;                           /* WELLHEAD_RAW_VALUES or 0. */
} wellhead_resource;
#define WELLHEAD_RESOURCE_INIT { sizeof(wellhead_resource), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, 0 }

/* Details of contents: of one element of an answer, or of new fixed contents. An absent field is taken from the
 * registration. Copied before return. */
typedef struct wellhead_contents {
    size_t struct_size;
    wellhead_str uri;                         /* The URI of a sub-resource. Default: the requested URI. */
    wellhead_str mime_type;
    wellhead_str meta;                        /* A JSON object, sent as _meta. */
    /* The name and the fields after it are as in wellhead_resource; only clients whose revision has the field get it.
     * If `version` is the one that the client has, the client learns that nothing changed, and no body is sent. */
    wellhead_str name;
    wellhead_str title;
    wellhead_str kind;
    wellhead_str version;
    wellhead_str metadata;
    const wellhead_cache *cache;              /* The caching hint for this answer; may be NULL. */
} wellhead_contents;
#define WELLHEAD_CONTENTS_INIT { sizeof(wellhead_contents), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL }

/* Reads a resource. Answer with one of the wellhead_read_ functions before the callback returns, or keep the responder
 * with wellhead_read_keep and answer later, from any thread. A callback that does neither has answered "internal
 * error". `call` and `responder` are borrowed until the callback returns or, if kept, until the call is answered. */
typedef void (*wellhead_read_callback)(void *user_data, const wellhead_call *call, wellhead_read *responder);

/* Lists the items that follow wellhead_call_after, or the first ones if that is absent, in an order that stays the same. Add
 * at most wellhead_call_limit of them. Items beyond it are cut off and come on the next page, also if `more` of
 * wellhead_list_finish is 0. Answer with wellhead_list_finish or wellhead_list_failed. As in wellhead_read_callback, a kept
 * responder is answered later. */
typedef void (*wellhead_list_callback)(void *user_data, const wellhead_call *call, wellhead_list *responder);

/* Completes a variable of a template or an argument of a prompt: the one that wellhead_call_variable names, from the part
 * that wellhead_call_value returns. wellhead_call_var returns the values of the other variables. Answer with
 * wellhead_complete_finish or wellhead_complete_failed. As in wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_complete_callback)(void *user_data, const wellhead_call *call, wellhead_complete *responder);

/* Returns 0 if no resource exists at `uri`, which then cannot be subscribed to, and 1 if one may exist. `uri` is borrowed
 * until the callback returns. It must not block. Drivers call it on the thread that reads, also while another callback runs. */
typedef int (*wellhead_exists_callback)(void *user_data, const wellhead_str *uri);

/* The callbacks of one registration. If a callback is NULL, the server does not offer what it does. The struct itself
 * is copied before return. */
typedef struct wellhead_provider {
    size_t struct_size;
    void *user_data;                          /* Passed to each callback. */
    /* Called once for each registration, with user_data, after its last callback and its last kept answer; also if the
     * registration fails. A struct that is registered twice is destroyed twice. May be NULL. */
    wellhead_destroy_callback destroy;
    wellhead_read_callback read;              /* Reads a resource. */
    /* Lists resources. For a template it lists the resources of the template; wellhead_server_add_list lists others. */
    wellhead_list_callback list;
    wellhead_complete_callback complete;      /* Completes the variables that are named in `completed`. */
    /* The names of the variables that `complete` completes; none if `complete` is NULL, else at least one. Copied
     * before return. */
    const wellhead_str *completed;
    size_t completed_count;
    /* Returns whether a resource may exist, before a client subscribes to it. If it is NULL, each may exist. */
    wellhead_exists_callback exists;
} wellhead_provider;
#define WELLHEAD_PROVIDER_INIT { sizeof(wellhead_provider), NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL }

/* Registers a fixed text. resource: may not be NULL; its uri is required. text: may not be absent. Both are copied.
 * Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_text(wellhead_server *server, const wellhead_resource *resource,
                                                      wellhead_str text, wellhead_error **error);

/* Registers fixed bytes. resource: may not be NULL; its uri is required. bytes: if absent, the contents are empty. Both
 * are copied. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_blob(wellhead_server *server, const wellhead_resource *resource,
                                                      wellhead_str bytes, wellhead_error **error);

/* Registers a page of MCP Apps and declares the extension io.modelcontextprotocol/ui.
 * resource: may not be NULL; its uri is required, such as ui://clock/view. The library sets its MIME type.
 * ui: what the page needs, a JSON object with csp, permissions, domain and prefersBorder; {} if absent.
 * html: the page, an HTML5 document, which is copied and may not be absent.
 * A tool opens the page if its definition has the URI as `app`.
 * Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_app(wellhead_server *server, const wellhead_resource *resource,
                                                     wellhead_str ui, wellhead_str html, wellhead_error **error);

/* Registers a page of MCP Apps as wellhead_server_add_app does, whose document provider->read returns at each read.
 * resource, ui: as there. provider: may not be NULL; copied. provider->read is required; provider->list and
 * provider->complete must be NULL. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_app_with_provider(wellhead_server *server,
                                                                   const wellhead_resource *resource, wellhead_str ui,
                                                                   const wellhead_provider *provider,
                                                                   wellhead_error **error);

/* Replaces the fixed contents of a resource with a text, and notifies its subscribers.
 * uri: the URI of the registration; may not be absent.
 * text: copied; may not be absent.
 * about: may be NULL; its version becomes that of the resource. If it has none, the resource has no version.
 * Fails with UNKNOWN if no fixed contents are registered at `uri`, and with INVALID_URI, INVALID_ARGUMENT, INVALID_UTF8
 * or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_text(wellhead_server *server, wellhead_str uri,
                                                      const wellhead_contents *about, wellhead_str text,
                                                      wellhead_error **error);

/* Replaces the fixed contents of a resource with bytes, and notifies its subscribers.
 * uri: the URI of the registration; may not be absent.
 * bytes: copied; if absent, the contents are empty.
 * about: may be NULL; its version becomes that of the resource. If it has none, the resource has no version.
 * Fails with UNKNOWN if no fixed contents are registered at `uri`, and with INVALID_URI, INVALID_ARGUMENT, INVALID_UTF8
 * or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_blob(wellhead_server *server, wellhead_str uri,
                                                      const wellhead_contents *about, wellhead_str bytes,
                                                      wellhead_error **error);

/* Registers one URI that provider->read reads. resource, provider: may not be NULL; copied. resource->uri and
 * provider->read are required; provider->list and provider->complete must be NULL. Fails with INVALID_URI, INVALID_UTF8,
 * INVALID_ARGUMENT, DUPLICATE or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_resource(wellhead_server *server, const wellhead_resource *resource,
                                                          const wellhead_provider *provider, wellhead_error **error);

/* Registers an RFC 6570 template, resource->uri. resource, provider: may not be NULL; copied. provider->read is
 * required, and reads every URI that matches. provider->list, if given, lists resources of the template. Fails with
 * INVALID_TEMPLATE, DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. Fails with AMBIGUOUS if another template
 * matches the same URIs and neither is more specific. */
WELLHEAD_API wellhead_status wellhead_server_add_template(wellhead_server *server, const wellhead_resource *resource,
                                                          const wellhead_provider *provider, wellhead_error **error);

/* Registers a list source. Resources of one template need none: `list` in the provider of the template lists them in
 * the same way. Fixed resources are listed first, then the sources in the order of their registration.
 * name: part of cursors, so all instances must use the same. If it is absent, the name is the number of the source among
 * those without a name, from 1.
 * provider: may not be NULL; copied. provider->list is required; provider->read, provider->complete and provider->exists
 * must be NULL.
 * Fails with DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_list(wellhead_server *server, wellhead_str name,
                                                      const wellhead_provider *provider, wellhead_error **error);

/* Registers a list source of skills, for skills/list and skills/get of the extension io.modelcontextprotocol/skills.
 * provider->list adds skills by wellhead_list_add_skill, those after the URI that wellhead_call_after returns. For
 * skills/get wellhead_call_uri returns the URI that the client asks for. The callback may then answer with a page of
 * that skill, or of nothing. If it lists all skills as usual, the library searches the list. Files are read as other
 * resources, such as those of a template.
 * name: part of cursors, as in wellhead_server_add_list; may be absent.
 * provider: may not be NULL; copied. provider->list is required; provider->read, provider->complete and provider->exists
 * must be NULL.
 * Fails with DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_skill_list(wellhead_server *server, wellhead_str name,
                                                            const wellhead_provider *provider, wellhead_error **error);

/* Sets the provider that reads URIs which no registration serves. It replaces an earlier one. provider: may not be
 * NULL; copied. provider->read is required; provider->list and provider->complete must be NULL. Fails with
 * INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_fallback(wellhead_server *server, const wellhead_provider *provider,
                                                          wellhead_error **error);

/* Removes a resource or a template. Pending calls finish.
 * uri_or_template: the URI of a resource, else the text of a template, which goes with its list. A folder has a template
 * like file:///srv/notes/{+path}.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_remove_resource(wellhead_server *server, wellhead_str uri_or_template,
                                                             wellhead_error **error);

/* Removes a list source, of resources or of skills. Pending calls finish.
 * name: the name of a registered list source; its number, counted from 1, if it has none. May not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_remove_list(wellhead_server *server, wellhead_str name,
                                                         wellhead_error **error);

/* Removes a method. Pending calls finish.
 * name: the name of a registered method; may not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_remove_method(wellhead_server *server, wellhead_str name,
                                                           wellhead_error **error);

#define WELLHEAD_NO_WATCH 1                   /* Do not notify clients of changes in the folder. */

/* A folder to serve. Patterns have the form of lines of .gitignore: *.md anywhere, /docs at the top, docs/ for everything in
 * such directories. Copied before return. */
typedef struct wellhead_directory {
    size_t struct_size;
    /* The path of the folder; required. A relative path is taken from the current directory. */
    wellhead_str path;
    /* Serve only files that one of these patterns matches. Default: all files. */
    const wellhead_str *include;
    size_t include_count;
    const wellhead_str *exclude;              /* Do not serve files that one of these patterns matches. */
    size_t exclude_count;
    /* The greatest size of a file that is served, in bytes; files are read whole. Default: 64 MiB. */
    uint64_t max_file_bytes;
    /* The time for which changes are gathered, in milliseconds; at most 60,000. Clients are notified once there was no
     * change for this time, and after ten times this time at the latest. Default: 50. */
    uint64_t settle_ms;
    uint32_t flags;                           /* WELLHEAD_NO_WATCH or 0. */
} wellhead_directory;
#define WELLHEAD_DIRECTORY_INIT { sizeof(wellhead_directory), {NULL, 0}, NULL, 0, NULL, 0, 0, 0, 0 }

/* Registers a folder with all its files and directories, under file: URIs (RFC 8089). Files are read as text or bytes,
 * directories as a text/uri-list (RFC 2483). Hidden entries and those that .gitignore and .ignore files name are not
 * served. Links are served only if they lead to a file that is served. Paths are completed while they are typed.
 * directory: may not be NULL. Fails with IO if the folder cannot be read, with DUPLICATE also for a folder inside or
 * around a registered one, and with INVALID_UTF8, INVALID_ARGUMENT or CLOSED. Fails with AMBIGUOUS if a template matches
 * the same URIs and neither is more specific. */
WELLHEAD_API wellhead_status wellhead_server_add_directory(wellhead_server *server,
                                                           const wellhead_directory *directory, wellhead_error **error);

/* A folder of skills to serve. Copied before return. */
typedef struct wellhead_skills {
    size_t struct_size;
    /* The path of the folder; required. A relative path is taken from the current directory. */
    wellhead_str path;
    /* The first segment of all URIs, such as acme in skill://acme/pdf/SKILL.md: letters, digits and -._~. Default: none,
     * or the name of the folder if that is a skill itself. */
    wellhead_str prefix;
    /* The time for which changes are gathered, in milliseconds; at most 60,000. Clients are notified once there was no
     * change for this time, and after ten times this time at the latest. Default: 50. */
    uint64_t settle_ms;
    uint32_t flags;                           /* WELLHEAD_NO_WATCH or 0. */
} wellhead_skills;
#define WELLHEAD_SKILLS_INIT { sizeof(wellhead_skills), {NULL, 0}, {NULL, 0}, 0, 0 }

/* Registers the skills in a folder and below it: skills/list, skills/get and resources/directory/read of the extension
 * io.modelcontextprotocol/skills, and each file as a resource such as skill://pdf/SKILL.md. A skill is a directory with
 * a SKILL.md that begins with front matter; the log says why another one is not served. Hidden and ignored files are
 * treated as wellhead_server_add_directory treats them. skills: may not be NULL. Fails with IO if the folder cannot be
 * read, with DUPLICATE for a second folder with the same prefix or if either has none, and with INVALID_UTF8,
 * INVALID_ARGUMENT or CLOSED. Fails with AMBIGUOUS if a template matches the same URIs and neither is more specific. */
WELLHEAD_API wellhead_status wellhead_server_add_skills(wellhead_server *server, const wellhead_skills *skills,
                                                        wellhead_error **error);

/* ---- calls -------------------------------------------------------------------------------------------------------- */

/* A call and its strings are valid as long as its responder: until the callback returns or, if the responder is kept,
 * until the call is answered. If the call is NULL, each string is absent. */

/* Interrupts the work on a cancelled call. It must be short: it often runs on the thread that reads the messages of the client.
 * It may answer or free the responder of its call. */
typedef void (*wellhead_cancel_callback)(void *user_data);

/* Returns the URI as the client spelled it; for a completion, the template. For a list of skills it is the URI that the
 * client asks for by skills/get, and absent if it asks for all. It is also absent for other lists, a method, a verify
 * callback and an authorize callback. */
WELLHEAD_API wellhead_str wellhead_call_uri(const wellhead_call *call);

/* Returns the value of a variable of the template, percent-decoded; of a list ({name*}) the first value. For a
 * completion it is the value of another variable, if the client sent it. The result is absent if there is no value.
 * `name` is NUL-terminated. */
WELLHEAD_API wellhead_str wellhead_call_var(const wellhead_call *call, const char *name);

/* Returns the value of a variable of the template as the client wrote it, percent-encoded. The result is absent if the
 * URI has no value for it. `name` is NUL-terminated. */
WELLHEAD_API wellhead_str wellhead_call_raw(const wellhead_call *call, const char *name);

/* Returns the value at `index` of a list ({name*}), percent-decoded. The result is absent if the list is shorter.
 * `name` is NUL-terminated. */
WELLHEAD_API wellhead_str wellhead_call_var_at(const wellhead_call *call, const char *name, size_t index);

/* Returns the name of the variable at `index`, in the order of the template, of those that the URI has. The result is
 * absent if there are fewer. */
WELLHEAD_API wellhead_str wellhead_call_var_name(const wellhead_call *call, size_t index);

/* Returns the caller that the application gave with the connection or the token, or NULL if it gave none. */
WELLHEAD_API void *wellhead_call_caller(const wellhead_call *call);

/* Returns the caller if it was given with this `caller_type`, else NULL. Code that did not make the caller uses this, so
 * that it never takes one type for another. */
WELLHEAD_API void *wellhead_call_typed_caller(const wellhead_call *call, const void *caller_type);

/* Returns the caller_id of the connection or the token. The result is absent if the application gave none. */
WELLHEAD_API wellhead_str wellhead_call_caller_id(const wellhead_call *call);

/* Returns the protocol revision of the request, a date. The result is absent for an interest callback, which belongs to
 * no request, and for a verify callback. */
WELLHEAD_API wellhead_str wellhead_call_revision(const wellhead_call *call);

/* Returns the _meta of the request as it came, a JSON object with traceparent and the like. Its content is not checked.
 * The result is absent if the request has none. */
WELLHEAD_API wellhead_str wellhead_call_meta(const wellhead_call *call);

/* Sends a progress notification, if the client asked for progress. Returns 0 if none can be sent: the client did not
 * ask, only an answer can reach it, or the request is over; else 1. wellhead_call_cancelled tells whether to stop the
 * work. A number that is not finite is not sent.
 * progress: in any unit; it only grows.
 * total: the final value of `progress`; NULL if it is not known.
 * message: may be absent; left out if it is not UTF-8. */
WELLHEAD_API int wellhead_call_progress(const wellhead_call *call, double progress, const double *total,
                                        wellhead_str message);

/* Ends the event stream that carries the answer over HTTP, before the answer. The client reconnects after `retry_ms`
 * milliseconds, so that a call that takes long keeps no connection open. Returns 1 if it ended a stream, else 0: over
 * stdio, for a client that accepts only JSON, in every revision but 2025-11-25, and after the answer. Events that the
 * client has not read count against output_bytes. Source: MCP 2025-11-25, Transports, "Sending Messages to the
 * Server". */
WELLHEAD_API int wellhead_call_close_event_stream(const wellhead_call *call, uint64_t retry_ms);

/* Returns the version of the resource that the client has, for a read. If it is current, answer
 * wellhead_read_not_modified instead of making a body. The result is absent if the client did not send it. */
WELLHEAD_API wellhead_str wellhead_call_if_version(const wellhead_call *call);

/* Returns the client's answers to wellhead_read_input_required, for a read: a JSON object of objects, by the keys of its
 * inputRequests. Their content is not checked, and keys may be missing. The result is absent if the client sent no
 * answers. */
WELLHEAD_API wellhead_str wellhead_call_input_responses(const wellhead_call *call);

/* Returns the requestState as the client sent it, for a read. Any client may invent one: see wellhead_call_open_state.
 * The result is absent if there is none. */
WELLHEAD_API wellhead_str wellhead_call_request_state(const wellhead_call *call);

/* Seals a requestState for this caller and URI, for a read. Clients may use the sealed state more than once. The
 * application frees the text. Returns NULL if the call is no read, or if `state` is absent or not UTF-8.
 * until: the time at which the sealed state expires, on a clock that all instances share, such as milliseconds of Unix
 * time. */
WELLHEAD_API wellhead_text *wellhead_call_seal_state(const wellhead_call *call, wellhead_str state, uint64_t until);

/* Returns the state inside the requestState that a client sends back with a read, if wellhead_call_seal_state sealed
 * it. The application frees the text. Returns NULL if there is none, or if it is forged, has expired, or was sealed for
 * another caller or URI. Then answer wellhead_read_invalid_state.
 * now: the time, on the clock that the application used for `until` of the seal. */
WELLHEAD_API wellhead_text *wellhead_call_open_state(const wellhead_call *call, uint64_t now);

/* Returns the `key`, or else the URI, of the item behind which the page of a list begins. The item may be deleted by
 * now. The result is absent for the first page, and for other calls. */
WELLHEAD_API wellhead_str wellhead_call_after(const wellhead_call *call);

/* Returns the greatest number of items that the page of a list can still take, at least 1. Fixed resources may have
 * used part of the page. Returns 0 for other calls. */
WELLHEAD_API size_t wellhead_call_limit(const wellhead_call *call);

/* Returns the filter of a list, a JSON object, which a client of the resources/get dialect may send. The result is
 * absent if it sent none. */
WELLHEAD_API wellhead_str wellhead_call_filter(const wellhead_call *call);

/* Returns the name of the variable or the argument that is completed. The result is absent for other calls. */
WELLHEAD_API wellhead_str wellhead_call_variable(const wellhead_call *call);

/* Returns the part of the value that is typed so far, for a completion; may be empty. The result is absent for other
 * calls. */
WELLHEAD_API wellhead_str wellhead_call_value(const wellhead_call *call);

/* Returns the name of the method that the application registered. For an around callback it may also be tools/call,
 * prompts/get or resources/read. The result is absent for other calls. */
WELLHEAD_API wellhead_str wellhead_call_method(const wellhead_call *call);

/* Returns the name of the tool or the prompt. The result is absent for other calls. */
WELLHEAD_API wellhead_str wellhead_call_name(const wellhead_call *call);

/* Returns the params of a method, a tool or a prompt, a JSON object; {} if there are none. The result is absent for
 * other calls. */
WELLHEAD_API wellhead_str wellhead_call_params(const wellhead_call *call);

/* Returns the `arguments` among the params of a method, a tool or a prompt, a JSON object; {} if there are none. The
 * result is absent for other calls. */
WELLHEAD_API wellhead_str wellhead_call_arguments(const wellhead_call *call);

/* Returns the value of a header field of the HTTP request that the call came with. `name` is NUL-terminated, in any
 * case. The result is absent if the field is missing, came more than once, or is not UTF-8. It is also absent over
 * stdio and for an interest callback. A client can write what it likes into most fields: wellhead_call_caller_id says
 * who it is. In a verify callback, Mcp-Method and Mcp-Name tell the purpose of a request of revision 2026-07-28, for
 * applications that require scopes by it. */
WELLHEAD_API wellhead_str wellhead_call_header(const wellhead_call *call, const char *name);

/* Returns the query of the HTTP request that the call came with, as it came: tenant=a of /mcp?tenant=a. The result is
 * absent if there is none, over stdio and for an interest callback. */
WELLHEAD_API wellhead_str wellhead_call_query(const wellhead_call *call);

/* Returns the name and version that the client gives itself: a JSON object. Use it for logs, not for decisions: any
 * client may invent one. The result is absent for interest and verify callbacks, and if the client did not send it. */
WELLHEAD_API wellhead_str wellhead_call_client(const wellhead_call *call);

/* Returns the capabilities of the client, for a read or a method: a JSON object such as {"sampling":{}}. The result is
 * absent if the client did not send them. */
WELLHEAD_API wellhead_str wellhead_call_client_capabilities(const wellhead_call *call);

/* Returns the client's settings of an extension of the protocol, a JSON object. The result is absent if the client does
 * not declare the extension, and for interest and verify callbacks. id: the identifier of the extension, such as
 * com.example/charts. */
WELLHEAD_API wellhead_str wellhead_call_extension(const wellhead_call *call, wellhead_str id);

/* Returns 1 if the client says that it shows MCP Apps, else 0. For a client that does not, a tool with an app answers
 * with a text that stands for the app. */
WELLHEAD_API int wellhead_call_client_supports_apps(const wellhead_call *call);

/* Returns the lowest level of notifications/message that the request asks for, such as "info", for a method. The result
 * is absent if the request asks for none. */
WELLHEAD_API wellhead_str wellhead_call_log_level(const wellhead_call *call);

/* Returns 1 if the client no longer waits for the answer, else 0. It is cheap: a callback that takes long calls it from
 * time to time. The call must still be answered, or the kept responder freed. */
WELLHEAD_API int wellhead_call_cancelled(const wellhead_call *call);

/* Has `on_cancel` called when the client no longer waits for the answer: it cancelled the request, the deadline passed,
 * or the connection ended. If that has happened already, the function is called at once, on this thread. It is called
 * at most once, on the thread that finds out, with no lock held. It never runs after the function that answers or frees
 * the responder has returned: that function blocks while another thread is inside of `on_cancel`. Several functions run
 * in their order.
 * on_cancel: may not be NULL.
 * user_data: passed to `on_cancel`.
 * destroy: called once with user_data, after `on_cancel` or instead of it, also on failure; may be NULL.
 * Fails with INVALID_ARGUMENT, also for interest and verify callbacks. */
WELLHEAD_API wellhead_status wellhead_call_on_cancel(const wellhead_call *call, wellhead_cancel_callback on_cancel,
                                                     void *user_data, wellhead_destroy_callback destroy);

/* Returns a string among the arguments of a method, a tool or a prompt, decoded, also in a callback around it. It may
 * have NULs inside. It is absent if the path leads to nothing, or to a value of another type. It is borrowed until the
 * call is answered, or the callback around it returns.
 * path: a NUL-terminated JSON Pointer (RFC 6901) such as "/edits/0/oldText". Its first slash may be left out, as in
 * "model". "" names all arguments. In a name "~1" stands for a slash and "~0" for "~". A name that occurs twice in an
 * object leads to nothing.
 * The first of these functions that a call uses copies its arguments. */
WELLHEAD_API wellhead_str wellhead_call_argument_text(const wellhead_call *call, const char *path);

/* Returns the value at a path of the arguments, of any type, as the JSON that the client wrote, such as a number too
 * large for the other functions. It is absent if the path leads to nothing, and borrowed until the call is answered.
 * path: as in wellhead_call_argument_text. */
WELLHEAD_API wellhead_str wellhead_call_argument_json(const wellhead_call *call, const char *path);

/* Returns 1 if the path leads to a whole number that an int64_t holds, such as 5 or 5.0, else 0. *value: the number; may be
 * NULL. path: as in wellhead_call_argument_text. */
WELLHEAD_API int wellhead_call_argument_integer(const wellhead_call *call, const char *path, int64_t *value);

/* Returns 1 if the path leads to a number, else 0, also if the number is beyond the largest double. *value: the nearest
 * double, so integers beyond 2^53 and most fractions are rounded; may be NULL. path: as in
 * wellhead_call_argument_text. */
WELLHEAD_API int wellhead_call_argument_number(const wellhead_call *call, const char *path, double *value);

/* Returns 1 if the path leads to true or false, else 0. *value: 1 for true, 0 for false; may be NULL. path: as in
 * wellhead_call_argument_text. */
WELLHEAD_API int wellhead_call_argument_boolean(const wellhead_call *call, const char *path, int *value);

/* Returns the number of elements of an array, or of members of an object. Returns 0 for other values, and if the path
 * leads to nothing. path: as in wellhead_call_argument_text. */
WELLHEAD_API size_t wellhead_call_argument_count(const wellhead_call *call, const char *path);

/* Returns the name of the member at `index` of an object, decoded, in the order of its text. It is absent if the object
 * has fewer members or the path leads to no object. It is borrowed until the call is answered. path: as in
 * wellhead_call_argument_text. */
WELLHEAD_API wellhead_str wellhead_call_argument_name(const wellhead_call *call, const char *path, size_t index);

/* ---- answers ------------------------------------------------------------------------------------------------------ */

/* Answer each call once: with one function, such as _text, _blob, _not_found or _failed, or by adding parts and then
 * calling _finish. A function that answers drops parts that were added before, unless it is _finish. It also consumes a
 * kept responder, whatever it returns. It returns OK also if the client no longer waits. It fails with INVALID_ARGUMENT if
 * the call was answered already. If it fails because of its arguments, the client gets "internal error", and the log the
 * reason. If a part is refused and the call then fails or is not answered, the log has the reason of that, too. */

/* Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
 * returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
 * if the call was answered already.
 * Thread safety: call it only inside the callback. */
WELLHEAD_API wellhead_read *wellhead_read_keep(wellhead_read *responder);

/* Returns the call of a kept responder, borrowed until the call is answered. */
WELLHEAD_API const wellhead_call *wellhead_read_call(const wellhead_read *responder);

/* Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL. */
WELLHEAD_API void wellhead_read_free(wellhead_read *responder);

/* Answers with a text, which is copied; it may not be absent. Fails with INVALID_UTF8 or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_read_text(wellhead_read *responder, wellhead_str text);

/* Answers with bytes, which are copied. Absent bytes are empty contents. Fails with INVALID_ARGUMENT if the call was
 * answered already. */
WELLHEAD_API wellhead_status wellhead_read_blob(wellhead_read *responder, wellhead_str bytes);

/* Answers with a text, which is copied, and its details, such as its MIME type and its version. text: may not be
 * absent. about: may be NULL. Fails with INVALID_UTF8 or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_read_text_with(wellhead_read *responder, const wellhead_contents *about,
                                                     wellhead_str text);

/* Answers with bytes, which are copied, and their details. Absent bytes are empty contents. about: may be NULL. Fails
 * with INVALID_UTF8 or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_read_blob_with(wellhead_read *responder, const wellhead_contents *about,
                                                     wellhead_str bytes);

/* Answers with a text that is not copied; it may not be absent. The application keeps it unchanged until
 * release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the data stay valid
 * for ever. Fails with INVALID_UTF8 or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_read_text_owned(wellhead_read *responder, wellhead_str text,
                                                      wellhead_destroy_callback release, void *release_data);

/* Answers with bytes that are not copied. Absent bytes are empty contents. The application keeps them unchanged until
 * release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the data stay valid
 * for ever. Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_blob_owned(wellhead_read *responder, wellhead_str bytes,
                                                      wellhead_destroy_callback release, void *release_data);

/* Answers that the resource does not exist. Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_not_found(wellhead_read *responder);

/* Answers that the caller may not read the resource. Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_denied(wellhead_read *responder);

/* Answers that the client has the current version, which wellhead_call_if_version returned. Fails with INVALID_ARGUMENT
 * if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_not_modified(wellhead_read *responder);

/* Answers that the resource cannot be read now. retry_after_ms: the time after which to retry, in milliseconds;
 * UINT64_MAX if it is not known. Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_busy(wellhead_read *responder, uint64_t retry_after_ms);

/* Answers that the client must give input first. input: a JSON object with inputRequests, requestState or both. The
 * client repeats the read; then wellhead_call_input_responses and wellhead_call_request_state return its answers. A
 * client without the capability gets an error that names it. Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_read_input_required(wellhead_read *responder, wellhead_str input);

/* Answers that the client lacks capabilities that the read needs. capabilities: a JSON object such as {"sampling":{}}.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_read_missing_capability(wellhead_read *responder, wellhead_str capabilities);

/* Sends a request to the client, in every protocol revision, before the contents are known. Never blocks. Returns one
 * of WELLHEAD_RESPONSE_.
 * name: unique in the callback, and the same in every run; may not be absent.
 * method: sampling/createMessage, elicitation/create or roots/list; may not be absent.
 * params: a JSON object; may be absent.
 * *json: the result, the error or the capabilities, or the text of WELLHEAD_RESPONSE_INVALID; borrowed until the call is
 * answered. Absent with WELLHEAD_RESPONSE_WAITING.
 * json: may be NULL.
 * If `responder` is NULL, returns WELLHEAD_RESPONSE_WAITING and leaves *json as it is.
 * 
 * The first time there is no response yet: answer by wellhead_read_wait. The callback runs again from its start when
 * the client has answered. See wellhead_method_require_input. */
WELLHEAD_API uint32_t wellhead_read_require_input(wellhead_read *responder, wellhead_str name, wellhead_str method,
                                                  wellhead_str params, wellhead_str *json);

/* Answers a read whose requests by wellhead_read_require_input lack a response: the callback runs again when the client
 * has answered. If the client lacks a capability or sent a wrong requestState, it gets an error. Fails with
 * INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_wait(wellhead_read *responder);

/* Answers that the requestState of the client is invalid: see wellhead_call_open_state. Fails with INVALID_ARGUMENT if
 * the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_invalid_state(wellhead_read *responder);

/* Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
 * INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_read_failed(wellhead_read *responder, wellhead_str why);

/* Adds a text, which is copied, to an answer of several elements. text: may not be absent. about: may be NULL. Fails
 * with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_read_add_text(wellhead_read *responder, const wellhead_contents *about,
                                                    wellhead_str text);

/* Adds bytes, which are copied, to an answer of several elements. Absent bytes are empty contents. about: may be NULL.
 * Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_read_add_blob(wellhead_read *responder, const wellhead_contents *about,
                                                    wellhead_str bytes);

/* Adds a text that is not copied; it may not be absent. about: may be NULL. The application keeps it unchanged until
 * release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the data stay valid
 * for ever. Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_read_add_text_owned(wellhead_read *responder, const wellhead_contents *about,
                                                          wellhead_str text, wellhead_destroy_callback release,
                                                          void *release_data);

/* Adds bytes that are not copied. Absent bytes are empty contents. about: may be NULL. The application keeps them
 * unchanged until release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the
 * data stay valid for ever. Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_read_add_blob_owned(wellhead_read *responder, const wellhead_contents *about,
                                                          wellhead_str bytes, wellhead_destroy_callback release,
                                                          void *release_data);

/* Answers with the elements that were added. Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_read_finish(wellhead_read *responder);

/* Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
 * returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
 * if the call was answered already.
 * Thread safety: call it only inside the callback. */
WELLHEAD_API wellhead_list *wellhead_list_keep(wellhead_list *responder);

/* Returns the call of a kept responder, borrowed until the call is answered. */
WELLHEAD_API const wellhead_call *wellhead_list_call(const wellhead_list *responder);

/* Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL. */
WELLHEAD_API void wellhead_list_free(wellhead_list *responder);

/* Adds an item to the page. item: may not be NULL; its uri is required; copied. Fails with INVALID_UTF8 or
 * INVALID_ARGUMENT, and then leaves the page unchanged. An item with an invalid URI is left out of the answer, and
 * logged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_list_add(wellhead_list *responder, const wellhead_resource *item);

/* Adds a skill to a page of wellhead_server_add_skill_list.
 * entry: a JSON object. Its uri is that of its SKILL.md, its frontmatter an object with at least name and description.
 * Its resources are "dynamic" (default), or the uri, digest and size of each file in a list.
 * Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the page unchanged. An entry that breaks the rules of
 * skills is left out of the answer, and logged.
 * Thread safety: as wellhead_list_add. */
WELLHEAD_API wellhead_status wellhead_list_add_skill(wellhead_list *responder, wellhead_str entry);

/* Answers with the items that were added. more: not 0 if items follow the last one. Fails with INVALID_ARGUMENT if
 * the call was answered already; the first answer stays. Fails with INVALID_ARGUMENT also if there are no items and
 * `more` is not 0; then the client gets an internal error. */
WELLHEAD_API wellhead_status wellhead_list_finish(wellhead_list *responder, int more);

/* Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
 * INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_list_failed(wellhead_list *responder, wellhead_str why);

/* Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
 * returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
 * if the call was answered already.
 * Thread safety: call it only inside the callback. */
WELLHEAD_API wellhead_complete *wellhead_complete_keep(wellhead_complete *responder);

/* Returns the call of a kept responder, borrowed until the call is answered. */
WELLHEAD_API const wellhead_call *wellhead_complete_call(const wellhead_complete *responder);

/* Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL. */
WELLHEAD_API void wellhead_complete_free(wellhead_complete *responder);

/* Adds a copy of a value to the end of the answer's values. Fails with INVALID_ARGUMENT if the value is absent, and
 * with INVALID_UTF8 if it is not UTF-8.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_complete_add(wellhead_complete *responder, wellhead_str value);

/* Answers with the values that were added. The client gets at most 100, the first ones.
 * more: not 0 if there are more values than were added.
 * total: the number of all values; NULL if it is not known.
 * Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_complete_finish(wellhead_complete *responder, int more, const uint64_t *total);

/* Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
 * INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_complete_failed(wellhead_complete *responder, wellhead_str why);

/* ---- access and interest ------------------------------------------------------------------------------------------ */

#define WELLHEAD_OPERATION_LIST 1             /* The caller lists the targets, which are URIs and templates. */
#define WELLHEAD_OPERATION_READ 2             /* The caller reads the targets. */
#define WELLHEAD_OPERATION_SUBSCRIBE 3        /* The caller subscribes to the targets. */
/* The caller completes a variable or an argument; the target is the template, or the name of the prompt. */
#define WELLHEAD_OPERATION_COMPLETE 4
#define WELLHEAD_OPERATION_LIST_TOOLS 5       /* The caller lists tools; the targets are their names. */
#define WELLHEAD_OPERATION_CALL_TOOL 6        /* The caller calls a tool; the target is its name. */
#define WELLHEAD_OPERATION_LIST_PROMPTS 7     /* The caller lists prompts; the targets are their names. */
#define WELLHEAD_OPERATION_GET_PROMPT 8       /* The caller gets a prompt; the target is its name. */
#define WELLHEAD_VERDICT_DENY 0               /* Answers "permission denied", and leaves the target out of lists. */
#define WELLHEAD_VERDICT_ALLOW 1              /* Lets the operation go on. */
#define WELLHEAD_VERDICT_HIDE 2               /* Answers as if the target did not exist, and leaves it out of lists. */

/* Decides which targets a caller may use: URIs, templates, or names of tools or prompts, by the operation. Set verdicts
 * with wellhead_authorize_set, then answer with wellhead_authorize_finish. As in wellhead_read_callback, a kept responder
 * is answered later.
 * call: has the caller; its URI is absent.
 * operation: one of WELLHEAD_OPERATION_. Later versions may add numbers, so deny those that you do not know.
 * targets: at least one; borrowed until the call is answered. */
typedef void (*wellhead_authorize_callback)(void *user_data, const wellhead_call *call, uint32_t operation,
                                            const wellhead_str *targets, size_t target_count,
                                            wellhead_authorize *responder);

/* Sets the callback that decides about each list, read, subscription, completion, tool and prompt, many targets at once.
 * It replaces an earlier one. It is not called for the callbacks of wellhead_server_add_method, which judge the caller
 * themselves.
 * authorize: may not be NULL.
 * user_data: passed to `authorize`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * Fails with INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_authorize(wellhead_server *server,
                                                           wellhead_authorize_callback authorize, void *user_data,
                                                           wellhead_destroy_callback destroy, wellhead_error **error);

/* Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
 * returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
 * if the call was answered already.
 * Thread safety: call it only inside the callback. */
WELLHEAD_API wellhead_authorize *wellhead_authorize_keep(wellhead_authorize *responder);

/* Returns the call of a kept responder, borrowed until the call is answered. */
WELLHEAD_API const wellhead_call *wellhead_authorize_call(const wellhead_authorize *responder);

/* Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL. */
WELLHEAD_API void wellhead_authorize_free(wellhead_authorize *responder);

/* Sets the verdict, one of WELLHEAD_VERDICT_, about the target at `index`. A target without a verdict is denied. Fails with
 * INVALID_ARGUMENT if there is no such target or verdict, or if the call was answered already.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_authorize_set(wellhead_authorize *responder, size_t index, uint32_t verdict);

/* Answers with the verdicts that were set. Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_authorize_finish(wellhead_authorize *responder);

/* Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
 * INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_authorize_failed(wellhead_authorize *responder, wellhead_str why);

/* Called when wellhead_call_uri(call) has its first subscriber (wanted is 1), or has lost its last one (wanted is 0).
 * Calls about one URI never overlap. Answer with wellhead_interest_done or wellhead_interest_failed. As in
 * wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_interest_callback)(void *user_data, const wellhead_call *call, int wanted,
                                           wellhead_interest *responder);

/* Sets the callback that hears which URIs have subscribers, for an application that must itself look for changes. It
 * replaces an earlier one. A subscription is acknowledged after the callback has answered, so that no change in between
 * is lost.
 * interest: may not be NULL.
 * user_data: passed to `interest`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * Fails with INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_interest(wellhead_server *server, wellhead_interest_callback interest,
                                                          void *user_data, wellhead_destroy_callback destroy,
                                                          wellhead_error **error);

/* Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
 * returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
 * if the call was answered already.
 * Thread safety: call it only inside the callback. */
WELLHEAD_API wellhead_interest *wellhead_interest_keep(wellhead_interest *responder);

/* Returns the call of a kept responder, borrowed until the call is answered. */
WELLHEAD_API const wellhead_call *wellhead_interest_call(const wellhead_interest *responder);

/* Frees a kept responder without an answer, which answers as wellhead_interest_failed does. Does nothing if `responder`
 * is NULL. */
WELLHEAD_API void wellhead_interest_free(wellhead_interest *responder);

/* Answers that the application now looks for changes of the URI, or has stopped. Fails with INVALID_ARGUMENT if the
 * call was answered already. */
WELLHEAD_API wellhead_status wellhead_interest_done(wellhead_interest *responder);

/* Answers that the application cannot look for changes of the URI: clients that wait to subscribe get "internal
 * error". `why` is logged. Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_interest_failed(wellhead_interest *responder, wellhead_str why);

/* ---- further methods ---------------------------------------------------------------------------------------------- */

/* Options of a method. Zero or NULL in a field means its default. */
typedef struct wellhead_method_options {
    size_t struct_size;
    /* The protocol revisions that have the method, by their dates. Without any, all have it that have not removed a
     * method of that name. */
    const wellhead_str *revisions;
    size_t revision_count;
} wellhead_method_options;
#define WELLHEAD_METHOD_OPTIONS_INIT { sizeof(wellhead_method_options), NULL, 0 }

/* Handles a request, whose params wellhead_call_params and wellhead_call_arguments return. Answer with wellhead_method_result
 * or another wellhead_method_ function that answers; a tool rather answers with wellhead_method_text or its like. As in
 * wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_method_callback)(void *user_data, const wellhead_call *call, wellhead_method *responder);

/* Registers a method other than those for resources, such as tools/list. A method whose name begins with tools/,
 * prompts/ or logging/ declares that capability. For others see `capabilities` of wellhead_server_options.
 * A name that begins with notifications/ is that of a notification: `method` runs each time that a client sends it in a
 * session, and its answer is dropped; for notifications/initialized it runs once. The library handles
 * notifications/cancelled itself.
 * name: may not be absent.
 * options: may be NULL.
 * method: handles the requests; may not be NULL.
 * user_data: passed to `method`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * Fails with DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_method(wellhead_server *server, wellhead_str name,
                                                        const wellhead_method_options *options,
                                                        wellhead_method_callback method, void *user_data,
                                                        wellhead_destroy_callback destroy, wellhead_error **error);

/* Notifies clients that lists of a kind changed. Does not block. It calls the same callbacks as
 * wellhead_server_notify_updated.
 * kind: resources, tools, prompts, or one of `list_changed_methods` of wellhead_server_options.
 * Fails with UNKNOWN for another kind, with INVALID_ARGUMENT if the capability does not declare listChanged, and with
 * INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_notify_list_changed(wellhead_server *server, wellhead_str kind,
                                                                 wellhead_error **error);

/* Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
 * returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
 * if the call was answered already.
 * Thread safety: call it only inside the callback. */
WELLHEAD_API wellhead_method *wellhead_method_keep(wellhead_method *responder);

/* Returns the call of a kept responder, borrowed until the call is answered. */
WELLHEAD_API const wellhead_call *wellhead_method_call(const wellhead_method *responder);

/* Frees a kept responder without an answer, which answers as wellhead_method_failed does. Does nothing if `responder`
 * is NULL. */
WELLHEAD_API void wellhead_method_free(wellhead_method *responder);

/* Answers with a result, a JSON object, which is copied and may not be absent. Members that the revision requires are
 * added. Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_result(wellhead_method *responder, wellhead_str result);

/* Answers with an error.
 * rpc_code: a code of JSON-RPC 2.0 section 5.1, or the application's own.
 * message: may not be absent.
 * data: a JSON object; may be absent.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_error(wellhead_method *responder, int32_t rpc_code, wellhead_str message,
                                                   wellhead_str data);

/* Answers that the client must give input first, and then repeat the request. In revisions that do not have this, the
 * call fails. input: a JSON object with inputRequests, requestState or both. Fails with INVALID_ARGUMENT or
 * INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_input_required(wellhead_method *responder, wellhead_str input);

/* Answers that the client lacks capabilities that the call needs. capabilities: a JSON object such as {"sampling":{}}.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_missing_capability(wellhead_method *responder, wellhead_str capabilities);

/* Answers "internal error", or for a tool a result with isError and the text "The tool failed". `why` is logged, and
 * not sent to the client. Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_failed(wellhead_method *responder, wellhead_str why);

/* Limits of one tool, for wellhead_server_limit_tool. 0 in a field means no limit; in call_ms it means that
 * of wellhead_limits. */
typedef struct wellhead_tool_limits {
    size_t struct_size;
    /* The greatest number of calls of the tool in flight, of all callers. 1 runs one at a time. */
    size_t calls_in_flight;
    /* The greatest number of calls of the tool in flight, for each caller. */
    size_t caller_calls_in_flight;
    /* The greatest number of calls of the tool that begin in a minute, for each caller. */
    size_t caller_calls_per_minute;
    /* The time until a call is cancelled and answered with an internal error, in milliseconds. It takes the place of
     * call_ms of wellhead_limits. */
    uint64_t call_ms;
} wellhead_tool_limits;
#define WELLHEAD_TOOL_LIMITS_INIT { sizeof(wellhead_tool_limits), 0, 0, 0, 0 }

/* Registers a tool.
 * name: the name by which clients call it; may not be absent.
 * definition: how it is listed, a JSON object without a name, such as {"description":"…","inputSchema":{…}}. Without an
 * inputSchema the tool takes any object.
 * method: answers tools/call, for example with wellhead_method_text; may not be NULL.
 * user_data: passed to `method`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * The arguments, which wellhead_call_argument_text and its like read, fit the inputSchema (JSON Schema 2020-12), and
 * its defaults are filled in. A call whose arguments do not fit is answered without the callback, with a line for each
 * wrong field. If the call fails or is not answered, the client gets a result with isError and the text "The tool
 * failed", and the reason is logged. A result that clients would refuse is such a failure. wellhead_method_tool_error
 * has a text for the model instead. wellhead_method_error and a missed deadline answer errors.
 * An `authorize` callback decides by the name.
 * Fails with INVALID_ARGUMENT also for a wrong schema, and for a member that does not exist or that clients would
 * refuse. Fails with DUPLICATE, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_tool(wellhead_server *server, wellhead_str name,
                                                      wellhead_str definition, wellhead_method_callback method,
                                                      void *user_data, wellhead_destroy_callback destroy,
                                                      wellhead_error **error);

/* Registers a search of resources. With the flag WELLHEAD_RESOURCES_AS_TOOLS clients have the tools search and fetch
 * then. The arguments of the call are query, a text, and limit, the greatest number of results that are of use. Answer
 * with wellhead_method_result: {"results":[{"uri":"…","title":"…","text":"…","url":"…"}]}, the best first; all but uri
 * may be absent. text is a snippet. A result without title or url has the title or name of its registration, and the
 * url in its _meta. An `authorize` callback decides about each URI. A client gets at most 20 results, and fetch reads
 * them as resources/read does. If no search is registered, folders are searched: the names and texts of files, for at
 * most 2 seconds.
 * search: answers the call; may not be NULL.
 * user_data: passed to `search`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * Fails with DUPLICATE if there is a search already, and with INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_resource_search(wellhead_server *server,
                                                                 wellhead_method_callback search, void *user_data,
                                                                 wellhead_destroy_callback destroy,
                                                                 wellhead_error **error);

/* Removes a tool. Pending calls finish.
 * name: the name of a registered tool; may not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_remove_tool(wellhead_server *server, wellhead_str name,
                                                         wellhead_error **error);

/* Lists a disabled tool again, and lets clients call it.
 * name: the name of a registered tool; may not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_enable_tool(wellhead_server *server, wellhead_str name,
                                                         wellhead_error **error);

/* Hides a tool: it is not listed, and a call of it is answered like one of a tool that does not exist.
 * wellhead_server_enable_tool ends this. Pending calls finish.
 * name: the name of a registered tool; may not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_disable_tool(wellhead_server *server, wellhead_str name,
                                                          wellhead_error **error);

/* Changes the definition of a tool. On failure the tool stays as it is.
 * name: the name of a registered tool; may not be absent.
 * changes: a JSON object, which may not be absent. Each of its members replaces that member of the definition; null
 * removes it. The other members and the callback stay.
 * Fails with UNKNOWN, INVALID_UTF8 or CLOSED, and with INVALID_ARGUMENT also for what wellhead_server_add_tool
 * refuses. */
WELLHEAD_API wellhead_status wellhead_server_update_tool(wellhead_server *server, wellhead_str name,
                                                         wellhead_str changes, wellhead_error **error);

/* Limits the calls of a tool.
 * name: the name of a registered tool; may not be absent.
 * limits: replaces the limits that were set before. If it is NULL, the tool has none any more.
 * Calls that the earlier limits counted still count. A call beyond a limit is refused with "Busy", before its callback,
 * so that the client tries again. A call counts until it is answered, or until the responder of a cancelled call is
 * gone. The token or the connection says who the caller is; all clients without a token are one caller. Time passes by
 * the functions that give it, such as wellhead_connection_tick.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_limit_tool(wellhead_server *server, wellhead_str name,
                                                        const wellhead_tool_limits *limits, wellhead_error **error);

/* Registers a prompt.
 * name: the name by which clients get it; may not be absent.
 * definition: how it is listed, a JSON object without a name, such as {"description":"…","arguments":[…]}; may not be
 * absent. An argument with fixed values has them as "values", which complete it; clients are not sent them.
 * method: answers prompts/get; may not be NULL.
 * user_data: passed to `method`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * An `authorize` callback decides by the name.
 * Fails with INVALID_ARGUMENT also for a member that does not exist or that clients would refuse, and with DUPLICATE,
 * INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_add_prompt(wellhead_server *server, wellhead_str name,
                                                        wellhead_str definition, wellhead_method_callback method,
                                                        void *user_data, wellhead_destroy_callback destroy,
                                                        wellhead_error **error);

/* Registers the completion of an argument of a registered prompt; it is removed with the prompt. In its calls
 * wellhead_call_uri returns the name of the prompt.
 * prompt: the name of the prompt; may not be absent.
 * argument: the name of the argument; may not be absent.
 * complete: may not be NULL.
 * user_data: passed to `complete`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * Fails with UNKNOWN if the prompt is not registered, and with INVALID_ARGUMENT if it lists its arguments and this one is
 * not among them. Fails with DUPLICATE, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_complete_prompt(wellhead_server *server, wellhead_str prompt,
                                                             wellhead_str argument,
                                                             wellhead_complete_callback complete, void *user_data,
                                                             wellhead_destroy_callback destroy, wellhead_error **error);

/* Removes a prompt. Pending calls finish.
 * name: the name of a registered prompt; may not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_remove_prompt(wellhead_server *server, wellhead_str name,
                                                           wellhead_error **error);

/* Lists a disabled prompt again, and lets clients get it.
 * name: the name of a registered prompt; may not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_enable_prompt(wellhead_server *server, wellhead_str name,
                                                           wellhead_error **error);

/* Hides a prompt: it is not listed, its arguments are not completed, and getting it is answered like one that does not
 * exist. wellhead_server_enable_prompt ends this. Pending calls finish.
 * name: the name of a registered prompt; may not be absent.
 * Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_disable_prompt(wellhead_server *server, wellhead_str name,
                                                            wellhead_error **error);

/* Changes the definition of a prompt. On failure the prompt stays as it is.
 * name: the name of a registered prompt; may not be absent.
 * changes: a JSON object, which may not be absent. Each of its members replaces that member of the definition; null
 * removes it. The other members and the callback stay.
 * Fails with UNKNOWN, INVALID_UTF8 or CLOSED, and with INVALID_ARGUMENT also for what wellhead_server_add_prompt
 * refuses. */
WELLHEAD_API wellhead_status wellhead_server_update_prompt(wellhead_server *server, wellhead_str name,
                                                           wellhead_str changes, wellhead_error **error);

#define WELLHEAD_RESPONSE_RESULT 0            /* The client sent a result. */
#define WELLHEAD_RESPONSE_ERROR 1             /* The client sent an error, an object with code and message. */
/* No response will come: the call was answered or cancelled, its session ended, or the application gave the request up. */
#define WELLHEAD_RESPONSE_GIVEN_UP 2
/* There is no response yet, or none will come: answer by wellhead_method_wait or wellhead_read_wait. */
#define WELLHEAD_RESPONSE_WAITING 3
/* The client did not declare these capabilities, a JSON object such as {"roots":{}}. */
#define WELLHEAD_RESPONSE_MISSING_CAPABILITY 4
/* The response does not fit the form that the client was asked to fill in. The text, which is not JSON, says where. */
#define WELLHEAD_RESPONSE_INVALID 5

/* Handles the response of the client to wellhead_method_send_request. response: one of WELLHEAD_RESPONSE_. json: the result or
 * the error, a JSON object, borrowed until the callback returns; absent for WELLHEAD_RESPONSE_GIVEN_UP. Called once, as an
 * event of the connection; not called if the application closes the connection. */
typedef void (*wellhead_response_callback)(void *then_data, uint32_t response, const wellhead_str *json);

/* Sends a notification that belongs to the call, before its answer. It is not sent after the answer, after the client
 * cancelled the call, or while the client reads nothing. A notifications/message is sent as wellhead_method_log says.
 * method: begins with notifications/; may not be absent.
 * params: a JSON object; may be absent.
 * *sent: 1 if it was sent, else 0; may be NULL.
 * Fails with INVALID_ARGUMENT for a method that is no notification of a call, and for notifications/message without a
 * level or without the capability logging. Fails with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_notify(wellhead_method *responder, wellhead_str method,
                                                    wellhead_str params, int *sent);

/* Sends the client a log message about the call, a notifications/message, as wellhead_method_notify does. In a session the
 * client sets the lowest level by logging/setLevel; it is warning before. In revision 2026-07-28 the request names it.
 * level: from debug to emergency; may not be absent.
 * text: may be empty, but not absent.
 * logger: names the part of the application that it is from; may be absent.
 * *sent: 1 if it was sent, else 0; may be NULL.
 * Fails with INVALID_ARGUMENT if there is no such level, and if the server lacks the capability logging. Fails with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_log(wellhead_method *responder, wellhead_str level, wellhead_str text,
                                                 wellhead_str logger, int *sent);

/* Sends a request to the client, in every protocol revision. Never blocks. Returns one of WELLHEAD_RESPONSE_.
 * name: unique in the callback, and the same in every run; may not be absent.
 * method: sampling/createMessage, elicitation/create or roots/list; may not be absent.
 * params: a JSON object; may be absent.
 * *json: the result, the error or the capabilities, or the text of WELLHEAD_RESPONSE_INVALID; borrowed until the call is
 * answered. Absent with WELLHEAD_RESPONSE_WAITING.
 * json: may be NULL.
 * If `responder` is NULL, returns WELLHEAD_RESPONSE_WAITING and leaves *json as it is.
 * 
 * The first time there is no response yet. The callback makes its other requests, calls wellhead_method_wait and
 * returns. It runs again from its start when the client has answered, and gets the responses then. So what stands
 * before the last request runs once more each time. In 2026-07-28 the call is answered with input_required, and the
 * responses so far travel in a sealed requestState, good for this call for 10 minutes, with each instance that has the
 * key. That revision deprecates sampling and roots, which still work. In earlier revisions the server sends a request.
 * What is wrong with the arguments is logged by wellhead_method_wait. */
WELLHEAD_API uint32_t wellhead_method_require_input(wellhead_method *responder, wellhead_str name, wellhead_str method,
                                                    wellhead_str params, wellhead_str *json);

/* Answers a call whose requests by wellhead_method_require_input lack a response: the callback runs again when the
 * client has answered. If the client lacks a capability or sent a wrong requestState, it gets an error. Fails with
 * INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_method_wait(wellhead_method *responder);

/* Sends a request to the client. Keep the responder first.
 * method: sampling/createMessage, elicitation/create or roots/list; may not be absent.
 * params: a JSON object; may be absent.
 * then: called with the response; may not be NULL.
 * then_data: passed to `then`.
 * then_destroy: called once with then_data, after `then` or instead of it, also on failure; may be NULL.
 * *number: the number of the request, for wellhead_method_cancel_request.
 * number: may be NULL.
 * Fails with INVALID_ARGUMENT for other methods, for a client without the capability, and in revisions that have
 * wellhead_method_input_required instead. Fails with LIMIT while the client reads nothing, with CLOSED after the call, and
 * with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_send_request(wellhead_method *responder, wellhead_str method,
                                                          wellhead_str params, wellhead_response_callback then,
                                                          void *then_data, wellhead_destroy_callback then_destroy,
                                                          uint64_t *number);

/* Cancels a request to the client, which is notified; `then` gets WELLHEAD_RESPONSE_GIVEN_UP. Returns 1 if the response
 * had not come yet, else 0. */
WELLHEAD_API int wellhead_method_cancel_request(wellhead_method *responder, uint64_t number);

/* Returns the session of the client, to be kept beyond the call. The application frees it. Returns NULL if there is
 * none: in revision 2026-07-28, with WELLHEAD_NO_SESSIONS, in the dialect `resources/get`, and for interest and verify
 * callbacks. Any thread may call the functions of a session. */
WELLHEAD_API wellhead_session *wellhead_call_session(const wellhead_call *call);

/* Returns the id of a session, unlike that of any other session of the server. Over HTTP it is the Mcp-Session-Id,
 * which is a secret of the client; else a number. It is borrowed until the session is freed. If `session` is NULL, it
 * is absent. */
WELLHEAD_API wellhead_str wellhead_session_id(const wellhead_session *session);

/* Returns the name and version that the client gives itself, a JSON object; borrowed until the session is freed. Use it
 * for logs, not for decisions. The result is absent if the client did not send it. */
WELLHEAD_API wellhead_str wellhead_session_client(const wellhead_session *session);

/* Returns the capabilities of the client, a JSON object such as {"sampling":{}}; borrowed until the session is freed.
 * The result is absent if the client did not send them. */
WELLHEAD_API wellhead_str wellhead_session_client_capabilities(const wellhead_session *session);

/* Returns 1 if the session is over, or if `session` is NULL, else 0. */
WELLHEAD_API int wellhead_session_closed(const wellhead_session *session);

/* Sends a notification that belongs to no call: over HTTP on the stream that the client has open for these. It is not
 * sent before notifications/initialized, after the end of the session, or while the client reads nothing. A
 * notifications/message is sent only from the level on that the client has set by logging/setLevel, which is warning
 * before it sets one.
 * method: begins with notifications/; may not be absent.
 * params: a JSON object; may be absent.
 * *sent: 1 if it was sent, else 0; may be NULL.
 * Fails with INVALID_ARGUMENT for a method that is no notification, or one that the server sends by itself. Fails with
 * INVALID_ARGUMENT also for notifications/message without a level or without the capability logging. Fails with
 * INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_session_notify(const wellhead_session *session, wellhead_str method,
                                                     wellhead_str params, int *sent);

/* Sends the client a log message, a notifications/message, as wellhead_session_notify does.
 * level: from debug to emergency; may not be absent.
 * text: may be empty, but not absent.
 * logger: names the part of the application that it is from; may be absent.
 * *sent: 1 if it was sent, else 0; may be NULL.
 * Fails with INVALID_ARGUMENT if there is no such level, and if the server lacks the capability logging. Fails with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_session_log(const wellhead_session *session, wellhead_str level,
                                                  wellhead_str text, wellhead_str logger, int *sent);

/* Frees a session handle; the session itself goes on. Does nothing if `session` is NULL. */
WELLHEAD_API void wellhead_session_free(wellhead_session *session);

/* The optional members of a content block. An absent field is left out. Copied before return. */
typedef struct wellhead_content_block {
    size_t struct_size;
    wellhead_str annotations;                 /* Hints about the block: a JSON object, as in wellhead_resource. */
    /* A JSON object, sent as _meta. With a key that the protocol reserves, functions fail with INVALID_ARGUMENT. */
    wellhead_str meta;
    /* The role of the message that the block is, in the result of a prompt: user (default) or assistant. */
    wellhead_str role;
} wellhead_content_block;
#define WELLHEAD_CONTENT_BLOCK_INIT { sizeof(wellhead_content_block), {NULL, 0}, {NULL, 0}, {NULL, 0} }

/* Answers a tool's call with one text, or a prompt with one text of the user. It is copied, and may not be absent.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_text(wellhead_method *responder, wellhead_str text);

/* Answers a tool's call with structured content.
 * json: one JSON value, which is copied and may not be absent.
 * Clients get this JSON as a text, too. If the client's revision allows only objects there, another value is sent as
 * {"result":…}.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_structured(wellhead_method *responder, wellhead_str json);

/* Answers a tool's call with an error whose text the model reads: what went wrong, and what it may try instead. The
 * client gets a result with isError, and nothing is logged. For a prompt or a method it is an internal error with this
 * message. Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_method_tool_error(wellhead_method *responder, wellhead_str message);

/* Adds a text to the result of a tool, or a message to that of a prompt, as the other functions that add content do.
 * Then answer with wellhead_method_finish.
 * about: may be NULL.
 * text: copied; may not be absent.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_add_text(wellhead_method *responder, const wellhead_content_block *about,
                                                      wellhead_str text);

/* Adds an image to the result of a tool.
 * about: may be NULL.
 * bytes: as in its file; they are copied, and sent as base64; may not be absent.
 * mime_type: such as image/png; may not be absent.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_add_image(wellhead_method *responder, const wellhead_content_block *about,
                                                       wellhead_str bytes, wellhead_str mime_type);

/* Adds a sound to the result of a tool. A client whose revision has no sounds gets a line of text in its place.
 * about: may be NULL.
 * bytes: as in its file; they are copied, and sent as base64; may not be absent.
 * mime_type: such as audio/wav; may not be absent.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_add_audio(wellhead_method *responder, const wellhead_content_block *about,
                                                       wellhead_str bytes, wellhead_str mime_type);

/* Adds a link to a resource, which need not be registered, to the result of a tool. A client whose revision has no
 * links gets a line of text in its place.
 * resource: how a list shows it; may not be NULL.
 * Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_add_link(wellhead_method *responder, const wellhead_resource *resource);

/* Adds a link to a resource like wellhead_method_add_link, with the members of a content block.
 * about: may be NULL. Its annotations and its meta must be absent if `resource` has them.
 * resource: how a list shows it; may not be NULL.
 * Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_add_link_with(wellhead_method *responder,
                                                           const wellhead_content_block *about,
                                                           const wellhead_resource *resource);

/* Embeds a resource with its text in the result of a tool.
 * about: may be NULL.
 * contents: its uri, which is required, its mime_type and its meta; may not be NULL. The other fields mean nothing
 * here.
 * text: copied; may not be absent.
 * Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_add_resource_text(wellhead_method *responder,
                                                               const wellhead_content_block *about,
                                                               const wellhead_contents *contents, wellhead_str text);

/* Embeds a resource with its bytes in the result of a tool.
 * about: may be NULL.
 * contents: its uri, which is required, its mime_type and its meta; may not be NULL. The other fields mean nothing
 * here.
 * bytes: copied, and sent as base64; if absent, the resource is empty.
 * Fails with INVALID_URI, INVALID_ARGUMENT or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_add_resource_blob(wellhead_method *responder,
                                                               const wellhead_content_block *about,
                                                               const wellhead_contents *contents, wellhead_str bytes);

/* Sets the structured content of the result of a tool. If nothing else was added, the same JSON is sent as a text, too.
 * If the client's revision allows only objects there, another value is sent as {"result":…}.
 * json: one JSON value, which is copied and may not be absent.
 * Fails with INVALID_ARGUMENT, also for a prompt, or INVALID_UTF8, and then leaves the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_set_structured(wellhead_method *responder, wellhead_str json);

/* Sets the _meta of the result of a tool.
 * meta: a JSON object, which is copied and may not be absent.
 * Fails with INVALID_ARGUMENT, also for a prompt or a key that the protocol reserves, or INVALID_UTF8. Then it leaves
 * the result unchanged.
 * Thread safety: one thread at a time builds an answer. */
WELLHEAD_API wellhead_status wellhead_method_set_meta(wellhead_method *responder, wellhead_str meta);

/* Answers a call of a tool or a prompt with what was added. is_error: 1 if the tool failed and the content tells the
 * model why, else 0. Fails with INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_method_finish(wellhead_method *responder, int is_error);

/* ---- around all calls --------------------------------------------------------------------------------------------- */

/* Runs around a call of a tool, a prompt, a read or a method. It lets the call run by wellhead_next_run, or answers in
 * its place by wellhead_next_answer_instead. If it does neither, the call fails. wellhead_call_method,
 * wellhead_call_name and wellhead_call_uri tell which call it is. `call` and `next` are borrowed until the callback
 * returns. */
typedef void (*wellhead_around_callback)(void *user_data, const wellhead_call *call, wellhead_next *next);

/* Called with the answer of a call, also of one that failed or was cancelled, on the thread that answers. It may
 * replace the answer by the wellhead_outcome_set_ functions. `call` and `outcome` are borrowed until the callback
 * returns. */
typedef void (*wellhead_after_callback)(void *after_data, const wellhead_call *call, wellhead_outcome *outcome);

/* Adds an around callback, which runs around each callback of a tool, a prompt, a read or a method, on the same thread.
 * Around callbacks nest in the order in which they are added; the first is the outermost. None runs around fixed
 * contents and folders. When wellhead_method_require_input has a callback run again, its around callbacks run again,
 * too.
 * around: may not be NULL.
 * user_data: passed to `around`.
 * destroy: called once with user_data, after the last call, also on failure; may be NULL.
 * Fails with INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_around(wellhead_server *server, wellhead_around_callback around,
                                                    void *user_data, wellhead_destroy_callback destroy,
                                                    wellhead_error **error);

/* Runs the next around callback, or, if there is none, the callback of the call, which may answer later.
 * after: called with the answer; may be NULL.
 * after_data: passed to `after`.
 * destroy: called once with after_data, after the last use of it, also on failure; may be NULL.
 * Fails with INVALID_ARGUMENT if the call ran already, or was answered in its place. */
WELLHEAD_API wellhead_status wellhead_next_run(wellhead_next *next, wellhead_after_callback after, void *after_data,
                                               wellhead_destroy_callback destroy);

/* Replaces the arguments of a tool or a prompt, for the inner around callbacks and for the callback. They are checked
 * as those of the client were, and defaults are filled in.
 * arguments: a JSON object; may not be absent.
 * Fails with INVALID_ARGUMENT if the arguments break the schema of the tool or lack what the prompt requires, for other
 * calls, and if the call ran already. Fails with INVALID_UTF8, and with CLOSED if the call is over. On failure the
 * arguments stay as they were. */
WELLHEAD_API wellhead_status wellhead_next_set_arguments(wellhead_next *next, wellhead_str arguments,
                                                         wellhead_error **error);

/* Answers in place of the callback, which does not run. Returns the answer, for a wellhead_outcome_set_ function to
 * set; if none sets it, the call fails. The answer is borrowed until the around callback returns. Returns NULL if the
 * call ran already. */
WELLHEAD_API wellhead_outcome *wellhead_next_answer_instead(wellhead_next *next);

/* Returns the kind of the answer: found, not_found, denied, not_modified, busy, input_required, waiting, invalid_state,
 * missing_capability, result, error or failed. Later versions may add words. */
WELLHEAD_API wellhead_str wellhead_outcome_name(const wellhead_outcome *outcome);

/* Returns the result of a tool, a prompt or a method, a JSON object. That of a tool has `content`. It is absent for
 * other answers, and borrowed until the callback returns. */
WELLHEAD_API wellhead_str wellhead_outcome_result(const wellhead_outcome *outcome);

/* Returns the text that a read found. It is absent for other answers, for bytes, and for contents of several elements.
 * It is borrowed until the callback returns. */
WELLHEAD_API wellhead_str wellhead_outcome_text(const wellhead_outcome *outcome);

/* Sets the result of a tool, a prompt or a method. result: a JSON object, which is copied and may not be absent. Fails
 * with INVALID_ARGUMENT, also for a read, or with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_outcome_set_result(wellhead_outcome *outcome, wellhead_str result);

/* Sets one text, which is copied and may not be absent. For a read it is what the read found, whose other details stay.
 * For a tool it is the result, and for a prompt a message of the user. Fails with INVALID_ARGUMENT, also for a method,
 * or with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_outcome_set_text(wellhead_outcome *outcome, wellhead_str text);

/* Sets an error of a tool.
 * message: the text that the model reads, as in wellhead_method_tool_error; may not be absent.
 * Fails with INVALID_ARGUMENT, also for a read, or with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_outcome_set_tool_error(wellhead_outcome *outcome, wellhead_str message);

/* Sets an error of a tool, a prompt or a method.
 * rpc_code: a code of JSON-RPC 2.0 section 5.1, or the application's own.
 * message: may not be absent.
 * data: a JSON object; may be absent.
 * Fails with INVALID_ARGUMENT, also for a read, or with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_outcome_set_error(wellhead_outcome *outcome, int32_t rpc_code,
                                                        wellhead_str message, wellhead_str data);

/* Sets the answer of a read to "not found". Fails with INVALID_ARGUMENT for other calls. */
WELLHEAD_API wellhead_status wellhead_outcome_set_not_found(wellhead_outcome *outcome);

/* Sets the answer of a read to "permission denied". Fails with INVALID_ARGUMENT for other calls. */
WELLHEAD_API wellhead_status wellhead_outcome_set_denied(wellhead_outcome *outcome);

/* Makes the call fail: the client gets "internal error", or for a tool a result with isError and the text "The tool
 * failed". `why` is logged, and not sent to the client; it may be absent. Fails with INVALID_ARGUMENT, or with
 * INVALID_UTF8; the call fails then, too. */
WELLHEAD_API wellhead_status wellhead_outcome_set_failed(wellhead_outcome *outcome, wellhead_str why);

/* ---- updates ------------------------------------------------------------------------------------------------------ */

/* Notifies subscribers that the resource at `uri` changed. Does not block. On this thread, before it returns, it calls
 * `wake` of connections and endpoints and the function of wellhead_server_set_publish, and no other callback: hold no
 * lock that these take. Returns OK also if there is no subscriber. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_notify_updated(wellhead_server *server, wellhead_str uri,
                                                            wellhead_error **error);

/* Notifies subscribers that a resource changed, with its new version. resource: may not be NULL; its uri is required. A
 * registered resource keeps that version; its other fields, and lists, stay as they are. It calls the same callbacks as
 * wellhead_server_notify_updated. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_notify_updated_with_resource(wellhead_server *server,
                                                                          const wellhead_resource *resource,
                                                                          wellhead_error **error);

/* Notifies subscribers of `parent` that the resource at `uri` below it changed. Subscribers of `uri` are notified by
 * wellhead_server_notify_updated; a subscriber of both is notified once. When more than 16 such changes wait for one
 * client, it gets one notification for `parent` instead. It calls the same callbacks as wellhead_server_notify_updated.
 * Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_notify_sub_resource_updated(wellhead_server *server, wellhead_str uri,
                                                                         wellhead_str parent, wellhead_error **error);

/* Reviews the subscriptions of the caller with the id `caller_id`, which may not be absent, after its rights changed:
 * `authorize` decides about them again, many URIs at once, and those that are refused end. Without
 * wellhead_server_set_authorize nothing is reviewed here, and other instances get the change. It calls the same callbacks
 * as wellhead_server_notify_updated. Returns OK also for an unknown caller. Fails with INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_access_changed(wellhead_server *server, wellhead_str caller_id,
                                                            wellhead_error **error);

/* Notifies clients that the list of resources changed. Adding and removing registrations does so by itself. It calls
 * the same callbacks as wellhead_server_notify_updated. Fails with CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_notify_resource_list_changed(wellhead_server *server,
                                                                          wellhead_error **error);

/* Carries a change to other instances of the service. event: one JSON object, borrowed until the callback returns. Called on
 * the thread that reports the change, inside the function that reports it. */
typedef void (*wellhead_publish_callback)(void *user_data, const wellhead_str *event);

/* Sets the callback that carries changes to other instances, for example by a pub/sub system. They pass each event to
 * wellhead_server_inject. It replaces an earlier one. Changes by registering, removing and setting are not published,
 * and neither are injected ones.
 * publish: may not be NULL.
 * user_data: passed to `publish`.
 * destroy: called once with user_data, after the last event, also on failure; may be NULL.
 * Fails with INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_set_publish(wellhead_server *server, wellhead_publish_callback publish,
                                                         void *user_data, wellhead_destroy_callback destroy,
                                                         wellhead_error **error);

/* Takes a change that another instance published, and notifies clients of this one. Does not block, and calls back only
 * `wake`. *applied: 0 for an event that this instance published, and for an unknown kind of change; else 1. applied:
 * may be NULL. Fails with INVALID_ARGUMENT for a text that is no event, and with INVALID_URI, INVALID_UTF8 or
 * CLOSED. */
WELLHEAD_API wellhead_status wellhead_server_inject(wellhead_server *server, wellhead_str event, int *applied,
                                                    wellhead_error **error);

/* ---- URIs --------------------------------------------------------------------------------------------------------- */

#define WELLHEAD_VALUE_LIST 1                 /* The value is an element of a list, even if it is the only one. */

/* A value for a variable of a template, for wellhead_expand. Several values of one name, in the order of the array, are a
 * list. Several values with keys are the pairs of an associative array (RFC 6570 section 2.3). */
typedef struct wellhead_value {
    wellhead_str name;                        /* The name of the variable; required. */
    wellhead_str key;                         /* The name of the pair. If it is absent, the value is no pair. */
    wellhead_str value;                       /* The value, not encoded; required. */
    uint32_t flags;                           /* WELLHEAD_VALUE_LIST or 0. */
} wellhead_value;

/* Expands an RFC 6570 template, levels 1 to 4, to a URI. Variables without a value are left out; values of other names
 * are ignored. values: copied; may be NULL if value_count is 0. The application frees the result. Returns NULL if it
 * fails with INVALID_TEMPLATE, INVALID_UTF8 or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_text *wellhead_expand(wellhead_str uri_template, const wellhead_value *values,
                                            size_t value_count, wellhead_error **error);

/* Explains which registration serves a URI, and why each other template does not. Calls no callback. Returns JSON,
 * which the application frees: {"uri":…,"takenBy":…,"passedOver":[…]}. Returns NULL if it fails with INVALID_UTF8 or
 * INVALID_ARGUMENT. */
WELLHEAD_API wellhead_text *wellhead_server_explain(wellhead_server *server, wellhead_str uri, wellhead_error **error);

/* ---- connection: bytes in, bytes out ------------------------------------------------------------------------------ */

/* For an application with a loop of its own. The loop runs this after reading, and when `wake` was called (in the loop,
 * not inside `wake`), and at the time that wellhead_connection_poll_timeout returns:
 *
 *   wellhead_connection_tick(c, now_ms);                          // before each poll, or no call times out
 *   wellhead_connection_receive(c, input, &taken, NULL);          // after reading; keep the bytes that were not taken
 *   while (wellhead_connection_poll_event(c, 64) == 64) {}        // runs callbacks
 *   while ((t = wellhead_connection_poll_transmit(c, 65536)) != NULL) {
 *       send(wellhead_transmit_bytes(t));                         // with MSG_NOSIGNAL, or with SIGPIPE ignored
 *       wellhead_transmit_free(t);
 *   }
 *   if (wellhead_connection_finished(c)) wellhead_connection_free(c);
 *
 * ffi/examples/loop.c does so with poll, and ffi/examples/uv.c with libuv.
 */

/* Options of a connection. Zero, NULL or absent in a field means its default. */
typedef struct wellhead_connection_options {
    size_t struct_size;
    /* Called when there may be something new to poll, on any thread, also for nothing, until wellhead_connection_free
     * returns. It makes the loop of the application call the functions of this connection. Itself it may call only
     * wellhead_connection_free. May be NULL for an application that polls after each receive and never answers
     * later. */
    wellhead_wake_callback wake;
    void *wake_data;                          /* Passed to `wake`. */
    /* Called once with wake_data, after the last `wake` and before wellhead_connection_free returns; also if no connection
     * is made. May be NULL. */
    wellhead_destroy_callback wake_destroy;
    /* The caller that the connection speaks for: a pointer of the application, which wellhead_call_caller returns. */
    void *caller;
    /* Called once with caller, after the last call; also if no connection is made. May be NULL. */
    wellhead_destroy_callback caller_destroy;
    /* The id of the caller, stable bytes. A cursor of one id is invalid for another. If it is absent, the caller has no
     * id. */
    wellhead_str caller_id;
    /* The type of `caller`, for wellhead_call_typed_caller: any address in the program, which is compared and never read.
     * May be NULL. */
    const void *caller_type;
} wellhead_connection_options;
#define WELLHEAD_CONNECTION_OPTIONS_INIT { sizeof(wellhead_connection_options), NULL, NULL, NULL, NULL, NULL, {NULL, 0}, NULL }

/* Makes a connection to a client. options: may be NULL. The application frees the connection. Returns NULL if it fails
 * with INVALID_ARGUMENT. */
WELLHEAD_API wellhead_connection *wellhead_connection_new(wellhead_server *server,
                                                          const wellhead_connection_options *options,
                                                          wellhead_error **error);

/* Buffers input, which is copied: newline-delimited messages, split anywhere. *taken: the number of bytes that were
 * accepted. If it is less than given, stop reading until `wake`, then pass the rest again. taken: may not be NULL.
 * Fails with CLOSED, FORKED or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_connection_receive(wellhead_connection *connection, wellhead_str bytes,
                                                         size_t *taken, wellhead_error **error);

/* Ends the input, as at the end of a file. A last line without a newline still counts. Requests in flight are still
 * answered: go on to poll until wellhead_connection_finished. A second call does nothing. */
WELLHEAD_API void wellhead_connection_end(wellhead_connection *connection);

/* Handles input and runs at most `max` callbacks on this thread. Returns how many it ran. If that is less than `max`,
 * nothing is left to run, so send the output. Returns 0 inside a callback of this connection. */
WELLHEAD_API size_t wellhead_connection_poll_event(wellhead_connection *connection, size_t max);

/* Returns the next piece of output, at most about `max` bytes; a `max` of 0 counts as 1. The application frees it.
 * Returns NULL if there is no output, or if the piece before is not freed yet. Send all of it, free it, and call this
 * again until it returns NULL. */
WELLHEAD_API wellhead_transmit *wellhead_connection_poll_transmit(wellhead_connection *connection, size_t max);

/* Returns the bytes of a piece of output, borrowed until it is freed. If `transmit` is NULL, the string is absent. */
WELLHEAD_API wellhead_str wellhead_transmit_bytes(const wellhead_transmit *transmit);

/* Frees a piece of output that was sent, or that cannot be sent. May come after its connection is freed. Does nothing
 * if `transmit` is NULL. */
WELLHEAD_API void wellhead_transmit_free(wellhead_transmit *transmit);

/* Returns the time by which to call wellhead_connection_tick, in milliseconds of its clock. Returns UINT64_MAX if there
 * is no deadline, or if `connection` is NULL. */
WELLHEAD_API uint64_t wellhead_connection_poll_timeout(const wellhead_connection *connection);

/* Advances the clock of the connection. now_ms: milliseconds of a monotonic clock of the application. Calls that are not
 * answered within call_ms become internal errors. A call starts at the time of the last tick, at first 0. So call this
 * before each poll, or a call that comes after a pause seems older than it is. */
WELLHEAD_API void wellhead_connection_tick(wellhead_connection *connection, uint64_t now_ms);

/* Returns 1 if the connection is ended or closed, and nothing is left to poll, answer or send. Returns 1 also if
 * `connection` is NULL, else 0. */
WELLHEAD_API int wellhead_connection_finished(const wellhead_connection *connection);

/* Closes the connection: drops calls in flight and output that is not sent. Later functions return CLOSED or do nothing. */
WELLHEAD_API void wellhead_connection_close(wellhead_connection *connection);

/* Closes the connection and frees it. Waits while `wake` runs on another thread. When it returns, `wake` is not called
 * again, and `wake_destroy` has run. In a child, it does nothing with a connection that was made before
 * the fork: its memory stays, and no destroy function runs. Does nothing if `connection` is NULL. */
WELLHEAD_API void wellhead_connection_free(wellhead_connection *connection);

/* Handles one message apart from other input and output, and runs callbacks on this thread. Blocks until kept
 * responders are answered, at most `timeout_ms` milliseconds; then the answer is an internal error. *answer: for the
 * application to free; NULL if the message has no answer, such as a notification. answer: may not be NULL. Fails with
 * CLOSED, FORKED or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_connection_handle(wellhead_connection *connection, wellhead_str message,
                                                        uint32_t timeout_ms, wellhead_transmit **answer,
                                                        wellhead_error **error);

/* ---- stdio -------------------------------------------------------------------------------------------------------- */

/* Instead of a number of callback threads: run callbacks on the threads that read. For stdio that is the thread that calls
 * wellhead_serve_stdio, for HTTP the `io_threads`. Other clients wait meanwhile, so callbacks must be quick. Over stdio
 * `exists` and the like run on that thread then, too: some languages can run code on one thread only. */
#define WELLHEAD_CALLBACKS_INLINE (-1)
/* Leave descriptors 0 and 1 as they are. By default they point to the null device and to standard error during the service.
 * So a stray printf cannot corrupt the output, and a child process cannot read the input. */
#define WELLHEAD_STDIO_KEEP_STDOUT 1
/* End the service cleanly on SIGTERM. By default no signal handler is installed. */
#define WELLHEAD_STDIO_HANDLE_SIGTERM 2

/* Options of the stdio driver. Zero in a field means its default. */
typedef struct wellhead_stdio_options {
    size_t struct_size;
    /* The number of threads that run callbacks, the calling thread among them, at most 1,024. Or
     * WELLHEAD_CALLBACKS_INLINE. Default: 1. */
    int32_t callback_threads;
    /* The time that calls in flight may take after the end of input, in milliseconds. Default: 5,000. Give 1 for almost
     * no time. A callback that runs is waited for in any case: its thread cannot be ended. */
    uint32_t shutdown_ms;
    /* Any of WELLHEAD_STDIO_KEEP_STDOUT and WELLHEAD_STDIO_HANDLE_SIGTERM. */
    uint32_t flags;
} wellhead_stdio_options;
#define WELLHEAD_STDIO_OPTIONS_INIT { sizeof(wellhead_stdio_options), 0, 0, 0 }

/* Serves standard input and output. Blocks until the client is gone, the pipe breaks or wellhead_server_close is
 * called, and then returns OK. options: may be NULL. A process serves one client at a time this way. By default
 * callbacks run on this thread, one at a time, and two more threads read and write. While a callback runs, these two
 * answer requests that need none, such as ping and reads of fixed contents. Ignores SIGPIPE during the service if it
 * had its default action; the last service of the process restores that. Fails with IO if standard input or output
 * cannot be served, and with CLOSED or INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_serve_stdio(wellhead_server *server, const wellhead_stdio_options *options,
                                                  wellhead_error **error);

/* ---- a client for tests ------------------------------------------------------------------------------------------- */

/* A client in memory, for the tests of an application. Its functions run callbacks on the thread that calls them, and
 * block until kept responders are answered. Thread safety: one thread at a time uses a client; callbacks that it runs must
 * not use it. */

/* Answers a request of the server to the client, such as sampling/createMessage, elicitation/create or roots/list.
 * Called on the thread that uses the client, inside its function. It is also called for each of the inputRequests that
 * a read, a tool or a prompt needs: the client then repeats its request with the answers. params: a JSON object; {} if
 * there are none. Answer with one of the wellhead_test_request_ functions before the callback returns; without an
 * answer the server gets an internal error. All arguments are borrowed until the callback returns. The callback must
 * not use the client. */
typedef void (*wellhead_test_request_callback)(void *user_data, const wellhead_str *method, const wellhead_str *params,
                                               wellhead_test_request *request);

/* Answers a request that came from the server with a result, a JSON object. request: valid only while the callback runs
 * that has it as an argument. Fails with INVALID_ARGUMENT if the request was answered already or the result is no JSON
 * object, and with INVALID_UTF8 if the result is not UTF-8. */
WELLHEAD_API wellhead_status wellhead_test_request_result(wellhead_test_request *request, wellhead_str result);

/* Answers a request of the server with an error: a JSON-RPC code, a message, and data, a JSON object that may be absent.
 * request: valid only inside its callback. Fails with INVALID_ARGUMENT if the request was answered already or the data
 * is no JSON object, and with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_test_request_error(wellhead_test_request *request, int32_t rpc_code,
                                                         wellhead_str message, wellhead_str data);

/* Answers a request of the server with an internal error whose message is `why`, which may not be absent. request: valid
 * only inside its callback. Fails with INVALID_ARGUMENT if the request was answered already, and with INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_test_request_failed(wellhead_test_request *request, wellhead_str why);

/* Options of a client in memory. Zero or NULL in a field means its default. */
typedef struct wellhead_test_options {
    size_t struct_size;
    /* The revision of MCP that the client speaks, by its date. Default: the newest of the handshake era that the
     * server serves, else the newest. */
    wellhead_str revision;
    /* The capabilities of the client: a JSON object, such as {"sampling":{}}. Default: {}. */
    wellhead_str capabilities;
    /* The caller that the client speaks for, as in wellhead_connection_options. */
    void *caller;
    /* Called once, after the last call; also if no client is made. May be NULL. */
    wellhead_destroy_callback caller_destroy;
    wellhead_str caller_id;                   /* The id of the caller, as in wellhead_connection_options. */
    /* The type of `caller`, as in wellhead_connection_options. May be NULL. */
    const void *caller_type;
    /* Answers requests of the server. If it is NULL, the client answers each with "Method not found". */
    wellhead_test_request_callback on_request;
    void *on_request_data;                    /* Passed to `on_request`. */
    /* Called once with on_request_data, after the last `on_request`; also if no client is made. May be NULL. */
    wellhead_destroy_callback on_request_destroy;
} wellhead_test_options;
#define WELLHEAD_TEST_OPTIONS_INIT { sizeof(wellhead_test_options), {NULL, 0}, {NULL, 0}, NULL, NULL, {NULL, 0}, NULL, NULL, NULL, NULL }

/* Makes a client of a server, which may not be NULL, and shakes hands with it. The application frees the client.
 * Returns NULL if it fails with INVALID_ARGUMENT or CLOSED. */
WELLHEAD_API wellhead_test_client *wellhead_test_client_new(wellhead_server *server, wellhead_error **error);

/* Makes a client with a choice of its revision, capabilities and caller, and shakes hands. The application frees the
 * client. options: may be NULL. Returns NULL if it fails with CLOSED, INVALID_UTF8 or INVALID_ARGUMENT, also for a
 * revision that the server does not serve. */
WELLHEAD_API wellhead_test_client *wellhead_test_client_new_with(wellhead_server *server,
                                                                 const wellhead_test_options *options,
                                                                 wellhead_error **error);

/* Closes the client and frees it. Does nothing if `client` is NULL. */
WELLHEAD_API void wellhead_test_client_free(wellhead_test_client *client);

/* Lists all resources, page by page.
 * *count: the number of resources, for wellhead_test_client_listed.
 * count: may be NULL.
 * Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
 * answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_test_client_list(wellhead_test_client *client, size_t *count,
                                                       wellhead_error **error);

/* Returns the URI at `index` that the latest wellhead_test_client_list found, borrowed until the next call of
 * wellhead_test_client_list. It is absent if the index is not below the count. */
WELLHEAD_API wellhead_str wellhead_test_client_listed(const wellhead_test_client *client, size_t index);

/* Lists all templates, page by page.
 * *count: the number of templates, for wellhead_test_client_template.
 * count: may be NULL.
 * Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
 * answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_test_client_templates(wellhead_test_client *client, size_t *count,
                                                            wellhead_error **error);

/* Returns the text of the template at `index` that the latest wellhead_test_client_templates found, borrowed until the
 * next call of wellhead_test_client_templates. It is absent if the index is not below the count. */
WELLHEAD_API wellhead_str wellhead_test_client_template(const wellhead_test_client *client, size_t index);

/* Calls a tool. Returns the result as JSON, which the application frees. A result with isError is no failure.
 * name: may not be absent.
 * arguments: a JSON object; {} if absent.
 * Returns NULL on failure. Fails with RESPONSE if the server answers with an error, whose code and message are in
 * `error`. Fails with LIMIT if no answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_text *wellhead_test_client_call_tool(wellhead_test_client *client, wellhead_str name,
                                                           wellhead_str arguments, wellhead_error **error);

/* Gets a prompt. Returns the result as JSON, which the application frees.
 * name: may not be absent.
 * arguments: a JSON object; {} if absent.
 * Returns NULL on failure. Fails with RESPONSE if the server answers with an error, whose code and message are in
 * `error`. Fails with LIMIT if no answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_text *wellhead_test_client_get_prompt(wellhead_test_client *client, wellhead_str name,
                                                            wellhead_str arguments, wellhead_error **error);

/* Completes a variable of a template or an argument of a prompt.
 * reference: the text of the template, or the name of the prompt; may not be absent.
 * argument: the name of the variable or the argument; may not be absent.
 * value: the part that is typed so far; may not be absent.
 * *count: the number of values, for wellhead_test_client_completed.
 * count: may be NULL.
 * Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
 * answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_test_client_complete(wellhead_test_client *client, wellhead_str reference,
                                                           wellhead_str argument, wellhead_str value, size_t *count,
                                                           wellhead_error **error);

/* Returns the value at `index` that the latest wellhead_test_client_complete found, borrowed until the next call of
 * wellhead_test_client_complete. It is absent if the index is not below the count. */
WELLHEAD_API wellhead_str wellhead_test_client_completed(const wellhead_test_client *client, size_t index);

/* Reads a resource.
 * uri: may not be absent.
 * *body: the text or the decoded bytes of the first of its contents; absent if there are none. It is borrowed until the
 * next call of wellhead_test_client_read.
 * body: may be NULL.
 * Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
 * answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_test_client_read(wellhead_test_client *client, wellhead_str uri,
                                                       wellhead_str *body, wellhead_error **error);

/* Subscribes to updates of a resource.
 * uri: may not be absent.
 * Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
 * answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_test_client_subscribe(wellhead_test_client *client, wellhead_str uri,
                                                            wellhead_error **error);

/* Ends the subscription to updates of a resource.
 * uri: may not be absent.
 * Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
 * answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_status wellhead_test_client_unsubscribe(wellhead_test_client *client, wellhead_str uri,
                                                              wellhead_error **error);

/* Blocks until a resource that the client subscribed to is updated, at most 20 seconds. *uri: its URI, borrowed until
 * the next call of this function. uri: may be NULL. Fails with LIMIT if no update comes in time, and with CLOSED or
 * INVALID_ARGUMENT. */
WELLHEAD_API wellhead_status wellhead_test_client_next_update(wellhead_test_client *client, wellhead_str *uri,
                                                              wellhead_error **error);

/* Returns the number of notifications about changes of the list of resources that came since the last call of this
 * function. Does not block. */
WELLHEAD_API size_t wellhead_test_client_list_changes(wellhead_test_client *client);

/* Sends a request and blocks until it is answered, at most 20 seconds. Returns the result as JSON, which the
 * application frees.
 * method: may not be absent.
 * params: a JSON object; {} if absent.
 * Returns NULL on failure. Fails with RESPONSE if the server answers with an error, whose code and message are in
 * `error`. Fails with LIMIT if no answer comes in time, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED. */
WELLHEAD_API wellhead_text *wellhead_test_client_request(wellhead_test_client *client, wellhead_str method,
                                                         wellhead_str params, wellhead_error **error);

#ifdef __cplusplus
}
#endif
#endif
