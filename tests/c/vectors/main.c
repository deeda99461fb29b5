/* Runs the scripts of tests/vectors that it is given, whole and byte by byte. Their README says what a script is. */
#include "host.h"
#include "message.h"
#include "runner.h"

#include <stdlib.h>
#include <string.h>

/* A connection, and the bytes that it has not accepted yet. */
typedef struct client {
    struct client *next;
    const char *name;
    wellhead_connection *connection;
    text unread;
} client;

typedef struct {
    host host;
    client *clients;
    json_t *kept;
    int bytes; /* one at a time */
} run;

/* The connection of that name, which is made for a caller if there is none yet. */
static client *find(run *r, const char *name, wellhead_str caller_id) {
    wellhead_connection_options options = WELLHEAD_CONNECTION_OPTIONS_INIT;
    client *c = r->clients;
    while (c && strcmp(c->name, name) != 0) c = c->next;
    if (c) return c;
    c = calloc(1, sizeof *c);
    if (!c) abort();
    c->name = name;
    options.caller_id = caller_id;
    c->connection = wellhead_connection_new(r->host.server, &options, NULL);
    c->next = r->clients;
    return r->clients = c;
}

static int offer(client *c) {
    size_t taken = 0;
    if (c->unread.len && wellhead_connection_receive(c->connection, view(&c->unread), &taken, NULL) != WELLHEAD_STATUS_OK)
        taken = c->unread.len; /* closed: it is not read any more */
    text_drop(&c->unread, taken);
    return taken > 0;
}

/* Runs the callbacks of all events, until nothing happens any more. */
static void settle(run *r) {
    for (int any = 1; any;) {
        any = 0;
        for (client *c = r->clients; c; c = c->next)
            any |= (wellhead_connection_poll_event(c->connection, SIZE_MAX) > 0) | offer(c);
    }
}

static void feed(run *r, client *c, const char *bytes, size_t len, size_t piece) {
    if (!r->bytes) piece = len;
    while (len) {
        if (piece > len) piece = len;
        text_add(&c->unread, bytes, piece);
        offer(c);
        settle(r);
        bytes += piece;
        len -= piece;
    }
}

static text drained(run *r, client *c) {
    text output = {0};
    wellhead_transmit *t;
    text_add(&output, "", 0);
    for (settle(r); (t = wellhead_connection_poll_transmit(c->connection, r->bytes ? 1 : SIZE_MAX)); settle(r)) {
        wellhead_str bytes = wellhead_transmit_bytes(t);
        text_add(&output, bytes.ptr, bytes.len);
        wellhead_transmit_free(t);
    }
    return output;
}

/* Whether exactly these lines come out. */
static int check_output(run *r, client *c, const json_t *expected, text *why) {
    text output = drained(r, c);
    char *line = output.at;
    size_t i = 0;
    for (char *end; (end = memchr(line, '\n', output.len - (size_t)(line - output.at))) != NULL; line = end + 1, i++) {
        *end = '\0';
        if (!message_matches(json_array_get(expected, i), line, r->kept)) break;
        *end = '\n';
    }
    int same = line == output.at + output.len && i == json_array_size(expected);
    if (!same) {
        text shown = i < json_array_size(expected) ? message_shown(json_array_get(expected, i)) : (text){0};
        text_say(why, "line %zu\n    expected %.600s\n    got      %.600s", i + 1, shown.at ? shown.at : "nothing",
                 *line ? line : "nothing");
        text_free(&shown);
    }
    text_free(&output);
    return same;
}

static int handshake(run *r, client *c, const char *version, text *why) {
    text in = {0}, begin = {0};
    text_say(&in,
             "{\"jsonrpc\":\"2.0\",\"id\":\"handshake\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
             "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n"
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n", version);
    text_say(&begin, "{\"jsonrpc\":\"2.0\",\"id\":\"handshake\",\"result\":{\"protocolVersion\":\"%s\",", version);
    feed(r, c, in.at, in.len, 1);
    text output = drained(r, c);
    int good = strncmp(output.at, begin.at, begin.len) == 0 && strchr(output.at, '\n') == output.at + output.len - 1;
    if (!good) text_say(why, "expected a line that begins %s\n    got %s", begin.at, output.at);
    text_free(&in);
    text_free(&begin);
    text_free(&output);
    return good;
}

static int send(run *r, client *c, const json_t *messages, text *why) {
    text bytes = {0};
    int known = 1;
    size_t count = json_is_array(messages) ? json_array_size(messages) : 1;
    for (size_t i = 0; i < count && known; i++) {
        known = message_sent(json_is_array(messages) ? json_array_get(messages, i) : messages, r->kept, &bytes);
        text_add(&bytes, "\n", 1);
    }
    if (known) feed(r, c, bytes.at, bytes.len, 1);
    else text_say(why, "a name has matched nothing yet");
    text_free(&bytes);
    return known;
}

static int act(run *r, client *c, json_t *step, text *why) {
    const char *verb = verb_of(step);
    const json_t *what = json_object_get(step, verb);
    if (strcmp(verb, "handshake") == 0) return handshake(r, c, json_string_value(what), why);
    if (strcmp(verb, "in") == 0) return send(r, c, what, why);
    if (strcmp(verb, "out") == 0) return check_output(r, c, what, why);
    if (strcmp(verb, "raw") == 0) {
        feed(r, c, json_string_value(what), json_string_length(what), 1);
    } else if (strcmp(verb, "raw_base64") == 0) {
        text bytes = text_of_base64(what);
        feed(r, c, bytes.at, bytes.len, 1);
        text_free(&bytes);
    } else if (strcmp(verb, "raw_repeat") == 0) {
        wellhead_str unit = member(what, "text");
        text bytes = text_repeated(unit.ptr, unit.len, (size_t)json_integer_value(json_object_get(what, "times")));
        feed(r, c, bytes.at, bytes.len, 4096);
        text_free(&bytes);
    } else if (strcmp(verb, "caller") == 0) {
        /* made where it is mentioned */
    } else if (strcmp(verb, "end") == 0) {
        wellhead_connection_end(c->connection);
    } else if (strcmp(verb, "close") == 0) {
        wellhead_connection_close(c->connection);
    } else if (strcmp(verb, "tick") == 0) {
        wellhead_connection_tick(c->connection, (uint64_t)json_integer_value(what));
    } else if (strcmp(verb, "finished") == 0) {
        int finished = wellhead_connection_finished(c->connection);
        if (finished != json_is_true(what)) text_say(why, "got %d", finished);
        return finished == json_is_true(what);
    } else {
        return host_act(&r->host, step, why);
    }
    return 1;
}

static int run_steps(run *r, const json_t *script, text *why) {
    const wellhead_str no_client = {NULL, 0};
    const json_t *catalog = json_object_get(script, "catalog"), *steps = json_object_get(script, "steps");
    for (size_t i = 0; i < json_array_size(catalog); i++) {
        wellhead_error *error = NULL;
        if (host_add(&r->host, json_array_get(catalog, i), &error) != WELLHEAD_STATUS_OK) {
            wellhead_str message = wellhead_error_message(error);
            text_say(why, "catalogue: %.*s", (int)message.len, message.ptr);
            wellhead_error_free(error);
            return 0;
        }
    }
    find(r, "a", no_client);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        json_t *step = json_array_get(steps, i);
        const char *on = json_string_value(json_object_get(step, "on"));
        text_free(why);
        text_say(why, "step %zu, %s: ", i + 1, verb_of(step));
        if (!act(r, find(r, on ? on : "a", member(step, "caller")), step, why)) return 0;
        settle(r);
    }
    for (client *c = r->clients; c; c = c->next) {
        text_free(why);
        text_say(why, "after the last step, connection %s: ", c->name);
        if (!check_output(r, c, NULL, why)) return 0;
    }
    return 1;
}

static int run_script(const json_t *script, int bytes, text *why) {
    run r = {.kept = json_object(), .bytes = bytes};
    host_start(&r.host, json_object_get(script, "server"));
    int passed = run_steps(&r, script, why);
    while (r.clients) {
        client *next = r.clients->next;
        wellhead_connection_free(r.clients->connection);
        text_free(&r.clients->unread);
        free(r.clients);
        r.clients = next;
    }
    int stopped = host_stop(&r.host, why);
    json_decref(r.kept);
    return passed && stopped;
}

int main(int argc, char **argv) {
    return run_scripts(argc, argv, "vectors in C", run_script);
}
