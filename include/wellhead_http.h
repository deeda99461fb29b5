/* wellhead_http.h - Streamable HTTP for wellhead.h. Written by `make header`; do not edit.
 *
 *   wellhead_serve_http(server, WELLHEAD_STR("127.0.0.1:8000"), NULL, NULL);    // until the server is closed
 *
 * or the same rules for a program that has an HTTP server of its own. For each request:
 *
 *   wellhead_exchange *x = wellhead_exchange_new(endpoint, &request, now, ready, my_request, NULL, NULL);
 *   for (;;)
 *       switch (wellhead_exchange_poll(x, now)) {
 *       case WELLHEAD_PROGRESS_BODY:                       // read on, up to wellhead_exchange_poll_timeout(x)
 *           wellhead_exchange_body(x, bytes);              // each time that some came
 *           wellhead_exchange_end(x, now);                 // once, when all of it did
 *           break;
 *       case WELLHEAD_PROGRESS_RESPOND: send_head(wellhead_exchange_response(x)); break;
 *       case WELLHEAD_PROGRESS_DATA: send(wellhead_exchange_data(x)); break;
 *       case WELLHEAD_PROGRESS_WAIT: wait_for_ready_or(wellhead_exchange_poll_timeout(x)); break;
 *       default: wellhead_exchange_free(x); return;        // also when the client is gone
 *       }
 *
 * and, beside that, when `wake` says so and at wellhead_endpoint_poll_timeout(endpoint):
 *
 *   wellhead_endpoint_tick(endpoint, now);
 *   while (wellhead_endpoint_poll_event(endpoint, 64) == 64) {}                 // runs callbacks, calls `ready`
 *
 * ffi/examples/microhttpd.c does so with GNU libmicrohttpd. Every revision that has this transport is served at once; with
 * which status, and in which form, the transport pages of 2025-03-26 to 2026-07-28 say.
 *
 * Ownership, callbacks, threads, errors and growth are as wellhead.h says.
 */
#ifndef WELLHEAD_HTTP_H
#define WELLHEAD_HTTP_H

#include <wellhead.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wellhead_endpoint wellhead_endpoint;
typedef struct wellhead_exchange wellhead_exchange;     /* one request and its response */
typedef struct wellhead_verify wellhead_verify;         /* responder of a question about a token */

/* ---- bearer tokens ------------------------------------------------------------------------------------------------ */

/* A token is a question before the body of its request. It is answered as the questions of wellhead.h are: once, now or
 * later. */

/* What a good token is good for. */
typedef struct wellhead_grant {
    size_t struct_size;
    /* The caller in stable bytes. Sessions, cursors and streams belong to it: give each principal one of its own. */
    wellhead_str caller_id;
    /* For whom the request speaks: the host's own, handed to callbacks by wellhead_call_caller. */
    void *caller;
    /* Called once, after the last call; also when the answer is refused. May be NULL. */
    wellhead_destroy_callback caller_destroy;
    /* Whom the token was issued for, such as its `aud`. An endpoint with a `resource` refuses tokens that do not name it. */
    const wellhead_str *audience;
    size_t audience_count;
    const wellhead_str *scopes;               /* The scopes of the token, with those that they imply. */
    size_t scope_count;
    /* In how many milliseconds it expires: streams of changes that it opened end then. NULL: never. */
    const uint64_t *expires_in_ms;
    /* Names the type of `caller`, as in wellhead_connection_options. May be NULL. */
    const void *caller_type;
} wellhead_grant;
#define WELLHEAD_GRANT_INIT { sizeof(wellhead_grant), {NULL, 0}, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL }

/* What clients are told of an endpoint that asks for tokens: RFC 6750, RFC 9728. All absent is for tokens that people hand
 * out by themselves: nothing is told, and no audience compared. */
typedef struct wellhead_protection {
    size_t struct_size;
    /* The URL by which clients know the endpoint, such as https://example.com/mcp: the audience of tokens for it. */
    wellhead_str resource;
    /* Who issues tokens, URLs; with `resource` at least one. Both are served as metadata at the well-known places. */
    const wellhead_str *authorization_servers;
    size_t authorization_server_count;
    /* The scopes that every request needs: a token without them gets a 403. */
    const wellhead_str *scopes;
    size_t scope_count;
} wellhead_protection;
#define WELLHEAD_PROTECTION_INIT { sizeof(wellhead_protection), {NULL, 0}, NULL, 0, NULL, 0 }

/* Of a token: the value of a header field of its request, in whichever case its name is written. Mcp-Method and Mcp-Name
 * say what a client of 2026-07-28 is about to do, for hosts that ask for scopes by that. Absent: it is not there, came more
 * than once, or is no text. */
WELLHEAD_API wellhead_str wellhead_call_header(const wellhead_call *call, const char *name);

/* As wellhead_read_keep. Thread safety: only inside the callback. */
WELLHEAD_API wellhead_verify *wellhead_verify_keep(wellhead_verify *responder);

/* The call of a kept responder; borrowed until the answer. */
WELLHEAD_API const wellhead_call *wellhead_verify_call(const wellhead_verify *responder);

/* Gives up a kept responder unanswered, as wellhead_verify_failed does. */
WELLHEAD_API void wellhead_verify_free(wellhead_verify *responder);

/* Answers that the token is good, for this. */
WELLHEAD_API wellhead_status wellhead_verify_granted(wellhead_verify *responder, const wellhead_grant *grant);

/* Answers that it is not, or not any more: the client gets a 401 and may come back with another. */
WELLHEAD_API wellhead_status wellhead_verify_refused(wellhead_verify *responder);

/* Answers that it is good, but not for this request, which needs all of these scopes: a 403 that names them. */
WELLHEAD_API wellhead_status wellhead_verify_insufficient_scope(wellhead_verify *responder, const wellhead_str *scopes,
                                                                size_t scope_count);

/* Answers that nobody can tell now: a 500. `why` goes to the log, not to the client. */
WELLHEAD_API wellhead_status wellhead_verify_failed(wellhead_verify *responder, wellhead_str why);

/* ---- what an endpoint answers to ---------------------------------------------------------------------------------- */

/* The endpoint can be reached from elsewhere: any Host is answered, unless allowed_hosts says which. Without it, Host,
 * and Origin where there is one, must name this machine, against DNS rebinding. wellhead_serve_http knows that by its
 * address. */
#define WELLHEAD_NOT_LOOPBACK_ONLY 1
#define WELLHEAD_NO_DELETE 2                  /* Clients may not end their session with DELETE. */
/* Refuse requests whose Accept lacks one of the two types that clients have to accept. */
#define WELLHEAD_STRICT_ACCEPT 4
/* Let pages of the allowed origins read the answers (CORS, WHATWG Fetch): they may ask beforehand with OPTIONS. */
#define WELLHEAD_CORS 8
/* Clients of the handshake era get no session: each of their requests stands for itself, any instance answers it, and they
 * are told of no changes. */
#define WELLHEAD_NO_SESSIONS 16

/* Verifies the bearer token of a request, also inside a session, before the rest of the request is read. token: as it came;
 * borrowed as long as the call. Pass it on to its issuer only. wellhead_call_header returns fields of the request. Answer
 * with one of the wellhead_verify_ functions; as with wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_verify_callback)(void *verify_data, const wellhead_call *call, wellhead_str token,
                                         wellhead_verify *responder);

/* What an endpoint is made from; everything has a default. */
typedef struct wellhead_endpoint_options {
    size_t struct_size;
    wellhead_str path;                        /* The path that clients POST to; absent: /mcp */
    /* WELLHEAD_NOT_LOOPBACK_ONLY, WELLHEAD_NO_DELETE, WELLHEAD_STRICT_ACCEPT, WELLHEAD_CORS, WELLHEAD_NO_SESSIONS */
    uint32_t flags;
    /* Origins whose pages may ask, scheme://host[:port], beside those of this machine where the endpoint is bound to it. "*"
     * allows any, "*." before the domain any subdomain. INVALID_ARGUMENT for one that no request can match. */
    const wellhead_str *allowed_origins;
    size_t allowed_origin_count;
    /* Names that the endpoint goes by, with or without a port; none: any, unless it is bound to a loopback address. "*"
     * allows any, "*.example.com" any subdomain. INVALID_ARGUMENT for one that no request can match. */
    const wellhead_str *allowed_hosts;
    size_t allowed_host_count;
    /* How long a session lives that nobody uses, in milliseconds; 0: 3,600,000 */
    uint64_t session_ms;
    /* After how many milliseconds of silence a stream gets a comment; 0: 15,000 */
    uint64_t keep_alive_ms;
    uint64_t body_ms;                         /* How long a body may take to arrive, in milliseconds; 0: 30,000 */
    /* How long a head may take, in milliseconds, kept by wellhead_serve_http; 0: 10,000 */
    uint64_t head_ms;
    /* How long a client's connection is kept that asks nothing, or takes nothing of its answer, in milliseconds, by
     * wellhead_serve_http; 0: 60,000 */
    uint64_t idle_ms;
    /* How many bytes of events a session keeps for clients that come back after their stream broke; NULL: 1 MiB */
    const size_t *replay_bytes;
    /* Judges the bearer token of each request, also inside a session, before anything else of it is read; wellhead_call_header
     * tells about the request. The callback answers before it returns, or keeps the responder and answers later. token: as it
     * came; it lives as long as the call. Never send it on to anybody but who issued it. NULL: no token is asked for. */
    wellhead_verify_callback verify;
    void *verify_data;
    /* Called once, after the last verify, also when no endpoint is made. May be NULL. */
    wellhead_destroy_callback verify_destroy;
    const wellhead_protection *protection;    /* What clients are told of that; NULL: nothing. */
    /* How many sessions there are at most; who would begin one more is told that the server is busy. 0: 10,000 */
    size_t session_limit;
} wellhead_endpoint_options;
#define WELLHEAD_ENDPOINT_OPTIONS_INIT { sizeof(wellhead_endpoint_options), {NULL, 0}, 0, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0 }

/* ---- the native listener ------------------------------------------------------------------------------------------ */

/* SIGTERM closes the server, and has no effect any more afterwards. Without it no signal handler is installed. */
#define WELLHEAD_HTTP_HANDLE_SIGTERM 1

/* Tells the address that is listened on, with the port that the system chose if it was asked for port 0. address: borrowed
 * until the callback returns. Called once, on the thread of wellhead_serve_http, before the first request is accepted. */
typedef void (*wellhead_bound_callback)(void *bound_data, wellhead_str address);

/* How HTTP is served; everything has a default. */
typedef struct wellhead_http_options {
    size_t struct_size;
    const wellhead_endpoint_options *endpoint; /* NULL: all defaults. */
    /* 0: the caller's; N: so many, the caller's among them; WELLHEAD_CALLBACKS_INLINE: those of the network, without a
     * hop, for hosts whose callbacks are quick */
    int32_t callback_threads;
    uint32_t io_threads;                      /* How many threads read and write, at most 1024; 0: 1 */
    size_t connections;                       /* How many connections are open at once, further ones wait; 0: 10,000 */
    /* How long answers under way may take after the server was closed, in milliseconds; 0: 5,000 */
    uint32_t drain_ms;
    uint32_t flags;                           /* WELLHEAD_HTTP_HANDLE_SIGTERM */
    /* Called once on this thread, before the first request is taken: the address, with the port that the system chose if
     * it was asked for 0; borrowed until it returns. May be NULL. */
    wellhead_bound_callback bound;
    void *bound_data;
} wellhead_http_options;
#define WELLHEAD_HTTP_OPTIONS_INIT { sizeof(wellhead_http_options), NULL, 0, 0, 0, 0, 0, NULL, NULL }

/* Serves Streamable HTTP (HTTP/1.1, and HTTP/2 with prior knowledge) on an address such as 127.0.0.1:8000, until
 * wellhead_server_close, which is OK. options: may be NULL. Unless it is a loopback address, any Host is answered, and no
 * Origin but those that are allowed. While a service runs in the process SIGPIPE is ignored, if it was
 * at its default; the last one restores that. IO, CLOSED, INVALID_ARGUMENT, INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_serve_http(wellhead_server *server, wellhead_str address,
                                                 const wellhead_http_options *options, wellhead_error **error);

/* ---- an endpoint without a socket --------------------------------------------------------------------------------- */

/* Makes an endpoint. options: may be NULL. wake: called on any thread, perhaps for nothing, when
 * wellhead_endpoint_poll_event has something to do, until wellhead_endpoint_free returns. Of the functions of the endpoint and
 * its exchanges it may call their _free only; it makes another thread, or the host's loop, call the others. wake: may be
 * NULL for a host that polls after each step and never answers later. wake_destroy: called once, after the last wake and
 * before wellhead_endpoint_free returns, also on failure; may be NULL. NULL on failure: INVALID_ARGUMENT, INVALID_UTF8. */
WELLHEAD_API wellhead_endpoint *wellhead_endpoint_new(wellhead_server *server,
                                                      const wellhead_endpoint_options *options,
                                                      wellhead_wake_callback wake, void *wake_data,
                                                      wellhead_destroy_callback wake_destroy, wellhead_error **error);

/* Gives up an endpoint. Waits for a `wake` that runs on another thread; when it returns, `wake` is not called again and
 * `wake_destroy` has run. Its sessions end when its last exchange is freed, too. Free exchanges first that wait for an answer:
 * without wellhead_endpoint_poll_event nobody tells them of it. */
WELLHEAD_API void wellhead_endpoint_free(wellhead_endpoint *endpoint);

/* Deals with what goes on, runs up to `max` callbacks on this thread, and calls `ready` of the exchanges that have
 * something to say. Returns how many callbacks it ran; fewer than `max`: nothing is left. Several threads may do so at
 * once, and so run callbacks side by side. */
WELLHEAD_API size_t wellhead_endpoint_poll_event(wellhead_endpoint *endpoint, size_t max);

/* When to call wellhead_endpoint_tick at the latest, in milliseconds of the clock that it is given. UINT64_MAX: never.
 * It may come sooner after each step. */
WELLHEAD_API uint64_t wellhead_endpoint_poll_timeout(const wellhead_endpoint *endpoint);

/* Tells the time: sessions that nobody used end, and answers kept longer than call_ms become internal errors. */
WELLHEAD_API void wellhead_endpoint_tick(wellhead_endpoint *endpoint, uint64_t now_ms);

/* 1: requests of this target, or path, are for the endpoint; for a host that serves other things, too. */
WELLHEAD_API int wellhead_endpoint_serves(const wellhead_endpoint *endpoint, wellhead_str target);

/* How many sessions there are. */
WELLHEAD_API size_t wellhead_endpoint_sessions(const wellhead_endpoint *endpoint);

/* ---- one request and its response --------------------------------------------------------------------------------- */

/* Thread safety: one thread at a time uses an exchange. Different ones may be used at once. */

#define WELLHEAD_PROGRESS_DONE 0              /* The response is complete: free the exchange. */
/* Read the body: give it to wellhead_exchange_body, then call wellhead_exchange_end. */
#define WELLHEAD_PROGRESS_BODY 1
#define WELLHEAD_PROGRESS_RESPOND 2           /* Send the head that wellhead_exchange_response tells. */
#define WELLHEAD_PROGRESS_DATA 3              /* Send wellhead_exchange_data. */
#define WELLHEAD_PROGRESS_WAIT 4              /* Nothing now: poll again when `ready` was called. */

/* The head of a request, as the host's HTTP server has read it. */
typedef struct wellhead_request {
    size_t struct_size;
    wellhead_str method;                      /* Such as POST; case-sensitive. */
    /* Path and query, as in the request line. Of a URL the host counts, whatever Host says. */
    wellhead_str target;
    /* Field lines in the order in which they came: names in any case, values as they are. HTTP/2's :authority is host. */
    const wellhead_pair *headers;
    size_t header_count;
    /* The connection that the request came over: its client's address and port, or what else tells it from others. All
     * requests of one peer share a part of buffer_bytes. Empty if that is unknown: then a bearer token counts. */
    wellhead_str peer;
} wellhead_request;
#define WELLHEAD_REQUEST_INIT { sizeof(wellhead_request), {NULL, 0}, {NULL, 0}, NULL, 0, {NULL, 0} }

/* The head of a response. */
typedef struct wellhead_response {
    size_t struct_size;
    uint32_t status;
    const wellhead_pair *headers;             /* Field lines, names in lower case. */
    size_t header_count;
    /* How many bytes follow, then content-length is among the headers; UINT64_MAX: not known. */
    uint64_t length;
} wellhead_response;
#define WELLHEAD_RESPONSE_INIT { sizeof(wellhead_response), 0, NULL, 0, 0 }

/* A request has come, of which the head is known so far. now_ms: milliseconds of a monotonic clock of the host's choosing,
 * one for all exchanges and the endpoint. ready: called on any thread, perhaps for nothing, when wellhead_exchange_poll has
 * something to do that it had not before; as `wake` of wellhead_endpoint_new it only tells. ready: may be NULL. ready_destroy:
 * called once, after the last `ready` and before wellhead_exchange_free returns, also on failure; may be NULL. NULL on failure: INVALID_ARGUMENT, INVALID_UTF8 for a
 * method, target or name that is not. */
WELLHEAD_API wellhead_exchange *wellhead_exchange_new(wellhead_endpoint *endpoint, const wellhead_request *request,
                                                      uint64_t now_ms, wellhead_wake_callback ready, void *ready_data,
                                                      wellhead_destroy_callback ready_destroy, wellhead_error **error);

/* The exchange is over, or its client is gone. Waits for a `ready` that runs on another thread; when it returns, `ready` is
 * not called again and `ready_destroy` has run. */
WELLHEAD_API void wellhead_exchange_free(wellhead_exchange *exchange);

/* Some of the body, also before it was asked for; it is copied. More than message_bytes is refused at once: poll, and read
 * no further. */
WELLHEAD_API void wellhead_exchange_body(wellhead_exchange *exchange, wellhead_str bytes);

/* The body is complete. */
WELLHEAD_API void wellhead_exchange_end(wellhead_exchange *exchange, uint64_t now_ms);

/* Ends a response that is an event stream without an end of its own, for a program that shuts down. A listen stream ends with
 * its result. The stream of a session ends with a `retry`, so that its client comes back. A call in flight is still
 * answered. Call wellhead_exchange_poll afterwards. May be repeated for a stream that has begun since. */
WELLHEAD_API void wellhead_exchange_end_stream(wellhead_exchange *exchange);

/* What is to be done now, one of WELLHEAD_PROGRESS_; runs callbacks on this thread. */
WELLHEAD_API uint32_t wellhead_exchange_poll(wellhead_exchange *exchange, uint64_t now_ms);

/* When to poll again at the latest, in milliseconds of the clock: for a comment that keeps a stream alive, or because a body
 * has to be there by then. UINT64_MAX: never. */
WELLHEAD_API uint64_t wellhead_exchange_poll_timeout(const wellhead_exchange *exchange);

/* The head to send, once poll has said WELLHEAD_PROGRESS_RESPOND; borrowed until the exchange is freed. NULL before. */
WELLHEAD_API const wellhead_response *wellhead_exchange_response(const wellhead_exchange *exchange);

/* The bytes to send, after poll has said WELLHEAD_PROGRESS_DATA; borrowed until the next poll. */
WELLHEAD_API wellhead_str wellhead_exchange_data(const wellhead_exchange *exchange);

#ifdef __cplusplus
}
#endif
#endif
