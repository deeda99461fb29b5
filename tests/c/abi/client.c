/* The client in memory, and what it finds out. */
#include "check.h"

static int same(wellhead_str s, const char *text) {
    return s.ptr && s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

static void add_text(wellhead_server *server, const char *uri, const char *text) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.uri = wellhead_cstr(uri);
    CHECK(wellhead_server_add_text(server, &resource, wellhead_cstr(text), NULL) == WELLHEAD_STATUS_OK);
}

static void a_test_client_lists_reads_and_sends_any_request(void) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_server *server = quiet_server();
    wellhead_error *error = NULL;
    wellhead_str body = {NULL, 0};
    size_t count = 0;
    add_text(server, "n:1", "one");
    resource.uri = WELLHEAD_STR("n:bytes");
    CHECK(wellhead_server_add_blob(server, &resource, (wellhead_str){"\0\377", 2}, NULL) == WELLHEAD_STATUS_OK);
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_list(client, &count, NULL) == WELLHEAD_STATUS_OK && count == 2);
    CHECK(same(wellhead_test_client_listed(client, 0), "n:1") && same(wellhead_test_client_listed(client, 1), "n:bytes"));
    CHECK(!wellhead_test_client_listed(client, 2).ptr);
    CHECK(wellhead_test_client_read(client, WELLHEAD_STR("n:1"), &body, NULL) == WELLHEAD_STATUS_OK && same(body, "one"));
    CHECK(wellhead_test_client_read(client, WELLHEAD_STR("n:bytes"), &body, NULL) == WELLHEAD_STATUS_OK);
    CHECK(body.len == 2 && memcmp(body.ptr, "\0\377", 2) == 0);
    CHECK(wellhead_test_client_read(client, WELLHEAD_STR("n:9"), &body, &error) == WELLHEAD_STATUS_RESPONSE);
    CHECK(has(wellhead_error_message(error).ptr, "not found") && body.len == 2);
    wellhead_error_free(error);
    wellhead_text *result = wellhead_test_client_request(client, WELLHEAD_STR("ping"), (wellhead_str){NULL, 0}, NULL);
    CHECK(same(wellhead_text_str(result), "{}"));
    wellhead_text_free(result);
    CHECK(!wellhead_test_client_request(client, WELLHEAD_STR("ping"), WELLHEAD_STR("no JSON"), NULL));
    wellhead_test_client_free(client);
    wellhead_server_free(server);
}

static void a_test_client_gets_changes(void) {
    wellhead_server *server = quiet_server();
    wellhead_str uri = {NULL, 0};
    add_text(server, "n:1", "one");
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_subscribe(client, WELLHEAD_STR("n:2"), NULL) == WELLHEAD_STATUS_RESPONSE);
    CHECK(wellhead_test_client_subscribe(client, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_set_text(server, WELLHEAD_STR("n:1"), NULL, WELLHEAD_STR("two"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_test_client_next_update(client, &uri, NULL) == WELLHEAD_STATUS_OK && same(uri, "n:1"));
    CHECK(wellhead_test_client_list_changes(client) == 0);
    add_text(server, "n:3", "new");
    CHECK(wellhead_test_client_list_changes(client) == 1 && wellhead_test_client_list_changes(client) == 0);
    wellhead_server_close(server);
    CHECK(wellhead_test_client_list(client, NULL, NULL) == WELLHEAD_STATUS_CLOSED);
    CHECK(!wellhead_test_client_new(server, NULL));
    wellhead_test_client_free(client);
    wellhead_server_free(server);
}

static void read_nothing(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data, (void)call;
    wellhead_read_not_found(r);
}

static void tell_who_asks(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data;
    CHECK(same(wellhead_call_revision(call), "2026-07-28") && has(wellhead_call_params(call).ptr, "\"arguments\":{\"a\":1}"));
    CHECK(wellhead_call_caller(call) != NULL);
    wellhead_method_result(r, WELLHEAD_STR("{\"content\":[]}"));
}

static void give_a_prompt(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    wellhead_method_result(r, WELLHEAD_STR("{\"messages\":[]}"));
}

static void complete_it(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    (void)user_data;
    wellhead_complete_add(r, wellhead_call_value(call));
    wellhead_complete_add(r, WELLHEAD_STR("other"));
    wellhead_complete_finish(r, 0, NULL);
}

static void a_test_client_has_a_version_and_calls_tools_prompts_and_completions(void) {
    static const wellhead_str none = {NULL, 0};
    wellhead_test_options options = WELLHEAD_TEST_OPTIONS_INIT;
    wellhead_server *server = quiet_server();
    wellhead_error *error = NULL;
    int destroyed = 0;
    size_t count_of = 0;
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_str completed = WELLHEAD_STR("id");
    resource.uri = WELLHEAD_STR("n:{id}");
    provider.complete = complete_it;
    provider.completed = &completed;
    provider.completed_count = 1;
    provider.read = read_nothing;
    CHECK(wellhead_server_add_template(server, &resource, &provider, NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_add_tool(server, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), tell_who_asks, NULL, NULL, NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_add_prompt(server, WELLHEAD_STR("p"), WELLHEAD_STR("{}"), give_a_prompt, NULL, NULL, NULL) == WELLHEAD_STATUS_OK);
    options.caller = &destroyed;
    options.caller_destroy = count;
    options.revision = WELLHEAD_STR("1999-01-01");
    CHECK(!wellhead_test_client_new_with(server, &options, &error) && destroyed == 1);
    CHECK(wellhead_error_status(error) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    wellhead_error_free(error);
    options.revision = WELLHEAD_STR("2026-07-28");
    options.capabilities = WELLHEAD_STR("{\"sampling\":{}}");
    wellhead_test_client *client = wellhead_test_client_new_with(server, &options, NULL);
    CHECK(wellhead_test_client_templates(client, &count_of, NULL) == WELLHEAD_STATUS_OK && count_of == 1);
    CHECK(same(wellhead_test_client_template(client, 0), "n:{id}") && !wellhead_test_client_template(client, 1).ptr);
    wellhead_text *result = wellhead_test_client_call_tool(client, WELLHEAD_STR("t"), WELLHEAD_STR("{\"a\":1}"), NULL);
    CHECK(has(wellhead_text_str(result).ptr, "\"content\":[]"));
    wellhead_text_free(result);
    result = wellhead_test_client_get_prompt(client, WELLHEAD_STR("p"), none, NULL);
    CHECK(has(wellhead_text_str(result).ptr, "\"messages\":[]"));
    wellhead_text_free(result);
    CHECK(!wellhead_test_client_call_tool(client, WELLHEAD_STR("none"), none, &error));
    CHECK(wellhead_error_status(error) == WELLHEAD_STATUS_RESPONSE);
    wellhead_error_free(error);
    CHECK(wellhead_test_client_complete(client, WELLHEAD_STR("n:{id}"), WELLHEAD_STR("id"), WELLHEAD_STR("ab"), &count_of,
                                        NULL) == WELLHEAD_STATUS_OK && count_of == 2);
    CHECK(same(wellhead_test_client_completed(client, 0), "ab") && same(wellhead_test_client_completed(client, 1), "other"));
    CHECK(!wellhead_test_client_completed(client, 2).ptr);
    wellhead_test_client_free(client);
    CHECK(destroyed == 2);
    wellhead_server_free(server);
}

static void sample(void *user_data, const wellhead_str *method, const wellhead_str *params,
                   wellhead_test_request *request) {
    static const wellhead_str none = {NULL, 0};
    *(int *)user_data += 1;
    CHECK(same(*method, "sampling/createMessage") && has(params->ptr, "\"maxTokens\":1"));
    if (*(int *)user_data == 1) {
        CHECK(wellhead_test_request_result(request, WELLHEAD_STR("no JSON")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
        CHECK(wellhead_test_request_result(request, WELLHEAD_STR("{\"model\":\"m\"}")) == WELLHEAD_STATUS_OK);
        CHECK(wellhead_test_request_error(request, 5, WELLHEAD_STR("late"), none) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    } else if (*(int *)user_data == 2) {
        CHECK(wellhead_test_request_error(request, 5, WELLHEAD_STR("not today"), WELLHEAD_STR("{\"d\":1}")) == WELLHEAD_STATUS_OK);
    } else if (*(int *)user_data == 3) {
        CHECK(wellhead_test_request_failed(request, WELLHEAD_STR("no model")) == WELLHEAD_STATUS_OK);
    } /* else it does not answer */
}

/* Gives the call a result that quotes the client's response. */
static void quote(void *responder, uint32_t response, const wellhead_str *json) {
    char result[1024];
    snprintf(result, sizeof result, "{\"content\":[],\"structuredContent\":{\"response\":%u,\"json\":%.*s}}", response,
             (int)json->len, json->ptr);
    wellhead_method_result(responder, wellhead_cstr(result));
}

static void ask_the_client(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    r = wellhead_method_keep(r);
    CHECK(wellhead_method_send_request(r, WELLHEAD_STR("sampling/createMessage"), WELLHEAD_STR("{\"messages\":[],\"maxTokens\":1}"),
                                  quote, r, NULL, NULL) == WELLHEAD_STATUS_OK);
}

static void a_test_client_answers_requests_of_the_server(void) {
    static const wellhead_str none = {NULL, 0};
    static const char *const answers[] = {"{\"response\":0,\"json\":{\"model\":\"m\"}}",
                                          "{\"response\":1,\"json\":{\"code\":5,\"message\":\"not today\",\"data\":{\"d\":1}}}",
                                          "\"message\":\"no model\"}}", "\"message\":\"on_request did not answer sampling"};
    wellhead_test_options options = WELLHEAD_TEST_OPTIONS_INIT;
    wellhead_server *server = quiet_server();
    int asked = 0;
    CHECK(wellhead_server_add_tool(server, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), ask_the_client, NULL, NULL, NULL) == WELLHEAD_STATUS_OK);
    options.revision = WELLHEAD_STR("2025-06-18");
    options.capabilities = WELLHEAD_STR("{\"sampling\":{}}");
    options.on_request = sample;
    options.on_request_data = &asked;
    wellhead_test_client *client = wellhead_test_client_new_with(server, &options, NULL);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        wellhead_text *result = wellhead_test_client_call_tool(client, WELLHEAD_STR("t"), none, NULL);
        wellhead_str text = wellhead_text_str(result);
        CHECK(text.ptr && has(text.ptr, answers[i]));
        wellhead_text_free(result);
    }
    CHECK(asked == 4);
    wellhead_test_client_free(client);
    options.on_request = NULL;
    client = wellhead_test_client_new_with(server, &options, NULL);
    wellhead_text *result = wellhead_test_client_call_tool(client, WELLHEAD_STR("t"), none, NULL);
    CHECK(has(wellhead_text_str(result).ptr, "\"code\":-32601"));
    wellhead_text_free(result);
    wellhead_test_client_free(client);
    wellhead_server_free(server);
}

/* Needs input once, then reads as what the client said. */
static void need_input(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_str responses = wellhead_call_input_responses(call);
    (void)user_data;
    if (responses.ptr) {
        CHECK(same(wellhead_call_request_state(call), "s"));
        wellhead_read_text(r, responses);
    } else {
        wellhead_read_input_required(r, WELLHEAD_STR("{\"inputRequests\":{\"k\":{\"method\":\"sampling/createMessage\",\"params\":"
                                                  "{\"messages\":[],\"maxTokens\":1}}},\"requestState\":\"s\"}"));
    }
}

static void a_test_client_repeats_a_read_with_the_input_that_it_needs(void) {
    wellhead_test_options options = WELLHEAD_TEST_OPTIONS_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    wellhead_str body = {NULL, 0};
    int asked = 0, destroyed = 0;
    provider.read = need_input;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    options.revision = WELLHEAD_STR("2026-07-28");
    options.capabilities = WELLHEAD_STR("{\"sampling\":{}}");
    options.on_request = sample;
    options.on_request_data = &asked;
    wellhead_test_client *client = wellhead_test_client_new_with(server, &options, NULL);
    CHECK(wellhead_test_client_read(client, WELLHEAD_STR("n:1"), &body, NULL) == WELLHEAD_STATUS_OK);
    CHECK(asked == 1 && same(body, "{\"k\":{\"model\":\"m\"}}"));
    CHECK(wellhead_test_client_read(client, WELLHEAD_STR("n:1"), &body, NULL) == WELLHEAD_STATUS_RESPONSE && asked == 2);
    wellhead_test_client_free(client);
    options.on_request_data = &destroyed;
    options.on_request_destroy = count;
    options.revision = WELLHEAD_STR("1999-01-01");
    CHECK(!wellhead_test_client_new_with(server, &options, NULL) && destroyed == 1);
    wellhead_server_free(server);
}

static void a_test_client_unsubscribes(void) {
    wellhead_server *server = quiet_server();
    wellhead_str uri = {NULL, 0};
    add_text(server, "n:1", "one");
    add_text(server, "n:2", "one");
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_subscribe(client, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_test_client_subscribe(client, WELLHEAD_STR("n:2"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_test_client_unsubscribe(client, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_notify_updated(server, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_notify_updated(server, WELLHEAD_STR("n:2"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_test_client_next_update(client, &uri, NULL) == WELLHEAD_STATUS_OK && same(uri, "n:2"));
    wellhead_test_client_free(client);
    wellhead_server_free(server);
}

static void *answer_on_a_thread(void *responder) {
    wellhead_read_text(responder, WELLHEAD_STR("later"));
    return NULL;
}

typedef struct { pthread_t thread; wellhead_test_client *client; } later;

static void answer_later(void *user_data, const wellhead_call *call, wellhead_read *r) {
    later *l = user_data;
    (void)call;
    CHECK(wellhead_test_client_list(l->client, NULL, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    if (pthread_create(&l->thread, NULL, answer_on_a_thread, wellhead_read_keep(r))) abort();
}

static void a_test_client_waits_for_other_threads_and_is_refused_in_callbacks(void) {
    later l;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    wellhead_str body = {NULL, 0};
    provider.read = answer_later;
    provider.user_data = &l;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    l.client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_read(l.client, WELLHEAD_STR("n:1"), &body, NULL) == WELLHEAD_STATUS_OK);
    CHECK(same(body, "later"));
    pthread_join(l.thread, NULL);
    wellhead_test_client_free(l.client);
    wellhead_server_free(server);
}

static void echo(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static int only_one_exists(void *user_data, const wellhead_str *uri) {
    *(int *)user_data += 1;
    return same(*uri, "n:1");
}

static void a_uri_that_the_provider_does_not_know_has_no_subscribers(void) {
    int asked = 0;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    wellhead_str body = {NULL, 0};
    provider.read = echo;
    provider.exists = only_one_exists;
    provider.user_data = &asked;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_subscribe(client, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_test_client_subscribe(client, WELLHEAD_STR("n:2"), NULL) == WELLHEAD_STATUS_RESPONSE);
    CHECK(asked == 2);
    CHECK(wellhead_test_client_read(client, WELLHEAD_STR("n:2"), &body, NULL) == WELLHEAD_STATUS_OK && same(body, "2"));
    CHECK(asked == 2);
    wellhead_test_client_free(client);
    wellhead_server_free(server);
}

static void a_list_source_with_exists_is_refused(void) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    provider.exists = only_one_exists;
    CHECK(wellhead_server_add_list(server, WELLHEAD_STR("all"), &provider, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    wellhead_server_free(server);
}

void test_client(void) {
    RUN(a_test_client_lists_reads_and_sends_any_request);
    RUN(a_test_client_gets_changes);
    RUN(a_test_client_has_a_version_and_calls_tools_prompts_and_completions);
    RUN(a_test_client_answers_requests_of_the_server);
    RUN(a_test_client_repeats_a_read_with_the_input_that_it_needs);
    RUN(a_test_client_unsubscribes);
    RUN(a_test_client_waits_for_other_threads_and_is_refused_in_callbacks);
    RUN(a_uri_that_the_provider_does_not_know_has_no_subscribers);
    RUN(a_list_source_with_exists_is_refused);
}
