/* wellhead_http.h - Streamable HTTP for wellhead.h. Written by `make header`; do not edit.
 *
 * A program without an HTTP server uses the listener of the library:
 *
 *   wellhead_serve_http(server, WELLHEAD_STR("127.0.0.1:8000"), NULL, NULL);    // until the server is closed
 *
 * A program that has its own HTTP server makes an endpoint, and for each request:
 *
 *   wellhead_exchange *x = wellhead_exchange_new(endpoint, &request, now, ready, my_request, NULL, NULL);
 *   for (;;)
 *       switch (wellhead_exchange_poll(x, now)) {
 *       case WELLHEAD_PROGRESS_BODY:                       // read until wellhead_exchange_poll_timeout(x)
 *           wellhead_exchange_body(x, bytes);              // for each part of the body
 *           if (complete) wellhead_exchange_end(x, now);   // once, after the last part
 *           break;
 *       case WELLHEAD_PROGRESS_RESPOND: send_head(wellhead_exchange_response(x)); break;
 *       case WELLHEAD_PROGRESS_DATA: send(wellhead_exchange_data(x)); break;
 *       case WELLHEAD_PROGRESS_WAIT: wait_for_ready_or(wellhead_exchange_poll_timeout(x)); break;
 *       default: wellhead_exchange_free(x); return;        // also when the client is gone
 *       }
 *
 * In addition, when `wake` is called and at wellhead_endpoint_poll_timeout(endpoint):
 *
 *   wellhead_endpoint_tick(endpoint, now);
 *   while (wellhead_endpoint_poll_event(endpoint, 64) == 64) {}                 // runs callbacks, calls `ready`
 *
 * ffi/examples/microhttpd.c does so with GNU libmicrohttpd. All revisions that have this transport are served, 2025-03-26 to
 * 2026-07-28. If wellhead_exchange_new fails, answer the request with status 400.
 *
 * The rules of wellhead.h about ownership, callbacks, threads, errors, time, SIGPIPE and growth hold here, too.
 */
#ifndef WELLHEAD_HTTP_H
#define WELLHEAD_HTTP_H

#include <wellhead.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wellhead_endpoint wellhead_endpoint;
typedef struct wellhead_exchange wellhead_exchange;     /* one request and its response */
typedef struct wellhead_verify wellhead_verify;         /* responder of a verify callback */

/* ---- bearer tokens ------------------------------------------------------------------------------------------------ */

/* `verify` of wellhead_endpoint_options is called with the token of a request before its body is read. Answer it once, now or
 * later, as each call of wellhead.h. */

/* The rights that a valid token grants. Copied before return. */
typedef struct wellhead_grant {
    size_t struct_size;
    /* The id of the caller, stable bytes; may not be absent. Sessions, cursors and streams belong to it: give each
     * principal its own. An empty id is that of an anonymous caller. */
    wellhead_str caller_id;
    /* The caller: a pointer of the application, which wellhead_call_caller returns. */
    void *caller;
    /* Called once with caller, after the last call; also if the answer is refused. May be NULL. */
    wellhead_destroy_callback caller_destroy;
    /* The audience of the token, such as its `aud`. An endpoint with a `resource` refuses tokens that do not name it. */
    const wellhead_str *audience;
    size_t audience_count;
    const wellhead_str *scopes;               /* The scopes of the token, with those that they imply. */
    size_t scope_count;
    /* The time until the token expires, in milliseconds; event streams that it opened end then. If it is NULL, the
     * token does not expire. */
    const uint64_t *expires_in_ms;
    /* The type of `caller`, as in wellhead_connection_options. May be NULL. */
    const void *caller_type;
} wellhead_grant;
#define WELLHEAD_GRANT_INIT { sizeof(wellhead_grant), {NULL, 0}, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL }

/* Metadata of an endpoint that requires tokens: RFC 6750, RFC 9728. With all fields absent, for tokens that the application
 * hands out itself, no metadata is served and no audience is checked. */
typedef struct wellhead_protection {
    size_t struct_size;
    /* The URL of the endpoint, such as https://example.com/mcp: the audience of its tokens. */
    wellhead_str resource;
    /* The URLs of the authorization servers: with `resource` at least one, else none. Both are served as metadata at
     * the well-known paths. */
    const wellhead_str *authorization_servers;
    size_t authorization_server_count;
    /* The scopes that every request needs. A token without them gets a 403. */
    const wellhead_str *scopes;
    size_t scope_count;
} wellhead_protection;
#define WELLHEAD_PROTECTION_INIT { sizeof(wellhead_protection), {NULL, 0}, NULL, 0, NULL, 0 }

/* Returns the bearer token of a request as it came, in a verify callback. Pass it on to its issuer only. The result is
 * absent for other calls. */
WELLHEAD_API wellhead_str wellhead_call_token(const wellhead_call *call);

/* Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
 * returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
 * if the call was answered already.
 * Thread safety: call it only inside the callback. */
WELLHEAD_API wellhead_verify *wellhead_verify_keep(wellhead_verify *responder);

/* Returns the call of a kept responder, borrowed until the call is answered. */
WELLHEAD_API const wellhead_call *wellhead_verify_call(const wellhead_verify *responder);

/* Frees a kept responder without an answer: the client gets a 500. Does nothing if `responder` is NULL. */
WELLHEAD_API void wellhead_verify_free(wellhead_verify *responder);

/* Answers that the token is valid, with its rights. grant: may not be NULL; its caller_id may not be
 * absent. Fails with INVALID_ARGUMENT or INVALID_UTF8; the client then gets a 500. */
WELLHEAD_API wellhead_status wellhead_verify_granted(wellhead_verify *responder, const wellhead_grant *grant);

/* Answers that the token is invalid or has expired: the client gets a 401, and may retry with another token. Fails with
 * INVALID_ARGUMENT if the call was answered already. */
WELLHEAD_API wellhead_status wellhead_verify_refused(wellhead_verify *responder);

/* Answers that the token is valid, but not for this request, which needs all of these scopes: the client gets a 403
 * that names them. Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_verify_insufficient_scope(wellhead_verify *responder, const wellhead_str *scopes,
                                                                size_t scope_count);

/* Answers that the token cannot be verified now: the client gets a 500. `why` is logged, and not sent to the client.
 * Fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_verify_failed(wellhead_verify *responder, wellhead_str why);

/* ---- options of an endpoint --------------------------------------------------------------------------------------- */

/* Accept requests from other machines: any Host is accepted unless allowed_hosts is set. By default Host, and Origin if
 * there is one, must name this machine, which prevents DNS rebinding. wellhead_serve_http ignores this flag, and decides by
 * whether its address is one of this machine only. */
#define WELLHEAD_NOT_LOOPBACK_ONLY 1
#define WELLHEAD_NO_DELETE 2                  /* Refuse DELETE, with which clients end their session. */
/* Refuse requests whose Accept lacks one of the two types that clients must accept. */
#define WELLHEAD_STRICT_ACCEPT 4
/* Let pages of the allowed origins read responses (CORS, WHATWG Fetch), and answer their OPTIONS requests. */
#define WELLHEAD_CORS 8
/* Give clients of the handshake era no session. Then any instance can answer each of their requests, and they get no
 * notifications of changes. */
#define WELLHEAD_NO_SESSIONS 16
/* Let `verify` also judge requests without a bearer token: by another header field, such as a cookie or an API key. Their token
 * is empty. By default they are refused. */
#define WELLHEAD_TOKEN_NOT_REQUIRED 32

/* Verifies the bearer token of a request, also inside a session, before the rest of the request is read. wellhead_call_token
 * returns the token and wellhead_call_header the header fields. Answer with one of the wellhead_verify_ functions. As in
 * wellhead_read_callback, a kept responder is answered later. */
typedef void (*wellhead_verify_callback)(void *verify_data, const wellhead_call *call, wellhead_verify *responder);

/* Options of an endpoint. Zero, NULL or absent in a field means its default. Strings and arrays are copied. */
typedef struct wellhead_endpoint_options {
    size_t struct_size;
    wellhead_str path;                        /* The path of the endpoint. Default: /mcp. */
    /* Any of WELLHEAD_NOT_LOOPBACK_ONLY, WELLHEAD_NO_DELETE, WELLHEAD_STRICT_ACCEPT, WELLHEAD_CORS,
     * WELLHEAD_NO_SESSIONS and WELLHEAD_TOKEN_NOT_REQUIRED. */
    uint32_t flags;
    /* Origins whose pages may send requests, scheme://host[:port]. Pages of this machine may, too, where its
     * host names are the default of allowed_hosts. "*" allows any, and "*." before the domain any subdomain. With one that no request can match, functions
     * fail with INVALID_ARGUMENT. */
    const wellhead_str *allowed_origins;
    size_t allowed_origin_count;
    /* Host names of the endpoint, with or without a port. Default: those of this machine, or any with
     * WELLHEAD_NOT_LOOPBACK_ONLY; wellhead_serve_http decides by its address. "*"
     * allows any, and "*.example.com" any subdomain. With one that no request can match, functions fail with
     * INVALID_ARGUMENT. */
    const wellhead_str *allowed_hosts;
    size_t allowed_host_count;
    /* The time for which an idle session is kept, in milliseconds. Default: 3,600,000. */
    uint64_t session_ms;
    /* The time after which a silent event stream gets a comment, in milliseconds. Default: 15,000. */
    uint64_t keep_alive_ms;
    /* The time that a request body may take to arrive, in milliseconds. Default: 30,000. */
    uint64_t body_ms;
    /* The time that a request head may take to arrive at wellhead_serve_http, in milliseconds. Default: 10,000. */
    uint64_t head_ms;
    /* The time for which wellhead_serve_http keeps the connection of a client that sends no request, or does not read
     * its response, in milliseconds. At session_limit, on any HTTP server, a session that was not used for this time
     * may end for a new one. Default: 60,000. */
    uint64_t idle_ms;
    /* The greatest number of bytes of events that a session keeps for a client that reconnects. Default: 1 MiB. */
    const size_t *replay_bytes;
    wellhead_verify_callback verify;          /* Verifies tokens. If it is NULL, requests need no token. */
    void *verify_data;                        /* Passed to `verify`. */
    /* Called once with verify_data, after the last `verify`; also if no endpoint is made. May be NULL. */
    wellhead_destroy_callback verify_destroy;
    const wellhead_protection *protection;    /* The metadata for clients that need a token; may be NULL. */
    /* The greatest number of sessions. One more ends a session without a request in progress, which its client never
     * used after the handshake, or not for idle_ms. If there is none, the new one is answered 503. Default: 10,000. */
    size_t session_limit;
} wellhead_endpoint_options;
#define WELLHEAD_ENDPOINT_OPTIONS_INIT { sizeof(wellhead_endpoint_options), {NULL, 0}, 0, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0 }

/* ---- the native listener ------------------------------------------------------------------------------------------ */

/* Close the server on SIGTERM. After the service the signal has no effect any more. By default no signal handler is
 * installed. */
#define WELLHEAD_HTTP_HANDLE_SIGTERM 1

/* Called with the address that is bound, and with the port that the system chose if port 0 was requested. Called once,
 * on the thread of wellhead_serve_http, before the first request is accepted. `address` is borrowed until the callback
 * returns. */
typedef void (*wellhead_bound_callback)(void *bound_data, const wellhead_str *address);

/* Options of the HTTP listener. Zero or NULL in a field means its default. */
typedef struct wellhead_http_options {
    size_t struct_size;
    const wellhead_endpoint_options *endpoint; /* Options of its endpoint. If NULL, all are defaults. */
    /* The number of threads that run callbacks, the calling thread among them, at most 1,024. Or
     * WELLHEAD_CALLBACKS_INLINE: the threads of the network, for applications whose callbacks are quick. Default: 1. */
    int32_t callback_threads;
    /* The number of threads that read and write, at most 1,024. Default: 1. */
    uint32_t io_threads;
    /* The greatest number of open TCP connections; more of them wait. Default: 10,000. */
    size_t tcp_connection_limit;
    /* The time that calls in flight may take after the server is closed, in milliseconds. Default: 5,000. Give 1 for
     * almost no time. A callback that runs is waited for in any case: its thread cannot be ended. */
    uint32_t shutdown_ms;
    uint32_t flags;                           /* WELLHEAD_HTTP_HANDLE_SIGTERM or 0. */
    wellhead_bound_callback bound;            /* Called with the address that is bound. May be NULL. */
    void *bound_data;                         /* Passed to `bound`. */
} wellhead_http_options;
#define WELLHEAD_HTTP_OPTIONS_INIT { sizeof(wellhead_http_options), NULL, 0, 0, 0, 0, 0, NULL, NULL }

/* Serves Streamable HTTP (HTTP/1.1, and HTTP/2 with prior knowledge) on an address such as 127.0.0.1:8000. Blocks until
 * wellhead_server_close is called, and then returns OK. options: may be NULL. At an address that is not loopback it
 * accepts any Host, and only the allowed origins. By default callbacks run on this thread, one at a time, and another
 * thread reads and writes. Ignores SIGPIPE during the service if it had its default action; the last service of the
 * process restores that. Fails with IO if the address cannot be served, and with CLOSED, INVALID_ARGUMENT or
 * INVALID_UTF8. */
WELLHEAD_API wellhead_status wellhead_serve_http(wellhead_server *server, wellhead_str address,
                                                 const wellhead_http_options *options, wellhead_error **error);

/* ---- an endpoint without a socket --------------------------------------------------------------------------------- */

/* Makes an endpoint for a program with its own HTTP server. The application frees the endpoint.
 * options: may be NULL.
 * wake: called when wellhead_endpoint_poll_event may have something to do, on any thread, also for nothing, until
 * wellhead_endpoint_free returns. It makes another thread or the loop of the application call that. Itself it may call
 * only the _free functions of the endpoint and its exchanges. May be NULL for an application that polls after each step
 * and never answers later.
 * wake_data: passed to `wake`.
 * wake_destroy: called once with wake_data, after the last `wake` and before wellhead_endpoint_free returns, also on
 * failure; may be NULL.
 * These three are no options, because wellhead_serve_http takes the same options and wakes itself.
 * Returns NULL if it fails with INVALID_ARGUMENT or INVALID_UTF8. */
WELLHEAD_API wellhead_endpoint *wellhead_endpoint_new(wellhead_server *server,
                                                      const wellhead_endpoint_options *options,
                                                      wellhead_wake_callback wake, void *wake_data,
                                                      wellhead_destroy_callback wake_destroy, wellhead_error **error);

/* Frees an endpoint. Waits while `wake` runs on another thread. When it returns, `wake` is not called again, and
 * `wake_destroy` has run. Its sessions end when its last exchange is freed. Free exchanges that wait for an answer
 * first: without wellhead_endpoint_poll_event they never get it. Does nothing if `endpoint` is NULL. */
WELLHEAD_API void wellhead_endpoint_free(wellhead_endpoint *endpoint);

/* Runs at most `max` callbacks on this thread, and calls `ready` of exchanges that have something to send. Returns how
 * many callbacks it ran. If that is less than `max`, nothing is left to run. Several threads may call it at once, and
 * so run callbacks in parallel. */
WELLHEAD_API size_t wellhead_endpoint_poll_event(wellhead_endpoint *endpoint, size_t max);

/* Returns the time by which to call wellhead_endpoint_tick, in milliseconds of its clock. Each step may bring it
 * forward. Returns UINT64_MAX if there is no deadline, or if `endpoint` is NULL. */
WELLHEAD_API uint64_t wellhead_endpoint_poll_timeout(const wellhead_endpoint *endpoint);

/* Advances the clock of the endpoint. now_ms: milliseconds of the monotonic clock of the application, the same as for
 * exchanges. Idle sessions end, and calls that are not answered within call_ms become internal errors. */
WELLHEAD_API void wellhead_endpoint_tick(wellhead_endpoint *endpoint, uint64_t now_ms);

/* Returns 1 if requests with this target or path are for the endpoint, else 0, for an application that serves other
 * paths, too. */
WELLHEAD_API int wellhead_endpoint_serves(const wellhead_endpoint *endpoint, wellhead_str target);

/* Returns the number of sessions of the endpoint that are open. */
WELLHEAD_API size_t wellhead_endpoint_sessions(const wellhead_endpoint *endpoint);

/* ---- one request and its response --------------------------------------------------------------------------------- */

/* Thread safety: one thread at a time uses an exchange. Several threads may use different exchanges. */

#define WELLHEAD_PROGRESS_DONE 0              /* The response is complete: free the exchange. */
/* Read the body: pass it to wellhead_exchange_body, then call wellhead_exchange_end. */
#define WELLHEAD_PROGRESS_BODY 1
#define WELLHEAD_PROGRESS_RESPOND 2           /* Send the head that wellhead_exchange_response returns. */
#define WELLHEAD_PROGRESS_DATA 3              /* Send the bytes that wellhead_exchange_data returns. */
#define WELLHEAD_PROGRESS_WAIT 4              /* Nothing to do now: poll again when `ready` is called. */

/* The head of a request, as the HTTP server of the application has read it. Copied before return. */
typedef struct wellhead_http_request {
    size_t struct_size;
    wellhead_str method;                      /* The method, such as POST; case-sensitive. */
    /* The path and query of the request line. If it is a URL, its host counts instead of Host. */
    wellhead_str target;
    /* The header fields in the order in which they came: names in any case, values as they are. Pass :authority of HTTP/2 as
     * `host`. */
    const wellhead_pair *headers;
    size_t header_count;
    /* The connection that the request came over: its client's address and port, or what else tells it from others. All
     * requests of one peer share a part of buffer_bytes. If it is empty because that is unknown, all requests with the
     * same bearer token share it. */
    wellhead_str peer;
} wellhead_http_request;
#define WELLHEAD_HTTP_REQUEST_INIT { sizeof(wellhead_http_request), {NULL, 0}, {NULL, 0}, NULL, 0, {NULL, 0} }

/* The head of a response. */
typedef struct wellhead_http_response {
    size_t struct_size;
    uint32_t status;
    const wellhead_pair *headers;             /* The header fields; names are in lower case. */
    size_t header_count;
    /* The number of bytes that follow, also in content-length; UINT64_MAX if it is not known. */
    uint64_t length;
} wellhead_http_response;
#define WELLHEAD_HTTP_RESPONSE_INIT { sizeof(wellhead_http_response), 0, NULL, 0, 0 }

/* Begins an exchange with the head of a request. The application frees the exchange.
 * endpoint, request: may not be NULL.
 * now_ms: milliseconds of a monotonic clock of the application, the same for all exchanges and the endpoint.
 * ready: called when wellhead_exchange_poll may have something new to do, on any thread, also for nothing. Like `wake`
 * of wellhead_endpoint_new it may call only _free functions. May be NULL.
 * ready_data: passed to `ready`.
 * ready_destroy: called once with ready_data, after the last `ready` and before wellhead_exchange_free returns, also on
 * failure; may be NULL.
 * Returns NULL if it fails with INVALID_ARGUMENT, or with INVALID_UTF8 for a method, target or name that is not UTF-8.
 * Then the application answers the request with status 400. */
WELLHEAD_API wellhead_exchange *wellhead_exchange_new(wellhead_endpoint *endpoint,
                                                      const wellhead_http_request *request, uint64_t now_ms,
                                                      wellhead_wake_callback ready, void *ready_data,
                                                      wellhead_destroy_callback ready_destroy, wellhead_error **error);

/* Frees an exchange that is complete, or whose client is gone. Waits while `ready` runs on another thread. When it
 * returns, `ready` is not called again, and `ready_destroy` has run. Does nothing if `exchange` is NULL. */
WELLHEAD_API void wellhead_exchange_free(wellhead_exchange *exchange);

/* Takes a part of the body. May come before the first poll. A body over message_bytes is refused at once: poll, and
 * stop reading.
 * bytes: copied; an absent part is empty. */
WELLHEAD_API void wellhead_exchange_body(wellhead_exchange *exchange, wellhead_str bytes);

/* Ends the body. Call it once, when all of the body has come. May come before the first poll. */
WELLHEAD_API void wellhead_exchange_end(wellhead_exchange *exchange, uint64_t now_ms);

/* Ends a response that is an event stream without an end of its own, for a program that shuts down. A listen stream ends
 * with its result. The stream of a session ends with a `retry`, so that its client reconnects. A call in flight is still
 * answered. Call wellhead_exchange_poll afterwards. May be repeated for a stream that has begun since. */
WELLHEAD_API void wellhead_exchange_end_stream(wellhead_exchange *exchange);

/* Returns the next step, one of WELLHEAD_PROGRESS_, and runs callbacks on this thread. now_ms: as in wellhead_exchange_new. */
WELLHEAD_API uint32_t wellhead_exchange_poll(wellhead_exchange *exchange, uint64_t now_ms);

/* Returns the time by which to poll again, in milliseconds of the clock: for a comment that keeps a stream alive, or
 * because the body is due. Returns UINT64_MAX if there is no deadline, or if `exchange` is NULL. */
WELLHEAD_API uint64_t wellhead_exchange_poll_timeout(const wellhead_exchange *exchange);

/* Returns the head to send, once wellhead_exchange_poll has returned WELLHEAD_PROGRESS_RESPOND, and NULL before. It is
 * borrowed until the exchange is freed. */
WELLHEAD_API const wellhead_http_response *wellhead_exchange_response(const wellhead_exchange *exchange);

/* Returns the bytes to send, after wellhead_exchange_poll has returned WELLHEAD_PROGRESS_DATA. They are borrowed until
 * the next wellhead_exchange_poll. */
WELLHEAD_API wellhead_str wellhead_exchange_data(const wellhead_exchange *exchange);

/* Handles a whole request, for a server with a thread for each request. Blocks until the response is complete, and runs
 * callbacks on this thread. Returns the exchange, which the application frees. Its head is wellhead_exchange_response,
 * with the length of the body. Its whole body is wellhead_exchange_data. After `stream_ms` milliseconds an event stream
 * ends that has no end of its own, such as that of a GET. It also ends with 1 MiB of events. Its client gets them then,
 * and reconnects. A call ends after call_ms at the latest. The threads inside this function poll and tick the endpoint,
 * so an application that handles all requests this way needs no `wake`.
 * endpoint, request: may not be NULL.
 * body: copied; may be absent.
 * now_ms: the time on the clock of wellhead_exchange_new.
 * Returns NULL if it fails with INVALID_ARGUMENT, or with INVALID_UTF8 for a method, target or name that is not UTF-8.
 * Then the application answers the request with status 400. */
WELLHEAD_API wellhead_exchange *wellhead_endpoint_handle(wellhead_endpoint *endpoint,
                                                         const wellhead_http_request *request, wellhead_str body,
                                                         uint64_t now_ms, uint64_t stream_ms, wellhead_error **error);

#ifdef __cplusplus
}
#endif
#endif
