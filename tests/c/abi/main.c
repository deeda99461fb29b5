/* The tests of what is C's own: arguments, ownership, threads. Behaviour is tested by the vectors. With the argument `memory`
 * or `leaks` it measures instead. */
#include "../deadline.h"
#include "check.h"

static int failures, passed, failed;

void check(int holds, const char *what, const char *file, int line) {
    if (holds) return;
    printf("%s:%d: not so: %s\n", file, line, what);
    failures++;
}

int checks_failed(void) {
    return failures;
}

void run(const char *name, void (*test)(void)) {
    failures = 0;
    deadline_start(name);
    test();
    if (failures) printf("FAILED: %s\n", name);
    *(failures ? &failed : &passed) += 1;
}

static void no_log(void *log_data, uint32_t severity, const wellhead_str *line) {
    (void)log_data;
    (void)severity;
    (void)line;
}

wellhead_server *quiet_server(void) {
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    options.log = no_log;
    return wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, NULL);
}

wellhead_connection *connect_to(wellhead_server *server) {
    return wellhead_connection_new(server, NULL, NULL);
}

wellhead_connection *connect_with(wellhead_server *server, void (*wake)(void *), void *wake_data,
                                  void (*wake_destroy)(void *)) {
    wellhead_connection_options options = WELLHEAD_CONNECTION_OPTIONS_INIT;
    options.wake = wake;
    options.wake_data = wake_data;
    options.wake_destroy = wake_destroy;
    return wellhead_connection_new(server, &options, NULL);
}

wellhead_status add_template(wellhead_server *server, const char *uri_template, wellhead_provider provider) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    resource.uri = wellhead_cstr(uri_template);
    return wellhead_server_add_template(server, &resource, &provider, NULL);
}

void feed(wellhead_connection *connection, const char *bytes) {
    size_t taken = 0;
    CHECK(wellhead_connection_receive(connection, wellhead_cstr(bytes), &taken, NULL) == WELLHEAD_STATUS_OK);
    CHECK(taken == strlen(bytes));
}

const char *drain(wellhead_connection *connection) {
    static char output[1 << 16];
    size_t len = 0;
    wellhead_transmit *t;
    while ((t = wellhead_connection_poll_transmit(connection, 4096)) != NULL) {
        wellhead_str bytes = wellhead_transmit_bytes(t);
        if (len + bytes.len < sizeof output) memcpy(output + len, bytes.ptr, bytes.len);
        len += bytes.len;
        wellhead_transmit_free(t);
    }
    CHECK(len < sizeof output);
    output[len < sizeof output ? len : 0] = '\0';
    return output;
}

const char *exchange(wellhead_connection *connection, const char *bytes) {
    feed(connection, bytes);
    wellhead_connection_poll_event(connection, SIZE_MAX);
    return drain(connection);
}

int has(const char *text, const char *part) {
    return strstr(text, part) != NULL;
}

void say(flag *f) {
    pthread_mutex_lock(&f->lock);
    f->is = 1;
    pthread_cond_broadcast(&f->said);
    pthread_mutex_unlock(&f->lock);
}

void await(flag *f) {
    pthread_mutex_lock(&f->lock);
    while (!f->is) pthread_cond_wait(&f->said, &f->lock);
    f->is = 0;
    pthread_mutex_unlock(&f->lock);
}

void count(void *counter) {
    __atomic_add_fetch((int *)counter, 1, __ATOMIC_SEQ_CST);
}

static void test_all(void) {
    test_arguments();
    test_answers();
    test_lifetimes();
    test_freeing();
    test_bounds();
    test_access();
    test_directory();
    test_observe();
    test_connection();
    test_client();
    test_stdio();
    test_http();
    test_handle();
    test_messages();
    test_tools();
}

static int tests(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && strcmp(argv[1], "memory") == 0) test_memory();
    else if (argc > 1 && strcmp(argv[1], "leaks") == 0) test_leaks();
    else test_all();
    printf("tests of C: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}

int main(int argc, char **argv) {
    return deadline_run(argc, argv, tests);
}
