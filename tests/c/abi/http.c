/* HTTP: the listener, and what endpoints and exchanges own. Behaviour is tested by the vectors. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wellhead_http.h>

#define BODY "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"n:1\"," META "}}"

typedef struct { wellhead_server *server; flag bound; int port; uint32_t shutdown_ms; wellhead_status status; } service;

static void note_port(void *bound_data, const wellhead_str *address) {
    service *s = bound_data;
    char text[64] = "";
    if (address->len < sizeof text) memcpy(text, address->ptr, address->len);
    CHECK(strncmp(text, "127.0.0.1:", 10) == 0);
    s->port = atoi(text + 10);
    say(&s->bound);
}

static void *serve(void *cls) {
    service *s = cls;
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    options.bound = note_port;
    options.bound_data = s;
    options.shutdown_ms = s->shutdown_ms;
    s->status = wellhead_serve_http(s->server, WELLHEAD_STR("127.0.0.1:0"), &options, NULL);
    say(&s->bound); /* also if it was never bound */
    return NULL;
}

/* What a request is answered over a connection of its own. */
static const char *asked(int port, const char *request) {
    static char answer[1 << 16];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    size_t len = 0;
    ssize_t got;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(write(fd, request, strlen(request)) == (ssize_t)strlen(request));
    while ((got = read(fd, answer + len, sizeof answer - 1 - len)) > 0) len += (size_t)got;
    answer[len] = '\0';
    close(fd);
    return answer;
}

static const char *read_at(int port) {
    char request[1024];
    snprintf(request, sizeof request,
             "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
             "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
             "Mcp-Method: resources/read\r\nMcp-Name: n:1\r\nContent-Length: %zu\r\n\r\n%s", strlen(BODY), BODY);
    return asked(port, request);
}

static void echo(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static wellhead_server *echo_server(void) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    provider.read = echo;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    return server;
}

static void the_listener_serves_until_the_server_is_closed(void) {
    service s = {echo_server(), FLAG_INIT, 0, 0, WELLHEAD_STATUS_PANIC};
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, &s)) abort();
    await(&s.bound);
    const char *answer = read_at(s.port);
    CHECK(has(answer, "HTTP/1.1 200 ") && has(answer, "\"text\":\"1\""));
    CHECK(has(asked(s.port, "GET /mcp HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n"), "HTTP/1.1 403 "));
    wellhead_server_close(s.server);
    pthread_join(thread, NULL);
    CHECK(s.status == WELLHEAD_STATUS_OK);
    wellhead_server_free(s.server);
}

/* A read that is kept until the test answers it. */
typedef struct { flag asked; wellhead_read *kept; } held_read;

static void hold(void *user_data, const wellhead_call *call, wellhead_read *r) {
    held_read *held = user_data;
    (void)call;
    held->kept = wellhead_read_keep(r);
    say(&held->asked);
}

static void *read_of(void *port) {
    return (void *)read_at(*(int *)port);
}

/* What a read is answered whose server is closed before the application answers it, if it does. */
static const char *closed_over(uint32_t shutdown_ms, int answers) {
    held_read held = {FLAG_INIT, NULL};
    service s = {quiet_server(), FLAG_INIT, 0, shutdown_ms, WELLHEAD_STATUS_PANIC};
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    pthread_t serving, client;
    void *answer;
    provider.read = hold;
    provider.user_data = &held;
    CHECK(add_template(s.server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    if (pthread_create(&serving, NULL, serve, &s)) abort();
    await(&s.bound);
    if (pthread_create(&client, NULL, read_of, &s.port)) abort();
    await(&held.asked);
    wellhead_server_close(s.server);
    if (answers) CHECK(wellhead_read_text(held.kept, WELLHEAD_STR("at last")) == WELLHEAD_STATUS_OK);
    pthread_join(client, &answer);
    pthread_join(serving, NULL);
    CHECK(s.status == WELLHEAD_STATUS_OK);
    if (!answers) CHECK(wellhead_read_text(held.kept, WELLHEAD_STR("too late")) == WELLHEAD_STATUS_OK);
    wellhead_server_free(s.server);
    return answer;
}

static void calls_in_flight_when_the_server_is_closed_are_still_answered(void) {
    const char *answer = closed_over(60000, 1);
    CHECK(has(answer, "HTTP/1.1 200 ") && has(answer, "\"text\":\"at last\""));
}

static void the_listener_waits_for_a_call_at_most_as_long_as_its_limit(void) {
    CHECK(*closed_over(50, 0) == '\0');
}

static void close_and_free(wellhead_server **server) {
    wellhead_server_close(*server);
    wellhead_server_free(*server);
    *server = NULL;
}

static void read_and_free(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)call;
    close_and_free(user_data);
    wellhead_read_text(r, WELLHEAD_STR("the last"));
}

static void free_when_bound(void *bound_data, const wellhead_str *address) {
    (void)address;
    close_and_free(bound_data);
}

static void a_server_is_freed_in_a_callback_while_it_listens(void) {
    service s = {quiet_server(), FLAG_INIT, 0, 60000, WELLHEAD_STATUS_PANIC};
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    pthread_t thread;
    provider.read = read_and_free;
    provider.user_data = &s.server;
    CHECK(add_template(s.server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    if (pthread_create(&thread, NULL, serve, &s)) abort();
    await(&s.bound);
    CHECK(has(read_at(s.port), "\"text\":\"the last\""));
    pthread_join(thread, NULL);
    CHECK(s.status == WELLHEAD_STATUS_OK && !s.server);
}

static void a_server_is_freed_when_it_is_bound(void) {
    wellhead_server *server = quiet_server();
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    options.bound = free_when_bound;
    options.bound_data = &server;
    CHECK(wellhead_serve_http(server, WELLHEAD_STR("127.0.0.1:0"), &options, NULL) == WELLHEAD_STATUS_OK);
    CHECK(!server);
}

static void terminate(void *bound_data, const wellhead_str *address) {
    (void)bound_data;
    (void)address;
    kill(getpid(), SIGTERM);
}

/* A supervisor may stop a program at the moment that it says where it listens. */
static void sigterm_when_it_is_bound_ends_the_service(void) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        wellhead_server *server = quiet_server();
        wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
        options.bound = terminate;
        options.flags = WELLHEAD_HTTP_HANDLE_SIGTERM;
        CHECK(wellhead_serve_http(server, WELLHEAD_STR("127.0.0.1:0"), &options, NULL) == WELLHEAD_STATUS_OK);
        wellhead_server_free(server);
        _exit(checks_failed() != 0);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void wrong_addresses_and_options_are_refused(void) {
    wellhead_server *server = quiet_server();
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    wellhead_endpoint_options endpoint = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    wellhead_str address = WELLHEAD_STR("127.0.0.1:0");
    wellhead_error *error = NULL;
    int destroyed = 0;
    CHECK(wellhead_serve_http(NULL, address, NULL, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_serve_http(server, WELLHEAD_STR("nowhere"), NULL, &error) == WELLHEAD_STATUS_IO);
    CHECK(wellhead_error_message(error).len > 0);
    wellhead_error_free(error);
    options.callback_threads = -2;
    CHECK(wellhead_serve_http(server, address, &options, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    options.callback_threads = 0;
    options.endpoint = &endpoint;
    endpoint.flags = 64;
    CHECK(wellhead_serve_http(server, address, &options, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(!wellhead_endpoint_new(server, &endpoint, NULL, &destroyed, count, NULL) && destroyed == 1);
    endpoint.flags = 0;
    wellhead_str host = WELLHEAD_STR("a*b"); /* which no request can match */
    endpoint.allowed_hosts = &host;
    endpoint.allowed_host_count = 1;
    CHECK(wellhead_serve_http(server, address, &options, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    error = NULL;
    CHECK(!wellhead_endpoint_new(server, &endpoint, NULL, NULL, NULL, &error));
    CHECK(wellhead_error_status(error) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    wellhead_error_free(error);
    wellhead_server_close(server);
    CHECK(wellhead_serve_http(server, address, NULL, NULL) == WELLHEAD_STATUS_CLOSED);
    wellhead_server_free(server);
}

static wellhead_exchange *post_of(wellhead_endpoint *endpoint, const char *method, const char *name, const char *token,
                                  wellhead_wake_callback ready, void *ready_data, wellhead_destroy_callback ready_destroy) {
    wellhead_pair headers[] = {{WELLHEAD_STR("host"), WELLHEAD_STR("localhost")},
                               {WELLHEAD_STR("content-type"), WELLHEAD_STR("application/json")},
                               {WELLHEAD_STR("accept"), WELLHEAD_STR("application/json, text/event-stream")},
                               {WELLHEAD_STR("mcp-protocol-version"), WELLHEAD_STR("2026-07-28")},
                               {WELLHEAD_STR("mcp-method"), wellhead_cstr(method)},
                               {WELLHEAD_STR("mcp-name"), wellhead_cstr(name)},
                               {WELLHEAD_STR("authorization"), wellhead_cstr(token)}};
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    request.method = WELLHEAD_STR("POST");
    request.target = WELLHEAD_STR("/mcp");
    request.headers = headers;
    request.header_count = sizeof headers / sizeof *headers - !token - !name; /* a token comes with a name */
    return wellhead_exchange_new(endpoint, &request, 0, ready, ready_data, ready_destroy, NULL);
}

wellhead_exchange *post(wellhead_endpoint *endpoint, wellhead_wake_callback ready, void *ready_data,
                        wellhead_destroy_callback ready_destroy) {
    return post_of(endpoint, "resources/read", "n:1", NULL, ready, ready_data, ready_destroy);
}

wellhead_exchange *post_with_token(wellhead_endpoint *endpoint, wellhead_wake_callback ready, void *ready_data,
                                   wellhead_destroy_callback ready_destroy) {
    return post_of(endpoint, "resources/read", "n:1", "Bearer t", ready, ready_data, ready_destroy);
}

/* Polls until there is nothing to do; what was to be sent, and with it the status and whether that was all. */
static uint32_t collect(wellhead_endpoint *endpoint, wellhead_exchange *exchange, char *sent, size_t room) {
    for (size_t len = strlen(sent);;) {
        uint32_t progress = wellhead_exchange_poll(exchange, 0);
        wellhead_str data = wellhead_exchange_data(exchange);
        if (progress == WELLHEAD_PROGRESS_DATA && len + data.len < room) {
            memcpy(sent + len, data.ptr, data.len);
            sent[len += data.len] = '\0';
        } else if (progress != WELLHEAD_PROGRESS_RESPOND && (progress != WELLHEAD_PROGRESS_WAIT
                   || wellhead_endpoint_poll_event(endpoint, SIZE_MAX) == 0)) {
            return progress;
        }
    }
}

static void a_listen_stream_is_ended_with_its_result(void) {
    static const char listen[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":"
                                 "{\"notifications\":{\"resourcesListChanged\":true}," META "}}";
    char sent[4096] = "";
    wellhead_server *server = echo_server();
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, NULL, NULL, NULL, NULL, NULL);
    wellhead_exchange *exchange = post_of(endpoint, "subscriptions/listen", NULL, NULL, NULL, NULL, NULL);
    wellhead_exchange_end_stream(exchange); /* there is none yet */
    wellhead_exchange_body(exchange, wellhead_cstr(listen)); /* before the first poll, which is allowed */
    wellhead_exchange_end(exchange, 0);
    CHECK(collect(endpoint, exchange, sent, sizeof sent) == WELLHEAD_PROGRESS_WAIT);
    CHECK(has(sent, "notifications/subscriptions/acknowledged") && !has(sent, "\"result\""));
    wellhead_exchange_end_stream(exchange);
    CHECK(collect(endpoint, exchange, sent, sizeof sent) == WELLHEAD_PROGRESS_DONE);
    CHECK(has(sent, "\"id\":1,\"result\""));
    wellhead_exchange_end_stream(exchange);
    wellhead_exchange_end_stream(NULL);
    wellhead_exchange_free(exchange);
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
}

static void an_exchange_outlives_its_endpoint_and_its_server(void) {
    int woken = 0, destroyed = 0;
    wellhead_server *server = echo_server();
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, NULL, NULL, &woken, count, NULL);
    wellhead_exchange *exchange = post(endpoint, NULL, &destroyed, count);
    CHECK(!wellhead_exchange_response(exchange));
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
    CHECK(wellhead_exchange_poll(exchange, 0) == WELLHEAD_PROGRESS_BODY && wellhead_exchange_poll_timeout(exchange) == 30000);
    CHECK(woken == 1 && destroyed == 0);
    wellhead_exchange_free(exchange);
    CHECK(woken == 1 && destroyed == 1);
}

static void a_response_is_a_head_and_then_its_data(void) {
    int destroyed = 0;
    wellhead_server *server = echo_server();
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, NULL, NULL, NULL, NULL, NULL);
    wellhead_exchange *exchange = post(endpoint, NULL, &destroyed, count);
    CHECK(wellhead_exchange_poll(exchange, 0) == WELLHEAD_PROGRESS_BODY);
    wellhead_exchange_body(exchange, WELLHEAD_STR(BODY));
    wellhead_exchange_end(exchange, 0);
    uint32_t progress;
    while ((progress = wellhead_exchange_poll(exchange, 0)) == WELLHEAD_PROGRESS_WAIT)
        wellhead_endpoint_poll_event(endpoint, SIZE_MAX);
    const wellhead_http_response *head = wellhead_exchange_response(exchange);
    CHECK(progress == WELLHEAD_PROGRESS_RESPOND && head && head->status == 200 && head->header_count >= 2);
    CHECK(wellhead_exchange_poll(exchange, 0) == WELLHEAD_PROGRESS_DATA);
    CHECK(head && wellhead_exchange_data(exchange).len == head->length);
    CHECK(wellhead_exchange_poll(exchange, 0) == WELLHEAD_PROGRESS_DONE && wellhead_endpoint_sessions(endpoint) == 0);
    wellhead_exchange_free(exchange);
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
    CHECK(destroyed == 1);
}

static void grant(void *verify_data, const wellhead_call *call, wellhead_verify *r) {
    const wellhead_str token = wellhead_call_token(call);
    wellhead_grant granted = WELLHEAD_GRANT_INIT;
    wellhead_str host = wellhead_call_header(call, "Host");
    CHECK(host.len == 9 && memcmp(host.ptr, "localhost", 9) == 0 && !wellhead_call_header(call, "none").ptr);
    CHECK(token.len == 6 && memcmp(token.ptr, "secret", 6) == 0 && !wellhead_call_uri(call).ptr);
    granted.caller_id = WELLHEAD_STR("ann");
    granted.caller = verify_data;
    granted.caller_destroy = count;
    CHECK(wellhead_verify_granted(r, &granted) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_verify_granted(r, &granted) == WELLHEAD_STATUS_INVALID_ARGUMENT && !wellhead_verify_keep(r));
}

static void grant_nobody(void *verify_data, const wellhead_call *call, wellhead_verify *r) {
    const wellhead_grant granted = WELLHEAD_GRANT_INIT;
    (void)verify_data, (void)call;
    CHECK(wellhead_verify_granted(r, &granted) == WELLHEAD_STATUS_INVALID_ARGUMENT);
}

/* Begins 20 posts, which share one peer or none, and returns how many of them may keep 60 KiB of a body without its end. */
static int bodies_kept(wellhead_endpoint *endpoint, wellhead_str peer) {
    static char part[60 << 10];
    wellhead_exchange *exchanges[20];
    wellhead_pair headers[] = {{WELLHEAD_STR("host"), WELLHEAD_STR("localhost")},
                               {WELLHEAD_STR("content-type"), WELLHEAD_STR("application/json")}};
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    int kept = 0;
    memset(part, 'x', sizeof part);
    request.method = WELLHEAD_STR("POST");
    request.target = WELLHEAD_STR("/mcp");
    request.headers = headers;
    request.header_count = 2;
    request.peer = peer;
    for (int i = 0; i < 20; i++) {
        exchanges[i] = wellhead_exchange_new(endpoint, &request, 0, NULL, NULL, NULL, NULL);
        wellhead_exchange_body(exchanges[i], (wellhead_str){part, sizeof part});
        kept += wellhead_exchange_poll(exchanges[i], 0) == WELLHEAD_PROGRESS_BODY;
    }
    for (int i = 0; i < 20; i++) wellhead_exchange_free(exchanges[i]);
    return kept;
}

static void requests_of_one_peer_share_a_part_of_the_buffer(void) {
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    limits.buffer_bytes = 2 << 20;
    options.limits = &limits;
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, NULL, NULL, NULL, NULL, NULL);
    CHECK(bodies_kept(endpoint, WELLHEAD_STR("127.0.0.1 5")) == 5);
    CHECK(bodies_kept(endpoint, (wellhead_str){NULL, 0}) > 10);
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
}

/* Returns the status with which an endpoint without a session answers a DELETE with a token. */
static uint32_t status_with_token(wellhead_endpoint *endpoint) {
    wellhead_pair headers[] = {{WELLHEAD_STR("host"), WELLHEAD_STR("localhost")},
                               {WELLHEAD_STR("authorization"), WELLHEAD_STR("Bearer secret")}};
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    request.method = WELLHEAD_STR("DELETE");
    request.target = WELLHEAD_STR("/mcp");
    request.headers = headers;
    request.header_count = 2;
    wellhead_exchange *exchange = wellhead_exchange_new(endpoint, &request, 0, NULL, NULL, NULL, NULL);
    CHECK(wellhead_exchange_poll(exchange, 0) == WELLHEAD_PROGRESS_RESPOND);
    const uint32_t status = wellhead_exchange_response(exchange)->status;
    wellhead_exchange_free(exchange);
    return status;
}

static void a_grant_without_a_caller_id_is_refused(void) {
    wellhead_endpoint_options options = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    wellhead_server *server = quiet_server();
    options.verify = grant_nobody;
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, &options, NULL, NULL, NULL, NULL);
    CHECK(status_with_token(endpoint) == 500);
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
}

static void the_caller_of_a_token_is_given_back_once(void) {
    int destroyed = 0;
    wellhead_endpoint_options options = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    wellhead_protection protection = WELLHEAD_PROTECTION_INIT;
    wellhead_server *server = quiet_server();
    options.protection = &protection;
    CHECK(!wellhead_endpoint_new(server, &options, NULL, NULL, NULL, NULL)); /* without verify */
    options.verify = grant;
    options.verify_data = &destroyed;
    options.verify_destroy = count;
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, &options, NULL, NULL, NULL, NULL);
    CHECK(status_with_token(endpoint) == 400); /* of no session */
    CHECK(destroyed == 2); /* granted, and refused since it was answered already */
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
    CHECK(destroyed == 3);
}

static void null_is_no_endpoint_and_no_exchange(void) {
    int destroyed = 0;
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    CHECK(!post(NULL, NULL, &destroyed, count) && destroyed == 1);
    wellhead_server *server = quiet_server();
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, NULL, NULL, NULL, NULL, NULL);
    CHECK(!wellhead_exchange_new(endpoint, &request, 0, NULL, NULL, NULL, NULL)); /* without a method */
    CHECK(!wellhead_exchange_new(endpoint, NULL, 0, NULL, NULL, NULL, NULL));
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
    CHECK(wellhead_endpoint_poll_event(NULL, 1) == 0 && wellhead_endpoint_poll_timeout(NULL) == UINT64_MAX);
    CHECK(wellhead_exchange_poll(NULL, 0) == WELLHEAD_PROGRESS_DONE && !wellhead_exchange_response(NULL));
    CHECK(!wellhead_exchange_data(NULL).ptr && wellhead_exchange_poll_timeout(NULL) == UINT64_MAX);
    wellhead_endpoint_tick(NULL, 0);
    wellhead_exchange_body(NULL, WELLHEAD_STR("x"));
    wellhead_exchange_end(NULL, 0);
    wellhead_exchange_free(NULL);
    wellhead_endpoint_free(NULL);
}

void test_http(void) {
    RUN(the_listener_serves_until_the_server_is_closed);
    RUN(calls_in_flight_when_the_server_is_closed_are_still_answered);
    RUN(the_listener_waits_for_a_call_at_most_as_long_as_its_limit);
    RUN(a_server_is_freed_in_a_callback_while_it_listens);
    RUN(a_server_is_freed_when_it_is_bound);
    RUN(sigterm_when_it_is_bound_ends_the_service);
    RUN(wrong_addresses_and_options_are_refused);
    RUN(a_listen_stream_is_ended_with_its_result);
    RUN(an_exchange_outlives_its_endpoint_and_its_server);
    RUN(a_response_is_a_head_and_then_its_data);
    RUN(requests_of_one_peer_share_a_part_of_the_buffer);
    RUN(a_grant_without_a_caller_id_is_refused);
    RUN(the_caller_of_a_token_is_given_back_once);
    RUN(null_is_no_endpoint_and_no_exchange);
}
