/* Standard input and output, each test in a child process that serves. */
#define _POSIX_C_SOURCE 200809L
#include "../deadline.h"
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void reader(void *user_data, const wellhead_call *call, wellhead_read *r);

/* A child that serves n:{id}, and the ends of its pipes. */
typedef struct { pid_t pid; int to, from; } child;

/* Ends a child that hangs before its parent is ended for waiting. The signal keeps its default effect, which needs nothing
 * that may hang. */
static void limit_time(void) {
    alarm(DEADLINE_S / 2);
}

/* What the child does: serves, and ends with 0 if all that it checked was so. */
static void serve(reader *read, int32_t callback_threads, uint32_t flags) {
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_stdio_options options = WELLHEAD_STDIO_OPTIONS_INIT;
    struct sigaction after;
    limit_time();
    wellhead_server *server = quiet_server();
    provider.read = read;
    provider.user_data = server;
    options.callback_threads = callback_threads;
    options.flags = flags;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    CHECK(wellhead_serve_stdio(server, &options, NULL) == WELLHEAD_STATUS_OK);
    CHECK(sigaction(SIGPIPE, NULL, &after) == 0 && after.sa_handler == SIG_DFL);
    wellhead_server_free(server);
    fflush(stdout); /* as exit does */
    _exit(checks_failed() != 0);
}

static child start(reader *read, int32_t callback_threads, uint32_t flags) {
    int in[2], out[2];
    child c = {-1, -1, -1};
    if (pipe(in) || pipe(out)) abort();
    fflush(stdout);
    c.pid = fork();
    if (c.pid == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(in[0], 0);
        dup2(out[1], 1);
        if (flags == 0) dup2(nowhere, 2); /* where a stray printf goes */
        close(in[0]), close(in[1]), close(out[0]), close(out[1]), close(nowhere);
        serve(read, callback_threads, flags);
    }
    close(in[0]), close(out[1]);
    c.to = in[1];
    c.from = out[0];
    return c;
}

static void send_lines(child c, const char *bytes) {
    CHECK(write(c.to, bytes, strlen(bytes)) == (ssize_t)strlen(bytes));
}

/* Everything that comes until the child closes its output. */
static const char *answered(child c) {
    static char output[1 << 16];
    size_t len = 0;
    ssize_t got;
    while ((got = read(c.from, output + len, sizeof output - 1 - len)) > 0) len += (size_t)got;
    output[len] = '\0';
    return output;
}

/* Waits for the child; whether all that it checked was so. */
static int well(child c) {
    int status = -1;
    close(c.from);
    return waitpid(c.pid, &status, 0) == c.pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void echo(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data;
    wellhead_read_text(r, wellhead_call_var(call, "id"));
}

static void it_serves_until_the_client_goes(const int32_t callback_threads) {
    child c = start(echo, callback_threads, 0);
    send_lines(c, READ(1, "n:one") READ(2, "n:two"));
    close(c.to);
    const char *output = answered(c);
    CHECK(has(output, "\"text\":\"one\"") && has(output, "\"text\":\"two\""));
    CHECK(well(c));
}

static void callbacks_run_on_the_caller(void) {
    it_serves_until_the_client_goes(0);
}

static void callbacks_run_inline(void) {
    it_serves_until_the_client_goes(WELLHEAD_CALLBACKS_INLINE);
}

static void callbacks_run_on_a_pool(void) {
    it_serves_until_the_client_goes(4);
}

static void a_broken_pipe_ends_the_service_and_not_the_program(void) {
    child c = start(echo, 0, 0);
    close(c.from);
    send_lines(c, READ(1, "n:one"));
    c.from = -1;
    CHECK(well(c)); /* although the input is still open */
    close(c.to);
}

static void print_and_echo(void *user_data, const wellhead_call *call, wellhead_read *r) {
    printf("stray\n");
    fflush(stdout);
    echo(user_data, call, r);
}

static void a_stray_printf_does_not_reach_the_client(void) {
    child c = start(print_and_echo, 0, 0);
    send_lines(c, READ(1, "n:one"));
    close(c.to);
    const char *output = answered(c);
    CHECK(has(output, "\"text\":\"one\"") && !has(output, "stray"));
    CHECK(well(c));
}

static void print_unflushed(void *user_data, const wellhead_call *call, wellhead_read *r) {
    printf("stray");
    echo(user_data, call, r);
}

static void a_printf_that_is_not_flushed_does_not_reach_the_client_when_the_service_ends(void) {
    child c = start(print_unflushed, 0, 0);
    send_lines(c, READ(1, "n:one"));
    close(c.to);
    const char *output = answered(c);
    CHECK(has(output, "\"text\":\"one\"") && !has(output, "stray"));
    CHECK(well(c));
}

static void standard_output_stays_where_it_is_if_the_option_says_so(void) {
    child c = start(print_and_echo, 0, WELLHEAD_STDIO_KEEP_STDOUT);
    send_lines(c, READ(1, "n:one"));
    close(c.to);
    CHECK(has(answered(c), "stray"));
    CHECK(well(c));
}

static void close_server(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)call;
    (void)r;
    wellhead_server_close(user_data);
}

static void closing_the_server_ends_the_service(void) {
    child c = start(close_server, 0, 0);
    send_lines(c, READ(1, "n:one"));
    CHECK(*answered(c) == '\0');
    close(c.to);
    CHECK(well(c));
}

static void serve_again(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_error *error = NULL;
    CHECK(wellhead_serve_stdio(user_data, NULL, &error) == WELLHEAD_STATUS_INVALID_ARGUMENT);
    CHECK(wellhead_error_message(error).len > 0);
    wellhead_error_free(error);
    echo(user_data, call, r);
}

static void standard_input_is_served_once_at_a_time(void) {
    child c = start(serve_again, 0, 0);
    send_lines(c, READ(1, "n:one"));
    close(c.to);
    CHECK(has(answered(c), "\"text\":\"one\""));
    CHECK(well(c));
}

/* Makes the thread that serves call something. ThreadSanitizer holds a signal back until its thread makes a call that it
 * knows, and the futex in which this one sleeps is none. Returns 1 if it did. */
static int stir(child c) {
#ifdef __SANITIZE_THREAD__
    struct sigaction ignore, before;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    CHECK(sigaction(SIGPIPE, &ignore, &before) == 0);
    if (write(c.to, READ(2, "n:two"), strlen(READ(2, "n:two"))) < 0) errno = 0; /* it has ended already */
    CHECK(sigaction(SIGPIPE, &before, NULL) == 0);
    return 1;
#else
    (void)c;
    return 0;
#endif
}

static void sigterm_ends_the_service_if_it_is_handled(void) {
    char line[4096];
    child c = start(echo, 0, WELLHEAD_STDIO_HANDLE_SIGTERM);
    send_lines(c, READ(1, "n:one"));
    CHECK(read(c.from, line, sizeof line) > 0); /* so it is serving */
    kill(c.pid, SIGTERM);
    int stirred = stir(c);
    CHECK(*answered(c) == '\0' || stirred);
    close(c.to);
    CHECK(well(c));
}

typedef struct { wellhead_server *server; flag bound; pthread_t thread; } listening;

static void note_bound(void *bound_data, const wellhead_str *address) {
    (void)address;
    say(bound_data);
}

static void *listen_until_closed(void *cls) {
    listening *l = cls;
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    options.bound = note_bound;
    options.bound_data = &l->bound;
    CHECK(wellhead_serve_http(l->server, WELLHEAD_STR("127.0.0.1:0"), &options, NULL) == WELLHEAD_STATUS_OK);
    return NULL;
}

static int ignores_sigpipe(void) {
    struct sigaction now;
    return sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void end_the_listener(void *user_data, const wellhead_call *call, wellhead_read *r) {
    listening *l = user_data;
    wellhead_server_close(l->server);
    pthread_join(l->thread, NULL);
    CHECK(ignores_sigpipe()); /* this service still runs */
    echo(NULL, call, r);
}

static void the_last_of_two_services_restores_sigpipe(void) {
    int in[2];
    if (pipe(in)) abort();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        limit_time();
        listening l = {quiet_server(), FLAG_INIT, 0};
        wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
        wellhead_server *server = quiet_server();
        int null = open("/dev/null", O_WRONLY);
        provider.read = end_the_listener;
        provider.user_data = &l;
        CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
        if (pthread_create(&l.thread, NULL, listen_until_closed, &l)) abort();
        await(&l.bound);
        CHECK(write(in[1], READ(1, "n:1"), strlen(READ(1, "n:1"))) > 0);
        dup2(in[0], 0), dup2(null, 1);
        close(in[0]), close(in[1]), close(null);
        CHECK(wellhead_serve_stdio(server, NULL, NULL) == WELLHEAD_STATUS_OK);
        CHECK(!ignores_sigpipe());
        wellhead_server_free(l.server);
        wellhead_server_free(server);
        _exit(checks_failed() != 0);
    }
    int status = -1;
    close(in[0]), close(in[1]);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

enum { MIB = 1 << 20, LARGE = 64 * MIB };

/* A body that is made for each read, all newlines: as a text it is twice as long on the wire. */
static void make_large(void *user_data, const wellhead_call *call, wellhead_read *r) {
    const wellhead_str id = wellhead_call_var(call, "id");
    char *body = malloc(LARGE);
    if (!body) abort();
    memset(body, '\n', LARGE);
    if (strncmp(id.ptr, "text", id.len) == 0) {
        wellhead_read_text_owned(r, (wellhead_str){body, LARGE}, free, body);
    } else if (strncmp(id.ptr, "blob", id.len) == 0) {
        wellhead_read_blob_owned(r, (wellhead_str){body, LARGE}, free, body);
    } else {
        free(body);
        echo(user_data, call, r);
    }
}

/* What a process holds (VmRSS), or has held at the most (VmHWM), in bytes. */
static size_t memory(pid_t pid, const char *what) {
    char path[64], line[256];
    size_t kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "r");
    while (status && !kib && fgets(line, sizeof line, status))
        if (strncmp(line, what, strlen(what)) == 0) kib = strtoul(line + strlen(what) + 1, NULL, 10);
    CHECK(kib > 0);
    if (status) fclose(status);
    return kib * 1024;
}

static void a_large_body_takes_a_chunk_next_to_its_source_and_ping_is_answered_behind_it(void) {
    const struct { const char *request; size_t encoded; } large[] = {{READ("text", "n:text"), 2 * (size_t)LARGE},
                                                                     {READ("blob", "n:blob"), ((size_t)LARGE + 2) / 3 * 4}};
    char *line = NULL;
    size_t room = 0;
    child c = start(make_large, 0, 0);
    FILE *from = fdopen(dup(c.from), "r");
    if (!from) abort();
    send_lines(c, READ(1, "n:small"));
    CHECK(getline(&line, &room, from) > 0 && has(line, "\"text\":\"small\""));
    size_t before = memory(c.pid, "VmRSS");
    for (size_t i = 0; i < 2; i++) {
        send_lines(c, large[i].request);
        CHECK(ungetc(getc(from), from) == '{'); /* it has begun, and does not fit into the pipe */
        send_lines(c, "{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}\n");
        CHECK(getline(&line, &room, from) > (ssize_t)large[i].encoded);
        CHECK(getline(&line, &room, from) > 0 && has(line, "\"id\":\"ping\"") && has(line, "\"result\":{"));
    }
    CHECK(memory(c.pid, "VmHWM") < before + LARGE + 4 * MIB);
    close(c.to);
    fclose(from);
    CHECK(well(c));
    free(line);
}

void test_memory(void) {
    RUN(a_large_body_takes_a_chunk_next_to_its_source_and_ping_is_answered_behind_it);
}

void test_stdio(void) {
    RUN(callbacks_run_on_the_caller);
    RUN(callbacks_run_inline);
    RUN(callbacks_run_on_a_pool);
    RUN(a_broken_pipe_ends_the_service_and_not_the_program);
    RUN(a_stray_printf_does_not_reach_the_client);
    RUN(a_printf_that_is_not_flushed_does_not_reach_the_client_when_the_service_ends);
    RUN(standard_output_stays_where_it_is_if_the_option_says_so);
    RUN(closing_the_server_ends_the_service);
    RUN(standard_input_is_served_once_at_a_time);
    RUN(sigterm_ends_the_service_if_it_is_handled);
    RUN(the_last_of_two_services_restores_sigpipe);
}
