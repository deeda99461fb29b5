/* Answering: once, now or later, here or on another thread. */
#include "check.h"

static wellhead_provider reads(void (*read)(void *, const wellhead_call *, wellhead_read *), void *user_data) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    provider.read = read;
    provider.user_data = user_data;
    return provider;
}

/* A server with one template, n:{id}, and a connection to it. */
typedef struct { wellhead_server *server; wellhead_connection *connection; } pair;

static pair pair_with(wellhead_provider provider) {
    pair p;
    p.server = quiet_server();
    CHECK(add_template(p.server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    p.connection = connect_to(p.server);
    return p;
}

static void part(pair p) {
    wellhead_connection_free(p.connection);
    wellhead_server_free(p.server);
}

static void answer_twice(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_status *second = user_data;
    (void)call;
    CHECK(wellhead_read_text(r, WELLHEAD_STR("first")) == WELLHEAD_STATUS_OK);
    *second = wellhead_read_text(r, WELLHEAD_STR("second"));
    CHECK(wellhead_read_add_text(r, NULL, WELLHEAD_STR("third")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_read_keep(r) == NULL);
}

static void a_second_answer_is_refused_and_the_first_counts(void) {
    wellhead_status second = WELLHEAD_STATUS_OK;
    pair p = pair_with(reads(answer_twice, &second));
    const char *output = exchange(p.connection, READ(1, "n:1"));
    CHECK(second == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(has(output, "first") && !has(output, "second"));
    part(p);
}

static void answer_nothing(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    (void)call;
    (void)r;
}

static void neither_answer_nor_keep_is_an_internal_error_at_once(void) {
    pair p = pair_with(reads(answer_nothing, NULL));
    CHECK(has(exchange(p.connection, READ(1, "n:1")), INTERNAL_ERROR));
    part(p);
}

static void keep_slow(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_read **kept = user_data;
    if (wellhead_call_var(call, "id").ptr[0] == 's') *kept = wellhead_read_keep(r);
    else wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static void *answer_by_its_call(void *kept) {
    wellhead_str uri = wellhead_call_uri(wellhead_read_call(kept));
    CHECK(wellhead_read_text(kept, uri) == WELLHEAD_STATUS_OK);
    return NULL;
}

static void another_thread_answers_after_a_second_request_was_answered(void) {
    wellhead_read *kept = NULL;
    pair p = pair_with(reads(keep_slow, &kept));
    pthread_t thread;
    CHECK(*exchange(p.connection, READ(1, "n:slow")) == '\0');
    CHECK(has(exchange(p.connection, READ(2, "n:quick")), "\"text\":\"quick\""));
    CHECK(pthread_create(&thread, NULL, answer_by_its_call, kept) == 0);
    pthread_join(thread, NULL);
    CHECK(has(drain(p.connection), "\"id\":1,\"result\":{\"resultType\":\"complete\",\"contents\":[{\"uri\":\"n:slow\",\"text\":\"n:slow\""));
    part(p);
}

/* Keeps, lets another thread answer, and returns only after that. */
static void keep_until_answered(void *user_data, const wellhead_call *call, wellhead_read *r) {
    pthread_t thread;
    (void)user_data;
    (void)call;
    CHECK(wellhead_read_keep(r) == r);
    CHECK(wellhead_read_keep(r) == r);
    CHECK(pthread_create(&thread, NULL, answer_by_its_call, r) == 0);
    pthread_join(thread, NULL);
}

static void a_kept_responder_may_be_answered_before_its_callback_returns(void) {
    pair p = pair_with(reads(keep_until_answered, NULL));
    CHECK(has(exchange(p.connection, READ(1, "n:1")), "\"text\":\"n:1\""));
    part(p);
}

static void a_kept_responder_that_is_freed_is_an_internal_error(void) {
    wellhead_read *kept = NULL;
    pair p = pair_with(reads(keep_slow, &kept));
    exchange(p.connection, READ(1, "n:slow"));
    wellhead_read_free(kept);
    CHECK(has(drain(p.connection), INTERNAL_ERROR));
    part(p);
}

static void a_late_answer_is_no_error(void) {
    wellhead_read *kept = NULL;
    pair p = pair_with(reads(keep_slow, &kept));
    exchange(p.connection, READ(1, "n:slow"));
    CHECK(!wellhead_call_cancelled(wellhead_read_call(kept)));
    CHECK(*exchange(p.connection, CANCEL(1)) == '\0');
    CHECK(wellhead_call_cancelled(wellhead_read_call(kept)));
    CHECK(wellhead_read_text(kept, WELLHEAD_STR("late")) == WELLHEAD_STATUS_OK);
    CHECK(*drain(p.connection) == '\0');
    part(p);
}

static void answer_bad_text(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    (void)call;
    CHECK(wellhead_read_text(r, WELLHEAD_STR("\xff")) == WELLHEAD_STATUS_INVALID_UTF8);
}

static void an_answer_that_is_not_utf8_is_an_internal_error(void) {
    pair p = pair_with(reads(answer_bad_text, NULL));
    CHECK(has(exchange(p.connection, READ(1, "n:1")), INTERNAL_ERROR));
    part(p);
}

static void answer_with_details(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_contents about = WELLHEAD_CONTENTS_INIT, unset = {0};
    (void)user_data;
    about.mime_type = WELLHEAD_STR("text/markdown");
    about.version = WELLHEAD_STR("v1");
    about.meta = WELLHEAD_STR("{\"a/b\":1}");
    const char which = *wellhead_call_var(call, "id").ptr;
    if (which == 't') CHECK(wellhead_read_text_with(r, &about, WELLHEAD_STR("text")) == WELLHEAD_STATUS_OK);
    else if (which == 'b') CHECK(wellhead_read_blob_with(r, &about, WELLHEAD_STR("abc")) == WELLHEAD_STATUS_OK);
    else if (which == 'n') CHECK(wellhead_read_text_with(r, NULL, WELLHEAD_STR("plain")) == WELLHEAD_STATUS_OK);
    else CHECK(wellhead_read_text_with(r, &unset, WELLHEAD_STR("x")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
}

static void one_call_answers_a_body_with_its_details(void) {
    pair p = pair_with(reads(answer_with_details, NULL));
    const char *output = exchange(p.connection, READ(1, "n:t"));
    CHECK(has(output, "\"mimeType\":\"text/markdown\"") && has(output, "\"text\":\"text\"") && has(output, "\"a/b\":1"));
    CHECK(has(exchange(p.connection, READ(2, "n:b")), "\"blob\":\"YWJj\""));
    CHECK(has(exchange(p.connection, READ(3, "n:n")), "\"text\":\"plain\""));
    CHECK(has(exchange(p.connection, READ(4, "n:x")), INTERNAL_ERROR));
    part(p);
}

static void answer_in_parts(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_contents about = WELLHEAD_CONTENTS_INIT, unset = {0};
    (void)user_data;
    (void)call;
    about.uri = WELLHEAD_STR("n:part");
    about.mime_type = WELLHEAD_STR("image/png");
    about.meta = WELLHEAD_STR("{\"a/b\":1}");
    CHECK(wellhead_read_add_text(r, NULL, WELLHEAD_STR("one")) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_read_add_text(r, NULL, WELLHEAD_STR("\xff")) == WELLHEAD_STATUS_INVALID_UTF8);
    CHECK(wellhead_read_add_text(r, &unset, WELLHEAD_STR("two")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_read_add_blob(r, &about, WELLHEAD_STR("abc")) == WELLHEAD_STATUS_OK);
    about.meta = WELLHEAD_STR("[]");
    CHECK(wellhead_read_add_blob(r, &about, WELLHEAD_STR("abc")) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_read_finish(r) == WELLHEAD_STATUS_OK);
}

static void refused_parts_leave_the_answer_as_it_was(void) {
    pair p = pair_with(reads(answer_in_parts, NULL));
    CHECK(has(exchange(p.connection, READ(1, "n:1")),
              "[{\"uri\":\"n:1\",\"text\":\"one\"},{\"uri\":\"n:part\",\"mimeType\":\"image/png\",\"blob\":\"YWJj\",\"_meta\":{\"a/b\":1}}]"));
    part(p);
}

static void list_two(void *user_data, const wellhead_call *call, wellhead_list *r) {
    wellhead_resource item = WELLHEAD_RESOURCE_INIT;
    (void)user_data;
    CHECK(wellhead_call_uri(call).ptr == NULL);
    CHECK(wellhead_call_after(call).ptr == NULL && wellhead_call_limit(call) > 0);
    item.uri = WELLHEAD_STR("n:1");
    CHECK(wellhead_list_add(r, &item) == WELLHEAD_STATUS_OK);
    item.name = WELLHEAD_STR("\xff");
    CHECK(wellhead_list_add(r, &item) == WELLHEAD_STATUS_INVALID_UTF8);
    CHECK(wellhead_list_finish(r, 0) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_list_finish(r, 0) == WELLHEAD_STATUS_INVALID_ARGUMENT);
}

static void a_refused_item_leaves_the_page_as_it_was(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    provider.list = list_two;
    CHECK(wellhead_server_add_list(server, WELLHEAD_STR("l"), &provider, NULL) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, LIST(1)), "\"resources\":[{\"uri\":\"n:1\",\"name\":\"n:1\"}]"));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

typedef struct { int fails; char line[512]; } refused;

static void add_bad_annotations(void *user_data, const wellhead_call *call, wellhead_list *r) {
    const refused *how = user_data;
    wellhead_resource item = WELLHEAD_RESOURCE_INIT;
    (void)call;
    item.uri = WELLHEAD_STR("n:1");
    item.annotations = WELLHEAD_STR("[]");
    CHECK(wellhead_list_add(r, &item) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    if (how->fails) CHECK(wellhead_list_failed(r, WELLHEAD_STR("a bad row")) == WELLHEAD_STATUS_OK);
}

static void write_line(void *log_data, uint32_t severity, const wellhead_str *line) {
    refused *how = log_data;
    CHECK(severity == WELLHEAD_SEVERITY_ERROR);
    snprintf(how->line, sizeof how->line, "%.*s", (int)line->len, line->ptr);
}

static void the_log_has_the_reason_for_a_refused_part_if_the_call_fails(void) {
    for (int fails = 0; fails < 2; fails++) {
        refused how = {fails, ""};
        wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
        wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
        options.log = write_line;
        options.log_data = &how;
        wellhead_server *server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
        wellhead_connection *connection = connect_to(server);
        provider.list = add_bad_annotations;
        provider.user_data = &how;
        CHECK(wellhead_server_add_list(server, WELLHEAD_STR("l"), &provider, NULL) == WELLHEAD_STATUS_OK);
        CHECK(has(exchange(connection, LIST(1)), INTERNAL_ERROR));
        CHECK(strstr(how.line, "a part was refused: ") && strstr(how.line, "annotations"));
        CHECK(!fails || strstr(how.line, "a bad row"));
        wellhead_connection_free(connection);
        wellhead_server_free(server);
    }
}

static void list_more_of_nothing(void *user_data, const wellhead_call *call, wellhead_list *r) {
    wellhead_list **kept = user_data;
    (void)call;
    *kept = wellhead_list_keep(r);
}

static void list_three(void *user_data, const wellhead_call *call, wellhead_list *r) {
    const wellhead_str after = wellhead_call_after(call);
    static const char *const uris[] = {"n:1", "n:2", "n:3"};
    (void)user_data;
    CHECK(wellhead_call_limit(call) == 2);
    for (size_t i = after.ptr ? (size_t)(after.ptr[2] - '0') : 0; i < 3; i++) {
        wellhead_resource item = WELLHEAD_RESOURCE_INIT;
        item.uri = wellhead_cstr(uris[i]);
        CHECK(wellhead_list_add(r, &item) == WELLHEAD_STATUS_OK);
    }
    CHECK(wellhead_list_finish(r, 0) == WELLHEAD_STATUS_OK);
}

static void items_beyond_the_limit_are_on_the_next_page(void) {
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    size_t found = 0;
    limits.page_items = 2; /* each other limit is 0, its default */
    options.limits = &limits;
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
    provider.list = list_three;
    CHECK(wellhead_server_add_list(server, WELLHEAD_STR("l"), &provider, NULL) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(server);
    const char *page = exchange(connection, LIST(1));
    CHECK(has(page, "n:2") && !has(page, "n:3") && has(page, "nextCursor"));
    wellhead_connection_free(connection);
    wellhead_test_client *client = wellhead_test_client_new(server, NULL);
    CHECK(wellhead_test_client_list(client, &found, NULL) == WELLHEAD_STATUS_OK && found == 3);
    wellhead_test_client_free(client);
    wellhead_server_free(server);
}

static void more_without_items_is_refused(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_list *kept = NULL;
    provider.list = list_more_of_nothing;
    provider.user_data = &kept;
    CHECK(wellhead_server_add_list(server, WELLHEAD_STR("l"), &provider, NULL) == WELLHEAD_STATUS_OK);
    exchange(connection, LIST(1));
    CHECK(!wellhead_call_cancelled(wellhead_list_call(kept)));
    CHECK(wellhead_list_finish(kept, 1) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(has(drain(connection), INTERNAL_ERROR));
    exchange(connection, LIST(2));
    wellhead_list_free(kept);
    CHECK(has(drain(connection), INTERNAL_ERROR));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void answer_with_vars(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    CHECK(strncmp(wellhead_call_var(call, "id").ptr, "a b", 3) == 0);
    CHECK(strncmp(wellhead_call_raw(call, "id").ptr, "a%20b", 5) == 0);
    CHECK(wellhead_call_var(call, "more").len == 1);
    CHECK(strncmp(wellhead_call_var_at(call, "more", 1).ptr, "y", 1) == 0);
    CHECK(wellhead_call_var_at(call, "more", 2).ptr == NULL);
    CHECK(wellhead_call_var(call, "other").ptr == NULL);
    CHECK(wellhead_call_var(call, "\xff").ptr == NULL && wellhead_call_var(call, NULL).ptr == NULL);
    CHECK(strncmp(wellhead_call_var_name(call, 0).ptr, "id", 2) == 0);
    CHECK(strncmp(wellhead_call_var_name(call, 1).ptr, "more", 4) == 0);
    CHECK(wellhead_call_var_name(call, 2).ptr == NULL);
    wellhead_read_not_found(r);
    CHECK(wellhead_call_var(call, "id").len == 3); /* still valid after the answer, until the return */
}

static void a_call_has_its_variables(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    CHECK(add_template(server, "n:{id}{/more*}", reads(answer_with_vars, NULL)) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(connection, READ(1, "n:a%20b/x/y")), "\"error\""));
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

typedef struct { char *bytes; int released; int valid; } lent;

static void answer_with_id(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static void a_value_with_dots_is_not_found_unless_the_template_takes_raw_values(void) {
    wellhead_provider provider = reads(answer_with_id, NULL);
    wellhead_resource raw = WELLHEAD_RESOURCE_INIT;
    pair p = pair_with(provider);
    raw.uri = WELLHEAD_STR("raw:{id}");
    raw.flags = WELLHEAD_RAW_VALUES;
    CHECK(wellhead_server_add_template(p.server, &raw, &provider, NULL) == WELLHEAD_STATUS_OK);
    CHECK(has(exchange(p.connection, READ(1, "n:..%2Fx")), "\"message\":\"Resource not found\""));
    CHECK(has(exchange(p.connection, READ(2, "raw:..%2Fx")), "\"text\":\"../x\""));
    part(p);
}

static void give_back(void *release_data) {
    lent *own = release_data;
    own->released++;
    free(own->bytes);
    own->bytes = NULL;
}

static void answer_owned(void *user_data, const wellhead_call *call, wellhead_read *r) {
    lent *own = user_data;
    wellhead_str text = {own->bytes, 100000};
    (void)call;
    CHECK(wellhead_read_text_owned(r, text, give_back, own)
          == (own->valid ? WELLHEAD_STATUS_OK : WELLHEAD_STATUS_INVALID_UTF8));
    CHECK(own->released == (own->valid ? 0 : 1));
}

static lent lend(int valid) {
    lent own = {malloc(100000), 0, valid};
    if (!own.bytes) abort();
    memset(own.bytes, valid ? 'x' : 0xff, 100000);
    return own;
}

static void a_large_owned_text_is_released_once_after_it_was_sent(void) {
    lent own = lend(1);
    pair p = pair_with(reads(answer_owned, &own));
    size_t len = 0;
    wellhead_transmit *t;
    feed(p.connection, READ(1, "n:1"));
    wellhead_connection_poll_event(p.connection, SIZE_MAX);
    while ((t = wellhead_connection_poll_transmit(p.connection, 4096)) != NULL) {
        len += wellhead_transmit_bytes(t).len;
        wellhead_transmit_free(t);
    }
    CHECK(len > 100000);
    CHECK(own.released == 1);
    part(p);
    CHECK(own.released == 1);
}

static void an_owned_text_is_released_once_also_on_failure(void) {
    lent own = lend(0);
    pair p = pair_with(reads(answer_owned, &own));
    CHECK(has(exchange(p.connection, READ(1, "n:1")), INTERNAL_ERROR));
    part(p);
    CHECK(own.released == 1);
}

static void an_owned_text_that_is_not_taken_is_released_with_its_connection(void) {
    lent own = lend(1);
    pair p = pair_with(reads(answer_owned, &own));
    feed(p.connection, READ(1, "n:1"));
    wellhead_connection_poll_event(p.connection, SIZE_MAX);
    CHECK(own.released == 0);
    part(p);
    CHECK(own.released == 1);
}

static void an_owned_body_for_no_call_is_released(void) {
    int released = 0;
    wellhead_str bytes = WELLHEAD_STR("x");
    CHECK(wellhead_read_blob_owned(NULL, bytes, count, &released) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_read_add_text_owned(NULL, NULL, bytes, count, &released) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_read_text_owned(NULL, bytes, NULL, NULL) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(released == 2);
}

void test_answers(void) {
    RUN(a_second_answer_is_refused_and_the_first_counts);
    RUN(neither_answer_nor_keep_is_an_internal_error_at_once);
    RUN(another_thread_answers_after_a_second_request_was_answered);
    RUN(a_kept_responder_may_be_answered_before_its_callback_returns);
    RUN(a_kept_responder_that_is_freed_is_an_internal_error);
    RUN(a_late_answer_is_no_error);
    RUN(an_answer_that_is_not_utf8_is_an_internal_error);
    RUN(one_call_answers_a_body_with_its_details);
    RUN(refused_parts_leave_the_answer_as_it_was);
    RUN(a_refused_item_leaves_the_page_as_it_was);
    RUN(the_log_has_the_reason_for_a_refused_part_if_the_call_fails);
    RUN(items_beyond_the_limit_are_on_the_next_page);
    RUN(more_without_items_is_refused);
    RUN(a_call_has_its_variables);
    RUN(a_value_with_dots_is_not_found_unless_the_template_takes_raw_values);
    RUN(a_large_owned_text_is_released_once_after_it_was_sent);
    RUN(an_owned_text_is_released_once_also_on_failure);
    RUN(an_owned_text_that_is_not_taken_is_released_with_its_connection);
    RUN(an_owned_body_for_no_call_is_released);
}
