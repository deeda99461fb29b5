/* Callers, questions about access, and interests. */
#include "check.h"

static void echo(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static wellhead_server *server_with(void (*authorize)(void *, const wellhead_call *, uint32_t, const wellhead_str *,
                                                      size_t, wellhead_authorize *), void *user_data) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    provider.read = echo;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_set_authorize(server, authorize, user_data, count, NULL) == WELLHEAD_STATUS_OK);
    return server;
}

static int same(wellhead_str s, const char *text) {
    return s.ptr && s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

static void set_odd_ones(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris,
                         size_t uri_count, wellhead_authorize *r) {
    const wellhead_status invalid = WELLHEAD_STATUS_INVALID_ARGUMENT;
    (void)user_data;
    CHECK(wellhead_call_uri(call).ptr == NULL && same(wellhead_call_revision(call), "2026-07-28"));
    CHECK(uri_count == 1 && same(uris[0], "n:1"));
    CHECK(operation == WELLHEAD_OPERATION_READ);
    CHECK(wellhead_authorize_set(r, 1, WELLHEAD_VERDICT_ALLOW) == invalid);
    CHECK(wellhead_authorize_set(r, 0, 3) == invalid);
    CHECK(wellhead_authorize_finish(r) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_authorize_finish(r) == invalid && wellhead_authorize_set(r, 0, WELLHEAD_VERDICT_ALLOW) == invalid);
    CHECK(wellhead_authorize_keep(r) == NULL);
}

static void a_verdict_that_is_not_set_denies(void) {
    int destroyed = 0;
    wellhead_server *server = server_with(set_odd_ones, &destroyed);
    wellhead_connection *connection = connect_to(server);
    const char *output = exchange(connection, READ(1, "n:1"));
    CHECK(has(output, "\"error\"") && !has(output, INTERNAL_ERROR));
    wellhead_connection_free(connection);
    CHECK(destroyed == 0);
    wellhead_server_free(server);
    CHECK(destroyed == 1);
}

static void say_nothing(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris,
                        size_t uri_count, wellhead_authorize *r) {
    (void)user_data;
    (void)call;
    (void)operation;
    (void)uris;
    (void)uri_count;
    (void)r;
}

static void a_question_that_is_neither_answered_nor_kept_is_an_internal_error_at_once(void) {
    int destroyed = 0;
    wellhead_server *server = server_with(say_nothing, &destroyed);
    wellhead_connection *connection = connect_to(server);
    CHECK(has(exchange(connection, READ(1, "n:1")), INTERNAL_ERROR));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

typedef struct { wellhead_authorize *question; const wellhead_str *uris; int destroyed; } kept;

static void keep_question(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris,
                          size_t uri_count, wellhead_authorize *r) {
    kept *k = user_data;
    (void)call;
    (void)operation;
    CHECK(uri_count == 1);
    k->question = wellhead_authorize_keep(r);
    k->uris = uris;
}

static void count_destroyed(void *user_data) {
    ((kept *)user_data)->destroyed++;
}

static void *allow_later(void *user_data) {
    kept *k = user_data;
    CHECK(same(k->uris[0], "n:1") && !wellhead_call_cancelled(wellhead_authorize_call(k->question)));
    CHECK(wellhead_authorize_set(k->question, 0, WELLHEAD_VERDICT_ALLOW) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_authorize_finish(k->question) == WELLHEAD_STATUS_OK);
    return NULL;
}

static void wake_up(void *woken) {
    say(woken);
}

static void another_thread_answers_a_kept_question(void) {
    kept k = {NULL, NULL, 0};
    flag woken = FLAG_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    pthread_t thread;
    provider.read = echo;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_set_authorize(server, keep_question, &k, count_destroyed, NULL) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_with(server, wake_up, &woken, NULL);
    CHECK(*exchange(connection, READ(1, "n:1")) == '\0');
    CHECK(pthread_create(&thread, NULL, allow_later, &k) == 0);
    pthread_join(thread, NULL);
    await(&woken);
    wellhead_connection_poll_event(connection, SIZE_MAX);
    CHECK(has(drain(connection), "\"text\":\"1\""));
    CHECK(*exchange(connection, READ(2, "n:1")) == '\0');
    wellhead_connection_free(connection);
    wellhead_server_free(server);
    CHECK(k.destroyed == 0); /* the kept question holds it */
    CHECK(wellhead_call_cancelled(wellhead_authorize_call(k.question)));
    wellhead_authorize_free(k.question);
    CHECK(k.destroyed == 1);
}

static void expect_ada(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    CHECK(same(wellhead_call_caller_id(call), "ada"));
    wellhead_read_text(r, wellhead_cstr(wellhead_call_caller(call)));
}

typedef struct { char name[8]; int destroyed; } person;

static void person_gone(void *caller) {
    ((person *)caller)->destroyed++;
}

static void the_caller_of_a_connection_reaches_callbacks_and_is_destroyed_once(void) {
    person ada = {"Ada", 0}, nobody = {"", 0};
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_connection_options options = WELLHEAD_CONNECTION_OPTIONS_INIT;
    wellhead_server *server = quiet_server();
    provider.read = expect_ada;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    options.caller = &ada;
    options.caller_destroy = person_gone;
    options.caller_id = WELLHEAD_STR("ada");
    wellhead_connection *connection = wellhead_connection_new(server, &options, NULL);
    CHECK(has(exchange(connection, READ(1, "n:1")), "\"text\":\"Ada\""));
    CHECK(ada.destroyed == 0);
    wellhead_connection_free(connection);
    CHECK(ada.destroyed == 1);
    options.caller = &nobody;
    CHECK(wellhead_connection_new(NULL, &options, NULL) == NULL);
    CHECK(nobody.destroyed == 1);
    wellhead_server_free(server);
}

typedef struct { wellhead_interest *first; int wanted, given_up, destroyed; } watch;

static void keep_interest(void *user_data, const wellhead_call *call, int wanted, wellhead_interest *r) {
    watch *w = user_data;
    CHECK(same(wellhead_call_uri(call), "n:1") && wellhead_call_revision(call).ptr == NULL);
    *(wanted ? &w->wanted : &w->given_up) += 1;
    if (wanted) w->first = wellhead_interest_keep(r);
    else CHECK(wellhead_interest_done(r) == WELLHEAD_STATUS_OK);
}

static void watch_gone(void *user_data) {
    ((watch *)user_data)->destroyed++;
}

static void a_subscriber_is_acknowledged_when_the_interest_handler_answers(void) {
    watch w = {NULL, 0, 0, 0};
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    provider.read = echo;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_set_interest(server, keep_interest, &w, watch_gone, NULL) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(server);
    const char *output = exchange(connection, INITIALIZE SUBSCRIBE(1, "n:1"));
    CHECK(!has(output, "\"id\":1") && w.wanted == 1);
    CHECK(wellhead_interest_done(w.first) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, ""), "\"id\":1,\"result\":{}"));
    wellhead_connection_free(connection);
    wellhead_connection *other = connect_to(server);
    wellhead_connection_poll_event(other, SIZE_MAX); /* any connection's poll tells the application */
    CHECK(w.given_up == 1);
    wellhead_connection_free(other);
    wellhead_server_free(server);
    CHECK(w.destroyed == 1);
}

/* What the call says about a list, a completion or a method, it says in callbacks for these only. */
static void says_of(const wellhead_call *call, int list, int complete, int method) {
    CHECK((wellhead_call_limit(call) > 0) == list && wellhead_call_after(call).ptr == NULL);
    CHECK(same(wellhead_call_variable(call), "id") == complete && (wellhead_call_value(call).ptr != NULL) == complete);
    CHECK(same(wellhead_call_params(call), "{\"name\":\"t\"}") == method);
}

/* Each callback counts in `user_data` if the call says who the client is. */
static void count_if_known(void *user_data, const wellhead_call *call) {
    const wellhead_str client = wellhead_call_client(call);
    if (same(client, "{\"name\":\"c\",\"version\":\"1\"}") && wellhead_call_client(call).ptr == client.ptr) count(user_data);
    else CHECK(client.ptr == NULL);
}

static void read_of(void *user_data, const wellhead_call *call, wellhead_read *r) {
    count_if_known(user_data, call);
    says_of(call, 0, 0, 0);
    wellhead_read_text(r, WELLHEAD_STR("x"));
}

static void list_of(void *user_data, const wellhead_call *call, wellhead_list *r) {
    count_if_known(user_data, call);
    says_of(call, 1, 0, 0);
    wellhead_list_finish(r, 0);
}

static void complete_of(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    count_if_known(user_data, call);
    says_of(call, 0, 1, 0);
    wellhead_complete_finish(r, 0, NULL);
}

static void method_of(void *user_data, const wellhead_call *call, wellhead_method *r) {
    count_if_known(user_data, call);
    says_of(call, 0, 0, 1);
    wellhead_method_text(r, WELLHEAD_STR("x"));
}

static void authorize_of(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris, size_t uri_count,
                         wellhead_authorize *r) {
    (void)operation, (void)uris;
    count_if_known(user_data, call);
    for (size_t i = 0; i < uri_count; i++) wellhead_authorize_set(r, i, WELLHEAD_VERDICT_ALLOW);
    wellhead_authorize_finish(r);
}

static void each_callback_has_the_name_of_the_client(void) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_str id = WELLHEAD_STR("id");
    wellhead_server *server = quiet_server();
    int known = 0;
    provider.read = read_of, provider.list = list_of, provider.complete = complete_of, provider.user_data = &known;
    provider.completed = &id, provider.completed_count = 1;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_add_tool(server, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), method_of, &known, NULL, NULL) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(server);
    exchange(connection, INITIALIZE);
    static const char *const requests[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"n:1\"}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/list\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"completion/complete\",\"params\":{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"n:{id}\"},"
        "\"argument\":{\"name\":\"id\",\"value\":\"\"}}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\n"};
    for (int i = 0; i < 4; i++) {
        CHECK(has(exchange(connection, requests[i]), "\"result\""));
        CHECK(known == i + 1);
    }
    CHECK(wellhead_server_set_authorize(server, authorize_of, &known, NULL, NULL) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"resources/read\",\"params\":{\"uri\":\"n:1\"}}\n"), "\"result\""));
    CHECK(known == 6);
    wellhead_connection_free(connection);
    connection = connect_to(server);
    CHECK(has(exchange(connection, READ(1, "n:1")), "\"result\"") && known == 6);
    CHECK(wellhead_call_client(NULL).ptr == NULL);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

void test_access(void) {
    RUN(a_verdict_that_is_not_set_denies);
    RUN(a_question_that_is_neither_answered_nor_kept_is_an_internal_error_at_once);
    RUN(another_thread_answers_a_kept_question);
    RUN(the_caller_of_a_connection_reaches_callbacks_and_is_destroyed_once);
    RUN(a_subscriber_is_acknowledged_when_the_interest_handler_answers);
    RUN(each_callback_has_the_name_of_the_client);
}
