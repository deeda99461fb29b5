/* wellhead_endpoint_handle: a thread for each request, none of which polls or ticks the endpoint. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <time.h>

static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static wellhead_exchange *handle(wellhead_endpoint *endpoint, const char *method, const char *name, const char *body, uint64_t stream_ms) {
    const wellhead_pair headers[] = {{WELLHEAD_STR("host"), WELLHEAD_STR("localhost")},
                                     {WELLHEAD_STR("content-type"), WELLHEAD_STR("application/json")},
                                     {WELLHEAD_STR("accept"), WELLHEAD_STR("application/json, text/event-stream")},
                                     {WELLHEAD_STR("mcp-protocol-version"), WELLHEAD_STR("2026-07-28")},
                                     {WELLHEAD_STR("mcp-method"), wellhead_cstr(method)},
                                     {WELLHEAD_STR("mcp-name"), wellhead_cstr(name)}};
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    request.method = WELLHEAD_STR("POST");
    request.target = WELLHEAD_STR("/mcp");
    request.headers = headers;
    request.header_count = sizeof headers / sizeof *headers - !name;
    return wellhead_endpoint_handle(endpoint, &request, wellhead_cstr(body), now_ms(), stream_ms, NULL);
}

static wellhead_exchange *read_it(wellhead_endpoint *endpoint) {
    return handle(endpoint, "resources/read", "n:1", READ(1, "n:1"), UINT64_MAX);
}

static wellhead_exchange *listen(wellhead_endpoint *endpoint, uint64_t stream_ms) {
    return handle(endpoint, "subscriptions/listen", NULL,
                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":"
                  "{\"notifications\":{\"resourceSubscriptions\":[\"n:1\"]}," META "}}", stream_ms);
}

/* Frees the exchange. Whether its response is complete, has the status, and has the text in its body. */
static int answers(wellhead_exchange *exchange, uint32_t status, const char *text) {
    const wellhead_http_response *head = wellhead_exchange_response(exchange);
    const wellhead_str data = wellhead_exchange_data(exchange);
    char *body = calloc(1, data.len + 1);
    if (body && data.len) memcpy(body, data.ptr, data.len);
    int right = body && head && head->status == status && head->length == data.len && has(body, text);
    free(body);
    right = right && wellhead_exchange_poll(exchange, now_ms()) == WELLHEAD_PROGRESS_DONE;
    wellhead_exchange_free(exchange);
    return right;
}

/* A service that answers reads on another thread. */
enum { READERS = 8, READS = 40 };
typedef struct {
    wellhead_server *server;
    wellhead_endpoint *endpoint;
    wellhead_read *kept[READERS]; /* a slot for each thread at most */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int over, right;
} service;

static void keep(void *user_data, const wellhead_call *call, wellhead_read *r) {
    service *s = user_data;
    int i = 0;
    (void)call;
    pthread_mutex_lock(&s->lock);
    while (s->kept[i]) i++;
    s->kept[i] = wellhead_read_keep(r);
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *answer_kept(void *cls) {
    service *s = cls;
    for (;;) {
        wellhead_read *r = NULL;
        pthread_mutex_lock(&s->lock);
        while (!r) {
            for (int i = 0; i < READERS && !r; i++) {
                r = s->kept[i];
                s->kept[i] = NULL;
            }
            if (!r && s->over) break;
            if (!r) pthread_cond_wait(&s->changed, &s->lock);
        }
        pthread_mutex_unlock(&s->lock);
        if (!r) return NULL;
        wellhead_read_text(r, WELLHEAD_STR("later"));
    }
}

static void *read_often(void *cls) {
    service *s = cls;
    for (int i = 0; i < READS; i++) {
        const int right = answers(read_it(s->endpoint), 200, "later");
        pthread_mutex_lock(&s->lock);
        s->right += right;
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static void start(service *s) {
    static const service none;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    *s = none;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->server = quiet_server();
    provider.read = keep;
    provider.user_data = s;
    CHECK(add_template(s->server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    s->endpoint = wellhead_endpoint_new(s->server, NULL, NULL, NULL, NULL, NULL);
}

static void end(service *s) {
    wellhead_endpoint_free(s->endpoint);
    wellhead_server_free(s->server);
}

static void threads_get_answers_that_another_thread_makes(void) {
    service s;
    pthread_t worker, readers[READERS];
    start(&s);
    pthread_create(&worker, NULL, answer_kept, &s);
    for (int i = 0; i < READERS; i++) pthread_create(&readers[i], NULL, read_often, &s);
    for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
    pthread_mutex_lock(&s.lock);
    s.over = 1;
    pthread_cond_signal(&s.changed);
    pthread_mutex_unlock(&s.lock);
    pthread_join(worker, NULL);
    CHECK(s.right == READERS * READS);
    end(&s);
}

static void *update_until_over(void *cls) {
    service *s = cls;
    const struct timespec pause = {0, 1000000};
    for (int over = 0; !over;) {
        CHECK(wellhead_server_notify_updated(s->server, WELLHEAD_STR("n:1"), NULL) == WELLHEAD_STATUS_OK);
        nanosleep(&pause, NULL); /* only to spare the processor */
        pthread_mutex_lock(&s->lock);
        over = s->over;
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static void a_stream_ends_in_time_with_its_events(void) {
    service s;
    pthread_t updates;
    start(&s);
    CHECK(answers(listen(s.endpoint, 0), 200, "notifications/subscriptions/acknowledged"));
    pthread_create(&updates, NULL, update_until_over, &s);
    CHECK(answers(listen(s.endpoint, 200), 200, "notifications/resources/updated"));
    CHECK(answers(listen(s.endpoint, 1), 200, "\"id\":1,\"result\""));
    pthread_mutex_lock(&s.lock);
    s.over = 1;
    pthread_mutex_unlock(&s.lock);
    pthread_join(updates, NULL);
    end(&s);
}

static void *listen_for_ever(void *cls) {
    service *s = cls;
    s->right = answers(listen(s->endpoint, UINT64_MAX), 200, "notifications/subscriptions/acknowledged");
    return NULL;
}

static void a_server_that_is_closed_ends_streams(void) {
    service s;
    pthread_t listener;
    wellhead_counters counters = WELLHEAD_COUNTERS_INIT;
    const struct timespec pause = {0, 1000000};
    start(&s);
    pthread_create(&listener, NULL, listen_for_ever, &s);
    while (counters.subscriptions_open == 0) {
        CHECK(wellhead_server_counters(s.server, &counters, NULL) == WELLHEAD_STATUS_OK);
        nanosleep(&pause, NULL);
    }
    wellhead_server_close(s.server);
    pthread_join(listener, NULL);
    CHECK(s.right);
    CHECK(answers(read_it(s.endpoint), 503, ""));
    end(&s);
}

static void free_and_answer(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_endpoint **endpoint = user_data;
    (void)call;
    wellhead_endpoint_free(*endpoint);
    *endpoint = NULL;
    wellhead_read_text(r, WELLHEAD_STR("freed"));
}

static void a_callback_may_free_the_endpoint_that_runs_it(void) {
    wellhead_server *server = quiet_server();
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, NULL, NULL, NULL, NULL, NULL);
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    provider.read = free_and_answer;
    provider.user_data = &endpoint;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(answers(read_it(endpoint), 200, "freed") && !endpoint);
    wellhead_server_free(server);
}

/* A call that is never answered ends by the time limit, without a tick of the application's. */
static void a_call_ends_at_its_limit(void) {
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    service s;
    start(&s);
    end(&s);
    limits.call_ms = 20;
    options.limits = &limits;
    s.server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
    s.endpoint = wellhead_endpoint_new(s.server, NULL, NULL, NULL, NULL, NULL);
    provider.read = keep;
    provider.user_data = &s;
    CHECK(add_template(s.server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(answers(read_it(s.endpoint), 200, INTERNAL_ERROR));
    wellhead_read_free(s.kept[0]);
    end(&s);
}

static void a_message_that_is_no_request_is_refused(void) {
    wellhead_server *server = quiet_server();
    wellhead_endpoint *endpoint = wellhead_endpoint_new(server, NULL, NULL, NULL, NULL, NULL);
    wellhead_http_request request = WELLHEAD_HTTP_REQUEST_INIT;
    CHECK(!wellhead_endpoint_handle(NULL, &request, WELLHEAD_STR(""), 0, 0, NULL));
    CHECK(!wellhead_endpoint_handle(endpoint, NULL, WELLHEAD_STR(""), 0, 0, NULL));
    request.method = request.target = WELLHEAD_STR("\xff");
    CHECK(!wellhead_endpoint_handle(endpoint, &request, WELLHEAD_STR(""), 0, 0, NULL));
    CHECK(answers(handle(endpoint, "ping", NULL, NULL, 0), 400, ""));
    wellhead_endpoint_free(endpoint);
    wellhead_server_free(server);
}

void test_handle(void) {
    RUN(threads_get_answers_that_another_thread_makes);
    RUN(a_stream_ends_in_time_with_its_events);
    RUN(a_server_that_is_closed_ends_streams);
    RUN(a_callback_may_free_the_endpoint_that_runs_it);
    RUN(a_call_ends_at_its_limit);
    RUN(a_message_that_is_no_request_is_refused);
}
