/* Connections: threads, cancellation, closing, fork. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

static wellhead_server *server_with(void (*read)(void *, const wellhead_call *, wellhead_read *), void *user_data) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    provider.read = read;
    provider.user_data = user_data;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    return server;
}

typedef struct { wellhead_connection *connection; wellhead_read *kept; flag begun; int seen; } blocking;

static void block_until_cancelled(void *user_data, const wellhead_call *call, wellhead_read *r) {
    blocking *b = user_data;
    say(&b->begun);
    while (!wellhead_call_cancelled(call)) sched_yield();
    b->seen = 1;
    wellhead_read_text(r, WELLHEAD_STR("too late"));
}

static void *poll_once(void *user_data) {
    wellhead_connection_poll_event(((blocking *)user_data)->connection, SIZE_MAX);
    return NULL;
}

static void a_blocking_callback_sees_its_cancellation(void) {
    blocking b = {NULL, NULL, FLAG_INIT, 0};
    wellhead_server *server = server_with(block_until_cancelled, &b);
    pthread_t thread;
    b.connection = connect_to(server);
    feed(b.connection, READ(1, "n:1"));
    CHECK(pthread_create(&thread, NULL, poll_once, &b) == 0);
    await(&b.begun);
    CHECK(*exchange(b.connection, CANCEL(1)) == '\0');
    pthread_join(thread, NULL);
    CHECK(b.seen);
    CHECK(*drain(b.connection) == '\0');
    wellhead_connection_free(b.connection);
    wellhead_server_free(server);
}

typedef struct { wellhead_connection *same, *other; size_t polled_same, polled_other; } nested;

static void poll_inside(void *user_data, const wellhead_call *call, wellhead_read *r) {
    nested *n = user_data;
    (void)call;
    if (n->same) {
        wellhead_connection *same = n->same;
        n->same = NULL; /* only the first callback polls */
        feed(same, READ(2, "n:2"));
        n->polled_same = wellhead_connection_poll_event(same, SIZE_MAX);
        n->polled_other = wellhead_connection_poll_event(n->other, SIZE_MAX);
    }
    wellhead_read_text(r, WELLHEAD_STR("x"));
}

static void polling_inside_a_callback_of_the_same_connection_has_no_effect(void) {
    nested n = {NULL, NULL, 7, 0};
    wellhead_server *server = server_with(poll_inside, &n);
    wellhead_connection *connection = n.same = connect_to(server);
    n.other = connect_to(server);
    feed(n.other, READ(1, "n:1"));
    feed(connection, READ(1, "n:1"));
    CHECK(wellhead_connection_poll_event(connection, SIZE_MAX) == 2);
    CHECK(n.polled_same == 0 && n.polled_other == 1);
    CHECK(has(drain(connection), "\"id\":2"));
    CHECK(has(drain(n.other), "\"id\":1"));
    wellhead_connection_free(connection);
    wellhead_connection_free(n.other);
    wellhead_server_free(server);
}

static void echo(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static void poll_event_runs_at_most_the_given_number_of_callbacks(void) {
    wellhead_server *server = server_with(echo, NULL);
    wellhead_connection *connection = connect_to(server);
    feed(connection, READ(1, "n:1") READ(2, "n:2") READ(3, "n:3"));
    CHECK(wellhead_connection_poll_event(connection, 2) == 2);
    CHECK(!has(drain(connection), "\"id\":3"));
    CHECK(wellhead_connection_poll_event(connection, 2) == 1);
    CHECK(has(drain(connection), "\"id\":3"));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void a_closed_connection_returns_closed(void) {
    wellhead_server *server = server_with(echo, NULL);
    wellhead_connection *connection = connect_to(server);
    wellhead_transmit *answer = NULL;
    wellhead_error *error = NULL;
    size_t taken = 7;
    feed(connection, READ(1, "n:1"));
    wellhead_connection_close(connection);
    CHECK(wellhead_connection_receive(connection, WELLHEAD_STR("x"), &taken, &error) == WELLHEAD_STATUS_CLOSED);
    CHECK(taken == 7); /* outputs are written only on success */
    CHECK(wellhead_error_status(error) == WELLHEAD_STATUS_CLOSED);
    wellhead_error_free(error);
    CHECK(wellhead_connection_handle(connection, WELLHEAD_STR("x"), 0, &answer, NULL) == WELLHEAD_STATUS_CLOSED);
    CHECK(wellhead_connection_poll_event(connection, 1) == 0);
    CHECK(wellhead_connection_poll_transmit(connection, 1) == NULL);
    CHECK(wellhead_connection_finished(connection) == 1);
    wellhead_connection_end(connection);
    wellhead_connection_tick(connection, 1);
    wellhead_connection_close(connection);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void a_closed_server_returns_closed(void) {
    wellhead_server *server = server_with(echo, NULL);
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.uri = WELLHEAD_STR("n:1");
    wellhead_server_close(server);
    wellhead_server_close(server);
    CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_CLOSED);
    CHECK(wellhead_server_notify_updated(server, resource.uri, NULL) == WELLHEAD_STATUS_CLOSED);
    CHECK(wellhead_server_notify_resource_list_changed(server, NULL) == WELLHEAD_STATUS_CLOSED);
    CHECK(wellhead_serve_stdio(server, NULL, NULL) == WELLHEAD_STATUS_CLOSED);
    wellhead_server_free(server);
}

static void keep(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_read **kept = user_data;
    (void)call;
    *kept = wellhead_read_keep(r);
}

static void *answer(void *kept) {
    wellhead_read_text(kept, WELLHEAD_STR("later"));
    return NULL;
}

static void keep_for_a_thread(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)call;
    wellhead_read_keep(r);
    CHECK(pthread_create(user_data, NULL, answer, r) == 0);
}

static int handled(wellhead_connection *connection, const char *message, uint32_t timeout_ms, const char *part) {
    wellhead_transmit *t = NULL;
    CHECK(wellhead_connection_handle(connection, wellhead_cstr(message), timeout_ms, &t, NULL) == WELLHEAD_STATUS_OK);
    wellhead_str bytes = wellhead_transmit_bytes(t);
    char text[4096] = "";
    memcpy(text, bytes.ptr ? bytes.ptr : "", bytes.len < sizeof text ? bytes.len : 0);
    int found = part ? has(text, part) : t == NULL;
    if (!found) printf("  handled: %s\n", text);
    wellhead_transmit_free(t);
    return found;
}

static void one_message_is_answered_by_the_callback_it_runs(void) {
    wellhead_server *server = server_with(echo, NULL);
    wellhead_connection *connection = connect_to(server);
    CHECK(handled(connection, READ(1, "n:hello"), 0, "\"text\":\"hello\""));
    CHECK(handled(connection, CANCEL(1), 0, NULL));
    CHECK(*drain(connection) == '\0');
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void handling_a_message_waits_for_the_thread_that_answers(void) {
    pthread_t thread;
    wellhead_server *server = server_with(keep_for_a_thread, &thread);
    wellhead_connection *connection = connect_to(server);
    CHECK(handled(connection, READ(1, "n:1"), UINT32_MAX, "\"text\":\"later\""));
    pthread_join(thread, NULL);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void handling_a_message_that_no_callback_answers_ends_in_an_internal_error(void) {
    wellhead_read *kept = NULL;
    wellhead_server *server = server_with(keep, &kept);
    wellhead_connection *connection = connect_to(server);
    CHECK(handled(connection, READ(1, "n:1"), 1, INTERNAL_ERROR));
    CHECK(wellhead_call_cancelled(wellhead_read_call(kept)));
    CHECK(wellhead_read_text(kept, WELLHEAD_STR("late")) == WELLHEAD_STATUS_OK);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void *close_when_kept(void *user_data) {
    blocking *b = user_data;
    await(&b->begun);
    wellhead_connection_close(b->connection);
    return NULL;
}

static void keep_and_say(void *user_data, const wellhead_call *call, wellhead_read *r) {
    blocking *b = user_data;
    (void)call;
    b->kept = wellhead_read_keep(r);
    say(&b->begun);
}

static void handling_a_message_fails_when_another_thread_closes_the_connection(void) {
    blocking b = {NULL, NULL, FLAG_INIT, 0};
    wellhead_transmit *answer = NULL;
    wellhead_server *server = server_with(keep_and_say, &b);
    pthread_t thread;
    b.connection = connect_to(server);
    CHECK(pthread_create(&thread, NULL, close_when_kept, &b) == 0);
    CHECK(wellhead_connection_handle(b.connection, WELLHEAD_STR(READ(1, "n:1")), 60000, &answer, NULL) ==
          WELLHEAD_STATUS_CLOSED);
    CHECK(!answer);
    pthread_join(thread, NULL);
    wellhead_read_free(b.kept);
    wellhead_connection_free(b.connection);
    wellhead_server_free(server);
}

static void a_tick_ends_calls_that_are_kept_too_long(void) {
    wellhead_read *kept = NULL;
    wellhead_server *server = server_with(keep, &kept);
    wellhead_connection *connection = connect_to(server);
    CHECK(wellhead_connection_poll_timeout(connection) == UINT64_MAX);
    exchange(connection, READ(1, "n:1"));
    CHECK(wellhead_connection_poll_timeout(connection) == 60000);
    wellhead_connection_tick(connection, 60000);
    CHECK(has(drain(connection), INTERNAL_ERROR));
    wellhead_read_free(kept);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void wake_up(void *wake_data) {
    say(wake_data);
}

typedef struct { wellhead_server *server; int times; } updater;

static void *update(void *user_data) {
    updater *u = user_data;
    while (u->times--) wellhead_server_notify_updated(u->server, WELLHEAD_STR("n:1"), NULL);
    return NULL;
}

static void an_update_from_another_thread_wakes_and_is_announced_once(void) {
    flag woken = FLAG_INIT;
    wellhead_server *server = server_with(echo, NULL);
    wellhead_connection *connection = connect_with(server, wake_up, &woken, NULL);
    updater u = {server, 1000};
    pthread_t thread;
    CHECK(has(exchange(connection, INITIALIZE SUBSCRIBE(2, "n:1")), "\"id\":2,\"result\":{}"));
    CHECK(pthread_create(&thread, NULL, update, &u) == 0);
    pthread_join(thread, NULL);
    await(&woken);
    wellhead_connection_poll_event(connection, SIZE_MAX);
    CHECK(strcmp(drain(connection), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"n:1\"}}\n") == 0);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void output_is_handed_out_one_piece_at_a_time(void) {
    wellhead_server *server = server_with(echo, NULL);
    wellhead_connection *connection = connect_to(server);
    feed(connection, READ(1, "n:1") READ(2, "n:2"));
    wellhead_connection_poll_event(connection, SIZE_MAX);
    wellhead_transmit *first = wellhead_connection_poll_transmit(connection, 10);
    CHECK(wellhead_transmit_bytes(first).len == 10);
    CHECK(wellhead_connection_poll_transmit(connection, 10) == NULL);
    CHECK(!wellhead_connection_finished(connection));
    wellhead_transmit_free(first);
    CHECK(has(drain(connection), "\"id\":2"));
    wellhead_connection_end(connection);
    wellhead_connection_poll_event(connection, SIZE_MAX);
    CHECK(wellhead_connection_finished(connection));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void close_when_bound(void *bound_data, const wellhead_str *address) {
    (void)address;
    wellhead_server_close(bound_data);
}

static int in_child(wellhead_server *server, wellhead_connection *before) {
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    size_t taken;
    wellhead_transmit *answer = NULL;
    wellhead_server_after_fork(server);
    wellhead_connection *after = connect_to(server);
    CHECK(wellhead_connection_receive(before, WELLHEAD_STR("x"), &taken, NULL) == WELLHEAD_STATUS_FORKED);
    CHECK(wellhead_connection_handle(before, WELLHEAD_STR("x"), 0, &answer, NULL) == WELLHEAD_STATUS_FORKED);
    CHECK(wellhead_connection_poll_event(before, 1) == 0);
    CHECK(wellhead_connection_poll_transmit(before, 1) == NULL);
    wellhead_connection_close(before);
    wellhead_connection_free(before);
    int served = has(exchange(after, READ(1, "n:hello")), "\"text\":\"hello\"");
    CHECK(served && wellhead_server_notify_updated(server, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
    wellhead_connection_free(after);
    options.bound = close_when_bound;
    options.bound_data = server;
    CHECK(wellhead_serve_http(server, WELLHEAD_STR("127.0.0.1:0"), &options, NULL) == WELLHEAD_STATUS_OK);
    return checks_failed();
}

static void after_fork_the_child_keeps_what_is_registered_and_loses_connections(void) {
    wellhead_server *server = server_with(echo, NULL);
    wellhead_connection *connection = connect_to(server);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(in_child(server, connection));
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(has(exchange(connection, READ(1, "n:hello")), "\"text\":\"hello\""));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

void test_connection(void) {
    RUN(a_blocking_callback_sees_its_cancellation);
    RUN(polling_inside_a_callback_of_the_same_connection_has_no_effect);
    RUN(poll_event_runs_at_most_the_given_number_of_callbacks);
    RUN(a_closed_connection_returns_closed);
    RUN(a_closed_server_returns_closed);
    RUN(one_message_is_answered_by_the_callback_it_runs);
    RUN(handling_a_message_waits_for_the_thread_that_answers);
    RUN(handling_a_message_that_no_callback_answers_ends_in_an_internal_error);
    RUN(handling_a_message_fails_when_another_thread_closes_the_connection);
    RUN(a_tick_ends_calls_that_are_kept_too_long);
    RUN(an_update_from_another_thread_wakes_and_is_announced_once);
    RUN(output_is_handed_out_one_piece_at_a_time);
    RUN(after_fork_the_child_keeps_what_is_registered_and_loses_connections);
}
