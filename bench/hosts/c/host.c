/* The benchmark's resource set, in C: `host [http PORT | http-stateless PORT] [inline]`. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wellhead.h>
#include <wellhead_http.h>

enum { ITEMS = 1000, ITEM = 1024, MIB = 1 << 20 };
/* Clients that may listen at once, each on a connection of its own. */
enum { STREAMS = 20000 };

static const char FILL[] = "The quick brown fox jumps over the lazy dog. ";
static const char LINE[] = "2026-11-20 INFO \"GET /caf\xc3\xa9\" 200 \xe2\x80\x94 dir C:\\tmp took 170 ms, ok\n";
static char text[MIB], *blob;
static wellhead_server *server;

/* A number that is all of the variable, or -1. */
static long number(const wellhead_call *call, const char *name) {
    wellhead_str s = wellhead_call_var(call, name);
    long n = 0;
    if (s.len == 0 || s.len > 9) return -1;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') return -1;
        n = n * 10 + (s.ptr[i] - '0');
    }
    return n;
}

static int is(wellhead_str s, const char *other) { return s.len == strlen(other) && memcmp(s.ptr, other, s.len) == 0; }

static wellhead_str str(const char *bytes, size_t len) {
    wellhead_str s = { bytes, len };
    return s;
}

static void read_item(void *user, const wellhead_call *call, wellhead_read *r) {
    char item[ITEM + sizeof FILL];
    long n = number(call, "n");
    (void)user;
    if (n < 0 || n >= ITEMS) {
        wellhead_read_not_found(r);
        return;
    }
    for (size_t at = (size_t)sprintf(item, "item %ld: ", n); at < ITEM; at += sizeof FILL - 1) memcpy(item + at, FILL, sizeof FILL - 1);
    wellhead_read_text(r, str(item, ITEM));
}

static void nothing(void *data) { (void)data; }

static void read_text(void *user, const wellhead_call *call, wellhead_read *r) {
    (void)user;
    if (is(wellhead_call_var(call, "size"), "1m")) wellhead_read_text_owned(r, str(text, MIB), nothing, NULL);
    else wellhead_read_not_found(r);
}

static void read_blob(void *user, const wellhead_call *call, wellhead_read *r) {
    wellhead_str size = wellhead_call_var(call, "size");
    (void)user;
    if (is(size, "1m")) {
        wellhead_read_blob_owned(r, str(blob, MIB), nothing, NULL);
    } else if (is(size, "64m")) {
        char *all = malloc((size_t)64 * MIB);
        for (size_t i = 0; i < 64; i++) memcpy(all + i * MIB, blob, MIB);
        wellhead_read_blob_owned(r, str(all, (size_t)64 * MIB), free, all);
    } else {
        wellhead_read_not_found(r);
    }
}

typedef struct { wellhead_read *responder; long ms; } sleeper;

static void *sleep_and_answer(void *data) {
    sleeper *s = data;
    char answer[32];
    struct timespec time = { s->ms / 1000, (s->ms % 1000) * 1000000 };
    nanosleep(&time, NULL);
    snprintf(answer, sizeof answer, "slept %ld", s->ms);
    wellhead_read_text(s->responder, wellhead_cstr(answer));
    free(s);
    return NULL;
}

static void read_slow(void *user, const wellhead_call *call, wellhead_read *r) {
    sleeper *s = malloc(sizeof *s);
    pthread_t thread;
    (void)user;
    s->ms = number(call, "ms");
    s->responder = wellhead_read_keep(r);
    if (pthread_create(&thread, NULL, sleep_and_answer, s) == 0) {
        pthread_detach(thread);
    } else {
        wellhead_read_failed(s->responder, WELLHEAD_STR("no thread"));
        free(s);
    }
}

static void read_touch(void *user, const wellhead_call *call, wellhead_read *r) {
    char uri[48], answer[32];
    long n = number(call, "n");
    (void)user;
    for (long i = 0; i < n && i < ITEMS; i++) {
        snprintf(uri, sizeof uri, "bench://item/%ld", i);
        wellhead_server_notify_updated(server, wellhead_cstr(uri), NULL);
    }
    snprintf(answer, sizeof answer, "touched %ld", n);
    wellhead_read_text(r, wellhead_cstr(answer));
}

static void add_numbers(void *user, const wellhead_call *call, wellhead_method *r) {
    int64_t a = 0, b = 0;
    char sum[32];
    (void)user;
    wellhead_call_argument_integer(call, "a", &a);
    wellhead_call_argument_integer(call, "b", &b);
    snprintf(sum, sizeof sum, "%lld", (long long)((uint64_t)a + (uint64_t)b));
    wellhead_method_text(r, wellhead_cstr(sum));
}

static const char ADD[] = "{\"description\":\"Adds two whole numbers.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
                          "\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\",\"b\"]}}";

/* The listing, kept at hand. */
static struct { wellhead_resource resource; char uri[32], key[16], name[32], title[32], description[48]; } items[ITEMS];

static void make_items(void) {
    for (int n = 0; n < ITEMS; n++) {
        wellhead_resource item = WELLHEAD_RESOURCE_INIT;
        item.uri = str(items[n].uri, (size_t)sprintf(items[n].uri, "bench://item/%d", n));
        item.key = str(items[n].key, (size_t)sprintf(items[n].key, "%d", n));
        item.name = str(items[n].name, (size_t)sprintf(items[n].name, "item-%d", n));
        item.title = str(items[n].title, (size_t)sprintf(items[n].title, "Item %d", n));
        item.description = str(items[n].description, (size_t)sprintf(items[n].description, "Benchmark item number %d", n));
        item.mime_type = WELLHEAD_STR("text/plain");
        items[n].resource = item;
    }
}

static void list_items(void *user, const wellhead_call *call, wellhead_list *r) {
    const wellhead_str after = wellhead_call_after(call);
    const size_t limit = wellhead_call_limit(call);
    long n = 0;
    (void)user;
    if (after.ptr) {
        for (size_t i = 0; i < after.len; i++) n = n * 10 + (after.ptr[i] - '0');
        n++;
    }
    for (size_t given = 0; given < limit && n < ITEMS; given++) wellhead_list_add(r, &items[n++].resource);
    wellhead_list_finish(r, n < ITEMS);
}

static int add(const char *template, const char *mime_type,
               void (*read)(void *, const wellhead_call *, wellhead_read *)) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    resource.uri = resource.name = wellhead_cstr(template);
    resource.mime_type = wellhead_cstr(mime_type);
    provider.read = read;
    return (int)wellhead_server_add_template(server, &resource, &provider, NULL);
}

static wellhead_status serve_stdio(int32_t callback_threads) {
    wellhead_stdio_options options = WELLHEAD_STDIO_OPTIONS_INIT;
    options.callback_threads = callback_threads;
    return wellhead_serve_stdio(server, &options, NULL);
}

static wellhead_status serve_http(const char *port, int stateless, int32_t callback_threads) {
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    wellhead_endpoint_options endpoint = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    char address[32];
    if (stateless) endpoint.flags = WELLHEAD_NO_SESSIONS;
    endpoint.session_limit = options.tcp_connection_limit = STREAMS;
    options.endpoint = &endpoint;
    options.callback_threads = callback_threads;
    snprintf(address, sizeof address, "127.0.0.1:%s", port);
    return wellhead_serve_http(server, wellhead_cstr(address), &options, NULL);
}

int main(int argc, char **argv) {
    wellhead_provider lister = WELLHEAD_PROVIDER_INIT;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    int stateless = argc > 2 && strcmp(argv[1], "http-stateless") == 0;
    int http = stateless || (argc > 2 && strcmp(argv[1], "http") == 0);
    int32_t threads = strcmp(argv[argc - 1], "inline") == 0 ? WELLHEAD_CALLBACKS_INLINE : 0;
    for (size_t at = 0; at + sizeof LINE - 1 <= MIB; at += sizeof LINE - 1) memcpy(text + at, LINE, sizeof LINE - 1);
    blob = malloc(MIB);
    for (size_t i = 0; i < MIB; i++) blob[i] = (char)i;
    make_items();
    lister.list = list_items;
    limits.listen_streams = STREAMS;
    options.limits = &limits;
    server = wellhead_server_new(WELLHEAD_STR("bench"), WELLHEAD_STR("1.0.0"), &options, NULL);
    int failed = add("bench://item/{n}", "text/plain", read_item)
              || add("bench://text/{size}", "text/plain", read_text)
              || add("bench://blob/{size}", "application/octet-stream", read_blob)
              || add("bench://slow/{ms}", "text/plain", read_slow)
              || add("bench://touch/{n}", "text/plain", read_touch)
              || wellhead_server_add_tool(server, WELLHEAD_STR("add"), wellhead_cstr(ADD), add_numbers, NULL, NULL, NULL)
              || wellhead_server_add_list(server, WELLHEAD_STR("items"), &lister, NULL)
              || (http ? serve_http(argv[2], stateless, threads) : serve_stdio(threads));
    wellhead_server_free(server);
    return failed;
}
