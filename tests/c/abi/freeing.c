/* Handles that are freed inside of callbacks, and while another thread wakes their host. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BODY "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"n:1\"," META "}}"

/* What is freed by which callback. */
typedef struct {
    wellhead_server *server;
    wellhead_connection *connection;
    wellhead_endpoint *endpoint;
    wellhead_exchange *exchange;
    wellhead_test_client *client;
    int in_read, in_observe, calls;
} freed;

static void free_all(freed *f) {
    wellhead_connection_free(f->connection);
    wellhead_exchange_free(f->exchange);
    wellhead_endpoint_free(f->endpoint);
    wellhead_test_client_free(f->client);
    f->connection = NULL;
    f->exchange = NULL;
    f->endpoint = NULL;
    f->client = NULL;
}

/* What a callback does first. */
static void free_inside(freed *f) {
    f->calls++;
    if (f->in_read) free_all(f);
    if (f->in_read == 2) { /* the server, too */
        wellhead_server_free(f->server);
        f->server = NULL;
    }
}

static void read_and_free(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)call;
    free_inside(user_data);
    wellhead_read_text(r, WELLHEAD_STR("x"));
}

static void list_and_free(void *user_data, const wellhead_call *call, wellhead_list *r) {
    (void)call;
    free_inside(user_data);
    wellhead_list_finish(r, 0);
}

static void complete_and_free(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    (void)call;
    free_inside(user_data);
    wellhead_complete_finish(r, 0, NULL);
}

static int exists_and_free(void *user_data, const wellhead_str *uri) {
    (void)uri;
    free_inside(user_data);
    return 1;
}

static void authorize_and_free(void *user_data, const wellhead_call *call, uint32_t operation, const wellhead_str *uris,
                               size_t uri_count, wellhead_authorize *r) {
    (void)call;
    (void)operation;
    (void)uris;
    free_inside(user_data);
    for (size_t i = 0; i < uri_count; i++) wellhead_authorize_set(r, i, WELLHEAD_VERDICT_ALLOW);
    wellhead_authorize_finish(r);
}

static void interest_and_free(void *user_data, const wellhead_call *call, int wanted, wellhead_interest *r) {
    (void)call;
    if (wanted) free_inside(user_data);
    wellhead_interest_done(r);
}

static void method_and_free(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)call;
    free_inside(user_data);
    wellhead_method_result(r, WELLHEAD_STR("{}"));
}

static void verify_and_free(void *verify_data, const wellhead_call *call, wellhead_verify *r) {
    wellhead_grant grant = WELLHEAD_GRANT_INIT;
    (void)call;
    grant.caller_id = WELLHEAD_STR("ann");
    free_inside(verify_data);
    wellhead_verify_granted(r, &grant);
}

static void publish_and_free(void *user_data, const wellhead_str *event) {
    (void)event;
    free_inside(user_data);
}

static void log_and_free(void *log_data, uint32_t severity, const wellhead_str *line) {
    (void)severity;
    (void)line;
    free_inside(log_data);
}

static void fail(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    (void)call;
    wellhead_read_failed(r, WELLHEAD_STR("why"));
}

static void observe_and_free(void *observe_data, const wellhead_observed *observed) {
    freed *f = observe_data;
    (void)observed;
    if (f->in_observe && --f->in_observe == 0) free_all(f);
}

static void keep_it(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)call;
    *(wellhead_read **)user_data = wellhead_read_keep(r);
}

static void nowhere(void *log_data, uint32_t severity, const wellhead_str *line) {
    (void)log_data;
    (void)severity;
    (void)line;
}

/* A server whose n:{id} frees by its callback, and by its observer. */
static void begin(freed *f) {
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    options.log = nowhere;
    options.observe = observe_and_free;
    options.observe_data = f;
    f->server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
    provider.read = read_and_free;
    provider.user_data = f;
    CHECK(add_template(f->server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
}

static void a_connection_is_freed_in_its_callbacks_under_poll(void) {
    for (int in_read = 1; in_read <= 2; in_read++) {
        freed f = {NULL, NULL, NULL, NULL, NULL, in_read, 0, 0};
        begin(&f);
        wellhead_connection *connection = f.connection = connect_to(f.server);
        feed(connection, READ(1, "n:1") READ(2, "n:2"));
        CHECK(wellhead_connection_poll_event(connection, SIZE_MAX) >= 1);
        CHECK(f.calls == 1);
        wellhead_server_free(f.server);
    }
}

static void a_connection_is_freed_in_its_callbacks_under_handle(void) {
    freed f = {NULL, NULL, NULL, NULL, NULL, 1, 0, 0};
    wellhead_transmit *answer = NULL;
    begin(&f);
    f.connection = connect_to(f.server);
    wellhead_status status = wellhead_connection_handle(f.connection, WELLHEAD_STR(BODY), 60000, &answer, NULL);
    CHECK(f.calls == 1 && !answer && status == WELLHEAD_STATUS_CLOSED);
    wellhead_server_free(f.server);
}

static wellhead_server *server_that_keeps(wellhead_read **kept) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    provider.read = keep_it;
    provider.user_data = kept;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    return server;
}

static void free_read(void *r) {
    wellhead_read_free(r);
}

static void answer_read(void *r) {
    wellhead_read_text(r, WELLHEAD_STR("late"));
}

/* The hook runs at once, because the call is over: the client cancelled it, or its connection is gone. */
static void a_responder_is_freed_or_answered_by_its_hook_that_runs_at_once(void) {
    static void (*const hooks[])(void *) = {free_read, answer_read};
    for (int hook = 0; hook < 2; hook++) {
        wellhead_read *kept = NULL;
        wellhead_server *server = server_that_keeps(&kept);
        wellhead_connection *connection = connect_to(server);
        exchange(connection, READ(1, "n:1"));
        exchange(connection, CANCEL(1));
        CHECK(wellhead_call_on_cancel(wellhead_read_call(kept), hooks[hook], kept, NULL) == WELLHEAD_STATUS_OK);
        exchange(connection, READ(2, "n:2"));
        wellhead_connection_free(connection);
        CHECK(wellhead_call_on_cancel(wellhead_read_call(kept), hooks[hook], kept, NULL) == WELLHEAD_STATUS_OK);
        wellhead_server_free(server);
    }
}

static void *free_when_cancelled(void *r) {
    CHECK(wellhead_call_on_cancel(wellhead_read_call(r), free_read, r, NULL) == WELLHEAD_STATUS_OK);
    return NULL;
}

/* One thread adds the hook while another cancels the call, so that either may run it. */
static void a_responder_is_freed_by_its_hook_while_the_hook_is_added(void) {
    wellhead_read *kept = NULL;
    wellhead_server *server = server_that_keeps(&kept);
    wellhead_connection *connection = connect_to(server);
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        exchange(connection, READ(1, "n:1"));
        if (pthread_create(&thread, NULL, free_when_cancelled, kept)) abort();
        CHECK(*exchange(connection, CANCEL(1)) == '\0');
        pthread_join(thread, NULL);
    }
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

static void a_connection_is_freed_by_the_observer_under_poll_tick_and_close(void) {
    for (int step = 0; step < 3; step++) {
        freed f = {NULL, NULL, NULL, NULL, NULL, 0, 0, 0};
        wellhead_read *kept = NULL;
        wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
        begin(&f);
        provider.read = keep_it;
        provider.user_data = &kept;
        CHECK(add_template(f.server, "k:{id}", provider) == WELLHEAD_STATUS_OK);
        wellhead_connection *connection = f.connection = connect_to(f.server);
        feed(connection, READ(1, "k:1"));
        f.in_observe = step == 0; /* at the beginning of the call */
        wellhead_connection_poll_event(connection, SIZE_MAX);
        f.in_observe = step != 0; /* at its end */
        if (step == 1) wellhead_connection_tick(connection, 1 << 30);
        if (step == 2) wellhead_connection_close(connection);
        wellhead_read_free(kept);
        CHECK(!f.connection);
        wellhead_server_free(f.server);
    }
}

/* Steps until there is nothing to do, or what is stepped is gone. */
static void step_exchange(freed *f) {
    wellhead_exchange *exchange = f->exchange;
    wellhead_endpoint *endpoint = f->endpoint;
    uint32_t progress = WELLHEAD_PROGRESS_WAIT;
    wellhead_exchange_body(exchange, WELLHEAD_STR(BODY));
    wellhead_exchange_end(exchange, 1);
    for (int i = 0; i < 9 && f->exchange; i++) {
        progress = wellhead_exchange_poll(exchange, 1);
        if (progress == WELLHEAD_PROGRESS_DONE) break;
        if (f->endpoint) wellhead_endpoint_poll_event(endpoint, 64);
    }
    if (!f->exchange) CHECK(progress == WELLHEAD_PROGRESS_DONE || progress == WELLHEAD_PROGRESS_WAIT);
}

static void an_exchange_and_its_endpoint_are_freed_in_their_callbacks(void) {
    for (int in_read = 1; in_read <= 2; in_read++) {
        freed f = {NULL, NULL, NULL, NULL, NULL, in_read, 0, 0};
        int destroyed = 0;
        begin(&f);
        f.endpoint = wellhead_endpoint_new(f.server, NULL, NULL, &destroyed, count, NULL);
        f.exchange = post(f.endpoint, NULL, &destroyed, count);
        step_exchange(&f);
        CHECK(f.calls == 1 && destroyed == 2 && !f.exchange);
        wellhead_server_free(f.server);
    }
}

/* The observer is called in the middle of a step, not between steps as the callbacks are. */
static void an_exchange_is_freed_by_the_observer(void) {
    for (int at = 1; at <= 2; at++) {
        freed f = {NULL, NULL, NULL, NULL, NULL, 0, at, 0};
        int destroyed = 0;
        begin(&f);
        f.endpoint = wellhead_endpoint_new(f.server, NULL, NULL, &destroyed, count, NULL);
        f.exchange = post(f.endpoint, NULL, &destroyed, count);
        step_exchange(&f);
        CHECK(destroyed == 2 && !f.exchange);
        wellhead_server_free(f.server);
    }
}

static void a_client_is_freed_in_a_callback_that_it_runs(void) {
    freed f = {NULL, NULL, NULL, NULL, NULL, 2, 0, 0};
    begin(&f);
    wellhead_test_client *client = f.client = wellhead_test_client_new(f.server, NULL);
    wellhead_str body = {NULL, 0};
    CHECK(wellhead_test_client_read(client, WELLHEAD_STR("n:1"), &body, NULL) == WELLHEAD_STATUS_CLOSED && !body.ptr);
    CHECK(f.calls == 1 && !f.client && !f.server);
}

enum { LISTS, COMPLETES, EXISTS, AUTHORIZES, HAS_INTEREST, HAS_METHOD, HAS_TOOL, HAS_PROMPT, LOGS, PUBLISHES, KINDS };

/* A server with one callback that frees. */
static void begin_kind(freed *f, int kind) {
    static const wellhead_str id = WELLHEAD_STR_INIT("id");
    const wellhead_str definition = WELLHEAD_STR("{\"inputSchema\":{\"type\":\"object\"}}"), empty = WELLHEAD_STR("{}");
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    options.log = kind == LOGS ? log_and_free : nowhere;
    options.log_data = f;
    wellhead_server *s = f->server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
    provider.read = kind == LOGS ? fail : read_and_free;
    provider.list = kind == LISTS ? list_and_free : NULL;
    provider.exists = kind == EXISTS ? exists_and_free : NULL;
    if (kind == COMPLETES) {
        provider.complete = complete_and_free;
        provider.completed = &id;
        provider.completed_count = 1;
    }
    provider.user_data = f;
    CHECK(add_template(s, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    if (kind == AUTHORIZES) wellhead_server_set_authorize(s, authorize_and_free, f, NULL, NULL);
    if (kind == HAS_INTEREST) wellhead_server_set_interest(s, interest_and_free, f, NULL, NULL);
    if (kind == HAS_METHOD) wellhead_server_add_method(s, WELLHEAD_STR("x/y"), NULL, method_and_free, f, NULL, NULL);
    if (kind == HAS_TOOL) wellhead_server_add_tool(s, WELLHEAD_STR("t"), definition, method_and_free, f, NULL, NULL);
    if (kind == HAS_PROMPT) wellhead_server_add_prompt(s, WELLHEAD_STR("p"), empty, method_and_free, f, NULL, NULL);
    if (kind == PUBLISHES) wellhead_server_set_publish(s, publish_and_free, f, NULL, NULL);
}

static void each_kind_of_callback_frees_the_connection_and_the_server(void) {
    static const char *const asked[KINDS] = {
        LIST(1),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"completion/complete\",\"params\":{\"ref\":{\"type\":\"ref/resource\","
        "\"uri\":\"n:{id}\"},\"argument\":{\"name\":\"id\",\"value\":\"\"}," META "}}\n",
        INITIALIZE SUBSCRIBE(1, "n:1"),
        READ(1, "n:1"),
        INITIALIZE SUBSCRIBE(1, "n:1"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x/y\",\"params\":{" META "}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"," META "}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"," META "}}\n",
        READ(1, "n:1"),
        INITIALIZE SUBSCRIBE(1, "n:1"),
    };
    for (int kind = 0; kind < KINDS; kind++) {
        for (int in_read = 1; in_read <= 2; in_read++) {
            freed f = {NULL, NULL, NULL, NULL, NULL, in_read, 0, 0};
            begin_kind(&f, kind);
            wellhead_connection *connection = f.connection = connect_to(f.server);
            feed(connection, asked[kind]);
            wellhead_connection_poll_event(connection, SIZE_MAX);
            if (kind == PUBLISHES) CHECK(wellhead_server_notify_updated(f.server, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
            if (f.calls != 1) printf("callback %d: %d calls\n", kind, f.calls);
            CHECK(f.calls == 1 && !f.connection);
            CHECK(!f.server == (in_read == 2));
            wellhead_server_free(f.server);
        }
    }
}

static void verify_frees_the_exchange_its_endpoint_and_the_server(void) {
    for (int in_read = 1; in_read <= 2; in_read++) {
        freed f = {NULL, NULL, NULL, NULL, NULL, in_read, 0, 0};
        wellhead_endpoint_options options = WELLHEAD_ENDPOINT_OPTIONS_INIT;
        int destroyed = 0;
        f.server = quiet_server();
        options.verify = verify_and_free;
        options.verify_data = &f;
        f.endpoint = wellhead_endpoint_new(f.server, &options, NULL, &destroyed, count, NULL);
        f.exchange = post_with_token(f.endpoint, NULL, &destroyed, count);
        step_exchange(&f);
        CHECK(f.calls == 1 && destroyed == 2 && !f.exchange);
        wellhead_server_free(f.server);
    }
}

static void a_server_is_freed_in_a_callback_while_it_serves(void) {
    int in[2];
    if (pipe(in)) abort();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        freed f = {NULL, NULL, NULL, NULL, NULL, 2, 0, 0};
        int null = open("/dev/null", O_WRONLY);
        begin(&f);
        dup2(in[0], 0);
        dup2(null, 1); /* the answer */
        CHECK(write(in[1], READ(1, "n:1"), strlen(READ(1, "n:1"))) > 0);
        close(in[0]), close(in[1]);
        CHECK(wellhead_serve_stdio(f.server, NULL, NULL) == WELLHEAD_STATUS_OK);
        CHECK(f.calls == 1 && !f.server);
        _exit(checks_failed() != 0);
    }
    int status = -1;
    close(in[0]), close(in[1]);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* An application whose loop owns what `wake` refers to. */
typedef struct {
    flag entered, go;
    int waits, let_go, woken_after, returned, destroyed, destroyed_after;
    wellhead_connection *free_inside;
} loop;
#define LOOP_INIT {FLAG_INIT, FLAG_INIT, 0, 0, 0, 0, 0, 0, NULL}

static void wake_loop(void *wake_data) {
    loop *l = wake_data;
    if (__atomic_load_n(&l->let_go, __ATOMIC_SEQ_CST)) l->woken_after++;
    if (l->waits) {
        say(&l->entered);
        await(&l->go);
    }
    if (l->free_inside) {
        wellhead_connection *connection = l->free_inside;
        l->free_inside = NULL;
        wellhead_connection_free(connection);
        CHECK(l->destroyed == 0);
    }
    __atomic_store_n(&l->returned, 1, __ATOMIC_SEQ_CST);
}

static void destroy_loop(void *wake_data) {
    loop *l = wake_data;
    if (__atomic_load_n(&l->let_go, __ATOMIC_SEQ_CST)) l->destroyed_after++;
    l->destroyed++;
}

static void *answer_kept(void *kept) {
    wellhead_read_text(kept, WELLHEAD_STR("x"));
    return NULL;
}

static void free_waits_for_a_wake_on_another_thread(void) {
    wellhead_read *kept = NULL;
    loop l = LOOP_INIT;
    pthread_t thread;
    wellhead_server *server = server_that_keeps(&kept);
    wellhead_connection *connection = connect_with(server, wake_loop, &l, destroy_loop);
    exchange(connection, READ(1, "n:1"));
    l.waits = 1;
    if (pthread_create(&thread, NULL, answer_kept, kept)) abort();
    await(&l.entered);
    say(&l.go);
    wellhead_connection_free(connection);
    CHECK(__atomic_load_n(&l.returned, __ATOMIC_SEQ_CST) && l.destroyed == 1);
    pthread_join(thread, NULL);
    wellhead_server_free(server);
    CHECK(l.destroyed == 1);
}

static void a_connection_is_freed_inside_its_wake(void) {
    wellhead_read *kept = NULL;
    loop l = LOOP_INIT;
    wellhead_server *server = server_that_keeps(&kept);
    wellhead_connection *connection = connect_with(server, wake_loop, &l, destroy_loop);
    exchange(connection, READ(1, "n:1"));
    l.free_inside = connection;
    answer_kept(kept);
    CHECK(l.returned && l.destroyed == 1);
    wellhead_server_free(server);
}

/* Answers from another thread meet the `_free` at any moment. */
static void no_wake_comes_after_a_connection_is_freed(void) {
    wellhead_read *kept = NULL;
    wellhead_server *server = server_that_keeps(&kept);
    int late = 0;
    for (int i = 0; i < 2000; i++) {
        loop l = LOOP_INIT;
        pthread_t thread;
        wellhead_connection *connection = connect_with(server, wake_loop, &l, destroy_loop);
        exchange(connection, READ(1, "n:1"));
        if (pthread_create(&thread, NULL, answer_kept, kept)) abort();
        for (int spin = i % 64 * 100; spin > 0; spin--) __atomic_load_n(&l.returned, __ATOMIC_SEQ_CST);
        wellhead_connection_free(connection);
        __atomic_store_n(&l.let_go, 1, __ATOMIC_SEQ_CST);
        late += l.destroyed != 1;
        pthread_join(thread, NULL);
        late += l.woken_after + l.destroyed_after;
    }
    CHECK(late == 0);
    wellhead_server_free(server);
}

static void no_ready_comes_after_an_exchange_or_its_endpoint_is_freed(void) {
    wellhead_read *kept = NULL;
    wellhead_server *server = server_that_keeps(&kept);
    int late = 0;
    for (int i = 0; i < 2000; i++) {
        loop ready = LOOP_INIT, wake = LOOP_INIT;
        freed f = {NULL, NULL, NULL, NULL, NULL, 0, 0, 0};
        pthread_t thread;
        f.endpoint = wellhead_endpoint_new(server, NULL, wake_loop, &wake, destroy_loop, NULL);
        f.exchange = post(f.endpoint, wake_loop, &ready, destroy_loop);
        step_exchange(&f);
        if (pthread_create(&thread, NULL, answer_kept, kept)) abort();
        for (int spin = i % 64 * 100; spin > 0; spin--) __atomic_load_n(&wake.returned, __ATOMIC_SEQ_CST);
        wellhead_endpoint_poll_event(f.endpoint, 64);
        wellhead_exchange_free(f.exchange);
        __atomic_store_n(&ready.let_go, 1, __ATOMIC_SEQ_CST);
        wellhead_endpoint_free(f.endpoint);
        __atomic_store_n(&wake.let_go, 1, __ATOMIC_SEQ_CST);
        late += ready.destroyed != 1 || wake.destroyed != 1;
        pthread_join(thread, NULL);
        late += ready.woken_after + ready.destroyed_after + wake.woken_after + wake.destroyed_after;
    }
    CHECK(late == 0);
    wellhead_server_free(server);
}

void test_freeing(void) {
    RUN(a_connection_is_freed_in_its_callbacks_under_poll);
    RUN(a_connection_is_freed_in_its_callbacks_under_handle);
    RUN(a_responder_is_freed_or_answered_by_its_hook_that_runs_at_once);
    RUN(a_responder_is_freed_by_its_hook_while_the_hook_is_added);
    RUN(a_connection_is_freed_by_the_observer_under_poll_tick_and_close);
    RUN(an_exchange_and_its_endpoint_are_freed_in_their_callbacks);
    RUN(an_exchange_is_freed_by_the_observer);
    RUN(a_client_is_freed_in_a_callback_that_it_runs);
    RUN(each_kind_of_callback_frees_the_connection_and_the_server);
    RUN(verify_frees_the_exchange_its_endpoint_and_the_server);
    RUN(a_server_is_freed_in_a_callback_while_it_serves);
    RUN(free_waits_for_a_wake_on_another_thread);
    RUN(a_connection_is_freed_inside_its_wake);
    RUN(no_wake_comes_after_a_connection_is_freed);
    RUN(no_ready_comes_after_an_exchange_or_its_endpoint_is_freed);
}
