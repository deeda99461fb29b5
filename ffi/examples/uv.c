/* uv.c - a program on libuv: clients come over a UNIX socket, and its thread pool answers them.
 *
 *   uv PATH
 *
 * work://{n} is the n-th Fibonacci number, computed on a thread of the pool. All functions of a connection are called on the
 * loop's thread; an answer comes on another one, whose `wake` sends to the connection's uv_async_t. That handle is closed right
 * after wellhead_connection_free: no `wake` comes later. SIGTERM ends the program. */
#define _POSIX_C_SOURCE 200809L
#include <wellhead.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { INPUT = 65536, PIECE = 65536 };

typedef struct { uv_pipe_t listener; uv_signal_t term; wellhead_server *server; } app;

typedef struct {
    uv_pipe_t pipe;
    uv_async_t woken;
    uv_timer_t timer;
    int open;                        /* of these three handles */
    wellhead_connection *connection; /* NULL: the client is gone */
    char input[INPUT];
    size_t held; /* bytes that were read and not taken yet */
} client;

/* ---- the work of a callback, on the pool ---- */

typedef struct { uv_work_t work; wellhead_read *read; } job;

static void compute(uv_work_t *work) {
    job *j = work->data;
    wellhead_str n = wellhead_call_var(wellhead_read_call(j->read), "n");
    unsigned long long a = 0, b = 1;
    char text[32] = "";
    if (n.len < sizeof text) memcpy(text, n.ptr, n.len);
    for (long i = strtol(text, NULL, 10); i > 0 && i <= 90; i--) {
        unsigned long long next = a + b;
        a = b;
        b = next;
    }
    snprintf(text, sizeof text, "%llu", a);
    wellhead_read_text(j->read, wellhead_cstr(text)); /* also if the client has gone meanwhile */
}

static void computed(uv_work_t *work, int status) {
    job *j = work->data;
    if (status) wellhead_read_free(j->read); /* cancelled: it never ran */
    free(j);
}

static void read_work(void *user_data, const wellhead_call *call, wellhead_read *r) {
    job *j = calloc(1, sizeof *j);
    (void)call;
    if (!j) return; /* an internal error for the client */
    j->work.data = j;
    j->read = wellhead_read_keep(r);
    if (uv_queue_work(user_data, &j->work, compute, computed) != 0) {
        wellhead_read_free(j->read);
        free(j);
    }
}

/* ---- one client ---- */

static void closed(uv_handle_t *handle) {
    client *c = handle->data;
    if (--c->open == 0) free(c);
}

static void drop(client *c) {
    if (uv_is_closing((uv_handle_t *)&c->pipe)) return;
    wellhead_connection_free(c->connection);
    c->connection = NULL;
    uv_close((uv_handle_t *)&c->woken, closed);
    uv_close((uv_handle_t *)&c->timer, closed);
    uv_close((uv_handle_t *)&c->pipe, closed);
}

typedef struct { uv_write_t request; wellhead_transmit *piece; client *client; } output;

static void step(client *c);

static void sent(uv_write_t *request, int status) {
    output *o = request->data;
    client *c = o->client;
    wellhead_transmit_free(o->piece); /* also after the connection is freed */
    free(o);
    if (status < 0) drop(c);
    else step(c);
}

static int send_piece(client *c, wellhead_transmit *piece) {
    wellhead_str bytes = wellhead_transmit_bytes(piece);
    uv_buf_t buffer = uv_buf_init((char *)bytes.ptr, (unsigned)bytes.len);
    output *o = malloc(sizeof *o);
    if (!o) return 0;
    o->piece = piece;
    o->client = c;
    o->request.data = o;
    if (uv_write(&o->request, (uv_stream_t *)&c->pipe, &buffer, 1, sent) == 0) return 1;
    free(o);
    return 0;
}

static void tick_later(uv_timer_t *timer) {
    step(timer->data);
}

static void room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer);
static void received(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer);

static void step(client *c) {
    wellhead_transmit *piece;
    if (!c->connection) return;
    wellhead_connection_tick(c->connection, uv_now(c->pipe.loop));
    if (c->held) {
        size_t taken = 0;
        wellhead_str bytes = {c->input, c->held};
        if (wellhead_connection_receive(c->connection, bytes, &taken, NULL) != WELLHEAD_STATUS_OK) {
            drop(c);
            return;
        }
        memmove(c->input, c->input + taken, c->held -= taken);
    }
    if (c->held < INPUT) uv_read_start((uv_stream_t *)&c->pipe, room, received);
    else uv_read_stop((uv_stream_t *)&c->pipe);
    while (wellhead_connection_poll_event(c->connection, 64) == 64) {}
    piece = wellhead_connection_poll_transmit(c->connection, PIECE); /* the next one comes once this one is freed */
    if (piece && !send_piece(c, piece)) {
        wellhead_transmit_free(piece);
        drop(c);
        return;
    }
    uint64_t at = wellhead_connection_poll_timeout(c->connection), now = uv_now(c->pipe.loop);
    if (at == UINT64_MAX) uv_timer_stop(&c->timer);
    else uv_timer_start(&c->timer, tick_later, at > now ? at - now : 0, 0);
}

/* On any thread: the loop does the rest. */
static void wake(void *wake_data) {
    uv_async_send(wake_data);
}

static void woken(uv_async_t *async) {
    step(async->data);
}

static void room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    client *c = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(c->input + c->held, (unsigned)(INPUT - c->held));
}

static void received(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    client *c = stream->data;
    (void)buffer;
    if (count < 0) { /* a client that ends its input is gone */
        drop(c);
        return;
    }
    c->held += (size_t)count;
    step(c);
}

static void connected(uv_stream_t *listener, int status) {
    app *a = listener->data;
    wellhead_connection_options options = WELLHEAD_CONNECTION_OPTIONS_INIT;
    client *c = status == 0 ? calloc(1, sizeof *c) : NULL;
    if (!c) return;
    c->open = 3;
    uv_pipe_init(listener->loop, &c->pipe, 0);
    uv_async_init(listener->loop, &c->woken, woken);
    uv_timer_init(listener->loop, &c->timer);
    c->pipe.data = c->woken.data = c->timer.data = c;
    options.wake = wake;
    options.wake_data = &c->woken;
    c->connection = wellhead_connection_new(a->server, &options, NULL);
    if (c->connection && uv_accept(listener, (uv_stream_t *)&c->pipe) == 0) step(c);
    else drop(c);
}

/* ---- the program ---- */

static void drop_client(uv_handle_t *handle, void *listener) {
    if (handle->type == UV_NAMED_PIPE && handle != listener && !uv_is_closing(handle)) drop(handle->data);
}

static void terminate(uv_signal_t *term, int signum) {
    app *a = term->data;
    (void)signum;
    uv_walk(term->loop, drop_client, &a->listener);
    uv_close((uv_handle_t *)&a->listener, NULL);
    uv_close((uv_handle_t *)term, NULL);
}

static int serve(uv_loop_t *loop, wellhead_server *server, const char *path) {
    app a;
    a.server = server;
    a.listener.data = a.term.data = &a;
    int failed = uv_pipe_init(loop, &a.listener, 0);
    a.listener.data = &a;
    if (failed == 0) failed = uv_signal_init(loop, &a.term);
    a.term.data = &a;
    if (failed == 0) failed = uv_pipe_bind(&a.listener, path);
    if (failed == 0) failed = uv_listen((uv_stream_t *)&a.listener, 128, connected);
    if (failed == 0) failed = uv_signal_start(&a.term, terminate, SIGTERM);
    if (failed == 0) return uv_run(loop, UV_RUN_DEFAULT);
    fprintf(stderr, "uv: %s: %s\n", path, uv_strerror(failed));
    return failed;
}

int main(int argc, char **argv) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_error *error = NULL;
    uv_loop_t loop;
    int failed = 1;
    if (argc != 2 || uv_loop_init(&loop) != 0) return 2;
    signal(SIGPIPE, SIG_IGN); /* a client that is gone is an error of uv_write, not the end of this program */
    resource.uri = WELLHEAD_STR("work://{n}");
    provider.read = read_work;
    provider.user_data = &loop;
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("work"), WELLHEAD_STR("1.0.0"), NULL, &error);
    if (server && wellhead_server_add_template(server, &resource, &provider, &error) == WELLHEAD_STATUS_OK)
        failed = serve(&loop, server, argv[1]) != 0;
    wellhead_str why = wellhead_error_message(error);
    if (error) fprintf(stderr, "uv: " WELLHEAD_FMT "\n", WELLHEAD_ARG(why));
    wellhead_error_free(error);
    wellhead_server_free(server);
    return failed || uv_loop_close(&loop) != 0;
}
