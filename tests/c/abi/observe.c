/* The observer and the counters. */
#include "check.h"

#include <stddef.h>

typedef struct { int begun, ended, destroyed; uint64_t call; char outcome[32], registered_as[32]; } seen;

static void observe(void *observe_data, const wellhead_observed *observed) {
    seen *s = observe_data;
    CHECK(observed->struct_size == sizeof *observed && s->destroyed == 0);
    if (!observed->outcome.ptr) {
        s->begun++;
        s->call = observed->call;
        return;
    }
    s->ended++;
    CHECK(observed->call == s->call && observed->client_waiting == 1);
    snprintf(s->outcome, sizeof s->outcome, "%.*s", (int)observed->outcome.len, observed->outcome.ptr);
    snprintf(s->registered_as, sizeof s->registered_as, "%.*s", (int)observed->registered_as.len,
             observed->registered_as.ptr);
}

static void observer_gone(void *observe_data) {
    ((seen *)observe_data)->destroyed++;
}

static void echo(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static void calls_are_observed_and_counted(void) {
    seen s = {0};
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_counters counters = WELLHEAD_COUNTERS_INIT, older = WELLHEAD_COUNTERS_INIT;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    options.observe = observe;
    options.observe_data = &s;
    options.observe_destroy = observer_gone;
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
    provider.read = echo;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(server);
    CHECK(has(exchange(connection, READ(1, "n:1")), "\"text\":\"1\""));
    CHECK(s.begun == 1 && s.ended == 1);
    CHECK(strcmp(s.outcome, "found") == 0 && strcmp(s.registered_as, "n:{id}") == 0);
    CHECK(wellhead_server_counters(server, &counters, NULL) == WELLHEAD_STATUS_OK);
    CHECK(counters.connections == 1 && counters.calls == 1 && counters.calls_answered == 1 && counters.calls_failed == 0);
    older.struct_size = offsetof(wellhead_counters, connections_open);
    older.connections_open = 77; /* beyond what an older program has room for */
    CHECK(wellhead_server_counters(server, &older, NULL) == WELLHEAD_STATUS_OK);
    CHECK(older.connections == 1 && older.connections_open == 77);
    CHECK(wellhead_server_counters(server, NULL, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
    CHECK(s.destroyed == 1);
}

void test_observe(void) {
    RUN(calls_are_observed_and_counted);
}
