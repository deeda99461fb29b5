/* microhttpd.c - MCP and a page in a program that has an HTTP server of its own, GNU libmicrohttpd.
 *
 * The network has one thread of libmicrohttpd's, what goes on without a request another, and the calling thread waits for
 * SIGTERM. */
#define _POSIX_C_SOURCE 200809L
#include "serve_on_microhttpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct request request;

typedef struct {
    wellhead_server *server;
    wellhead_endpoint *endpoint;
    void (*every_second)(wellhead_server *); /* or NULL */
    pthread_mutex_t lock; /* of what follows, and of the requests */
    pthread_cond_t changed;
    int woken, ending;
    request *requests;
} app;

/* A request to the endpoint. It lives until its `ready_destroy` is called. */
struct request {
    app *app;
    request *next;
    struct MHD_Connection *connection; /* NULL: gone */
    wellhead_exchange *exchange;
    wellhead_str unsent;
    int socket, suspended, rang, left;
    uint64_t until; /* when a suspended one has to go on */
};

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- requests: suspended while there is nothing to send */

static void proceed(request *q) {
    q->suspended = 0;
    if (q->connection) MHD_resume_connection(q->connection);
}

static void ready(void *ready_data) {
    request *q = ready_data;
    pthread_mutex_lock(&q->app->lock);
    if (q->suspended) proceed(q);
    else q->rang = 1;
    pthread_mutex_unlock(&q->app->lock);
}

/* 0: there is something to do already, or the program ends, and the request with it. */
static int suspend(request *q) {
    pthread_mutex_lock(&q->app->lock);
    int waits = !q->rang && !q->app->ending;
    if (q->app->ending) q->left = 1; /* libmicrohttpd must not stop while a request is suspended */
    q->rang = 0;
    if (waits) {
        q->suspended = 1;
        q->until = wellhead_exchange_poll_timeout(q->exchange);
        MHD_suspend_connection(q->connection);
        pthread_cond_broadcast(&q->app->changed); /* it may have to go on before all others */
    }
    pthread_mutex_unlock(&q->app->lock);
    return waits;
}

/* Fills a buffer with what there is of a response. */
static ssize_t more(void *cls, uint64_t pos, char *buffer, size_t room) {
    request *q = cls;
    (void)pos;
    while (!q->unsent.len) {
        if (q->left) return MHD_CONTENT_READER_END_WITH_ERROR;
        switch (wellhead_exchange_poll(q->exchange, now_ms())) {
        case WELLHEAD_PROGRESS_DATA:
            q->unsent = wellhead_exchange_data(q->exchange);
            break;
        case WELLHEAD_PROGRESS_WAIT:
            if (suspend(q)) return 0;
            break;
        default:
            return MHD_CONTENT_READER_END_OF_STREAM;
        }
    }
    size_t some = q->unsent.len < room ? q->unsent.len : room;
    memcpy(buffer, q->unsent.ptr, some);
    q->unsent.ptr += some;
    q->unsent.len -= some;
    return (ssize_t)some;
}

static enum MHD_Result respond(request *q) {
    const wellhead_http_response *head = wellhead_exchange_response(q->exchange);
    uint64_t size = head->length == UINT64_MAX ? MHD_SIZE_UNKNOWN : head->length;
    struct MHD_Response *response = MHD_create_response_from_callback(size, 16384, more, q, NULL);
    if (!response) return MHD_NO;
    for (size_t i = 0; i < head->header_count; i++) {
        char *name = strndup(head->headers[i].name.ptr, head->headers[i].name.len);
        char *value = strndup(head->headers[i].value.ptr, head->headers[i].value.len);
        if (!name || !value) abort();
        if (strcmp(name, "content-length") != 0) MHD_add_response_header(response, name, value); /* it knows the length */
        free(name);
        free(value);
    }
    enum MHD_Result queued = MHD_queue_response(q->connection, head->status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result answer(request *q) {
    while (!q->left)
        switch (wellhead_exchange_poll(q->exchange, now_ms())) {
        case WELLHEAD_PROGRESS_BODY:
            return MHD_YES; /* it comes */
        case WELLHEAD_PROGRESS_RESPOND:
            return respond(q);
        case WELLHEAD_PROGRESS_WAIT:
            if (suspend(q)) return MHD_YES;
            break;
        default:
            return MHD_NO;
        }
    return MHD_NO;
}

typedef struct { wellhead_pair *lines; size_t count; } fields;

static enum MHD_Result add_field(void *cls, enum MHD_ValueKind kind, const char *name, const char *value) {
    fields *f = cls;
    (void)kind;
    f->lines[f->count++] = (wellhead_pair){wellhead_cstr(name), wellhead_cstr(value ? value : "")};
    return MHD_YES;
}

/* NULL: the head cannot be taken. */
static request *begin(app *a, struct MHD_Connection *connection, const char *path, const char *method) {
    int count = MHD_get_connection_values(connection, MHD_HEADER_KIND, NULL, NULL);
    fields f = {calloc((size_t)count + 1, sizeof *f.lines), 0};
    request *q = calloc(1, sizeof *q);
    wellhead_http_request head = WELLHEAD_HTTP_REQUEST_INIT;
    const union MHD_ConnectionInfo *client = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr_in *from = (const void *)client->client_addr; /* IPv4, as listen_on says */
    char address[INET_ADDRSTRLEN], peer[INET_ADDRSTRLEN + 6];
    if (!f.lines || !q) abort();
    MHD_get_connection_values(connection, MHD_HEADER_KIND, add_field, &f);
    head.method = wellhead_cstr(method);
    head.target = wellhead_cstr(path);
    head.headers = f.lines;
    head.header_count = f.count;
    inet_ntop(AF_INET, &from->sin_addr, address, sizeof address);
    snprintf(peer, sizeof peer, "%s:%u", address, (unsigned)ntohs(from->sin_port));
    head.peer = wellhead_cstr(peer); /* each client has its own part of buffer_bytes */
    q->app = a;
    q->connection = connection;
    q->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    wellhead_exchange *exchange = wellhead_exchange_new(a->endpoint, &head, now_ms(), ready, q, free, NULL);
    free(f.lines);
    if (!exchange) return NULL; /* q is freed already */
    q->exchange = exchange;
    pthread_mutex_lock(&a->lock);
    q->next = a->requests;
    a->requests = q;
    pthread_mutex_unlock(&a->lock);
    return q;
}

static void completed(void *cls, struct MHD_Connection *connection, void **seen, enum MHD_RequestTerminationCode how) {
    app *a = cls;
    request *q = *seen, **at = &a->requests;
    (void)connection;
    if (!q) return; /* of the page, or refused */
    pthread_mutex_lock(&a->lock);
    while (*at != q) at = &(*at)->next;
    *at = q->next;
    q->connection = NULL;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    /* If the length was known, libmicrohttpd did not read on, so the exchange is not polled to its end yet. */
    if (how == MHD_REQUEST_TERMINATED_COMPLETED_OK) wellhead_exchange_poll(q->exchange, now_ms());
    wellhead_exchange_free(q->exchange); /* and perhaps q */
}

static enum MHD_Result show(struct MHD_Connection *connection, unsigned status, char *text) {
    struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **seen) {
    request *q = *seen;
    (void)version;
    if (!q) {
        app *a = cls;
        if (!wellhead_endpoint_serves(a->endpoint, wellhead_cstr(path)))
            return show(connection, MHD_HTTP_OK, "This program serves MCP at /mcp.\n");
        *seen = q = begin(a, connection, path, method);
        return q ? answer(q) : show(connection, MHD_HTTP_BAD_REQUEST, "The head of the request is not valid.\n");
    }
    if (*upload_size) {
        wellhead_exchange_body(q->exchange, (wellhead_str){upload, *upload_size});
        *upload_size = 0;
        return MHD_YES;
    }
    wellhead_exchange_end(q->exchange, now_ms());
    return answer(q);
}

/* ---- what goes on without a request */

static void wake(void *wake_data) {
    app *a = wake_data;
    pthread_mutex_lock(&a->lock);
    a->woken = 1;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static struct timespec at(uint64_t ms) {
    struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    return time;
}

/* Waits until there is something to do, or until then; lets those go on whose time has come. 0: the program ends. */
static int wait_until(app *a, uint64_t then) {
    uint64_t timeout = wellhead_endpoint_poll_timeout(a->endpoint);
    pthread_mutex_lock(&a->lock);
    if (timeout < then) then = timeout;
    for (request *q = a->requests; q; q = q->next)
        if (q->suspended && q->until < then) then = q->until;
    struct timespec time = at(then);
    if (!a->woken && !a->ending) pthread_cond_timedwait(&a->changed, &a->lock, &time);
    a->woken = 0;
    for (request *q = a->requests; q; q = q->next)
        if (q->suspended && q->until <= now_ms()) proceed(q);
    int goes_on = !a->ending;
    pthread_mutex_unlock(&a->lock);
    return goes_on;
}

/* Ends requests whose client has left, which libmicrohttpd does not see while they are suspended. */
static void find_closed_connections(app *a) {
    char next;
    pthread_mutex_lock(&a->lock);
    for (request *q = a->requests; q; q = q->next) {
        if (!q->suspended) continue;
        ssize_t seen = recv(q->socket, &next, 1, MSG_PEEK | MSG_DONTWAIT);
        q->left = seen == 0 || (seen < 0 && errno != EAGAIN && errno != EINTR);
        if (q->left) proceed(q);
    }
    pthread_mutex_unlock(&a->lock);
}

static void *go_round(void *cls) {
    app *a = cls;
    uint64_t second = now_ms() + 1000;
    while (wait_until(a, second)) {
        uint64_t now = now_ms();
        if (now >= second) {
            find_closed_connections(a);
            if (a->every_second) a->every_second(a->server);
            second += 1000;
        }
        wellhead_endpoint_tick(a->endpoint, now);
        while (wellhead_endpoint_poll_event(a->endpoint, 64) == 64) {}
    }
    return NULL;
}

static struct MHD_Daemon *listen_on(app *a, unsigned port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, a,
                            MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, completed, a,
                            MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_END);
}

int serve_on_microhttpd(wellhead_server *server, unsigned port, void (*every_second)(wellhead_server *server)) {
    static app a = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* also for a `ready` that is still under way at the end */
    pthread_condattr_t monotonic;
    pthread_t rounds;
    sigset_t ends;
    int signal;
    a.server = server;
    a.every_second = every_second;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* also of the threads that follow */
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&a.changed, &monotonic);
    a.endpoint = wellhead_endpoint_new(server, NULL, wake, &a, NULL, NULL);
    struct MHD_Daemon *daemon = a.endpoint ? listen_on(&a, port) : NULL;
    if (!daemon || pthread_create(&rounds, NULL, go_round, &a)) {
        fprintf(stderr, "the port cannot be had\n");
        return 1;
    }
    printf("http://127.0.0.1:%u/mcp\n", (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    sigwait(&ends, &signal);
    wellhead_server_close(server); /* which ends what is under way */
    struct timespec patience = at(now_ms() + 5000);
    pthread_mutex_lock(&a.lock);
    while (a.requests && pthread_cond_timedwait(&a.changed, &a.lock, &patience) == 0) {}
    a.ending = 1;
    pthread_cond_broadcast(&a.changed);
    pthread_mutex_unlock(&a.lock);
    pthread_join(rounds, NULL);
    pthread_mutex_lock(&a.lock);
    for (request *q = a.requests; q; q = q->next)
        if (q->suspended) proceed(q); /* libmicrohttpd does not stop while some are */
    pthread_mutex_unlock(&a.lock);
    MHD_stop_daemon(daemon);
    wellhead_endpoint_free(a.endpoint);
    return 0;
}
