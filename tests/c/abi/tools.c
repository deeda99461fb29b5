/* Tools without JSON of the application's own: arguments by path, results, and strings. */
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

static void read_each_type(void *user_data, const wellhead_call *call, wellhead_method *r) {
    int64_t integer = 0;
    double number = 0;
    int boolean = -1;
    (void)user_data;
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

static void read_around(void *user_data, const wellhead_call *call, wellhead_next *next) {
    int64_t integer = 0;
    CHECK(same(wellhead_call_argument_text(call, "model"), "m") && wellhead_call_argument_count(call, "") == 2);
    CHECK(wellhead_call_argument_integer(call, "/edits/0", &integer) == 1 && integer == 5);
    CHECK(wellhead_next_run(next, NULL, NULL, NULL) == WELLHEAD_STATUS_OK);
    ++*(int *)user_data;
}

static void answer_empty(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    wellhead_method_result(r, EMPTY);
}

static void arguments_are_read_by_path_around_a_tool(void) {
    int calls = 0;
    wellhead_server *server = quiet_server();
    CHECK(wellhead_server_around(server, read_around, &calls, NULL, NULL) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_server_add_tool(server, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), answer_empty, NULL, NULL, NULL) == WELLHEAD_STATUS_OK);
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    const wellhead_str arguments = WELLHEAD_STR("{\"model\":\"m\",\"edits\":[5]}");
    wellhead_text_free(wellhead_test_client_call_tool(client, WELLHEAD_STR("t"), arguments, NULL));
    wellhead_test_client_free(client);
    wellhead_server_free(server);
    CHECK(calls == 1);
}

/* Answers each call in its place by one text. */
static void answer_by_a_text(void *user_data, const wellhead_call *call, wellhead_next *next) {
    wellhead_outcome *outcome = wellhead_next_answer_instead(next);
    (void)call;
    *(wellhead_status *)user_data = wellhead_outcome_set_text(outcome, WELLHEAD_STR("instead"));
}

static void a_text_replaces_an_answer_in_the_form_of_its_call(void) {
    wellhead_status status = WELLHEAD_STATUS_PANIC;
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    CHECK(wellhead_server_around(server, answer_by_a_text, &status, NULL, NULL) == WELLHEAD_STATUS_OK);
    wellhead_server_add_tool(server, WELLHEAD_STR("t"), WELLHEAD_STR("{}"), answer_empty, NULL, NULL, NULL);
    wellhead_server_add_prompt(server, WELLHEAD_STR("p"), WELLHEAD_STR("{}"), answer_empty, NULL, NULL, NULL);
    wellhead_server_add_method(server, WELLHEAD_STR("x/m"), NULL, answer_empty, NULL, NULL, NULL);
    CHECK(has(exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"," META "}}\n"),
              "\"content\":[{\"type\":\"text\",\"text\":\"instead\"}]"));
    CHECK(status == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"," META "}}\n"),
              "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"instead\"}}]"));
    CHECK(status == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x/m\",\"params\":{" META "}}\n"), INTERNAL_ERROR));
    CHECK(status == WELLHEAD_STATUS_INVALID_ARGUMENT);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void read_numbers(void *user_data, const wellhead_call *call, wellhead_method *r) {
    static const char *const inexact[] = {"big", "bigger", "exponent", "fraction", "tiny"};
    int64_t integer = 7;
    double number = 7;
    (void)user_data;
    for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++) CHECK(!wellhead_call_argument_integer(call, inexact[i], &integer));
    CHECK(integer == 7);
    CHECK(wellhead_call_argument_integer(call, "id", &integer) == 1 && integer == 9007199254740993);
    CHECK(wellhead_call_argument_number(call, "tiny", &number) == 1 && !(number > 0 || number < 0));
    CHECK(same(wellhead_call_argument_json(call, "bigger"), "123456789012345678901234567890"));
    CHECK(same(wellhead_call_argument_json(call, "tiny"), "0.1e-400"));
    wellhead_method_result(r, EMPTY);
}

/* row: TA-15 */
static void an_integer_is_exact_or_absent(void) {
    CHECK(has(result_of(read_numbers, "{\"id\":9007199254740993,\"big\":9223372036854775808,\"bigger\":123456789012345678901234567890,"
                                      "\"exponent\":1e19,\"fraction\":9007199254740992.5,\"tiny\":0.1e-400}"), "\"content\":[]"));
}

static void read_odd_paths(void *user_data, const wellhead_call *call, wellhead_method *r) {
    static const char *const paths[] = {NULL, "\xff", "~", "~2", "a/", "a/-", "a/01", "a/99999999999999999999", "//", "a//0"};
    (void)user_data;
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

static void a_path_without_a_value_is_no_fault(void) {
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

static void keep_it(void *user_data, const wellhead_call *call, wellhead_method *r) {
    wellhead_method **kept = user_data;
    (void)call;
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

static void answer_a_text(void *user_data, const wellhead_call *call, wellhead_method *r) {
    const wellhead_str a = wellhead_call_argument_text(call, "a");
    (void)user_data;
    CHECK(wellhead_method_text(r, a) == (a.ptr ? WELLHEAD_STATUS_OK : WELLHEAD_STATUS_INVALID_ARGUMENT));
    CHECK(wellhead_method_text(r, WELLHEAD_STR("b")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
}

static void answer_structured(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data;
    CHECK(wellhead_method_structured(r, wellhead_call_argument_json(call, "a")) == WELLHEAD_STATUS_OK);
}

static void one_call_answers_a_text_or_structured_content(void) {
    CHECK(strcmp(result_of(answer_a_text, "{\"a\":\"say \\\"x\\\"\"}"), "{\"content\":[{\"type\":\"text\",\"text\":\"say \\\"x\\\"\"}]}") == 0);
    CHECK(strcmp(result_of(answer_structured, "{\"a\":{\"n\": 1}}"),
                 "{\"structuredContent\":{\"n\": 1},\"content\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\":1}\"}]}") == 0);
    CHECK(strcmp(result_of(answer_a_text, "{\"a\":1}"), "{\"content\":[{\"type\":\"text\",\"text\":\"The tool failed\"}],\"isError\":true}") == 0);
}

static void answer_messages(void *user_data, const wellhead_call *call, wellhead_method *r) {
    wellhead_content_block about = WELLHEAD_CONTENT_BLOCK_INIT;
    (void)user_data, (void)call;
    about.role = WELLHEAD_STR("assistant");
    CHECK(wellhead_method_add_image(r, NULL, WELLHEAD_STR("abc"), WELLHEAD_STR("image/png")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_text(r, &about, WELLHEAD_STR("Which?")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_finish(r, 0) == WELLHEAD_STATUS_OK);
}

static void answer_wrong_messages(void *user_data, const wellhead_call *call, wellhead_method *r) {
    wellhead_content_block about = WELLHEAD_CONTENT_BLOCK_INIT;
    (void)user_data, (void)call;
    about.role = WELLHEAD_STR("system");
    CHECK(wellhead_method_add_text(r, &about, WELLHEAD_STR("x")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_method_set_structured(r, WELLHEAD_STR("{}")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_method_text(r, WELLHEAD_STR("Review this.")) == WELLHEAD_STATUS_OK);
}

/* row: PR-06 */
static void the_result_of_a_prompt_is_messages(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    wellhead_server_add_prompt(server, WELLHEAD_STR("p"), WELLHEAD_STR("{}"), answer_messages, NULL, NULL, NULL);
    wellhead_server_add_prompt(server, WELLHEAD_STR("q"), WELLHEAD_STR("{}"), answer_wrong_messages, NULL, NULL, NULL);
    CHECK(has(exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"," META "}}\n"),
              "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"image\",\"data\":\"YWJj\",\"mimeType\":\"image/png\"}},"
                                 "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"Which?\"}}]"));
    CHECK(has(exchange(connection, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"prompts/get\",\"params\":{\"name\":\"q\"," META "}}\n"),
              "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Review this.\"}}]"));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void answer_each_kind(void *user_data, const wellhead_call *call, wellhead_method *r) {
    wellhead_content_block about = WELLHEAD_CONTENT_BLOCK_INIT;
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_contents contents = WELLHEAD_CONTENTS_INIT;
    (void)user_data, (void)call;
    about.annotations = WELLHEAD_STR("{\"priority\":0.5}");
    about.meta = WELLHEAD_STR("{\"a/b\":1}");
    resource.uri = WELLHEAD_STR("n:1");
    resource.title = WELLHEAD_STR("One");
    contents.uri = WELLHEAD_STR("n:2");
    contents.mime_type = WELLHEAD_STR("text/plain");
    CHECK(wellhead_method_add_text(r, &about, WELLHEAD_STR("t")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_image(r, NULL, WELLHEAD_STR("\0\xff"), WELLHEAD_STR("image/png")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_audio(r, NULL, WELLHEAD_STR("abc"), WELLHEAD_STR("audio/wav")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_link(r, &resource) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_resource_text(r, NULL, &contents, WELLHEAD_STR("x")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_resource_blob(r, &about, &contents, WELLHEAD_STR("\0\xff")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_set_structured(r, WELLHEAD_STR("{\"n\":1}")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_set_meta(r, WELLHEAD_STR("{\"c/d\":2}")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_finish(r, 1) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_text(r, NULL, WELLHEAD_STR("late")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_method_finish(r, 0) == WELLHEAD_STATUS_INVALID_ARGUMENT);
}

static void a_result_has_each_kind_of_content(void) {
    CHECK(strcmp(result_of(answer_each_kind, "{}"),
                 "{\"content\":[{\"type\":\"text\",\"text\":\"t\",\"annotations\":{\"priority\":0.5},\"_meta\":{\"a/b\":1}},"
                 "{\"type\":\"image\",\"data\":\"AP8=\",\"mimeType\":\"image/png\"},"
                 "{\"type\":\"audio\",\"data\":\"YWJj\",\"mimeType\":\"audio/wav\"},"
                 "{\"type\":\"resource_link\",\"uri\":\"n:1\",\"name\":\"n:1\",\"title\":\"One\"},"
                 "{\"type\":\"resource\",\"resource\":{\"uri\":\"n:2\",\"mimeType\":\"text/plain\",\"text\":\"x\"}},"
                 "{\"type\":\"resource\",\"resource\":{\"uri\":\"n:2\",\"mimeType\":\"text/plain\",\"blob\":\"AP8=\"},"
                 "\"annotations\":{\"priority\":0.5},\"_meta\":{\"a/b\":1}}],"
                 "\"structuredContent\":{\"n\":1},\"isError\":true,\"_meta\":{\"c/d\":2}}") == 0);
}

static void answer_links(void *user_data, const wellhead_call *call, wellhead_method *r) {
    wellhead_content_block about = WELLHEAD_CONTENT_BLOCK_INIT;
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    (void)user_data, (void)call;
    about.annotations = WELLHEAD_STR("{\"priority\":0.5}");
    about.meta = WELLHEAD_STR("{\"a/b\":1}");
    about.role = WELLHEAD_STR("assistant");
    resource.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_method_add_link_with(r, &about, &resource) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_link_with(r, NULL, &resource) == WELLHEAD_STATUS_OK);
    resource.annotations = about.annotations; /* twice */
    CHECK(wellhead_method_add_link_with(r, &about, &resource) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_method_add_link_with(r, &about, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_method_finish(r, 0) == WELLHEAD_STATUS_OK);
}

static void a_link_has_the_members_of_a_content_block(void) {
    CHECK(strcmp(result_of(answer_links, "{}"),
                 "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"n:1\",\"name\":\"n:1\",\"annotations\":{\"priority\":0.5},"
                 "\"_meta\":{\"a/b\":1}},{\"type\":\"resource_link\",\"uri\":\"n:1\",\"name\":\"n:1\"}]}") == 0);
}

static void answer_large_media(void *user_data, const wellhead_call *call, wellhead_method *r) {
    static char bytes[100];
    const wellhead_str media = {bytes, sizeof bytes}, absent = {NULL, 0};
    (void)user_data, (void)call;
    memset(bytes, 0xff, sizeof bytes);
    CHECK(wellhead_method_add_image(r, NULL, media, absent) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_method_add_audio(r, NULL, media, absent) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_method_add_image(r, NULL, media, WELLHEAD_STR("image/png")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_add_audio(r, NULL, media, WELLHEAD_STR("audio/wav")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_finish(r, 0) == WELLHEAD_STATUS_OK);
}

/* row: TR-04 */
static void base64_has_padding_and_no_line_breaks(void) {
    char data[134], expected[512];
    memset(data, '/', 133);
    data[133] = '\0';
    snprintf(expected, sizeof expected, "{\"content\":[{\"type\":\"image\",\"data\":\"%sw==\",\"mimeType\":\"image/png\"},"
                                        "{\"type\":\"audio\",\"data\":\"%sw==\",\"mimeType\":\"audio/wav\"}]}", data, data);
    CHECK(strcmp(result_of(answer_large_media, "{}"), expected) == 0);
}

static void add_wrong_parts(void *user_data, const wellhead_call *call, wellhead_method *r) {
    const wellhead_status invalid = WELLHEAD_STATUS_INVALID_ARGUMENT;
    const wellhead_str text = WELLHEAD_STR("t"), png = WELLHEAD_STR("image/png"), absent = {NULL, 0}, bad = WELLHEAD_STR("\xff");
    wellhead_content_block about = WELLHEAD_CONTENT_BLOCK_INIT, unset = {0};
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_contents contents = WELLHEAD_CONTENTS_INIT;
    (void)user_data, (void)call;
    CHECK(wellhead_method_add_text(NULL, NULL, text) == invalid && wellhead_method_text(NULL, text) == invalid);
    CHECK(wellhead_method_add_text(r, NULL, absent) == invalid && wellhead_method_add_text(r, &unset, text) == invalid);
    CHECK(wellhead_method_add_text(r, NULL, bad) == WELLHEAD_STATUS_INVALID_UTF8);
    CHECK(wellhead_method_add_image(r, NULL, text, absent) == invalid && wellhead_method_add_image(r, NULL, text, text) == invalid);
    CHECK(wellhead_method_add_audio(r, NULL, text, bad) == WELLHEAD_STATUS_INVALID_UTF8);
    CHECK(wellhead_method_add_image(r, NULL, absent, png) == invalid && wellhead_method_add_audio(r, NULL, absent, png) == invalid);
    CHECK(wellhead_method_add_link(r, NULL) == invalid && wellhead_method_add_link(r, &resource) == invalid);
    resource.uri = text;
    CHECK(wellhead_method_add_link(r, &resource) == WELLHEAD_STATUS_INVALID_URI);
    CHECK(wellhead_method_add_resource_text(r, NULL, NULL, text) == invalid);
    CHECK(wellhead_method_add_resource_blob(r, NULL, &contents, text) == invalid);
    contents.uri = text;
    CHECK(wellhead_method_add_resource_text(r, NULL, &contents, text) == WELLHEAD_STATUS_INVALID_URI);
    about.annotations = WELLHEAD_STR("{\"priority\":2}");
    CHECK(wellhead_method_add_text(r, &about, text) == invalid);
    about.annotations = absent, about.meta = WELLHEAD_STR("{\"progressToken\":1}");
    CHECK(wellhead_method_add_image(r, &about, text, png) == invalid);
    CHECK(wellhead_method_set_structured(r, absent) == invalid && wellhead_method_set_structured(r, WELLHEAD_STR("{")) == invalid);
    CHECK(wellhead_method_set_meta(r, absent) == invalid && wellhead_method_set_meta(r, WELLHEAD_STR("1")) == invalid);
    CHECK(wellhead_method_add_text(r, NULL, WELLHEAD_STR("rest")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_method_finish(r, 0) == WELLHEAD_STATUS_OK);
}

static void a_part_that_is_refused_leaves_the_result_as_it_was(void) {
    CHECK(strcmp(result_of(add_wrong_parts, "{}"), "{\"content\":[{\"type\":\"text\",\"text\":\"rest\"}]}") == 0);
}

static void add_and_answer_otherwise(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data;
    CHECK(wellhead_method_add_text(r, NULL, WELLHEAD_STR("lost")) == WELLHEAD_STATUS_OK);
    if (wellhead_call_argument_boolean(call, "empty", NULL)) CHECK(wellhead_method_text(r, WELLHEAD_STR("whole")) == WELLHEAD_STATUS_OK);
    else CHECK(wellhead_method_tool_error(r, WELLHEAD_STR("try b")) == WELLHEAD_STATUS_OK);
}

static void finish_at_once(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    CHECK(wellhead_method_finish(r, 0) == WELLHEAD_STATUS_OK);
}

static void a_whole_answer_replaces_what_was_added(void) {
    CHECK(strcmp(result_of(add_and_answer_otherwise, "{\"empty\":true}"), "{\"content\":[{\"type\":\"text\",\"text\":\"whole\"}]}") == 0);
    CHECK(strcmp(result_of(add_and_answer_otherwise, "{}"), "{\"content\":[{\"type\":\"text\",\"text\":\"try b\"}],\"isError\":true}") == 0);
    CHECK(strcmp(result_of(finish_at_once, "{}"), "{\"content\":[]}") == 0);
}

static void strings_are_compared_with_their_length(void) {
    const wellhead_str a = WELLHEAD_STR("a"), nul = WELLHEAD_STR("a\0b"), empty = WELLHEAD_STR(""), absent = {NULL, 0};
    CHECK(wellhead_str_equal(a, wellhead_cstr("a")) == 1 && wellhead_str_equal(a, WELLHEAD_STR("b")) == 0);
    CHECK(!wellhead_str_equal(a, nul) && wellhead_str_equal(nul, WELLHEAD_STR("a\0b")) && !wellhead_str_equal(nul, WELLHEAD_STR("a\0c")));
    CHECK(wellhead_str_equal(empty, empty) && wellhead_str_equal(absent, absent) && !wellhead_str_equal(empty, absent));
}

static void a_string_with_text_after_its_number_is_no_number(void) {
    static const char *const none[] = {"", "-", "+1", " 1", "1 ", "1x", "0x1", "1\n", "1,5", "inf", "-inf", "nan", "-nan", "1e999", "\xff", NULL};
    int64_t integer = 7;
    double number = 7;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK(!wellhead_str_to_integer(wellhead_cstr(none[i]), &integer) && integer == 7);
        CHECK(!wellhead_str_to_number(wellhead_cstr(none[i]), &number) && number > 6);
    }
    CHECK(!wellhead_str_to_integer(WELLHEAD_STR("1\0"), &integer) && !wellhead_str_to_integer(WELLHEAD_STR("1.0"), &integer));
    CHECK(!wellhead_str_to_integer(WELLHEAD_STR("9223372036854775808"), &integer) && integer == 7);
    CHECK(wellhead_str_to_integer(WELLHEAD_STR("-9223372036854775808"), &integer) == 1 && integer == INT64_MIN);
    CHECK(wellhead_str_to_integer(WELLHEAD_STR("007"), &integer) && integer == 7 && wellhead_str_to_integer(WELLHEAD_STR("1"), NULL));
    CHECK(wellhead_str_to_number(WELLHEAD_STR("-0.5e1"), &number) == 1 && number > -5.1 && number < -4.9);
    CHECK(wellhead_str_to_number(WELLHEAD_STR("5"), NULL) == 1);
}

static void a_string_is_printed_with_its_length_and_an_absent_one_as_empty(void) {
    const wellhead_str whole = WELLHEAD_STR("abcdef"), absent = {NULL, 0};
    const wellhead_str part = {whole.ptr + 1, 3};
    char text[32];
    snprintf(text, sizeof text, "<" WELLHEAD_FMT "|" WELLHEAD_FMT ">", WELLHEAD_ARG(part), WELLHEAD_ARG(absent));
    CHECK(strcmp(text, "<bcd|>") == 0);
}

void test_tools(void) {
    RUN(arguments_are_read_by_path_and_type);
    RUN(arguments_are_read_by_path_around_a_tool);
    RUN(a_text_replaces_an_answer_in_the_form_of_its_call);
    RUN(an_integer_is_exact_or_absent);
    RUN(a_path_without_a_value_is_no_fault);
    RUN(a_read_has_no_arguments);
    RUN(arguments_are_borrowed_until_the_answer_from_any_thread);
    RUN(one_call_answers_a_text_or_structured_content);
    RUN(the_result_of_a_prompt_is_messages);
    RUN(a_result_has_each_kind_of_content);
    RUN(a_link_has_the_members_of_a_content_block);
    RUN(base64_has_padding_and_no_line_breaks);
    RUN(a_part_that_is_refused_leaves_the_result_as_it_was);
    RUN(a_whole_answer_replaces_what_was_added);
    RUN(strings_are_compared_with_their_length);
    RUN(a_string_with_text_after_its_number_is_no_number);
    RUN(a_string_is_printed_with_its_length_and_an_absent_one_as_empty);
}
