#include "stream.h"

#include "message.h"

#include <stdlib.h>
#include <string.h>

static int field(event *e, char *line) {
    char *colon = strchr(line, ':');
    const char *value = colon ? colon + 1 : "", **place;
    if (colon) *colon = '\0';
    if (*value == ' ') value++;
    if (colon == line) {
        e->comment = 1;
        return 1;
    }
    if (strcmp(line, "id") == 0) place = &e->id;
    else if (strcmp(line, "retry") == 0) place = &e->retry;
    else if (strcmp(line, "data") == 0) place = &e->data;
    else return 0;
    if (*place) return 0;
    *place = value;
    return 1;
}

int event_take(event *e, text *body, text *why) {
    char *end = body->at ? strstr(body->at, "\n\n") : NULL;
    *e = (event){0};
    if (!end) return 0;
    text_add(&e->whole, body->at, (size_t)(end - body->at));
    text_drop(body, e->whole.len + 2);
    static const char message[] = "event: message\n";
    int is_message = strncmp(e->whole.at, message, sizeof message - 1) == 0;
    char *fields = e->whole.at + (is_message ? sizeof message - 1 : 0);
    for (char *line = fields, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (!field(e, line)) {
            text_say(why, "an event has the field %s, or has it twice", line);
            return -1;
        }
    }
    /* What carries a message begins with its type; a priming event has none. */
    if (is_message != (e->data && *e->data)) {
        text_say(why, "`event: message` begins what carries a message, and nothing else: %s", e->data ? e->data : "");
        return -1;
    }
    return 1;
}

void event_free(event *e) {
    text_free(&e->whole);
}

int fits(const char *expected, const char *value, json_t *kept) {
    const char *open = strstr(expected, "@{");
    size_t before = open ? (size_t)(open - expected) : 0, len = strlen(expected);
    if (!open || expected[len - 1] != '}') return strcmp(expected, value) == 0;
    if (strncmp(expected, value, before) != 0 || !value[before]) return 0;
    if (strcmp(open, "@{*}") == 0) return 1;
    text name = {0};
    text_add(&name, open + 2, len - before - 3);
    const char *known = json_string_value(json_object_get(kept, name.at));
    int same = !known || strcmp(known, value + before) == 0;
    if (!known) json_object_set_new(kept, name.at, json_string(value + before));
    text_free(&name);
    return same;
}

int event_matches(const json_t *expected, const event *e, json_t *kept) {
    const char *id = json_string_value(json_object_get(expected, "id"));
    const json_t *retry = json_object_get(expected, "retry"), *data = json_object_get(expected, "data");
    if (json_is_true(json_object_get(expected, "comment"))) return e->comment && !e->id && !e->retry && !e->data;
    if (e->comment || !e->data != !data || !e->id != !id || !e->retry != !retry) return 0;
    if (retry && strtoll(e->retry, NULL, 10) != json_integer_value(retry)) return 0;
    return (!data || message_matches(data, e->data, kept)) && (!id || fits(id, e->id, kept));
}
