/* wide.c - everything that a client can ask for, on a small scale: see README.md one folder up. */
#define _GNU_SOURCE
#ifdef ON_MICROHTTPD
#include "serve_on_microhttpd.h"
#else
#include <wellhead_http.h>
#endif

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define S WELLHEAD_STR
#define ICON "https://example.com/icon.png"
#define ELICITATION "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"Your name?\"," \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}}"
#define SAMPLING "{\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":16,\"messages\":[{\"role\":\"user\"," \
    "\"content\":{\"type\":\"text\",\"text\":\"Your name?\"}}]}}"
#define ROOTS "{\"method\":\"roots/list\",\"params\":{}}"

static wellhead_server *server;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wellhead_read *waiting; /* the read of wide://steps, answered once a client reads wide://enough, under the lock */

/* The value of the first member of that name, as it stands in the JSON; absent without one. */
static wellhead_str member(wellhead_str json, const char *name) {
    char quoted[64];
    int depth = 0, in_string = 0;
    int length = snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *from = json.ptr ? memmem(json.ptr, json.len, quoted, (size_t)length) : NULL, *end, *p;
    wellhead_str value = {NULL, 0};
    if (!from) return value;
    end = json.ptr + json.len;
    while ((from += length) < end && *from == ' ') length = 1;
    for (p = from; p < end && (in_string || depth > 0 || !strchr(",}]", *p)); p++) {
        if (in_string && *p == '\\') p++;
        else if (*p == '"') in_string = !in_string;
        else if (!in_string) depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    }
    value.ptr = from;
    value.len = (size_t)(p - from);
    return value;
}

static int is(wellhead_str text, const char *other) {
    return text.ptr && text.len == strlen(other) && memcmp(text.ptr, other, text.len) == 0;
}

/* A text made by a format, for the caller to free. */
static char *format(const char *form, wellhead_str value) {
    char *made = NULL;
    return asprintf(&made, form, (int)value.len, value.ptr) < 0 ? NULL : made;
}

/* ---- resources ---- */

static void read_parts(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_contents one = WELLHEAD_CONTENTS_INIT, two = one;
    (void)user_data, (void)call;
    one.uri = S("wide://parts/1");
    one.mime_type = S("text/plain");
    two.uri = S("wide://parts/2");
    two.mime_type = S("application/octet-stream");
    two.meta = S("{\"example.com/part\":2}");
    wellhead_read_add_text(r, &one, S("one"));
    wellhead_read_add_blob(r, &two, S("\x00\xff"));
    wellhead_read_finish(r);
}

static void read_steps(void *user_data, const wellhead_call *call, wellhead_read *r) {
    const double total = 3;
    (void)user_data;
    pthread_mutex_lock(&lock); /* a client reads wide://enough at the last progress */
    wellhead_call_progress(call, 1, &total, S("one"));
    wellhead_call_progress(call, 2, &total, S("two"));
    wellhead_call_progress(call, 3, &total, S("three"));
    wellhead_read_keep(r);
    wellhead_read_free(waiting);
    waiting = r;
    pthread_mutex_unlock(&lock);
}

static void read_enough(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data, (void)call;
    pthread_mutex_lock(&lock);
    if (waiting) wellhead_read_text(waiting, S("done"));
    waiting = NULL;
    pthread_mutex_unlock(&lock);
    wellhead_read_text(r, S("enough"));
}

static void *until_cancelled(void *kept) {
    while (!wellhead_call_cancelled(wellhead_read_call(kept))) usleep(5000);
    wellhead_server_set_text(server, S("wide://cancelled"), NULL, S("yes"), NULL);
    wellhead_read_free(kept);
    return NULL;
}

/* What becomes of it is told in wide://cancelled. */
static void read_endless(void *user_data, const wellhead_call *call, wellhead_read *r) {
    pthread_t thread;
    (void)user_data;
    wellhead_call_progress(call, 1, NULL, wellhead_cstr(NULL));
    wellhead_read_keep(r);
    if (pthread_create(&thread, NULL, until_cancelled, r) == 0) pthread_detach(thread);
    else wellhead_read_failed(r, S("no thread"));
}

static void read_denied(void *user_data, const wellhead_call *call, wellhead_read *r) {
    (void)user_data, (void)call;
    wellhead_read_denied(r);
}

static void read_asks(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_str name = member(member(wellhead_call_input_responses(call), "content"), "name");
    (void)user_data;
    if (!name.ptr || name.len < 2) {
        wellhead_read_input_required(r, S("{\"inputRequests\":{\"name\":" ELICITATION "}}"));
        return;
    }
    name.ptr++; /* without its quotes */
    name.len -= 2;
    char *greeting = format("Hello, %.*s.", name);
    wellhead_read_text(r, wellhead_cstr(greeting));
    free(greeting);
}

static void read_place(void *user_data, const wellhead_call *call, wellhead_read *r) {
    wellhead_str city = wellhead_call_var(call, "city"), street = wellhead_call_var(call, "street");
    char text[256];
    (void)user_data;
    snprintf(text, sizeof text, "%.*s in %.*s", (int)street.len, street.ptr, (int)city.len, city.ptr);
    wellhead_read_text(r, wellhead_cstr(text));
}

static void add_beginning(wellhead_complete *r, const char *const *all, wellhead_str value) {
    for (; *all; all++)
        if (strncmp(*all, value.ptr, value.len) == 0) wellhead_complete_add(r, wellhead_cstr(*all));
}

static void complete_place(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    const wellhead_str value = wellhead_call_value(call);
    static const char *const cities[] = {"aarhus", "antwerpen", "bern", NULL};
    static const char *const in_aarhus[] = {"bredgade", "brogade", NULL}, *const elsewhere[] = {"meir", NULL};
    const uint64_t total = 12;
    (void)user_data;
    if (is(wellhead_call_variable(call), "city")) {
        add_beginning(r, cities, value);
        wellhead_complete_finish(r, 0, NULL);
    } else {
        add_beginning(r, is(wellhead_call_var(call, "city"), "aarhus") ? in_aarhus : elsewhere, value);
        wellhead_complete_finish(r, 1, &total);
    }
}

static wellhead_status add_read(const char *uri, void (*read)(void *, const wellhead_call *, wellhead_read *)) {
    wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    resource.uri = wellhead_cstr(uri);
    provider.read = read;
    return wellhead_server_add_resource(server, &resource, &provider, NULL);
}

static wellhead_status add_resources(void) {
    static const uint64_t size = 10, ttl_ms = 60000;
    const wellhead_str completed[] = {S("city"), S("street")};
    wellhead_resource described = WELLHEAD_RESOURCE_INIT, cancelled = described, place = described;
    wellhead_provider places = WELLHEAD_PROVIDER_INIT;
    wellhead_cache cache = WELLHEAD_CACHE_INIT;
    wellhead_status status;
    cache.ttl_ms = &ttl_ms;
    described.uri = S("wide://described");
    described.name = S("described");
    described.title = S("All there is to say");
    described.description = S("A resource of which everything is said.");
    described.mime_type = S("text/plain");
    described.size = &size;
    described.annotations =
        S("{\"audience\":[\"user\",\"assistant\"],\"priority\":0.5,\"lastModified\":\"2026-01-12T15:00:58Z\"}");
    described.icons = S("[{\"src\":\"" ICON "\",\"mimeType\":\"image/png\",\"sizes\":[\"48x48\"],\"theme\":\"dark\"}]");
    described.meta = S("{\"example.com/colour\":\"green\"}");
    described.cache = &cache;
    cancelled.uri = S("wide://cancelled");
    place.uri = S("wide://{city}/{street}");
    place.name = S("place");
    place.title = S("A place");
    place.description = S("A street of a city.");
    place.mime_type = S("text/plain");
    place.annotations = S("{\"priority\":1}");
    place.icons = S("[{\"src\":\"" ICON "\"}]");
    place.meta = S("{\"example.com/colour\":\"red\"}");
    places.read = read_place;
    places.complete = complete_place;
    places.completed = completed;
    places.completed_count = 2;
    if ((status = wellhead_server_add_text(server, &described, S("Described."), NULL))
        || (status = wellhead_server_add_text(server, &cancelled, S("no"), NULL))
        || (status = add_read("wide://parts", read_parts))
        || (status = add_read("wide://steps", read_steps))
        || (status = add_read("wide://enough", read_enough))
        || (status = add_read("wide://endless", read_endless))
        || (status = add_read("wide://denied", read_denied))
        || (status = add_read("wide://asks", read_asks)))
        return status;
    return wellhead_server_add_template(server, &place, &places, NULL);
}

/* ---- tools and prompts ---- */

static void answer_text(wellhead_method *r, const char *text) {
    char *result = format("{\"content\":[{\"type\":\"text\",\"text\":\"%.*s\"}]}", wellhead_cstr(text));
    wellhead_method_result(r, wellhead_cstr(result));
    free(result);
}

static void answer_structured(wellhead_method *r, wellhead_str json) {
    char *result = format("{\"content\":[],\"structuredContent\":%.*s}", json);
    wellhead_method_result(r, wellhead_cstr(result));
    free(result);
}

/* Asks the client for the feature that the argument `method` names, and gives back what it answers. */
static void send_client_request(void *user_data, const wellhead_call *call, wellhead_method *r) {
    wellhead_str method = member(wellhead_call_arguments(call), "method"), answer;
    const char *question = is(method, "\"elicitation/create\"") ? ELICITATION
        : is(method, "\"sampling/createMessage\"") ? SAMPLING : ROOTS;
    (void)user_data;
    method = member(wellhead_cstr(question), "method");
    method.ptr++; /* without its quotes */
    method.len -= 2;
    switch (wellhead_method_require_input(r, S("it"), method, member(wellhead_cstr(question), "params"), &answer)) {
    case WELLHEAD_RESPONSE_RESULT: answer_structured(r, answer); break;
    case WELLHEAD_RESPONSE_ERROR: wellhead_method_failed(r, answer); break;
    default: wellhead_method_wait(r);
    }
}

static void log_both(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    wellhead_method_log(r, S("debug"), S("what is going on"), S("wide"), NULL);
    wellhead_method_log(r, S("error"), S("what went wrong"), S("wide"), NULL);
    answer_text(r, "logged");
}

static void add(void *user_data, const wellhead_call *call, wellhead_method *r) {
    int64_t a = 0, b = 0;
    char sum[48];
    (void)user_data;
    wellhead_call_argument_integer(call, "a", &a);
    wellhead_call_argument_integer(call, "b", &b);
    snprintf(sum, sizeof sum, "{\"sum\":%" PRId64 "}", a + b);
    wellhead_method_structured(r, wellhead_cstr(sum));
}

static void grown(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    answer_text(r, "grown");
}

static void grow(void *user_data, const wellhead_call *call, wellhead_method *r) {
    (void)user_data, (void)call;
    wellhead_server_add_tool(server, S("grown"), S("{\"inputSchema\":{\"type\":\"object\"}}"), grown, NULL, NULL, NULL);
    answer_text(r, "there is a further tool");
}

static void greet(void *user_data, const wellhead_call *call, wellhead_method *r) {
    wellhead_str name = member(wellhead_call_arguments(call), "name");
    (void)user_data;
    if (!name.ptr || name.len < 2) {
        wellhead_method_failed(r, S("no name"));
        return;
    }
    name.ptr++; /* without its quotes */
    name.len -= 2;
    char *result = format("{\"description\":\"A greeting\",\"messages\":[{\"role\":\"user\","
                          "\"content\":{\"type\":\"text\",\"text\":\"Greet %.*s.\"}}]}", name);
    wellhead_method_result(r, wellhead_cstr(result));
    free(result);
}

static void complete_name(void *user_data, const wellhead_call *call, wellhead_complete *r) {
    static const char *const names[] = {"Ada", "Alan", "Grace", NULL};
    (void)user_data;
    add_beginning(r, names, wellhead_call_value(call));
    wellhead_complete_finish(r, 0, NULL);
}

static wellhead_status add_methods(void) {
    const wellhead_str plain = S("{\"inputSchema\":{\"type\":\"object\"}}");
    const wellhead_str of_method =
        S("{\"inputSchema\":{\"type\":\"object\",\"properties\":{\"method\":{\"type\":\"string\"}}}}");
    const wellhead_str of_numbers =
        S("{\"inputSchema\":{\"required\":[\"a\",\"b\"],\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}}},"
          "\"outputSchema\":{\"type\":\"object\",\"required\":[\"sum\"],\"properties\":{\"sum\":{\"type\":\"integer\"}}}}");
    const wellhead_str greeting = S("{\"title\":\"A greeting\",\"arguments\":[{\"name\":\"name\",\"required\":true}]}");
    wellhead_status status;
    if ((status = wellhead_server_add_tool(server, S("ask"), of_method, send_client_request, NULL, NULL, NULL))
        || (status = wellhead_server_add_tool(server, S("log"), plain, log_both, NULL, NULL, NULL))
        || (status = wellhead_server_add_tool(server, S("add"), of_numbers, add, NULL, NULL, NULL))
        || (status = wellhead_server_add_tool(server, S("grow"), plain, grow, NULL, NULL, NULL))
        || (status = wellhead_server_add_prompt(server, S("greet"), greeting, greet, NULL, NULL, NULL)))
        return status;
    return wellhead_server_complete_prompt(server, S("greet"), S("name"), complete_name, NULL, NULL, NULL);
}

/* ---- how it is served */

#ifdef ON_MICROHTTPD
static wellhead_status serve(int argc, char **argv) {
    (void)argc, (void)argv;
    return serve_on_microhttpd(server, 0, NULL) ? WELLHEAD_STATUS_IO : WELLHEAD_STATUS_OK;
}
#else
static void print_address(void *bound_data, const wellhead_str *address) {
    (void)bound_data;
    printf("http://%.*s/mcp\n", (int)address->len, address->ptr);
    fflush(stdout);
}

static wellhead_status serve(int argc, char **argv) {
    wellhead_http_options options = WELLHEAD_HTTP_OPTIONS_INIT;
    if (argc < 2 || strcmp(argv[1], "--http") != 0) return wellhead_serve_stdio(server, NULL, NULL);
    options.flags = WELLHEAD_HTTP_HANDLE_SIGTERM;
    options.bound = print_address;
    return wellhead_serve_http(server, S("127.0.0.1:0"), &options, NULL);
}
#endif

int main(int argc, char **argv) {
    const wellhead_pair capabilities[] = {{S("tools"), S("{\"listChanged\":true}")}, {S("logging"), S("{}")}};
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_status status;
    options.title = S("All there is");
    options.instructions = S("Ask for anything.");
    options.capabilities = capabilities;
    options.capability_count = 2;
    server = wellhead_server_new(S("wide"), S("1.0.0"), &options, NULL);
    if (!server) return 1;
    if (!(status = add_resources()) && !(status = add_methods())) status = serve(argc, argv);
    if (status) fprintf(stderr, "wide: %s\n", wellhead_status_name(status));
    return status != WELLHEAD_STATUS_OK; /* the server stays: a thread may still wait for a cancellation */
}
