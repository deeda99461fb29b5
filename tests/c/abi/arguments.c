/* What is handed in: NULL, bad UTF-8, structs of other sizes. */
#include "check.h"

static const char BAD[] = "n:\xff";

static void answer_text(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    (void)call;
    wellhead_read_text(r, WELLHEAD_STR("x"));
}

static void answer_page(void *user_data, const wellhead_call *call, wellhead_list *r) {
    (void)user_data;
    (void)call;
    wellhead_list_finish(r, 0);
}

static void allow_all(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris,
                      size_t uri_count, wellhead_authorize *r) {
    (void)user_data;
    (void)call;
    (void)operation;
    (void)uris;
    for (size_t i = 0; i < uri_count; i++) wellhead_authorize_set(r, i, WELLHEAD_VERDICT_ALLOW);
    wellhead_authorize_finish(r);
}

static void echo_method(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data;
    wellhead_method_result(r, wellhead_call_params(call));
}

static void watch(void *user_data, const wellhead_call *call, int wanted, wellhead_interest *r) {
    (void)user_data;
    (void)call;
    (void)wanted;
    wellhead_interest_done(r);
}

static void null_handles_are_refused_and_not_touched(void) {
    const wellhead_status invalid = WELLHEAD_STATUS_INVALID_ARGUMENT;
    wellhead_str uri = WELLHEAD_STR("n:1");
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_transmit *answer = NULL;
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    size_t taken;
    resource.uri = uri;
    provider.read = answer_text;
    CHECK(wellhead_server_add_text(NULL, &resource, uri, NULL) == invalid);
    CHECK(wellhead_server_add_blob(NULL, &resource, uri, NULL) == invalid);
    CHECK(wellhead_server_set_text(NULL, uri, NULL, uri, NULL) == invalid);
    CHECK(wellhead_server_set_blob(NULL, uri, NULL, uri, NULL) == invalid);
    CHECK(wellhead_server_add_resource(NULL, &resource, &provider, NULL) == invalid);
    CHECK(wellhead_server_add_template(NULL, &resource, &provider, NULL) == invalid);
    CHECK(wellhead_server_add_list(NULL, uri, &provider, NULL) == invalid);
    CHECK(wellhead_server_set_fallback(NULL, &provider, NULL) == invalid);
    CHECK(wellhead_server_remove_resource(NULL, uri, NULL) == invalid);
    CHECK(wellhead_server_remove_list(NULL, uri, NULL) == invalid && wellhead_server_remove_method(NULL, uri, NULL) == invalid);
    CHECK(wellhead_server_notify_updated(NULL, uri, NULL) == invalid);
    CHECK(wellhead_server_notify_sub_resource_updated(NULL, uri, uri, NULL) == invalid);
    CHECK(wellhead_server_access_changed(NULL, uri, NULL) == invalid);
    CHECK(wellhead_server_add_directory(NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_add_directory(server, NULL, NULL) == invalid);
    CHECK(wellhead_server_explain(NULL, uri, NULL) == NULL);
    CHECK(wellhead_expand(uri, NULL, 1, NULL) == NULL);
    CHECK(wellhead_text_str(NULL).ptr == NULL);
    CHECK(wellhead_server_notify_resource_list_changed(NULL, NULL) == invalid);
    CHECK(wellhead_serve_stdio(NULL, NULL, NULL) == invalid);
    CHECK(wellhead_connection_new(NULL, NULL, NULL) == NULL);
    CHECK(wellhead_connection_receive(NULL, uri, &taken, NULL) == invalid);
    CHECK(wellhead_connection_receive(connection, uri, NULL, NULL) == invalid);
    CHECK(wellhead_connection_handle(NULL, uri, 0, &answer, NULL) == invalid);
    CHECK(wellhead_connection_handle(connection, uri, 0, NULL, NULL) == invalid);
    CHECK(wellhead_connection_poll_event(NULL, 1) == 0);
    CHECK(wellhead_connection_poll_transmit(NULL, 1) == NULL);
    CHECK(wellhead_connection_poll_timeout(NULL) == UINT64_MAX);
    CHECK(wellhead_connection_finished(NULL) == 1);
    CHECK(wellhead_server_set_authorize(NULL, allow_all, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_set_authorize(server, NULL, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_set_interest(NULL, watch, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_set_interest(server, NULL, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_authorize_set(NULL, 0, WELLHEAD_VERDICT_ALLOW) == invalid);
    CHECK(wellhead_authorize_finish(NULL) == invalid && wellhead_authorize_failed(NULL, uri) == invalid);
    CHECK(wellhead_interest_done(NULL) == invalid && wellhead_interest_failed(NULL, uri) == invalid);
    CHECK(wellhead_authorize_keep(NULL) == NULL && wellhead_interest_keep(NULL) == NULL);
    CHECK(wellhead_authorize_call(NULL) == NULL && wellhead_interest_call(NULL) == NULL);
    CHECK(wellhead_server_add_method(NULL, uri, NULL, echo_method, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_add_method(server, uri, NULL, NULL, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_add_tool(NULL, uri, uri, echo_method, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_add_prompt(NULL, uri, uri, echo_method, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_remove_tool(NULL, uri, NULL) == invalid && wellhead_server_remove_prompt(NULL, uri, NULL) == invalid);
    CHECK(wellhead_method_send_request(NULL, uri, uri, NULL, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_method_cancel_request(NULL, 1) == 0 && wellhead_call_progress(NULL, 1, NULL, uri) == 0);
    CHECK(wellhead_call_close_event_stream(NULL, 1) == 0);
    CHECK(wellhead_server_complete_prompt(server, uri, uri, NULL, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_set_publish(server, NULL, NULL, NULL, NULL) == invalid);
    CHECK(wellhead_server_inject(NULL, uri, NULL, NULL) == invalid && wellhead_server_inject(server, uri, NULL, NULL) == invalid);
    CHECK(wellhead_read_input_required(NULL, uri) == invalid && wellhead_read_invalid_state(NULL) == invalid);
    CHECK(wellhead_call_seal_state(NULL, uri, 1) == NULL && wellhead_call_open_state(NULL, 1) == NULL);
    CHECK(wellhead_call_after(NULL).ptr == NULL && wellhead_call_limit(NULL) == 0 && wellhead_call_params(NULL).ptr == NULL);
    CHECK(wellhead_call_variable(NULL).ptr == NULL && wellhead_call_value(NULL).ptr == NULL);
    CHECK(wellhead_call_filter(NULL).ptr == NULL && wellhead_call_request_state(NULL).ptr == NULL);
    CHECK(wellhead_server_notify_list_changed(NULL, uri, NULL) == invalid && wellhead_server_notify_updated_with_resource(NULL, &resource, NULL) == invalid);
    CHECK(wellhead_complete_add(NULL, uri) == invalid && wellhead_complete_finish(NULL, 0, NULL) == invalid);
    CHECK(wellhead_complete_keep(NULL) == NULL && wellhead_complete_call(NULL) == NULL);
    CHECK(wellhead_method_result(NULL, uri) == invalid && wellhead_method_notify(NULL, uri, uri, NULL) == invalid);
    CHECK(wellhead_method_keep(NULL) == NULL && wellhead_method_call(NULL) == NULL);
    CHECK(wellhead_read_not_modified(NULL) == invalid && wellhead_read_busy(NULL, 0) == invalid);
    CHECK(wellhead_read_text(NULL, uri) == invalid);
    CHECK(wellhead_read_finish(NULL) == invalid);
    CHECK(wellhead_read_add_text(NULL, NULL, uri) == invalid);
    CHECK(wellhead_list_add(NULL, &resource) == invalid);
    CHECK(wellhead_list_finish(NULL, 0) == invalid);
    CHECK(wellhead_read_keep(NULL) == NULL && wellhead_list_keep(NULL) == NULL);
    CHECK(wellhead_read_call(NULL) == NULL && wellhead_list_call(NULL) == NULL);
    CHECK(wellhead_call_uri(NULL).ptr == NULL && wellhead_call_var(NULL, "id").ptr == NULL);
    CHECK(wellhead_call_cancelled(NULL) == 0 && wellhead_call_revision(NULL).ptr == NULL);
    CHECK(wellhead_call_meta(NULL).ptr == NULL && wellhead_call_if_version(NULL).ptr == NULL);
    CHECK(wellhead_call_method(NULL).ptr == NULL && wellhead_call_log_level(NULL).ptr == NULL);
    CHECK(wellhead_call_client_capabilities(NULL).ptr == NULL);
    CHECK(wellhead_call_name(NULL).ptr == NULL && wellhead_call_arguments(NULL).ptr == NULL);
    CHECK(wellhead_call_caller(NULL) == NULL && wellhead_call_caller_id(NULL).ptr == NULL);
    CHECK(wellhead_error_status(NULL) == WELLHEAD_STATUS_OK && wellhead_error_message(NULL).ptr == NULL);
    CHECK(wellhead_transmit_bytes(NULL).ptr == NULL);
    wellhead_connection_end(NULL);
    wellhead_connection_tick(NULL, 1);
    wellhead_connection_close(NULL);
    wellhead_server_close(NULL);
    wellhead_server_after_fork(NULL);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void freeing_null_has_no_effect(void) {
    wellhead_server_free(NULL);
    wellhead_connection_free(NULL);
    wellhead_transmit_free(NULL);
    wellhead_error_free(NULL);
    wellhead_read_free(NULL);
    wellhead_list_free(NULL);
    wellhead_text_free(NULL);
    wellhead_authorize_free(NULL);
    wellhead_complete_free(NULL);
    wellhead_method_free(NULL);
    wellhead_interest_free(NULL);
}

static void an_error_has_advice_and_success_leaves_it_unchanged(void) {
    wellhead_error *error = NULL, *none = NULL;
    wellhead_server *server = quiet_server();
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.uri = WELLHEAD_STR("not a uri");
    CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), &error) == WELLHEAD_STATUS_INVALID_URI);
    CHECK(wellhead_error_status(error) == WELLHEAD_STATUS_INVALID_URI);
    CHECK(strcmp(wellhead_status_name(wellhead_error_status(error)), "invalid_uri") == 0);
    CHECK(wellhead_error_message(error).len > 0);
    wellhead_error_free(error);
    resource.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), &none) == WELLHEAD_STATUS_OK);
    CHECK(none == NULL);
    wellhead_server_free(server);
}

/* Frees `error`, and returns whether it has this status and its message these words. */
static int says(wellhead_error **error, wellhead_status status, const char *words) {
    wellhead_str message = wellhead_error_message(*error);
    int same = *error && wellhead_error_status(*error) == status && message.len < 400;
    char text[401] = "";
    if (same) memcpy(text, message.ptr, message.len);
    wellhead_error_free(*error);
    *error = NULL;
    return same && has(text, words);
}

static void the_error_for_a_refused_update_has_a_reason(void) {
    const wellhead_status invalid = WELLHEAD_STATUS_INVALID_ARGUMENT;
    wellhead_server *server = quiet_server();
    wellhead_counters counters = WELLHEAD_COUNTERS_INIT;
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_str good = WELLHEAD_STR("n:1"), bad = WELLHEAD_STR("no uri"), latin = {"\xe9", 1};
    wellhead_error *error = NULL;
    int told = 7;
    resource.uri = bad;
    counters.struct_size = 0;
    CHECK(wellhead_server_notify_updated(server, bad, &error) != 0 && says(&error, WELLHEAD_STATUS_INVALID_URI, "no uri"));
    CHECK(wellhead_server_notify_updated_with_resource(server, &resource, &error) != 0 && says(&error, WELLHEAD_STATUS_INVALID_URI, "no uri"));
    CHECK(wellhead_server_notify_updated_with_resource(server, NULL, &error) != 0 && says(&error, invalid, "resource is NULL"));
    CHECK(wellhead_server_notify_sub_resource_updated(server, good, bad, &error) != 0 && says(&error, WELLHEAD_STATUS_INVALID_URI, "no uri"));
    CHECK(wellhead_server_notify_sub_resource_updated(server, latin, good, &error) != 0 && says(&error, WELLHEAD_STATUS_INVALID_UTF8, "uri is not UTF-8"));
    CHECK(wellhead_server_notify_list_changed(server, good, &error) != 0 && says(&error, WELLHEAD_STATUS_UNKNOWN, "n:1"));
    CHECK(wellhead_server_inject(server, WELLHEAD_STR("{}"), &told, &error) != 0 && says(&error, invalid, "not an event") && told == 7);
    CHECK(wellhead_server_counters(server, &counters, &error) != 0 && says(&error, invalid, "counters: struct_size is 0"));
    CHECK(wellhead_server_notify_resource_list_changed(NULL, &error) != 0 && says(&error, invalid, "server is NULL"));
    CHECK(wellhead_server_notify_updated(server, good, &error) == WELLHEAD_STATUS_OK && !error);
    wellhead_server_close(server);
    CHECK(wellhead_server_notify_resource_list_changed(server, &error) != 0 && says(&error, WELLHEAD_STATUS_CLOSED, "closed"));
    CHECK(wellhead_server_access_changed(server, good, &error) != 0 && says(&error, WELLHEAD_STATUS_CLOSED, "closed"));
    wellhead_server_free(server);
}

static wellhead_server *limited(const wellhead_limits *limits, wellhead_error **error) {
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    options.limits = limits;
    return wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, error);
}

/* 12 items in a list of the server. */
static int pages(const wellhead_limits *limits) {
    wellhead_server *server = limited(limits, NULL);
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    char uri[] = "n:a";
    for (resource.uri = wellhead_cstr(uri); uri[2] < 'a' + 12; uri[2]++)
        CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(server);
    int more = has(exchange(connection, LIST(1)), "nextCursor");
    wellhead_connection_free(connection);
    wellhead_server_free(server);
    return more;
}

static void a_limit_of_zero_is_its_default_and_an_invalid_one_is_named(void) {
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    wellhead_error *error = NULL;
    CHECK(!pages(&limits) && !pages(NULL));
    limits.page_items = 11;
    CHECK(pages(&limits));
    limits.page_items = 12;
    CHECK(!pages(&limits));
    limits.page_items = 0;
    limits.page_bytes = 1;
    CHECK(pages(&limits));
    limits.page_bytes = 0;
    limits.caller_percent = 101;
    CHECK(!limited(&limits, &error) && says(&error, WELLHEAD_STATUS_INVALID_ARGUMENT, "`caller_percent` must be at most 100 (got 101)"));
    limits.caller_percent = 100;
    wellhead_server_free(limited(&limits, &error));
    CHECK(!error);
}

static void bad_utf8_is_refused(void) {
    const wellhead_status bad = WELLHEAD_STATUS_INVALID_UTF8;
    wellhead_str text = wellhead_cstr(BAD), good = WELLHEAD_STR("n:1");
    wellhead_server *server = quiet_server();
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_error *error = NULL;
    CHECK(wellhead_server_new(text, good, NULL, &error) == NULL);
    CHECK(wellhead_error_status(error) == bad);
    wellhead_error_free(error);
    resource.uri = good;
    CHECK(wellhead_server_add_text(server, &resource, text, NULL) == bad);
    CHECK(wellhead_server_add_blob(server, &resource, text, NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_set_text(server, good, NULL, text, NULL) == bad);
    CHECK(wellhead_server_remove_resource(server, text, NULL) == bad);
    CHECK(wellhead_server_remove_list(server, text, NULL) == bad && wellhead_server_remove_method(server, text, NULL) == bad);
    CHECK(wellhead_server_notify_updated(server, text, NULL) == bad);
    resource.title = text;
    CHECK(wellhead_server_add_text(server, &resource, good, NULL) == bad);
    wellhead_server_free(server);
}

static void absent_text_is_refused_and_absent_bytes_are_empty(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    resource.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_server_add_text(server, &resource, wellhead_cstr(NULL), NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_server_add_blob(server, &resource, wellhead_cstr(NULL), NULL) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, READ(1, "n:1")), "\"blob\":\"\""));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void a_struct_of_size_0_is_refused(void) {
    wellhead_server *server = quiet_server();
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT, unset = {0};
    wellhead_provider provider = {0};
    wellhead_server_options options = {0};
    wellhead_stdio_options stdio = {0};
    wellhead_limits limits = {0};
    wellhead_error *error = NULL;
    unset.uri = resource.uri = WELLHEAD_STR("n:{x}");
    provider.read = answer_text;
    CHECK(wellhead_server_add_text(server, &unset, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_server_add_template(server, &resource, &provider, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_serve_stdio(server, &stdio, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, &error) == NULL);
    CHECK(has(wellhead_error_message(error).ptr, "_INIT"));
    wellhead_error_free(error);
    options.struct_size = sizeof options;
    options.limits = &limits;
    CHECK(wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL) == NULL);
    wellhead_server_free(server);
}

static void fields_that_an_older_header_lacks_are_absent(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.struct_size = offsetof(wellhead_resource, title);
    resource.uri = WELLHEAD_STR("n:1");
    resource.name = WELLHEAD_STR("one");
    resource.title = wellhead_cstr(BAD); /* not looked at */
    CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, LIST(1)), "{\"uri\":\"n:1\",\"name\":\"one\"}"));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void fields_of_a_newer_header_are_refused_unless_they_are_zero(void) {
    struct { wellhead_resource known; char unknown[64]; } newer;
    struct { wellhead_limits known; uint64_t unknown; } limits;
    const wellhead_resource init = WELLHEAD_RESOURCE_INIT;
    const wellhead_limits no_limits = WELLHEAD_LIMITS_INIT;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_server *server = quiet_server();
    wellhead_error *error = NULL;
    memset(&newer, 0, sizeof newer);
    newer.known = init;
    newer.known.struct_size = sizeof newer;
    newer.known.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_server_add_text(server, &newer.known, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_OK);
    newer.known.uri = WELLHEAD_STR("n:2");
    newer.unknown[63] = 1;
    CHECK(wellhead_server_add_text(server, &newer.known, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    newer.known.struct_size = SIZE_MAX; /* not read that far */
    CHECK(wellhead_server_add_text(server, &newer.known, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    limits.known = no_limits;
    limits.known.struct_size = sizeof limits;
    limits.unknown = 7;
    options.limits = &limits.known;
    CHECK(wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, &error) == NULL);
    CHECK(has(wellhead_error_message(error).ptr,
              "wellhead_limits has members this library does not know: built with a newer header?"));
    wellhead_error_free(error);
    wellhead_server_free(server);
}

static void unknown_flags_are_refused(void) {
    wellhead_server *server = quiet_server();
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_stdio_options stdio = WELLHEAD_STDIO_OPTIONS_INIT;
    resource.uri = WELLHEAD_STR("n:1");
    resource.flags = 1u << 31;
    options.flags = 1u << 31;
    stdio.flags = 1u << 31;
    CHECK(wellhead_server_add_text(server, &resource, WELLHEAD_STR("x"), NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL) == NULL);
    CHECK(wellhead_serve_stdio(server, &stdio, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    stdio.flags = 0;
    stdio.callback_threads = -2;
    CHECK(wellhead_serve_stdio(server, &stdio, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    stdio.callback_threads = 1025;
    CHECK(wellhead_serve_stdio(server, &stdio, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    wellhead_server_free(server);
}

static void a_registration_needs_the_callbacks_of_its_kind(void) {
    const wellhead_status invalid = WELLHEAD_STATUS_INVALID_ARGUMENT;
    wellhead_server *server = quiet_server();
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_provider none = WELLHEAD_PROVIDER_INIT, reads = none, lists = none, both = none;
    resource.uri = WELLHEAD_STR("n:1");
    reads.read = both.read = answer_text;
    lists.list = both.list = answer_page;
    CHECK(wellhead_server_add_resource(server, &resource, &none, NULL) == invalid);
    CHECK(wellhead_server_add_resource(server, &resource, &both, NULL) == invalid);
    CHECK(wellhead_server_add_resource(server, &resource, NULL, NULL) == invalid);
    CHECK(wellhead_server_add_list(server, resource.uri, &none, NULL) == invalid);
    CHECK(wellhead_server_add_list(server, resource.uri, &both, NULL) == invalid);
    CHECK(wellhead_server_set_fallback(server, &lists, NULL) == invalid);
    CHECK(wellhead_server_add_resource(server, &resource, &reads, NULL) == WELLHEAD_STATUS_OK);
    wellhead_server_free(server);
}

static void the_library_is_the_one_of_the_header(void) {
    CHECK(strcmp(wellhead_version(), WELLHEAD_VERSION) == 0);
    CHECK(wellhead_abi_version() == WELLHEAD_ABI_VERSION);
    CHECK(strcmp(wellhead_status_name(12345), "unknown_status") == 0);
}

void test_arguments(void) {
    RUN(null_handles_are_refused_and_not_touched);
    RUN(freeing_null_has_no_effect);
    RUN(an_error_has_advice_and_success_leaves_it_unchanged);
    RUN(the_error_for_a_refused_update_has_a_reason);
    RUN(a_limit_of_zero_is_its_default_and_an_invalid_one_is_named);
    RUN(bad_utf8_is_refused);
    RUN(absent_text_is_refused_and_absent_bytes_are_empty);
    RUN(a_struct_of_size_0_is_refused);
    RUN(fields_that_an_older_header_lacks_are_absent);
    RUN(fields_of_a_newer_header_are_refused_unless_they_are_zero);
    RUN(unknown_flags_are_refused);
    RUN(a_registration_needs_the_callbacks_of_its_kind);
    RUN(the_library_is_the_one_of_the_header);
}
