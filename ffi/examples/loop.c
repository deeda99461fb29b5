/* loop.c - a program with a main loop of its own: it looks for primes, and drives a connection by hand between two steps.
 *
 * primes://count is how many are found, with an update every 1,000; primes://{n} is the n-th. No thread but the caller's. */
#define _POSIX_C_SOURCE 200809L
#include <wellhead.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000000, ANNOUNCED = 1000, STEP = 2000, PIECE = 512 /* what a ready pipe surely takes */ };

typedef struct { size_t count; unsigned long candidate, found[MOST]; } primes;

static int is_prime(const primes *p, unsigned long n) {
    for (size_t i = 0; i < p->count && p->found[i] * p->found[i] <= n; i++)
        if (n % p->found[i] == 0) return 0;
    return 1;
}

/* The program's own work. Whether clients should hear of it. */
static int step(primes *p) {
    size_t before = p->count;
    for (int i = 0; i < STEP && p->count < MOST; i++, p->candidate++)
        if (is_prime(p, p->candidate)) p->found[p->count++] = p->candidate;
    return p->count / ANNOUNCED != before / ANNOUNCED;
}

static void answer(wellhead_read *r, unsigned long number) {
    char text[32];
    snprintf(text, sizeof text, "%lu", number);
    wellhead_read_text(r, wellhead_cstr(text));
}

static void read_count(void *user_data, const wellhead_call *call, wellhead_read *r) {
    const primes *p = user_data;
    (void)call;
    answer(r, (unsigned long)p->count);
}

static void read_prime(void *user_data, const wellhead_call *call, wellhead_read *r) {
    const primes *p = user_data;
    wellhead_str n = wellhead_call_var(call, "n");
    char digits[21] = "";
    if (n.len < sizeof digits) memcpy(digits, n.ptr, n.len);
    unsigned long at = strtoul(digits, NULL, 10);
    char canonical[21];
    snprintf(canonical, sizeof canonical, "%lu", at);
    if (at == 0 || at > p->count || strcmp(canonical, digits) != 0) wellhead_read_not_found(r); /* 07 is no second name */
    else answer(r, p->found[at - 1]);
}

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Output that the client has not taken yet. */
typedef struct { wellhead_transmit *piece; size_t sent; } output;

/* Writes as much as goes without waiting. 0: the client is gone. */
static int write_some(output *o, wellhead_connection *c) {
    for (;;) {
        if (!o->piece) o->piece = wellhead_connection_poll_transmit(c, 65536);
        if (!o->piece) return 1;
        struct pollfd ready = {STDOUT_FILENO, POLLOUT, 0};
        if (poll(&ready, 1, 0) <= 0) return 1;
        wellhead_str bytes = wellhead_transmit_bytes(o->piece);
        size_t rest = bytes.len - o->sent;
        ssize_t n = write(STDOUT_FILENO, bytes.ptr + o->sent, rest < PIECE ? rest : PIECE);
        if (n < 0) return errno == EINTR; /* then the loop tries again */
        o->sent += (size_t)n;
        if (o->sent < bytes.len) continue;
        wellhead_transmit_free(o->piece);
        *o = (output){NULL, 0};
    }
}

static int loop(wellhead_server *server, wellhead_connection *c, primes *p) {
    char input[4096];
    size_t held = 0; /* bytes that were read and not taken yet */
    int open = 1, gone = 0;
    output o = {NULL, 0};
    wellhead_connection_tick(c, now_ms()); /* its time begins at 0, this clock does not */
    while (!gone && !wellhead_connection_finished(c)) {
        int working = p->count < MOST;
        struct pollfd fds[] = {{open && held < sizeof input ? STDIN_FILENO : -1, POLLIN, 0},
                               {o.piece ? STDOUT_FILENO : -1, POLLOUT, 0}};
        if (poll(fds, 2, working ? 0 : 1000) < 0) {
            if (errno == EINTR) continue;
            return 1;
        }
        if (fds[0].revents) {
            ssize_t n = read(STDIN_FILENO, input + held, sizeof input - held);
            open = n > 0 || (n < 0 && errno == EINTR);
            if (n > 0) held += (size_t)n;
        }
        if (held) {
            size_t taken = 0;
            wellhead_str bytes = {input, held};
            if (wellhead_connection_receive(c, bytes, &taken, NULL) != WELLHEAD_STATUS_OK) return 1;
            memmove(input, input + taken, held -= taken);
        }
        if (!open && !held) wellhead_connection_end(c);
        if (step(p)) wellhead_server_notify_updated(server, WELLHEAD_STR("primes://count"), NULL);
        wellhead_connection_tick(c, now_ms());
        while (wellhead_connection_poll_event(c, 64) == 64) {}
        gone = !write_some(&o, c);
    }
    wellhead_transmit_free(o.piece);
    return 0;
}

int main(void) {
    static primes p = {.candidate = 2};
    wellhead_error *error = NULL;
    wellhead_resource count = WELLHEAD_RESOURCE_INIT, prime = WELLHEAD_RESOURCE_INIT;
    wellhead_provider counts = WELLHEAD_PROVIDER_INIT, reads = WELLHEAD_PROVIDER_INIT;
    count.uri = WELLHEAD_STR("primes://count");
    prime.uri = WELLHEAD_STR("primes://{n}");
    counts.user_data = reads.user_data = &p;
    counts.read = read_count;
    reads.read = read_prime;
    int failed = 1;
    signal(SIGPIPE, SIG_IGN); /* a client that is gone is an error of write, not the end of this program */
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("primes"), WELLHEAD_STR("1.0.0"), NULL, &error);
    if (server && wellhead_server_add_resource(server, &count, &counts, &error) == WELLHEAD_STATUS_OK
        && wellhead_server_add_template(server, &prime, &reads, &error) == WELLHEAD_STATUS_OK) {
        wellhead_connection *c = wellhead_connection_new(server, NULL, &error); /* no wake: nothing here answers later */
        failed = !c || loop(server, c, &p);
        wellhead_connection_free(c);
    }
    wellhead_str why = wellhead_error_message(error);
    if (error) fprintf(stderr, "primes: " WELLHEAD_FMT "\n", WELLHEAD_ARG(why));
    wellhead_error_free(error);
    wellhead_server_free(server);
    return failed;
}
