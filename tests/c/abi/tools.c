/* Tools without JSON of the application's own: arguments by path, and results. */
#include "check.h"

static int same(wellhead_str s, const char *text) {
    return s.ptr && s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

/* Calls a tool once with these arguments, and gives back its result, valid until the next call. */
static const char *result_of(wellhead_method_callback tool, const char *arguments) {
    static char result[1 << 16];
    wellhead_server *server = quiet_server();
    CHECK(wellhead_server_add_tool(server, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), tool, NULL, NULL, NULL) == WELLHEAD_STATUS_OK);
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    wellhead_text *text = wellhead_test_client_call_tool(client, WELLHEAD_STR("t"), wellhead_cstr(arguments), NULL);
    const wellhead_str json = wellhead_text_str(text);
    CHECK(json.ptr != NULL && json.len < sizeof result);
    memcpy(result, json.len < sizeof result ? json.ptr : "", json.len < sizeof result ? json.len : 0);
    result[json.len < sizeof result ? json.len : 0] = '\0';
    wellhead_text_free(text);
    wellhead_test_client_free(client);
    wellhead_server_free(server);
    return result;
}

#define EMPTY WELLHEAD_STR("{\"content\":[]}")

static void read_each_type(void *user_data, const wellhead_call *call, wellhead_str params, wellhead_method *r) {
    int64_t integer = 0;
    double number = 0;
    int boolean = -1;
    (void)user_data, (void)params;
    CHECK(same(wellhead_call_argument_text(call, "model"), "m") && same(wellhead_call_argument_text(call, "/model"), "m"));
    CHECK(same(wellhead_call_argument_text(call, "edits/0/oldText"), "a\nb"));
    const wellhead_str nul = wellhead_call_argument_text(call, "nul");
    CHECK(nul.len == 3 && memcmp(nul.ptr, "x\0y", 3) == 0);
    CHECK(wellhead_call_argument_integer(call, "/edits/1", &integer) == 1 && integer == 5);
    CHECK(wellhead_call_argument_integer(call, "/edits/1", NULL) == 1);
    CHECK(wellhead_call_argument_number(call, "half", &number) == 1 && number > 0.4 && number < 0.6);
    CHECK(wellhead_call_argument_boolean(call, "yes", &boolean) == 1 && boolean == 1);
    CHECK(wellhead_call_argument_boolean(call, "no", &boolean) == 1 && boolean == 0);
    CHECK(wellhead_call_argument_count(call, "edits") == 2 && wellhead_call_argument_count(call, "") == 8);
    CHECK(same(wellhead_call_argument_name(call, "", 1), "edits") && !wellhead_call_argument_name(call, "", 8).ptr);
    CHECK(same(wellhead_call_argument_json(call, "huge"), "1e999") && same(wellhead_call_argument_json(call, "nil"), "null"));
    /* What is not there, or of another type, is not written. */
    integer = 7, number = 7, boolean = 7;
    CHECK(!wellhead_call_argument_integer(call, "half", &integer) && !wellhead_call_argument_integer(call, "huge", &integer));
    CHECK(!wellhead_call_argument_integer(call, "model", &integer) && !wellhead_call_argument_number(call, "none", &number));
    CHECK(!wellhead_call_argument_number(call, "huge", &number) && !wellhead_call_argument_boolean(call, "nil", &boolean));
    CHECK(integer == 7 && number > 6 && boolean == 7);
    CHECK(!wellhead_call_argument_text(call, "nil").ptr && !wellhead_call_argument_text(call, "edits/2").ptr);
    CHECK(wellhead_call_argument_count(call, "model") == 0 && wellhead_call_argument_count(call, "none") == 0);
    wellhead_method_result(r, EMPTY);
}

static void arguments_are_read_by_path_and_type(void) {
    CHECK(has(result_of(read_each_type, "{\"model\":\"m\",\"edits\":[{\"oldText\":\"a\\nb\"},5.0],\"nul\":\"x\\u0000y\",\"half\":0.5,"
                                        "\"yes\":true,\"no\":false,\"huge\":1e999,\"nil\":null}"), "\"content\":[]"));
}

static void read_odd_paths(void *user_data, const wellhead_call *call, wellhead_str params, wellhead_method *r) {
    static const char *const paths[] = {NULL, "\xff", "~", "~2", "a/", "a/-", "a/01", "a/99999999999999999999", "//", "a//0"};
    (void)user_data, (void)params;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        CHECK(!wellhead_call_argument_text(call, paths[i]).ptr && !wellhead_call_argument_json(call, paths[i]).ptr);
        CHECK(!wellhead_call_argument_integer(call, paths[i], NULL) && !wellhead_call_argument_number(call, paths[i], NULL));
        CHECK(!wellhead_call_argument_boolean(call, paths[i], NULL) && wellhead_call_argument_count(call, paths[i]) == 0);
        CHECK(!wellhead_call_argument_name(call, paths[i], 0).ptr);
    }
    CHECK(!wellhead_call_argument_text(NULL, "a").ptr && !wellhead_call_argument_integer(NULL, "a", NULL));
    CHECK(!wellhead_call_argument_text(call, "half").ptr && same(wellhead_call_argument_json(call, "half"), "\"\\ud800\""));
    CHECK(same(wellhead_call_argument_text(call, "a~1b"), "slash"));
    wellhead_method_result(r, EMPTY);
}

static void a_path_that_leads_to_nothing_is_no_fault(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    CHECK(wellhead_server_add_method(server, WELLHEAD_STR("x/odd"), NULL, read_odd_paths, NULL, NULL, NULL) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x/odd\",\"params\":{\"arguments\":{\"a\":[1],"
                                   "\"half\":\"\\ud800\",\"a/b\":\"slash\"}," META "}}\n"), "\"content\":[]"));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

/* A call without arguments, such as a read. */
static void read_none(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    CHECK(!wellhead_call_argument_json(call, "").ptr && wellhead_call_argument_count(call, "") == 0);
    wellhead_read_text(r, WELLHEAD_STR("none"));
}

static void a_read_has_no_arguments(void) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    provider.read = read_none;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, READ(1, "n:1")), "none"));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void keep_it(void *user_data, const wellhead_call *call, wellhead_str params, wellhead_method *r) {
    wellhead_method **kept = user_data;
    (void)call, (void)params;
    *kept = wellhead_method_keep(r);
}

/* Reads on a thread of its own what another one reads, too. */
static void *read_kept(void *kept) {
    const wellhead_call *call = wellhead_method_call(kept);
    const wellhead_str text = wellhead_call_argument_text(call, "/list/1/a");
    CHECK(same(text, "\"") && wellhead_call_argument_text(call, "/list/1/a").ptr == text.ptr);
    return NULL;
}

static void arguments_are_borrowed_until_the_answer_from_any_thread(void) {
    wellhead_method *kept = NULL;
    pthread_t threads[4];
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    CHECK(wellhead_server_add_tool(server, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), keep_it, &kept, NULL, NULL) == WELLHEAD_STATUS_OK);
    exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":"
                         "{\"list\":[0,{\"a\":\"\\\"\"}]}," META "}}\n");
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, read_kept, kept) == 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(wellhead_method_result(kept, EMPTY) == WELLHEAD_STATUS_OK);
    CHECK(has(drain(connection), "\"content\":[]"));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

void test_tools(void) {
    RUN(arguments_are_read_by_path_and_type);
    RUN(a_path_that_leads_to_nothing_is_no_fault);
    RUN(a_read_has_no_arguments);
    RUN(arguments_are_borrowed_until_the_answer_from_any_thread);
}
