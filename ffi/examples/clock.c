/* clock.c - a clock and a counter of primes, in a program that has an HTTP server of its own: microhttpd.c.
 *
 *   clock [PORT]      (0, the default: any; the address is printed)
 *
 * uptime://seconds changes every second. primes://below/{n} is counted on a thread of its own, which says how far it is: a
 * client that asked for progress gets a stream, another one a JSON answer. */
#define _POSIX_C_SOURCE 200809L
#include "serve_on_microhttpd.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void read_uptime(void *began, const wellhead_call *call, wellhead_read *r) {
    char text[32];
    (void)call;
    snprintf(text, sizeof text, "%llu", (unsigned long long)((now_ms() - *(const uint64_t *)began) / 1000));
    wellhead_read_text(r, wellhead_cstr(text));
}

static unsigned long below(const wellhead_call *call) {
    wellhead_str n = wellhead_call_var(call, "n");
    char digits[8] = "";
    if (n.len < sizeof digits) memcpy(digits, n.ptr, n.len);
    return strtoul(digits, NULL, 10);
}

static void *count_primes(void *kept) {
    wellhead_read *r = kept;
    const wellhead_call *call = wellhead_read_call(r);
    unsigned long most = below(call), found = 0, n, d;
    char text[32];
    for (n = 2; n < most && !wellhead_call_cancelled(call); n++) {
        for (d = 2; d * d <= n && n % d; d++) {}
        found += d * d > n;
        if (n % (most / 4 + 1) == 0) {
            double total = (double)most;
            wellhead_call_progress(call, (double)n, &total, WELLHEAD_STR("counting"));
        }
    }
    snprintf(text, sizeof text, "%lu", found);
    wellhead_read_text(r, wellhead_cstr(text));
    return NULL;
}

static void read_primes(void *user_data, const wellhead_call *call, wellhead_read *r) {
    pthread_t thread;
    (void)user_data;
    if (below(call) == 0) {
        wellhead_read_not_found(r);
        return;
    }
    wellhead_read *kept = wellhead_read_keep(r);
    if (pthread_create(&thread, NULL, count_primes, kept) == 0) pthread_detach(thread);
    else wellhead_read_failed(kept, WELLHEAD_STR("no thread"));
}

static int add_resources(wellhead_server *server, uint64_t *began) {
    wellhead_resource uptime = WELLHEAD_RESOURCE_INIT, primes = WELLHEAD_RESOURCE_INIT;
    wellhead_provider seconds = WELLHEAD_PROVIDER_INIT, count = WELLHEAD_PROVIDER_INIT;
    uptime.uri = WELLHEAD_STR("uptime://seconds");
    seconds.read = read_uptime;
    seconds.user_data = began;
    primes.uri = WELLHEAD_STR("primes://below/{n}");
    count.read = read_primes;
    return wellhead_server_add_resource(server, &uptime, &seconds, NULL) == WELLHEAD_STATUS_OK
           && wellhead_server_add_template(server, &primes, &count, NULL) == WELLHEAD_STATUS_OK;
}

static void tick(wellhead_server *server) {
    wellhead_server_notify_updated(server, WELLHEAD_STR("uptime://seconds"), NULL);
}

int main(int argc, char **argv) {
    uint64_t began = now_ms();
    wellhead_server *server = wellhead_server_new(WELLHEAD_STR("clock"), WELLHEAD_STR("1.0.0"), NULL, NULL);
    if (!server || !add_resources(server, &began)) return 1;
    int failed = serve_on_microhttpd(server, argc > 1 ? (unsigned)atoi(argv[1]) : 0, tick);
    wellhead_server_free(server);
    return failed;
}
