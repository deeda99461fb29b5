/* What is made and dropped leaves nothing behind: servers, connections, sessions, calls. */
#define _DEFAULT_SOURCE
#include "check.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { WARM = 1000, ROUNDS = 100000, SLACK = 1 << 20 /* a third of the smallest block a round */ };

static size_t in_use(void) {
#ifdef __GLIBC__
    struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

/* What a hundred thousand rounds add to the memory that is in use, after a thousand. */
static void stays_flat(void (*round)(void *context), void *context) {
    for (int i = 0; i < WARM; i++) round(context);
    size_t before = in_use();
    for (int i = 0; i < ROUNDS; i++) round(context);
    size_t after = in_use();
    if (after > before + SLACK) printf("%zu bytes more after %d rounds\n", after - before, ROUNDS);
    CHECK(after <= before + SLACK);
}

static void free_kept(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    (void)call;
    wellhead_read_free(wellhead_read_keep(r));
}

static void keep_for_later(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)call;
    *(wellhead_read **)user_data = wellhead_read_keep(r);
}

static void a_server(void *context) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    (void)context;
    wellhead_server *server = quiet_server();
    provider.read = free_kept;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    wellhead_server_free(server);
}

static void a_connection(void *server) {
    int destroyed = 0;
    wellhead_connection *connection = connect_with(server, NULL, &destroyed, count);
    feed(connection, INITIALIZE SUBSCRIBE(1, "n:1"));
    wellhead_connection_poll_event(connection, SIZE_MAX);
    wellhead_connection_free(connection);
    CHECK(destroyed == 1);
}

typedef struct { wellhead_connection *connection; wellhead_read *kept; int round; } calls;

/* Answered, dropped, or cancelled and then dropped. */
static void a_call(void *context) {
    calls *c = context;
    feed(c->connection, READ(1, "n:1"));
    wellhead_connection_poll_event(c->connection, SIZE_MAX);
    if (c->round % 3 == 0) wellhead_read_text(c->kept, WELLHEAD_STR("x"));
    if (c->round % 3 == 2) exchange(c->connection, CANCEL(1));
    if (c->round % 3 != 0) wellhead_read_free(c->kept);
    c->round++;
    drain(c->connection);
}

typedef struct { wellhead_server *server; wellhead_endpoint *endpoint; int round; } sessions;

/* Begun, and dropped with the endpoint. */
static void a_session(void *context) {
    static const char body[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
                               "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}";
    sessions *s = context;
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    wellhead_pair headers[] = {{WELLHEAD_STR("host"), WELLHEAD_STR("localhost")},
                               {WELLHEAD_STR("content-type"), WELLHEAD_STR("application/json")},
                               {WELLHEAD_STR("accept"), WELLHEAD_STR("application/json, text/event-stream")}};
    if (s->round++ % 500 == 0) {
        wellhead_endpoint_free(s->endpoint);
        s->endpoint = wellhead_endpoint_new(s->server, NULL, NULL, NULL, NULL, NULL);
    }
    request.method = WELLHEAD_STR("POST");
    request.target = WELLHEAD_STR("/mcp");
    request.headers = headers;
    request.header_count = 3;
    wellhead_exchange *x = wellhead_exchange_new(s->endpoint, &request, 0, NULL, NULL, NULL, NULL);
    wellhead_exchange_body(x, wellhead_cstr(body));
    wellhead_exchange_end(x, 0);
    while (wellhead_exchange_poll(x, 0) == WELLHEAD_PROGRESS_WAIT) wellhead_endpoint_poll_event(s->endpoint, 64);
    CHECK(wellhead_exchange_response(x) && wellhead_exchange_response(x)->status == 200);
    wellhead_exchange_free(x);
}

static void servers_leave_no_memory_behind(void) {
    stays_flat(a_server, NULL);
}

static void connections_leave_no_memory_behind(void) {
    wellhead_server *server = quiet_server();
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_OK);
    stays_flat(a_connection, server);
    wellhead_server_free(server);
}

static void calls_leave_no_memory_behind(void) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    calls c = {NULL, NULL, 0};
    provider.read = keep_for_later;
    provider.user_data = &c.kept;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    c.connection = connect_to(server);
    stays_flat(a_call, &c);
    wellhead_connection_free(c.connection);
    wellhead_server_free(server);
}

static void sessions_leave_no_memory_behind(void) {
    sessions s = {quiet_server(), NULL, 0};
    stays_flat(a_session, &s);
    wellhead_endpoint_free(s.endpoint);
    wellhead_server_free(s.server);
}

void test_leaks(void) {
    RUN(servers_leave_no_memory_behind);
    RUN(connections_leave_no_memory_behind);
    RUN(calls_leave_no_memory_behind);
    RUN(sessions_leave_no_memory_behind);
}
