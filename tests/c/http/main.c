/* Runs the scripts of tests/vectors/http that it is given, on an endpoint without a socket, with bodies whole and byte by
 * byte. Their README says what a script is, under "HTTP". An exchange is polled only after `ready` or at its timeout, and
 * the endpoint only after `wake`. So a script fails if one of these calls is missing. A whole request whose whole response
 * the same step expects goes through wellhead_endpoint_handle, if no step advances the clock. */
#include "endpoint.h"
#include "message.h"
#include "runner.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MANY = 32 };

/* A request, and the part of its response that no step has expected yet. */
typedef struct exchange {
    struct exchange *next;
    const char *name;
    wellhead_exchange *exchange;
    int ready; /* raised from any thread */
    uint64_t at;
    const wellhead_http_response *head;
    text body;
    int done;
} exchange;

typedef struct {
    host host;
    wellhead_endpoint *endpoint;
    int woken; /* raised from any thread */
    uint64_t now;
    exchange *exchanges;
    json_t *kept;
    int bytes; /* one at a time */
    int waits; /* a step advances the clock, which no other clock may do then */
} run;

static void raise_flag(void *flag) {
    __atomic_store_n((int *)flag, 1, __ATOMIC_SEQ_CST);
}

static int lower(int *flag) {
    return __atomic_exchange_n(flag, 0, __ATOMIC_SEQ_CST);
}

/* ---- the endpoint */

/* Takes what there is, if there may be something. */
static int receive(run *r, exchange *x) {
    int due = x->at <= r->now;
    if (x->done || !(lower(&x->ready) | due)) return 0;
    for (;;) {
        wellhead_str data;
        switch (wellhead_exchange_poll(x->exchange, r->now)) {
        case WELLHEAD_PROGRESS_RESPOND:
            x->head = wellhead_exchange_response(x->exchange);
            break;
        case WELLHEAD_PROGRESS_DATA:
            data = wellhead_exchange_data(x->exchange);
            text_add(&x->body, data.ptr, data.len);
            break;
        case WELLHEAD_PROGRESS_DONE:
            x->done = 1;
            return 1;
        default: /* WAIT, BODY */
            x->at = wellhead_exchange_poll_timeout(x->exchange);
            return 1;
        }
    }
}

/* Takes everything that there is by now. */
static void settle(run *r) {
    for (int any = 1; any;) {
        any = lower(&r->woken);
        if (any) wellhead_endpoint_poll_event(r->endpoint, SIZE_MAX);
        for (exchange *x = r->exchanges; x; x = x->next) any |= receive(r, x);
    }
}

static exchange *find(run *r, const char *name, text *why) {
    exchange *x = r->exchanges;
    while (x && strcmp(x->name, name) != 0) x = x->next;
    if (!x) text_say(why, "there is no exchange %s", name);
    return x;
}

/* Whether there was one. */
static int end_exchange(run *r, const char *name) {
    exchange **at = &r->exchanges, *x;
    while (*at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    if (!(x = *at)) return 0;
    *at = x->next;
    wellhead_exchange_free(x->exchange);
    text_free(&x->body);
    free(x);
    return 1;
}

/* ---- requests */

typedef struct { wellhead_pair lines[MANY]; text values[MANY]; size_t count; } fields;

/* The bytes of the characters of a text in Latin-1. */
static int latin1(text *t) {
    size_t len = 0;
    for (size_t i = 0; i < t->len; i++) {
        unsigned char c = (unsigned char)t->at[i];
        if (c >= 0x80) {
            if (c != 0xc2 && c != 0xc3) return 0;
            c = (unsigned char)((c & 3u) << 6 | ((unsigned char)t->at[++i] & 0x3fu));
        }
        t->at[len++] = (char)c;
    }
    t->len = len;
    return 1;
}

static void add_field(fields *f, const char *name, text value) {
    if (f->count == MANY) abort();
    if (!value.at) text_add(&value, "", 0);
    f->values[f->count] = value;
    f->lines[f->count] = (wellhead_pair){wellhead_cstr(name), view(&value)};
    f->count++;
}

static void add_plain(fields *f, const char *name, const char *value) {
    text t = {0};
    text_add(&t, value, strlen(value));
    add_field(f, name, t);
}

static void remove_field(fields *f, const char *name) {
    size_t left = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (strcasecmp(f->lines[i].name.ptr, name) == 0) {
            text_free(&f->values[i]);
        } else {
            f->lines[left] = f->lines[i];
            f->values[left++] = f->values[i];
        }
    }
    f->count = left;
}

static int add_sent(fields *f, const char *name, const json_t *value, const json_t *kept, text *why) {
    text sent = {0};
    if (json_is_null(value)) return 1;
    if (!message_sent(value, kept, &sent) || !latin1(&sent)) {
        text_say(why, "the value of %s cannot be written", name);
        text_free(&sent);
        return 0;
    }
    add_field(f, name, sent);
    return 1;
}

/* The body of a request, and in which pieces it comes byte by byte. */
static int body_of(const json_t *body, const json_t *kept, text *bytes, size_t *piece) {
    wellhead_str unit = member(body, "repeat");
    *piece = 1;
    if (unit.ptr) {
        *piece = 4096;
        *bytes = text_repeated(unit.ptr, unit.len, (size_t)json_integer_value(json_object_get(body, "times")));
    } else if (json_object_get(body, "base64")) {
        *bytes = text_of_base64(json_object_get(body, "base64"));
    } else if (body) {
        return message_sent(body, kept, bytes);
    }
    return 1;
}

static int fields_of(fields *f, const json_t *step, const text *body, const json_t *kept, text *why) {
    const char *name;
    json_t *value;
    add_plain(f, "Host", "localhost");
    if (strcmp(json_string_value(json_object_get(step, "send")), "POST") == 0) {
        add_plain(f, "Content-Type", "application/json");
        add_plain(f, "Accept", "application/json, text/event-stream");
    }
    if (json_object_get(step, "body") && !json_is_true(json_object_get(step, "unfinished"))) {
        text length = {0};
        text_say(&length, "%zu", body->len);
        add_field(f, "Content-Length", length);
    }
    json_object_foreach(json_object_get(step, "headers"), name, value) {
        int good = 1;
        remove_field(f, name);
        if (!json_is_array(value)) good = add_sent(f, name, value, kept, why);
        for (size_t i = 0; i < json_array_size(value); i++)
            good = good && add_sent(f, name, json_array_get(value, i), kept, why);
        if (!good) return 0;
    }
    return 1;
}

static int response(run *r, const char *on, const json_t *expected, text *why);

/* Whether a request is handled by one function: it comes whole, and so does its response, which needs no further step. */
static int is_whole(const run *r, const json_t *step) {
    const json_t *expected = json_object_get(step, "response");
    if (r->bytes || r->waits || !expected || json_is_true(json_object_get(step, "unfinished"))) return 0;
    return !json_object_get(expected, "events") || json_is_true(json_object_get(expected, "end"));
}

static int send_request(run *r, const char *on, const json_t *step, text *why) {
    const wellhead_http_request init = WELLHEAD_HTTP_REQUEST_INIT;
    wellhead_http_request request = init;
    wellhead_str target = member(step, "path");
    fields f = {.count = 0};
    text body = {0};
    size_t piece = 1;
    exchange *x = NULL;
    for (x = r->exchanges; x; x = x->next)
        if (strcmp(x->name, on) == 0 && (!x->done || x->body.len)) {
            text_say(why, "the exchange %s is not over", on);
            return 0;
        }
    int good = body_of(json_object_get(step, "body"), r->kept, &body, &piece);
    if (!good) text_say(why, "a name has matched nothing yet");
    good = good && fields_of(&f, step, &body, r->kept, why);
    if (good) {
        end_exchange(r, on);
        x = calloc(1, sizeof *x);
        if (!x) abort();
        x->name = on;
        x->ready = 1;
        x->at = UINT64_MAX;
        request.method = member(step, "send");
        request.target = target.ptr ? target : WELLHEAD_STR("/mcp");
        request.headers = f.lines;
        request.header_count = f.count;
        x->next = r->exchanges;
        r->exchanges = x;
    }
    if (good && is_whole(r, step)) {
        x->exchange = wellhead_endpoint_handle(r->endpoint, &request, view(&body), r->now, UINT64_MAX, NULL);
        x->head = wellhead_exchange_response(x->exchange);
        const wellhead_str data = wellhead_exchange_data(x->exchange);
        good = x->head && x->head->length == data.len;
        if (!good) text_say(why, "the length in the head is not that of the body");
        text_add(&x->body, data.ptr, data.len);
        x->done = 1;
    } else if (good) {
        x->exchange = wellhead_exchange_new(r->endpoint, &request, r->now, raise_flag, &x->ready, NULL, NULL);
        if (!r->bytes) piece = body.len;
        for (size_t at = 0; at < body.len; at += piece) {
            if (piece > body.len - at) piece = body.len - at;
            wellhead_exchange_body(x->exchange, (wellhead_str){body.at + at, piece});
        }
        if (!json_is_true(json_object_get(step, "unfinished"))) wellhead_exchange_end(x->exchange, r->now);
    }
    for (size_t i = 0; i < f.count; i++) text_free(&f.values[i]);
    text_free(&body);
    return good && (!json_object_get(step, "response") || response(r, on, json_object_get(step, "response"), why));
}

/* ---- responses */

/* The value of a field of a response; absent: it has none. */
static wellhead_str header(const wellhead_http_response *head, const char *name) {
    for (size_t i = 0; i < head->header_count; i++)
        if (head->headers[i].name.len == strlen(name)
            && strncasecmp(head->headers[i].name.ptr, name, strlen(name)) == 0)
            return head->headers[i].value;
    return (wellhead_str){NULL, 0};
}

static int has_header(run *r, const wellhead_http_response *head, const char *name, const char *expected, text *why) {
    wellhead_str got = header(head, name);
    text value = {0};
    text_add(&value, got.ptr ? got.ptr : "", got.len);
    int good = !expected == !got.ptr && (!expected || fits(expected, value.at, r->kept));
    if (!good) text_say(why, "%s: expected %s, got %s", name, expected ? expected : "none", got.ptr ? value.at : "none");
    text_free(&value);
    return good;
}

/* Checks that nothing has come that no step asked for. */
static int nothing_left(run *r, const exchange *x, text *why) {
    settle(r);
    if (!x->head && !x->body.len) return 1;
    text_say(why, "of the exchange %s something has come that no step asked for: %s", x->name, x->body.at ? x->body.at : "a head");
    return 0;
}

static int events(run *r, const char *on, const json_t *expected, int end, text *why) {
    exchange *x = find(r, on, why);
    settle(r);
    if (!x) return 0;
    for (size_t i = 0; i < json_array_size(expected); i++) {
        event e;
        text whole = {0};
        text_say(&whole, "%s", x->body.at ? x->body.at : "");
        int taken = event_take(&e, &x->body, why);
        int good = taken > 0 && event_matches(json_array_get(expected, i), &e, r->kept);
        if (taken >= 0 && !good) {
            text shown = text_of_json(json_array_get(expected, i));
            text_say(why, "expected the event %s\n    got %s", shown.at, whole.len ? whole.at : "nothing");
            text_free(&shown);
        }
        event_free(&e);
        text_free(&whole);
        if (!good) return 0;
    }
    if (!nothing_left(r, x, why)) return 0;
    if (x->done != end) text_say(why, x->done ? "the response is over" : "the response goes on");
    return x->done == end;
}

static int whole_body(run *r, exchange *x, const json_t *message, text *why) {
    const char *body = x->body.at ? x->body.at : "";
    text length = {0};
    text_say(&length, "%zu", x->body.len);
    wellhead_str said = header(x->head, "content-length");
    int good = x->done && (message ? message_matches(message, body, r->kept) : x->body.len == 0);
    if (!good) {
        text shown = message ? message_shown(message) : (text){0};
        text_say(why, "expected %s, and the end\n    got %s", shown.at ? shown.at : "nothing", body);
        text_free(&shown);
    } else if (said.ptr && (said.len != length.len || memcmp(said.ptr, length.at, length.len) != 0)) {
        text_say(why, "content-length is not %s", length.at);
        good = 0;
    }
    text_free(&length);
    text_free(&x->body);
    x->head = NULL;
    return good;
}

static int response(run *r, const char *on, const json_t *expected, text *why) {
    exchange *x = find(r, on, why);
    const json_t *message = json_object_get(expected, "json"), *stream = json_object_get(expected, "events");
    const char *type = message ? "application/json" : stream ? "text/event-stream" : NULL, *name;
    json_t *value;
    settle(r);
    if (!x || !x->head) {
        if (x) text_say(why, "no head has come");
        return 0;
    }
    if (json_integer_value(json_object_get(expected, "status")) != (json_int_t)x->head->status) {
        text_say(why, "got status %u: %s", (unsigned)x->head->status, x->body.at ? x->body.at : "");
        return 0;
    }
    if (!has_header(r, x->head, "content-type", type, why)) return 0;
    if (stream && !(has_header(r, x->head, "cache-control", "no-cache, no-transform", why) && has_header(r, x->head, "x-accel-buffering", "no", why)))
        return 0;
    json_object_foreach(json_object_get(expected, "headers"), name, value)
        if (!has_header(r, x->head, name, json_string_value(value), why)) return 0;
    if (!stream) return whole_body(r, x, message, why);
    x->head = NULL;
    return events(r, on, stream, json_is_true(json_object_get(expected, "end")), why);
}

static int session(run *r, const json_t *step, text *why) {
    const char *version = json_string_value(json_object_get(step, "session"));
    const char *name = json_string_value(json_object_get(step, "as"));
    json_t *capabilities = json_object_get(step, "capabilities");
    text begin = {0};
    json_t *initialize = json_pack("{s:s, s:{s:s, s:s, s:s, s:{s:s, s:o, s:{s:s, s:s}}}}", "send", "POST", "body", "jsonrpc",
                                   "2.0", "id", "handshake", "method", "initialize", "params", "protocolVersion", version,
                                   "capabilities", capabilities ? json_incref(capabilities) : json_object(), "clientInfo",
                                   "name", "c", "version", "1");
    int good = send_request(r, "handshake", initialize, why);
    json_decref(initialize);
    settle(r);
    exchange *x = good ? find(r, "handshake", why) : NULL;
    if (!x) return 0;
    text_say(&begin, "{\"jsonrpc\":\"2.0\",\"id\":\"handshake\",\"result\":{\"protocolVersion\":\"%s\",", version);
    wellhead_str id = x->head ? header(x->head, "mcp-session-id") : (wellhead_str){NULL, 0};
    good = x->done && x->head && x->head->status == 200 && id.ptr && x->body.at && strncmp(x->body.at, begin.at, begin.len) == 0;
    if (!good) text_say(why, "no handshake: %s", x->body.at ? x->body.at : "nothing");
    text_free(&begin);
    if (!good) return 0;
    json_object_set_new(r->kept, name ? name : "session", json_stringn(id.ptr, id.len));
    json_t *initialized = json_pack("{s:s, s:{s:o}, s:{s:s, s:s}, s:{s:i}}", "send", "POST", "headers", "Mcp-Session-Id",
                                    json_stringn(id.ptr, id.len), "body", "jsonrpc", "2.0", "method",
                                    "notifications/initialized", "response", "status", 202);
    x->head = NULL;
    text_free(&x->body);
    good = send_request(r, "handshake", initialized, why);
    json_decref(initialized);
    return good;
}

/* ---- scripts */

static int act(run *r, json_t *step, text *why) {
    const char *on = json_string_value(json_object_get(step, "on")), *holds = json_string_value(json_object_get(step, "held"));
    const char *waiting = json_string_value(json_object_get(step, "waiting"));
    const char *dropped = json_string_value(json_object_get(step, "drop"));
    const json_t *advance = json_object_get(step, "advance");
    if (!on) on = "a";
    if (json_object_get(step, "send")) return send_request(r, on, step, why);
    if (json_object_get(step, "response")) return response(r, on, json_object_get(step, "response"), why);
    if (json_object_get(step, "events"))
        return events(r, on, json_object_get(step, "events"), json_is_true(json_object_get(step, "end")), why);
    if (json_object_get(step, "session")) return session(r, step, why);
    if (holds) return find_held(&r->host, holds, why) != NULL;
    if (waiting) {
        const exchange *x = find(r, waiting, why);
        if (x && x->head) text_say(why, "a head has come");
        return x && !x->head;
    }
    if (dropped) {
        int was = end_exchange(r, dropped);
        if (!was) text_say(why, "there is no exchange %s", dropped);
        return was;
    }
    if (advance) {
        r->now += (uint64_t)json_integer_value(advance);
        wellhead_endpoint_tick(r->endpoint, r->now);
        return 1;
    }
    return host_act(&r->host, step, why);
}

static int run_steps(run *r, const json_t *script, text *why) {
    const json_t *catalog = json_object_get(script, "catalog"), *steps = json_object_get(script, "steps");
    for (size_t i = 0; i < json_array_size(catalog); i++)
        if (host_add(&r->host, json_array_get(catalog, i), NULL) != WELLHEAD_STATUS_OK) {
            text_say(why, "entry %zu of the catalogue was refused", i + 1);
            return 0;
        }
    for (size_t i = 0; i < json_array_size(steps); i++) {
        json_t *step = json_array_get(steps, i);
        text_free(why);
        text_say(why, "step %zu, %s: ", i + 1, verb_of(step));
        if (!act(r, step, why)) return 0;
        settle(r);
    }
    text_free(why);
    text_say(why, "after the last step: ");
    for (const exchange *x = r->exchanges; x; x = x->next)
        if (!nothing_left(r, x, why)) return 0;
    return 1;
}

static int run_script(const json_t *script, int bytes, text *why) {
    run r = {.kept = json_object(), .bytes = bytes, .woken = 1};
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(script, "steps"), i, step) r.waits |= json_object_get(step, "advance") != NULL;
    host_start(&r.host, json_object_get(script, "server"));
    r.endpoint = endpoint_new(&r.host, json_object_get(script, "http"), raise_flag, &r.woken);
    if (!r.endpoint) abort();
    int passed = run_steps(&r, script, why);
    while (r.exchanges) end_exchange(&r, r.exchanges->name);
    wellhead_endpoint_free(r.endpoint);
    int stopped = host_stop(&r.host, why);
    json_decref(r.kept);
    return passed && stopped;
}

int main(int argc, char **argv) {
    return run_scripts(argc, argv, "vectors of HTTP in C", run_script);
}
