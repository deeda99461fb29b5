/* What the application hands over is read up to its last byte: behind it is the end of an allocation, which valgrind and sanitizers watch, or of
 * the process's memory. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 600 };

/* Two places of which bytes take the end. */
typedef struct { char *pages, *heap; size_t size; } places;

static places begin(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    places p = {NULL, NULL, PAGES * page};
    p.pages = mmap(NULL, p.size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p.pages == MAP_FAILED || mprotect(p.pages + p.size, page, PROT_NONE) != 0) abort();
    return p;
}

/* `len` bytes of the pattern, again and again, at the end of the pages or of an allocation, which lasts until the next call. */
static wellhead_str at_the_end(places *p, int on_heap, const char *pattern, size_t len) {
    free(p->heap);
    p->heap = on_heap ? malloc(len ? len : 1) : NULL;
    char *bytes = on_heap ? p->heap : p->pages + p->size - len;
    size_t period = strlen(pattern);
    for (size_t i = 0; i < len; i++) bytes[i] = pattern[i % period];
    return (wellhead_str){bytes, len};
}

static void end(places *p) {
    free(p->heap);
    munmap(p->pages, p->size + (size_t)sysconf(_SC_PAGESIZE));
}

typedef struct { wellhead_str body; int blob, copies, released; } given;

static void hand_over(void *user_data, const wellhead_call *call, wellhead_read *r) {
    given *g = user_data;
    (void)call;
    if (g->copies) (g->blob ? wellhead_read_blob : wellhead_read_text)(r, g->body);
    else (g->blob ? wellhead_read_blob_owned : wellhead_read_text_owned)(r, g->body, count, &g->released);
}

static size_t answer_length(wellhead_connection *connection, wellhead_str message) {
    wellhead_transmit *answer = NULL;
    CHECK(wellhead_connection_handle(connection, message, 60000, &answer, NULL) == WELLHEAD_STATUS_OK);
    size_t len = wellhead_transmit_bytes(answer).len;
    CHECK(memchr(wellhead_transmit_bytes(answer).ptr, '{', len) != NULL);
    wellhead_transmit_free(answer);
    return len;
}

/* 0 to 300, around the sizes of blocks, and some that take many. */
static size_t next_length(size_t len) {
    static const size_t large[] = {4095, 4096, 4097, 16383, 16384, 16385, 16400, 65535, 65537, 262145, 1048576, 2097151};
    if (len < 300) return len + 1;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (len < large[i]) return large[i];
    return 0;
}

static const char *const patterns[] = {
    "plain text without any need for more, ",
    "\"quoted\"\n",
    "a line that is rather long, so that most vectors have no quote in them\n",
};

static void no_byte_behind_a_body_is_read(void) {
    given g = {{NULL, 0}, 0, 0, 0};
    wellhead_provider provider = WELLHEAD_PROVIDER_INIT;
    wellhead_server *server = quiet_server();
    places p = begin();
    provider.read = hand_over;
    provider.user_data = &g;
    CHECK(add_template(server, "n:{id}", provider) == WELLHEAD_STATUS_OK);
    wellhead_connection *connection = connect_to(server);
    int bodies = 0;
    for (size_t kind = 0; kind < sizeof patterns / sizeof *patterns; kind++)
        for (size_t len = 0, first = 1; first || len; len = next_length(len), first = 0) {
            size_t answered[2];
            for (int way = 0; way < 4; way++) {
                g.blob = way / 2;
                g.copies = way % 2;
                if (g.blob && kind) continue; /* bytes are bytes */
                for (int on_heap = 0; on_heap < 2; on_heap++, bodies++) {
                    g.body = at_the_end(&p, on_heap, patterns[kind], len);
                    answered[on_heap] = answer_length(connection, WELLHEAD_STR(READ(1, "n:1")));
                    CHECK(answered[on_heap] > len);
                }
                CHECK(answered[0] == answered[1]);
            }
        }
    end(&p);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
    CHECK(g.released > 0 && g.released < bodies);
}

/* The message is parsed where it lies. */
static void no_byte_behind_a_message_is_read(void) {
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{\"x\":\"", tail[] = "\"}}}";
    static const char *const inside[] = {"x", "\\n", "x\\u00e9 and so on, ", "\303\251"};
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    places p = begin();
    exchange(connection, INITIALIZE);
    for (size_t kind = 0; kind < sizeof inside / sizeof *inside; kind++)
        for (size_t times = 0; times < 120; times++)
            for (int on_heap = 0; on_heap < 2; on_heap++) {
                size_t period = strlen(inside[kind]), len = sizeof head - 1 + times * period + sizeof tail - 1;
                wellhead_str message = at_the_end(&p, on_heap, " ", len);
                char *bytes = on_heap ? p.heap : p.pages + p.size - len;
                memcpy(bytes, head, sizeof head - 1);
                for (size_t i = 0; i < times; i++) memcpy(bytes + sizeof head - 1 + i * period, inside[kind], period);
                memcpy(bytes + len - (sizeof tail - 1), tail, sizeof tail - 1);
                CHECK(answer_length(connection, message) > 0);
                size_t taken = 0;
                CHECK(wellhead_connection_receive(connection, message, &taken, NULL) == WELLHEAD_STATUS_OK && taken == len);
                CHECK(wellhead_connection_receive(connection, WELLHEAD_STR("\n"), &taken, NULL) == WELLHEAD_STATUS_OK);
                wellhead_connection_poll_event(connection, SIZE_MAX);
                CHECK(has(drain(connection), "\"result\":{"));
            }
    end(&p);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

/* Names, URIs and descriptions, and what a list makes of them. */
static void no_byte_behind_a_name_is_read(void) {
    wellhead_server *server = quiet_server();
    wellhead_connection *connection = connect_to(server);
    places p = begin();
    for (size_t kind = 0; kind < sizeof patterns / sizeof *patterns; kind++)
        for (size_t len = 1; len < 300; len++)
            for (int on_heap = 0; on_heap < 2; on_heap++) {
                wellhead_resource resource = WELLHEAD_RESOURCE_INIT;
                resource.uri = WELLHEAD_STR("n:1");
                resource.name = at_the_end(&p, on_heap, patterns[kind], len);
                resource.description = resource.name;
                CHECK(wellhead_server_add_text(server, &resource, resource.name, NULL) == WELLHEAD_STATUS_OK);
                CHECK(answer_length(connection, WELLHEAD_STR(LIST(1))) > 2 * len);
                CHECK(wellhead_server_remove_resource(server, resource.uri, NULL) == WELLHEAD_STATUS_OK);
            }
    end(&p);
    wellhead_connection_free(connection);
    wellhead_server_free(server);
}

void test_bounds(void) {
    RUN(no_byte_behind_a_body_is_read);
    RUN(no_byte_behind_a_message_is_read);
    RUN(no_byte_behind_a_name_is_read);
}
